"""The periods that the demo knows: a table of forms, each with its days."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from turnkeep.kit.words import words

NUMBERS = words(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty"""
)
MONTHS = words("january february march april may june july august september october november december")
STEPS = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1}
DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12}
INTO = r"\b(?:(?:in|during|of|for|within|over|so far) )?(?:the )?"
UNIT = "(day|week|month|quarter|year)"


@dataclass(frozen=True)
class Period:
    """From `begin` to the day before `end`; `unit` is its kind, "" for any other stretch of days."""

    begin: date
    end: date
    unit: str = ""

    @property
    def phrase(self) -> str:
        """Return a text that this table parses."""
        if self.unit == "month":
            return f"in {MONTHS[self.begin.month - 1].capitalize()} {self.begin.year}"
        if self.unit == "quarter":
            return f"in Q{self.begin.month // 3 + 1} {self.begin.year}"
        if self.unit == "year":
            return f"in {self.begin.year}"
        return f"from {self.begin} to {self.end - timedelta(1)}"

    def moved(self, step: int) -> "Period":
        """Return the period before or after it."""
        if self.unit in UNIT_MONTHS:
            return _calendar(self.unit, self.begin, step)
        width = self.end - self.begin
        return Period(self.begin + step * width, self.end + step * width, self.unit)


@dataclass(frozen=True)
class Found:
    period: Period
    span: tuple[int, int]


def number_of(word: str) -> int | None:
    """ "25" and "ten"."""
    if word.isdecimal():
        return int(word)
    return NUMBERS.index(word) if word in NUMBERS else None


def find(text: str, today: date, *, is_ahead: bool = False) -> Found | None:
    """Return the first period of the text; None if there is none, or if it is ambiguous. `is_ahead`: the question is
    about the future, as in "Which bridges open in May?"."""
    lowered = text.lower()
    for form, means in (COMING if is_ahead else FORMS).items():
        if (found := form.search(lowered)) and (period := means(found, today)):
            return Found(period, found.span())
    return None


def step_from(text: str) -> tuple[int, str, tuple[int, int]] | None:
    """Return a step from the earlier period: "the month before that" is (-1, "month", its position)."""
    found = STEP.search(text.lower())
    if not found:
        return None
    unit, way = (found[1], found[2]) if found[1] else (found[4], found[3])
    return (-1 if way in ("before", "previous") else 1), unit, found.span()


STEP = re.compile(rf"\b(?:in |for )?the (?:{UNIT} (before|after)(?: that| then| it)?|(previous|following) {UNIT})\b")


def _calendar(unit: str, day: date, step: int) -> Period:
    if unit in UNIT_MONTHS:
        size = UNIT_MONTHS[unit]
        first = ((day.year * 12 + day.month - 1) // size + step) * size
        return Period(_first(first), _first(first + size), unit)
    size = 7 if unit == "week" else 1
    begin = day - timedelta(day.weekday() if unit == "week" else 0) + timedelta(step * size)
    return Period(begin, begin + timedelta(size), unit)


def _first(month: int) -> date:
    return date(month // 12, month % 12 + 1, 1)


def _relative(found: re.Match[str], today: date) -> Period | None:
    """ "last month"; "in the last month" may mean thirty days, so it does not count."""
    is_sure = STEPS[found[1]] == 0 or " the " not in f" {found[0]}" or found[1] == "previous"
    return _calendar(found[2], today, STEPS[found[1]]) if is_sure else None


def _rolling(found: re.Match[str], today: date) -> Period | None:
    """ "the last 90 days" end yesterday, "the next two weeks" begin today."""
    number = number_of(found[2])
    if not number:
        return None
    width = timedelta(number * (7 if found[3] == "week" else 1))
    return Period(today, today + width + timedelta(1)) if found[1] == "next" else Period(today - width, today)


def _month(found: re.Match[str], today: date) -> Period | None:
    """Return a month; without a year it is one of this year, and only if it is not in the future."""
    month = MONTHS.index(found[1]) + 1
    if not found[2] and month > today.month:
        return None
    return _calendar("month", date(int(found[2] or today.year), month, 1), 0)


def _coming_month(found: re.Match[str], today: date) -> Period | None:
    """Return a month; without a year it is the current one or the next of its name."""
    month = MONTHS.index(found[1]) + 1
    year = int(found[2] or today.year + (month < today.month))
    return _calendar("month", date(year, month, 1), 0)


def _days(found: re.Match[str], _: date) -> Period | None:
    try:
        begin, last = date.fromisoformat(found[1]), date.fromisoformat(found[2])
    except ValueError:
        return None
    return Period(begin, last + timedelta(1)) if begin <= last else None


MONTH = re.compile(rf"{INTO}({'|'.join(MONTHS)})(?: (20\d\d))?\b")
FORMS: Mapping[re.Pattern[str], Callable[[re.Match[str], date], Period | None]] = {
    re.compile(r"\bfrom (\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)\b"): _days,
    re.compile(rf"{INTO}(last|next|past|previous) (\w+) (day|week)s\b"): _rolling,
    re.compile(rf"{INTO}({'|'.join(STEPS)}) (week|month|quarter|year)\b"): _relative,
    MONTH: _month,
    re.compile(rf"{INTO}q([1-4]) (20\d\d)\b"): (
        lambda found, _: _calendar("quarter", date(int(found[2]), int(found[1]) * 3, 1), 0)
    ),
    re.compile(rf"{INTO}(20\d\d)\b"): lambda found, _: _calendar("year", date(int(found[1]), 1, 1), 0),
    re.compile(rf"\b({'|'.join(DAYS)})\b"): lambda found, today: _calendar("day", today, DAYS[found[1]]),
}
COMING = {**FORMS, MONTH: _coming_month}
