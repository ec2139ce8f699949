"""Functions of another database in the words of this one. sqlglot knows many; here are those that it leaves as they
are, and the arithmetic that models write as functions."""

from collections.abc import Callable, Mapping

from sqlglot import exp

from turnkeep.agents.database.guard.verdicts import Dialect

type Rule = Callable[[exp.Expr], exp.Expr | None]

_ARITHMETIC: Mapping[str, type[exp.Binary]] = {
    "DIVIDE": exp.Div, "SUBTRACT": exp.Sub, "ADD": exp.Add, "MULTIPLY": exp.Mul, "MINUS": exp.Sub, "PLUS": exp.Add
}  # fmt: skip
_DATE_PARTS: Mapping[type[exp.Expr] | str, str] = {
    exp.Year: "%Y", exp.Month: "%m", exp.Day: "%d", exp.DayOfMonth: "%d", exp.Hour: "%H", exp.Minute: "%M",
    exp.Second: "%S", exp.Week: "%W", exp.WeekOfYear: "%W", exp.DayOfYear: "%j", exp.DayOfWeek: "%w",
    "YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S", "WEEK": "%W",
}  # fmt: skip
_TODAY = frozenset({"CURDATE", "TODAY", "UTC_DATE"})
_NOW = frozenset({"NOW", "GETDATE", "SYSDATE", "LOCALTIME", "LOCALTIMESTAMP", "UTC_TIMESTAMP"})
_LONG_UNITS = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
_DAYS_OF_UNIT = {"DAY": 1.0, "WEEK": 7.0, "MONTH": 30.4375, "QUARTER": 91.3125, "YEAR": 365.25}


