"""Dates as a text names them, to tell whether another text names the same. What a text leaves out, such as the year, is
left open; no date is checked against the calendar."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = (
    r"(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b(?:(?<!May)\.(?=\s\d))?"
)
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_LAST = r"(?P<last>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_TO = r"\s*(?:[-\u2013\u2014]|to|until|through|and)\s*"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_DATES = [
    re.compile(pattern)
    for pattern in (
        rf"(?<!\d){_YEAR}-(?P<number>[01]\d)(?:-(?P<day>[0-3]\d))?(?!\d)",
        rf"(?<![\w.,]){_DAY}(?:{_TO}{_LAST})?\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH},?\s+{_YEAR}",
        rf"\b{_MONTH}\s+{_DAY}(?!\d|\s?%|[.,]\d)\b(?:{_TO}{_LAST}(?!\d|\s?%|[.,]\d)\b)?(?:,?\s+{_YEAR})?",
    )
]


class Day(NamedTuple):
    """None for what is not said: "May 2026" has no day."""

    year: int | None
    month: int | None
    day: int | None


def find_days(text: str) -> Iterator[tuple[re.Match[str], list[Day]]]:
    """Each date or range of days, with where it stands; where two readings overlap, the one that was tried first."""
    taken: set[int] = set()
    for pattern in _DATES:
        for found in pattern.finditer(text):
            if taken.isdisjoint(range(*found.span())):
                taken.update(range(*found.span()))
                yield found, _days(found.groupdict())


def is_known_day(day: Day, known: Iterable[Day]) -> bool:
    """Whether some known date says all that this one says."""
    return any(all(part in (None, other) for part, other in zip(day, each, strict=True)) for each in known)


def _days(said: dict[str, str | None]) -> list[Day]:
    month = said.get("number")
    number = int(month) if month else _MONTHS.index((said["month"] or "")[:3]) + 1
    year = int(said["year"]) if said["year"] else None
    days = [said.get("day"), said.get("last")]
    return [Day(year, number, int(day)) for day in days if day] or [Day(year, number, None)]
