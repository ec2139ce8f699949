"""The functions that may be called, by dialect; all others are refused. Functions are listed by class if sqlglot knows
them, else by name. They only compute, and exist in that database."""

from dataclasses import dataclass

from sqlglot import exp

from turnkeep_agents.database.guard.verdicts import Dialect


@dataclass(frozen=True, slots=True)
class Functions:
    classes: frozenset[type[exp.Expr]]
    names: frozenset[str]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.upper().split())


_AGGREGATES = {exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.GroupConcat}
_WINDOWS = {
    exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead,
    exp.FirstValue, exp.LastValue, exp.NthValue,
}  # fmt: skip
_NUMBERS = {
    exp.Abs, exp.Ceil, exp.Exp, exp.Floor, exp.Greatest, exp.Least, exp.Ln, exp.Log, exp.Mod, exp.Pow, exp.Round,
    exp.Sign, exp.Sqrt,
}  # fmt: skip
_TEXTS = {exp.Length, exp.Lower, exp.Replace, exp.StrPosition, exp.Substring, exp.Trim, exp.Upper}
_CHOICES = {exp.Case, exp.Coalesce, exp.If, exp.Nullif}
_TIMES = {exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.TimeToStr}
_CONVERSIONS = {exp.Cast, exp.TsOrDsToDate, exp.TsOrDsToTimestamp}
_JSON = {exp.JSONExtract, exp.JSONExtractScalar}
_LOGIC = {exp.Exists}
_COMMON = _AGGREGATES | _WINDOWS | _NUMBERS | _TEXTS | _CHOICES | _TIMES | _CONVERSIONS | _JSON | _LOGIC

_SQLITE = Functions(
    frozenset(_COMMON | {
        exp.Date, exp.JSONArrayAgg, exp.JSONObject, exp.JSONObjectAgg, exp.Trunc, exp.TryCast, exp.Typeof,
    }),
    _names(
        "DATE DATETIME TIME JULIANDAY STRFTIME UNIXEPOCH TOTAL JSON_ARRAY JSON_ARRAY_LENGTH JSON_VALID JSON_TYPE LOG"
        " LOG2 LOG10 MOD"
    ),
)  # fmt: skip

_MYSQL = Functions(
    frozenset(_COMMON | {
        exp.AnyValue, exp.Concat, exp.ConcatWs, exp.Date, exp.DateAdd, exp.DateDiff, exp.DateSub, exp.Day,
        exp.Dayname, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfYear, exp.Elt, exp.Extract, exp.Grouping, exp.Hour,
        exp.LastDay, exp.Left, exp.Minute, exp.Month, exp.Monthname, exp.NumberToStr, exp.Pad, exp.Pi, exp.Quarter,
        exp.Rand, exp.RegexpLike, exp.Repeat, exp.Reverse, exp.Right, exp.Second, exp.Space, exp.StddevPop,
        exp.StddevSamp, exp.Stddev, exp.StrToDate, exp.StrToTime, exp.SubstringIndex, exp.Time, exp.Timestamp,
        exp.TimestampAdd, exp.TimestampDiff, exp.Trunc, exp.TsOrDsAdd, exp.TsOrDsDiff, exp.UnixToTime, exp.UtcDate,
        exp.UtcTime, exp.UtcTimestamp, exp.Variance, exp.VariancePop, exp.Week, exp.WeekOfYear, exp.Xor, exp.Year,
        exp.JSONObject, exp.JSONObjectAgg,
    }) - {exp.TimeToStr},
    _names(
        "ADDDATE SUBDATE ADDTIME SUBTIME DATE DATE_FORMAT FIELD FIND_IN_SET FROM_DAYS FROM_UNIXTIME INSTR ISNULL"
        " JSON_ARRAY JSON_ARRAYAGG JSON_LENGTH JSON_UNQUOTE JSON_VALID LOCATE LOG LOG2 LOG10 MAKEDATE"
        " MICROSECOND MOD MONTHNAME NOW OCTET_LENGTH"
        " PERIOD_ADD PERIOD_DIFF SEC_TO_TIME STR_TO_DATE SYSDATE TIMEDIFF TIME_FORMAT TIME_TO_SEC TO_DAYS"
        " TO_SECONDS UNIX_TIMESTAMP WEEKDAY YEARWEEK"
    ),
)  # fmt: skip

_POSTGRES = Functions(
    frozenset(_COMMON | {
        exp.Concat, exp.ConcatWs, exp.DateTrunc, exp.TimestampTrunc, exp.Extract, exp.Initcap, exp.Left, exp.Pad,
        exp.Rand, exp.RegexpLike, exp.RegexpILike, exp.Repeat, exp.Reverse, exp.Right, exp.SplitPart, exp.StddevPop,
        exp.StddevSamp, exp.Stddev, exp.StrToDate, exp.StrToTime, exp.ToChar, exp.Trunc, exp.UnixToTime, exp.Variance,
        exp.VariancePop, exp.MakeInterval, exp.Grouping, exp.Array, exp.ArrayAgg, exp.Date,
        exp.Localtime, exp.Localtimestamp, exp.LogicalAnd, exp.LogicalOr, exp.Mode, exp.PercentileCont,
        exp.PercentileDisc, exp.JSONArrayAgg,
    }),
    _names("AGE DATE_PART EVERY JSON_BUILD_OBJECT MAKE_DATE NOW"),
)  # fmt: skip

ALLOWED: dict[Dialect, Functions] = {"sqlite": _SQLITE, "mysql": _MYSQL, "postgres": _POSTGRES}


def is_allowed(node: exp.Expr, dialect: Dialect) -> bool:
    functions = ALLOWED[dialect]
    if type(node) is exp.Anonymous:
        is_date_of_other = dialect == "mysql" and node.name.upper() == "DATE" and len(node.expressions) != 1
        return isinstance(node.this, str) and node.this.upper() in functions.names and not is_date_of_other
    if type(node) is exp.Date and dialect == "postgres" and len([value for value in node.args.values() if value]) > 1:
        return False  # SQLite's, with its words for days
    return type(node) in functions.classes


def name_of(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return node.name.upper()[:60]
    return node.sql_name() if isinstance(node, exp.Func) else type(node).__name__
