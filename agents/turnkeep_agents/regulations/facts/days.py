"""Stretches of days. Of several, the coming one is chosen, with the past one as alternative."""

from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import TypeAlias

OPEN_START, OPEN_END = date.min, date.max
DAY = timedelta(days=1)
YEARS, MONTHS = 8, 3  # most between two 29 February, two 31st
WEEK, MONTH, YEAR = (1, "W"), (1, "M"), (1, "Y")

Unit: TypeAlias = tuple[int, str]
"""A count and a unit: (3, "M") is a quarter. D, W, M, Y; TH, TM, TS of time; E for a weekend."""


@dataclass(frozen=True)
class Span:
    start: date
    end: date  # included
    note: str = ""
    other: "Span | None" = None
    is_day: bool = False

    def __str__(self) -> str:
        start, end = (
            ".." if self.start == OPEN_START else f"{self.start}",
            ".." if self.end == OPEN_END else f"{self.end}",
        )
        return start if self.is_day else f"{start}/{end}"

    def mapped(self, made: "Callable[[Span], Span]") -> "Span":
        """Apply a function to the span and its alternative."""
        first = made(self)
        return replace(first, note=first.note or self.note, other=self.other and made(self.other))


def dated(today: date, year: int | None, month: int | None, day: int | None) -> Span:
    """Return a date, None for its missing parts; without a day it is a month, without a month a year."""
    this = today.year * 12 + today.month - 1
    months = [divmod(each, 12) for each in range(this - MONTHS, this + MONTHS + 1)]
    if year or month:
        years = [year] if year else range(today.year - YEARS, today.year + YEARS + 1)
        months = [(each, (month or 1) - 1) for each in years]
    starts = [date(each, at + 1, day or 1) for each, at in months if (day or 1) <= monthrange(each, at + 1)[1]]
    unit = (1, "D") if day else MONTH if month else YEAR
    note = "" if year else f"{'year' if month else 'month'} not named, the next one"
    return replace(chosen([unit_of(start, unit) for start in starts], today), note=note)


def on(day: date, note: str = "", other: date | None = None) -> Span:
    return Span(day, day, note, on(other) if other else None, is_day=True)


def chosen(spans: Sequence[Span], today: date, way: int = 0) -> Span:
    """Return the coming one of sorted spans, or the last (`way` -1) or next (1); `other` is the second best."""
    past, coming = [span for span in spans[::-1] if span.end < today], [span for span in spans if span.end >= today]
    fitting = coming[:1] + past[:1]
    if way:
        fitting = past if way < 0 else [span for span in coming if span.start > today]
    if not fitting:
        raise ValueError("no such day")
    return replace(fitting[0], other=fitting[1] if len(fitting) > 1 else None)


def shifted(day: date, count: int, letter: str) -> date:
    """Shift a day; a month after the 31st is the last day of the next month. Raise OverflowError outside of years."""
    if letter in "DW":
        return day + DAY * count * (7 if letter == "W" else 1)
    year, month = divmod(day.year * 12 + day.month - 1 + count * (12 if letter == "Y" else 1), 12)
    if not MINYEAR <= year <= MAXYEAR:
        raise OverflowError(year)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def unit_of(day: date, unit: Unit, ahead: int = 0) -> Span:
    """Return a day's week (from Monday), month, quarter, decade ... or one so many ahead; ValueError for hours."""
    size, letter = unit
    if letter == "E":
        week = unit_of(day, WEEK, ahead)
        return replace(week, start=week.end - DAY)
    starts = {"D": day, "W": day - DAY * day.weekday(), "M": date(day.year, (day.month - 1) // size * size + 1, 1)}
    starts["Y"] = date(max(day.year // size * size, 1), 1, 1)
    if letter not in starts:
        raise ValueError(letter)
    start = shifted(starts[letter], ahead * size, letter)
    end = shifted(start, size, letter) - DAY
    return Span(start, end, is_day=start == end)


def nth_in(span: Span, unit: Unit, at: int, weekday: int | None = None) -> Span:
    """Return the nth such weekday or unit, -1 for the last. The first week is that of the first Thursday (ISO 8601)."""
    if weekday is None and unit[1] in "WE":
        return unit_of(nth_in(span, unit, at, 3 if unit == WEEK else 6).start, unit)
    if weekday is None:
        found = unit_of(span.end, unit) if at < 0 else unit_of(span.start, unit, at - 1)
    else:
        day = span.start + DAY * ((weekday - span.start.weekday()) % 7 + 7 * (at - 1))
        found = on(span.end - DAY * ((span.end.weekday() - weekday) % 7) if at < 0 else day)
    if not span.start <= found.start <= found.end <= span.end:
        raise ValueError("no such day")
    return found
