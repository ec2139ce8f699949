"""Periods in a message, by a few patterns: "last month", "in the last three weeks", "May 2026", "3 May to 9 May"."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from turnkeep.records import JSON

MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
NUMBERS = dict(zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13)))  # noqa: B905, SIM905
DAY = timedelta(days=1)

_NAMES = "|".join([*MONTHS, *(name[:3] for name in MONTHS)])
_MONTH = rf"(?P<{{0}}month>(?!may (?:i|we)\b)(?:{_NAMES}))(?: (?P<{{0}}year>20\d\d))?"
_DATE = rf"(?P<{{0}}day>\d{{{{1,2}}}})(?:st|nd|rd|th)?(?: of)? {_MONTH}"
_BEFORE = r"\b(?:(?P<lead>in|for|during|over|of|on|from|between|since|weeks? of|weekend of) )?(?:the )?"
_COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBERS)})"
_PATTERNS = (
    rf"{_BEFORE}{_DATE.format('a')} (?:to|until|till|and) (?:the )?{_DATE.format('b')}",
    rf"{_BEFORE}(?P<first>\d{{1,2}})(?:st|nd|rd|th)? (?:to|until|till|and) {_DATE.format('b')}",
    rf"{_BEFORE}{_MONTH.format('a')} (?:to|until|till) {_MONTH.format('b')}",
    rf"{_BEFORE}{_DATE.format('a')}",
    rf"{_BEFORE}{_MONTH.format('a')}",
    rf"{_BEFORE}(?:last|past|previous) {_COUNT} (?P<unit>day|week|month)s?",
    rf"\b(?:for|over) {_COUNT} (?P<unit>week)s",
    rf"{_BEFORE}(?P<which>last|this) (?P<unit>week|month|year|quarter)(?: so far)?",
    rf"{_BEFORE}(?P<yesterday>yesterday)",
)
_PERIOD = [re.compile(rf"{pattern}\b") for pattern in _PATTERNS]


def find_periods(text: str, today: date) -> Iterator[tuple[int, int, JSON | None]]:
    """Start, end and meaning of each period of `text`, in lower case, the longest form first; None where it is one
    that cannot be told."""
    taken: list[tuple[int, int]] = []
    for pattern in _PERIOD:
        for found in pattern.finditer(text):
            if all(found.end() <= start or found.start() >= end for start, end in taken):
                taken.append(found.span())
                yield found.start(), found.end(), _meaning(found.groupdict(), today)


def _meaning(found: dict[str, str | None], today: date) -> JSON | None:
    unit, count = found.get("unit") or "", found.get("n")
    if _is_open(found) or count == "0" or (found.get("which"), unit) == ("last", "year"):
        return None
    if found.get("yesterday"):
        return {"named": "yesterday"}
    if count:
        return {"named": f"last_{unit}s", "n": NUMBERS.get(count) or int(count)}
    if found.get("which"):
        is_last = found["which"] == "last"
        return _quarter(is_last, today) if unit == "quarter" else {"named": f"{found['which']}_{unit}"}
    try:
        return _dates(found, today)
    except ValueError:
        return None  # "31 June"


def _is_open(found: dict[str, str | None]) -> bool:
    """Whether it is more or less than what it names: "the week of 5 May", "from May", "since last week"."""
    lead, has_end = found.get("lead") or "", bool(found.get("bmonth"))
    if lead == "since":
        return has_end or not found.get("amonth")
    return "week" in lead or (lead in ("from", "between") and not has_end)


def _dates(found: dict[str, str | None], today: date) -> JSON:
    """Of a month or of days in it; without a year the newest that has begun."""
    last = found.get("bmonth")
    month = _number(found.get("amonth") or last or "")
    lead = found.get("lead")
    year = int(found.get("ayear") or _year_before(found, month) or today.year - (date(today.year, month, 1) >= today))
    day = found.get("aday") or found.get("first")
    start = date(year, month, int(day or 1))
    if last:
        end_month = _number(last)
        end = date(year + (end_month < month), end_month, int(found.get("bday") or 1))
        end = end if found.get("bday") else (end + timedelta(days=31)).replace(day=1) - DAY
    elif lead == "since":
        end = today - DAY
    else:
        end = start if day else (start + timedelta(days=31)).replace(day=1) - DAY
    if end < start:
        raise ValueError("a period ends on or after the day it starts")
    return {"named": "dates", "start": f"{start}", "end": f"{end}"}


def _year_before(found: dict[str, str | None], month: int) -> int | None:
    """That of the first day, where only the last has one: "28 December to 3 January 2026"."""
    year = found.get("byear")
    return int(year) - (_number(found["bmonth"] or "") < month) if year else None


def _quarter(is_last: bool, today: date) -> JSON:
    start = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    end = today - DAY
    if is_last:
        end = start - DAY
        start = end.replace(month=end.month - 2, day=1)
    return {"named": "dates", "start": f"{start}", "end": f"{max(start, end)}"}


def _number(month: str) -> int:
    return next(at for at, name in enumerate(MONTHS, 1) if name[:3] == month[:3])
