"""Stretches of days, and which one is meant where the words fit several: the coming one, the past one as the other.
What leaves the calendar (year 0, 31 February) raises ValueError or OverflowError."""

from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

OPEN_START, OPEN_END = date.min, date.max
DAY = timedelta(days=1)
YEARS, MONTHS = 8, 3  # at most between two 29 February, two 31st
WEEK, WEEKEND, MONTH, YEAR, DECADE = (1, "W"), (2, "E"), (1, "M"), (1, "Y"), (10, "Y")

type Unit = tuple[int, str]
"""How many of what: (3, "M") is a quarter. D, W, M, Y; TH, TM, TS of time; E of a weekend."""


@dataclass(frozen=True)
class Span:
    start: date
    end: date  # included
    note: str = ""
    other: "Span | None" = None
    is_day: bool = False

    def mapped(self, made: "Callable[[Span], Span]") -> "Span":
        """And its other one, where there is such a one."""
        first = made(self)
        try:
            other = self.other and made(self.other)
        except ValueError:
            other = None
        return replace(first, note=first.note or self.note, other=other)


@dataclass(frozen=True)
class Partial:
    """What a date says; None for what it leaves open. Without a day it is a month, without a month a year."""

    year: int | None
    month: int | None
    day: int | None
    note: str = ""
    swapped: "Partial | None" = None  # 4/3 for 3/4

    def resolved(self, today: date) -> Span:
        this = today.year * 12 + today.month - 1
        months = [divmod(month, 12) for month in range(this - MONTHS, this + MONTHS + 1)]
        if self.year or self.month:
            years = [self.year] if self.year else range(today.year - YEARS, today.year + YEARS + 1)
            months = [(year, (self.month or 1) - 1) for year in years]
        span = chosen((_span(year, self.month or not self.year, month + 1, self.day) for year, month in months), today)
        note = self.note or ("" if self.year else f"{'year' if self.month else 'month'} not named, the next one")
        return replace(span, note=note, other=self.swapped.resolved(today) if self.swapped else span.other)


def _span(year: int, has_month: object, month: int, day: int | None) -> Span | None:
    try:
        start = date(year, month, day or 1)
    except (ValueError, OverflowError):
        return None
    return on(start) if day else unit_of(start, MONTH if has_month else YEAR)


def on(day: date, note: str = "", other: date | None = None) -> Span:
    return Span(day, day, note, on(other) if other else None, is_day=True)


def chosen(spans: Iterable[Span | None], today: date, way: int = 0) -> Span:
    """Of spans in their order the coming one, or with a way the last (-1) or next (1); its other is the next best."""
    known = [span for span in spans if span]
    past, coming = [span for span in known[::-1] if span.end < today], [span for span in known if span.end >= today]
    fitting = coming[:1] + past[:1]
    if way:
        fitting = past if way < 0 else [span for span in coming if span.start > today]
        fitting = fitting[
            : 2 if fitting and fitting[0].start.year == today.year else 1
        ]  # "scorso settembre" in November
    if not fitting:
        raise ValueError("no such day")
    return replace(fitting[0], other=fitting[1] if len(fitting) > 1 else None)


def shifted(day: date, count: int, letter: str) -> date:
    """A month after the 31st is the last day of the next month."""
    if letter in "DW":
        return day + DAY * count * (7 if letter == "W" else 1)
    year, month = divmod(day.year * 12 + day.month - 1 + count * (12 if letter == "Y" else 1), 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def unit_of(day: date, unit: Unit, ahead: int = 0) -> Span:
    """The week (from Monday), month, quarter, decade ... of a day, or one so many ahead; ValueError of hours."""
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


def weekday_in(span: Span, weekday: int, at: int) -> Span:
    """The first, second ... or with -1 the last one."""
    day = span.start + DAY * ((weekday - span.start.weekday()) % 7 + 7 * (at - 1))
    return _inside(on(span.end - DAY * ((span.end.weekday() - weekday) % 7) if at < 0 else day), span)


def unit_in(span: Span, unit: Unit, at: int) -> Span:
    """Weeks as ISO 8601 counts them: the first one is that of the first Thursday."""
    if unit[1] in "WE":
        return unit_of(weekday_in(span, 3 if unit == WEEK else 6, at).start, unit)
    return _inside(unit_of(span.end, unit) if at < 0 else unit_of(span.start, unit, at - 1), span)


def _inside(found: Span, span: Span) -> Span:
    if not span.start <= found.start <= found.end <= span.end:
        raise ValueError("no such day")
    return found
