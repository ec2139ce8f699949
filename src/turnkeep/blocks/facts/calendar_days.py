"""Days and stretches of days: what words say of one is completed from today; of two that fit the coming one is taken."""

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

MOST_YEARS = 8  # between two 29 February
MOST_MONTHS = 3  # between two 31st

type Unit = tuple[int, str]
"""How many of what: (3, "M") a quarter. D, W, M, Y, and of time TH, TM, TS."""


@dataclass(frozen=True)
class Span:
    """From one day to another, both included; open where there is none."""

    start: date | None
    end: date | None
    note: str = ""
    other: "Span | None" = None
    is_day: bool = False

    @property
    def is_backwards(self) -> bool:
        return self.start is not None and self.end is not None and self.end < self.start


@dataclass(frozen=True)
class Partial:
    """What a date says; None for what it leaves open. Without a day it is a month, without a month a year."""

    year: int | None
    month: int | None
    day: int | None
    note: str = ""
    swapped: "Partial | None" = None

    def resolved(self, today: date) -> Span | None:
        """None where there is no such day."""
        fitting = list(self._spans(today))
        if self.year is not None or not fitting:
            chosen, other = (fitting[0] if fitting else None), None
        else:
            coming = [span for span in fitting if span.end and span.end >= today]
            past = [span for span in fitting if span.end and span.end < today]
            chosen, other = (coming or past)[0], (past[-1] if coming and past else None)
        if chosen is None:
            return None
        if self.swapped and (swapped := self.swapped.resolved(today)):
            other = replace(swapped, other=None)
        note = self.note or ("" if self.year is not None else self._open(chosen))
        return replace(chosen, note=note, other=other)

    def _open(self, chosen: Span) -> str:
        return f"{'year' if self.month else 'month'} not named, the next such {'day' if self.day else 'month'}"

    def _spans(self, today: date) -> Iterator[Span]:
        for year, month in self._months(today):
            span = month_of(year, month) if month else Span(date(year, 1, 1), date(year, 12, 31))
            if self.day is None:
                yield span
            elif month and self.day <= monthrange(year, month)[1]:
                day = date(year, month, self.day)
                yield Span(day, day, is_day=True)

    def _months(self, today: date) -> Iterator[tuple[int, int | None]]:
        if self.year is not None:
            yield self.year, self.month
        elif self.month is not None:
            years = range(max(today.year - MOST_YEARS, 1), min(today.year + MOST_YEARS, 9998) + 1)
            yield from ((year, self.month) for year in years)
        else:
            first = today.year * 12 + today.month - 1
            for month in range(first - MOST_MONTHS, first + MOST_MONTHS + 1):
                yield month // 12, month % 12 + 1


def day_of(day: date, note: str = "") -> Span:
    return Span(day, day, note, is_day=True)


def month_of(year: int, month: int) -> Span:
    return Span(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def shifted(day: date, count: int, letter: str) -> date | None:
    """None before the year 1 and after 9999. A month later than the 31st is the last day of the next month."""
    try:
        if letter == "D":
            return day + timedelta(days=count)
        if letter == "W":
            return day + timedelta(weeks=count)
        months = day.year * 12 + day.month - 1 + count * (12 if letter == "Y" else 1)
        year, month = divmod(months, 12)
        return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
    except (OverflowError, ValueError):
        return None


def unit_of(day: date, unit: Unit, ahead: int = 0) -> Span | None:
    """The week, month, quarter, decade ... in which a day lies, or one so many ahead: (1, "W") from Monday to Sunday."""
    size, letter = unit
    if letter == "D":
        start: date | None = day
    elif letter == "W":
        start = day - timedelta(days=day.weekday())
    elif letter == "M":
        start = date(day.year, (day.month - 1) // size * size + 1, 1)
    else:
        start = date(max(day.year // size * size, 1), 1, 1)
    start = shifted(start, ahead * size, letter) if start else None
    after = shifted(start, size, letter) if start else None
    return Span(start, after - timedelta(days=1)) if start and after else None


def week_of(year: int, month: int | None, number: int) -> Span | None:
    """By ISO 8601: the first week of a year or month is that of its first Thursday."""
    first = date(year, month or 1, 1)
    thursday = first + timedelta(days=(3 - first.weekday()) % 7 + 7 * (number - 1))
    same = thursday.year == year and (month is None or thursday.month == month)
    return unit_of(thursday, (1, "W")) if same and number > 0 else None


def weekday_in(span: Span, weekday: int, number: int) -> date | None:
    """The first, second ... such day; the last with -1."""
    if span.start is None or span.end is None:
        return None
    if number < 0:
        return span.end - timedelta(days=(span.end.weekday() - weekday) % 7)
    day = span.start + timedelta(days=(weekday - span.start.weekday()) % 7 + 7 * (number - 1))
    return day if day <= span.end else None
