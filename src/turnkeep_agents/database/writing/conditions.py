"""Conditions as SQL, of a column that stands in some place. "Is not" holds for a row without a value. A day of a column
of moments is its 24 hours. Text is compared without regard to case, except where the graph knows how it is spelled."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from sqlglot import exp

from turnkeep_agents.database.joins.records import Column
from turnkeep_agents.database.reading.asked import EARLIEST, LATEST, Condition, Field, Period, Test, Value
from turnkeep_agents.database.writing.steps import CannotWrite

_ESCAPE = "!"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_YES = frozenset({"true", "yes", "y", "t", "1"})
_DATED = ("date", "datetime", "other")
_WRITTEN = ("text", "other", "binary")  # bytes are shown as text by the views that decrypt them
type Find = Callable[[Field], exp.Expr]

_COMPARED: Mapping[Test, type[exp.Binary]] = {
    "is": exp.EQ,
    "is_not": exp.NEQ,
    "over": exp.GT,
    "at_least": exp.GTE,
    "under": exp.LT,
    "at_most": exp.LTE,
}
_PATTERNS: Mapping[Test, str] = {"contains": "%{}%", "starts": "{}%", "ends": "%{}"}
NULL_FITS: frozenset[Test] = frozenset({"is_not", "is_missing"})
"""Tests that hold where there is no row to look at."""


def held(place: exp.Expr, column: Column, condition: Condition, find: Find) -> exp.Expr:
    """`condition` of one column; `find` gives the place of a value that is a column itself."""
    test, values = condition.test, condition.values
    if test == "is_missing":
        return exp.Is(this=place, expression=exp.Null())
    if test == "is_there":
        return is_there(place)
    if not values:
        raise CannotWrite(f"nothing to compare {condition.field.column} with")
    if test in _PATTERNS:
        return exp.or_(*(_like(place, column, str(value), _PATTERNS[test]) for value in values))
    if test in ("is", "is_not"):
        equal = _is_any(place, column, values, find)
        return equal if test == "is" else exp.or_(_negated(equal), exp.Is(this=place.copy(), expression=exp.Null()))
    days = [day for value in values if (day := _day(value, column))]
    if len(days) == len(values):
        return _of_days(place, test, days)
    return compared(place, test, [_right(value, column, find) for value in values])


def compared(place: exp.Expr, test: Test, values: Sequence[exp.Expr]) -> exp.Expr:
    """A comparison of numbers, or of whatever else sorts."""
    if test == "between":
        low = exp.GTE(this=place, expression=values[0])
        return exp.and_(low, exp.LTE(this=place.copy(), expression=values[-1]))
    if test not in _COMPARED:
        raise CannotWrite(f"{test} compares nothing")
    return _COMPARED[test](this=place, expression=values[0])


def within(place: exp.Expr, period: Period, until: exp.Expr | None = None) -> exp.Expr:
    """Of rows that last, `until` is where their end stands: they are meant if they are there on a day of the period."""
    first = [] if period.start <= EARLIEST else [_literal_day(period.start)]
    ends = [] if period.end >= LATEST else [exp.LT(this=place.copy(), expression=_literal_day(_next(period.end)))]
    if until is None:
        begins = [exp.GTE(this=place.copy(), expression=day) for day in first]
        return exp.and_(*begins, *ends) if begins or ends else is_there(place)
    lasts = [exp.GTE(this=until, expression=day) for day in first]
    still = exp.or_(exp.Is(this=until.copy(), expression=exp.Null()), *lasts)
    return exp.and_(*ends, *([still] if lasts else []), is_there(place.copy()))


def is_there(place: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=place, expression=exp.Null()))


def literal(value: str | float | bool, column: Column | None = None) -> exp.Expr:
    """As the kind of the column wants it; without a column as it is."""
    kind = column.kind if column else "other"
    if kind == "boolean":
        truth = str(value).strip().lower() in _YES
        return exp.true() if truth else exp.false()
    if isinstance(value, bool):
        return exp.Literal.number(int(value)) if kind != "text" else exp.Literal.string(str(value).lower())
    if kind in ("integer", "number", "other") and not isinstance(value, str):
        return exp.Literal.number(value)
    if kind in ("integer", "number") and _is_number(str(value)):
        return exp.Literal.number(str(value).strip())
    text = str(value)
    return exp.Literal.string(text.replace("T", " ") if kind == "datetime" and _MOMENT.match(text) else text)


def _right(value: Value, column: Column, find: Find) -> exp.Expr:
    return find(value) if isinstance(value, Field) else literal(value, column)


def _like(place: exp.Expr, column: Column, text: str, pattern: str) -> exp.Expr:
    for sign in (_ESCAPE, "%", "_"):
        text = text.replace(sign, _ESCAPE + sign)
    lowered = exp.Lower(this=place.copy() if column.kind in _WRITTEN else exp.cast(place.copy(), "text"))
    like = exp.Like(this=lowered, expression=exp.Lower(this=exp.Literal.string(pattern.format(text))))
    return exp.Escape(this=like, expression=exp.Literal.string(_ESCAPE))


def _is_any(place: exp.Expr, column: Column, values: Sequence[Value], find: Find) -> exp.Expr:
    days = [day for value in values if (day := _day(value, column))]
    if len(days) == len(values):
        return exp.or_(*(_of_days(place.copy(), "is", [day]) for day in days))
    spelled = [_spelled(value, column) for value in values]
    found = [_right(value, column, find) for value, _ in spelled]
    if column.kind in _WRITTEN and not all(known for _, known in spelled):
        place, found = exp.Lower(this=place), [exp.Lower(this=each) for each in found]
    return exp.EQ(this=place, expression=found[0]) if len(found) == 1 else exp.In(this=place, expressions=found)


def _spelled(value: Value, column: Column) -> tuple[Value, bool]:
    """As the database spells it, and whether that is known. What is no text has one spelling."""
    if not isinstance(value, str):
        return value, True
    known = {each.casefold(): each for each in column.values}
    return known.get(value.casefold(), value), value.casefold() in known


def _negated(equal: exp.Expr) -> exp.Expr:
    return exp.NEQ(this=equal.this, expression=equal.expression) if isinstance(equal, exp.EQ) else exp.not_(equal)


def _of_days(place: exp.Expr, test: Test, days: Sequence[date]) -> exp.Expr:
    """Half-open: a day ends where the next begins."""
    first, last = min(days), max(days)
    begins = exp.GTE(this=place, expression=_literal_day(first))
    ends = exp.LT(this=place.copy(), expression=_literal_day(_next(last)))
    match test:
        case "over":
            return exp.GTE(this=place, expression=_literal_day(_next(last)))
        case "at_least":
            return begins
        case "under":
            return exp.LT(this=place, expression=_literal_day(first))
        case "at_most":
            return ends
        case _:
            return exp.and_(begins, ends)


def _literal_day(day: date) -> exp.Expr:
    return exp.Literal.string(day.isoformat())


def _next(day: date) -> date:
    return day + timedelta(days=1) if day < date.max else day


def _day(value: Value, column: Column) -> date | None:
    if column.kind not in _DATED or not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _is_number(text: str) -> bool:
    return text.strip().lstrip("+-").replace(".", "", 1).isdecimal()
