"""Dates and times of other databases in SQLite's words. What has no equal there is left as it was, and refused."""

import re
from collections.abc import Mapping

from sqlglot import exp

_DATE_PARTS: Mapping[type[exp.Expr] | str, str] = {
    exp.Year: "%Y", exp.Month: "%m", exp.Day: "%d", exp.DayOfMonth: "%d", exp.Hour: "%H", exp.Minute: "%M",
    exp.Second: "%S", exp.DayOfYear: "%j", exp.DayOfWeek: "%w",
    "YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S",
}  # fmt: skip
_LONG_UNITS = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3_600, "DAY": 86_400, "WEEK": 604_800}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_UNSHARED = re.compile(r"%[^YmdHMSjw]|%$")


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(arguments))


def text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def inside(node: exp.Expr) -> exp.Expr:
    """Without the conversions that the parser puts around the argument of a function of dates."""
    while isinstance(node, exp.TsOrDsToDate | exp.TsOrDsToTimestamp | exp.TsOrDsToTime):
        node = node.this
    return node


def part_of_date(node: exp.Expr) -> exp.Expr | None:
    pattern = _DATE_PARTS.get(node.name.upper() if isinstance(node, exp.Extract) else type(node))
    if pattern is None or (isinstance(node, exp.Extract) and not isinstance(node.this, exp.Var)):
        return None
    value = inside(node.expression if isinstance(node, exp.Extract) else node.this)
    number = exp.cast(call("STRFTIME", text(pattern), value), "INTEGER")
    return exp.paren(number + 1) if pattern == "%w" else number


def shifted_date(node: exp.Expr) -> exp.Expr | None:
    """DATE_ADD, DATE_SUB and `+ INTERVAL` with a plain number."""
    is_sum = isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval)
    if not (is_sum or isinstance(node, exp.DateAdd | exp.DateSub)):
        return None
    amount, unit = node.expression, node.args.get("unit")
    if isinstance(amount, exp.Interval):
        amount, unit = amount.this, amount.args.get("unit")
    name = unit.name.upper().removesuffix("S") if unit else "DAY"
    number = amount.name if isinstance(amount, exp.Literal) else ""
    if not number.isdigit():
        return None
    times = {"WEEK": (7, "day"), "QUARTER": (3, "month")}.get(name, (1, name.lower()))
    sign = "-" if isinstance(node, exp.Sub | exp.DateSub) else "+"
    modifier = text(f"{sign}{int(number) * times[0]} {times[1]}s")
    start = inside(node.this)
    if name not in _LONG_UNITS or isinstance(start, exp.CurrentTimestamp):
        return call("DATETIME", start, modifier)
    day = call("DATE", start, modifier)
    return _no_later(day, start, modifier) if name in _MONTHS else day


def _no_later(day: exp.Expr, start: exp.Expr, modifier: exp.Expr) -> exp.Expr:
    """A month after 31 January is the last of February, not a day in March."""
    words = text("start of month"), modifier, text("+1 months"), text("-1 days")
    last = call("DATE", start.copy(), *(word.copy() for word in words))
    return exp.Least(this=day, expressions=[last], ignore_nulls=False)


def days_apart(node: exp.Expr) -> exp.Expr | None:
    """DATEDIFF counts midnights."""
    if not isinstance(node, exp.DateDiff) or node.text("unit").upper() not in ("", "DAY"):
        return None
    one, other = (call("JULIANDAY", call("DATE", inside(side))) for side in (node.this, node.expression))
    return exp.cast(exp.paren(one - other), "INTEGER")


def time_between(node: exp.Expr) -> exp.Expr | None:
    """Whole units that have passed, as TIMESTAMPDIFF counts them."""
    if not isinstance(node, exp.TimestampDiff):
        return None
    end, start, unit = inside(node.this), inside(node.expression), node.text("unit").upper()
    if unit in _MONTHS:
        return _quotient(_months_between(end.sql("sqlite"), start.sql("sqlite")), _MONTHS[unit])
    seconds = [exp.cast(call("STRFTIME", text("%s"), side), "INTEGER") for side in (end, start)]
    return _quotient(exp.paren(seconds[0] - seconds[1]), _SECONDS[unit]) if unit in _SECONDS else None


def _quotient(number: exp.Expr, divisor: int) -> exp.Expr:
    """Of whole numbers, without the rest."""
    return exp.paren(exp.Div(this=number, expression=exp.Literal.number(divisor), typed=True, safe=True))


def _months_between(end: str, start: str) -> exp.Expr:
    """Twelve a year, less one that is not full."""
    months = [f"CAST(STRFTIME('%Y', {day}) AS INTEGER) * 12 + STRFTIME('%m', {day})" for day in (end, start)]
    rest, other = (f"STRFTIME('%d %H:%M:%S', {day})" for day in (end, start))
    is_ahead = f"JULIANDAY({end}) >= JULIANDAY({start})"
    text = f"({months[0]} - ({months[1]}) - CASE WHEN {is_ahead} THEN {rest} < {other} ELSE -({rest} > {other}) END)"
    return exp.maybe_parse(text, dialect="sqlite")


def read_date(node: exp.Expr) -> exp.Expr | None:
    is_plain = isinstance(node, exp.StrToDate) and node.text("format") == "%Y-%m-%d"
    return call("DATE", node.this) if is_plain else None


def formatted(node: exp.Expr) -> exp.Expr | None:
    """A format with a sign that means something else, or nothing, in the other database is not translated."""
    if not isinstance(node, exp.TimeToStr):
        return None
    pattern = node.args.get("format")
    is_shared = isinstance(pattern, exp.Literal) and not _UNSHARED.search(pattern.name.replace("%%", ""))
    return None if is_shared else call("TIME_TO_STR", node.this)