def translate(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The tree with foreign functions replaced where there is a way to say the same."""
    rules = (_arithmetic, *_RULES[dialect])
    for node in reversed(list(tree.walk())):
        found = next((new for rule in rules if (new := rule(node)) is not None), None)
        if found is not None:
            node.replace(found)
    return tree


def _arithmetic(node: exp.Expr) -> exp.Expr | None:
    """A quotient of whole numbers keeps its fraction in every database."""
    if not isinstance(node, exp.Anonymous) or node.name.upper() not in _ARITHMETIC:
        return None
    found = node.expressions
    if len(found) == 1 and isinstance(found[0], exp.Tuple):
        found = found[0].expressions
    if len(found) != 2:
        return None
    one, other = (exp.paren(each, copy=False) if isinstance(each, exp.Binary) else each for each in found)
    return exp.paren(_ARITHMETIC[node.name.upper()](this=one, expression=other), copy=False)


def _call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def _inside(node: exp.Expr) -> exp.Expr:
    """Without the conversions that the parser puts around the argument of a function of dates."""
    while isinstance(node, exp.TsOrDsToDate | exp.TsOrDsToTimestamp | exp.TsOrDsToTime):
        node = node.this
    return node


# SQLite


def _part_of_date(node: exp.Expr) -> exp.Expr | None:
    pattern = _DATE_PARTS.get(node.name.upper() if isinstance(node, exp.Extract) else type(node))
    if pattern is None or (isinstance(node, exp.Extract) and not isinstance(node.this, exp.Var)):
        return None
    value = _inside(node.expression if isinstance(node, exp.Extract) else node.this)
    number = exp.cast(_call("STRFTIME", _text(pattern), value), "INTEGER")
    return exp.paren(number + 1) if pattern == "%w" else number


def _current(node: exp.Expr) -> exp.Expr | None:
    name = node.name.upper() if isinstance(node, exp.Anonymous) and not node.expressions else ""
    if name in _TODAY:
        return exp.CurrentDate()
    return exp.CurrentTimestamp() if name in _NOW or isinstance(node, exp.UtcTimestamp) else None


def _joined_text(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Concat | exp.ConcatWs) or not node.expressions:
        return None
    parts: list[exp.Expr] = list(node.expressions)
    if isinstance(node, exp.ConcatWs):
        between, *parts = parts
        parts = [one for part in parts for one in (between.copy(), part)][1:]
    found = parts[0]
    for part in parts[1:]:
        found = exp.DPipe(this=found, expression=exp.paren(part) if isinstance(part, exp.Binary) else part)
    return exp.paren(found, copy=False)


def _end_of_text(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Left):
        return exp.Substring(this=node.this, start=exp.Literal.number(1), length=node.expression)
    if isinstance(node, exp.Right):
        return exp.Substring(this=node.this, start=exp.Neg(this=node.expression))
    return None


def _shifted_date(node: exp.Expr) -> exp.Expr | None:
    """DATE_ADD, DATE_SUB and `+ INTERVAL` with a plain number."""
    is_sum = isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval)
    if not (is_sum or isinstance(node, exp.DateAdd | exp.DateSub)):
        return None
    amount, unit = node.expression, node.args.get("unit")
    if isinstance(amount, exp.Interval):
        amount, unit = amount.this, amount.args.get("unit")
    name, number = (unit.name.upper() if unit else "DAY"), amount.name if isinstance(amount, exp.Literal) else ""
    if not number.isdigit():
        return None
    times = {"WEEK": (7, "day"), "QUARTER": (3, "month")}.get(name, (1, name.lower()))
    sign = "-" if isinstance(node, exp.Sub | exp.DateSub) else "+"
    modifier = f"{sign}{int(number) * times[0]} {times[1]}s"
    return _call("DATE" if name in _LONG_UNITS else "DATETIME", _inside(node.this), _text(modifier))


def _time_between(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.TimestampDiff):
        return None
    unit = node.text("unit").upper()
    days = exp.paren(_call("JULIANDAY", _inside(node.this)) - _call("JULIANDAY", _inside(node.expression)))
    if unit in _DAYS_OF_UNIT:
        return exp.cast(days / exp.Literal.number(_DAYS_OF_UNIT[unit]), "INTEGER")
    per_day = {"HOUR": 24, "MINUTE": 1440, "SECOND": 86400}.get(unit)
    return exp.cast(days * exp.Literal.number(per_day), "INTEGER") if per_day else None


def _read_date(node: exp.Expr) -> exp.Expr | None:
    return _call("DATE", node.this) if isinstance(node, exp.StrToDate) else None


def _is_null(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Anonymous) and node.name.upper() == "ISNULL" and len(node.expressions) == 1:
        return exp.paren(exp.Is(this=node.expressions[0], expression=exp.Null()), copy=False)
    return None


# MySQL


def _sqlite_date(node: exp.Expr) -> exp.Expr | None:
    """DATE('now', '-7 days') and the like."""
    name = node.name.upper() if isinstance(node, exp.Anonymous) else "DATE" if type(node) is exp.Date else ""
    if name not in ("DATE", "DATETIME"):
        return None
    arguments = [node.this] if type(node) is exp.Date else node.expressions
    start, *modifiers = arguments
    found: exp.Expr = start
    if start.name.lower() == "now":
        found = exp.CurrentDate() if name == "DATE" else _call("NOW")
    for modifier in modifiers:
        words = modifier.name.lower().replace("+", "").split()
        if len(words) != 2 or not words[0].lstrip("-").isdigit():
            return None
        shift = exp.DateSub if words[0].startswith("-") else exp.DateAdd
        amount = exp.Literal.number(words[0].lstrip("-"))
        found = shift(this=found, expression=amount, unit=exp.var(words[1].rstrip("s").upper()))
    return found if found is not start else None


def _days_between(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Sub) and all(_is_call(side, "JULIANDAY") for side in (node.this, node.expression)):
        one, other = (_of_now(side.expressions[0]) for side in (node.this, node.expression))
        return exp.DateDiff(this=one, expression=other)
    return None


def _total(node: exp.Expr) -> exp.Expr | None:
    if not _is_call(node, "TOTAL"):
        return None
    return exp.Coalesce(this=exp.Sum(this=node.expressions[0]), expressions=[exp.Literal.number(0)])


def _is_call(node: exp.Expr, name: str) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == name and len(node.expressions) == 1


def _of_now(node: exp.Expr) -> exp.Expr:
    return exp.CurrentDate() if node.name.lower() == "now" else node


def _formatted_now(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.TimeToStr) and _inside(node.this).name.lower() == "now":
        node.set("this", exp.CurrentTimestamp())
    return None


_RULES: Mapping[Dialect, tuple[Rule, ...]] = {
    "sqlite": (
        _part_of_date, _current, _joined_text, _end_of_text, _shifted_date, _time_between, _read_date, _is_null,
    ),
    "mysql": (_formatted_now, _sqlite_date, _days_between, _total),
    "postgres": (_current,),
}  # fmt: skip
