"""How the single expressions of time are spelled: dates, months, quarters, "last week", "two weeks ago"."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from turnkeep_agents.campaigns.reading.days import WEEK_DAYS, Clock, Unit, add_days, days_in, period, shift
from turnkeep_agents.campaigns.reading.moments import MONTHS, Moment
from turnkeep_agents.campaigns.reading.vocabulary import BLOT, COUNT, blot, number
from turnkeep_agents.campaigns.requests import Period
from turnkeep.blocks.words import words

WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")
UNITS: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year"}
UNIT = r"(?P<unit>day|week|fortnight|month|quarter|year)"

_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "september") + "|sept?(?:ember)?"
_WEEKDAY = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in WEEKDAYS)
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:st|nd|rd|th)?"
_TO = r"\s*(?:to|and|until|till|through|thru|-)\s*(?:the\s+)?"


def moments_in(text: str, clock: Clock) -> list[Moment]:
    """In the order of the text; none overlaps another."""
    found: list[Moment] = []
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            moment = read(match, clock)
            if moment:
                at, to = match.span("time") if "time" in pattern.groupindex else match.span()
                found.append(replace(moment, at=at, to=to))
                text = blot(text, at, to)
    return sorted(found, key=lambda moment: moment.at)


def _day(match: re.Match[str], clock: Clock) -> Moment | None:
    said = match.groupdict()
    month, year = _month_number(said["month"]), said["year"]
    first = int(said["day"])
    last = int(said.get("until") or first)
    return _dated((month, month), (first, last), int(year) if year else None)


def _iso_day(match: re.Match[str], clock: Clock) -> Moment:
    year, month, day = (int(part) for part in match.groups())
    return _dated((month, month), (day, day), year)


def _numeric_day(match: re.Match[str], clock: Clock) -> Moment:
    """Day first, as is usual where it is not the month that is written first."""
    day, month, year = (int(part) for part in match.groups())
    if month > 12 >= day:
        day, month = month, day
    year = year + 2000 if year < 100 else year
    is_unclear = day <= 12 and month <= 12 and day != month
    remark = f"{match[0]} was read with the day first." if is_unclear else ""
    return replace(_dated((month, month), (day, day), year), remark=remark)


def _month(match: re.Match[str], clock: Clock) -> Moment | None:
    if not _is_month(match):
        return None
    month, year = _month_number(match["month"]), match["year"] or (match["short"] and f"20{match['short']}")
    return _dated((month, month), (1, None), int(year) if year else None)


def _iso_month(match: re.Match[str], clock: Clock) -> Moment:
    return _dated((int(match[2]), int(match[2])), (1, None), int(match[1]))


def _part_of_year(match: re.Match[str], clock: Clock) -> Moment:
    """A quarter or a half by its number."""
    said = match.groupdict()
    ordinal = said["number"] or _ORDINALS[said["word"].lower()]
    length = 6 if said["half"] else 3
    year = said["year"] or said["before"] or (f"20{said['short']}" if said["short"] else None)
    first = (int(ordinal) - 1) * length + 1
    return _dated((first, first + length - 1), (1, None), int(year) if year else None)


def _year_alone(match: re.Match[str], clock: Clock) -> Moment:
    return _dated((1, 12), (1, None), int(match["year"]))


def _dated(months: tuple[int, int], days: tuple[int, int | None], year: int | None) -> Moment:
    return Moment(0, 0, months=months, days=days, year=year)


def _counted(match: re.Match[str], clock: Clock) -> tuple[Unit, int]:
    said = match.groupdict()
    count = number(said["count"]) if said.get("count") else 1
    name = said["unit"].lower()
    return ("week", 2 * count) if name == "fortnight" else (UNITS[name], count)


def _back(match: re.Match[str], clock: Clock) -> Moment:
    """So many units that are over. Where none is counted a rolling one is meant by its word alone."""
    unit, count = _counted(match, clock)
    if match.groupdict().get("rolling"):
        days = {"day": 1, "week": WEEK_DAYS, "month": 30, "quarter": 91, "year": 365}[unit]
        return _relative(clock.back("day", count * days), "day", count * days)
    return _relative(clock.back(unit, count), unit, count)


def _before_last(match: re.Match[str], clock: Clock) -> Moment:
    unit, count = _counted(match, clock)
    return _relative(clock.back(unit, count, skipped=count), unit, count)


def _ago(match: re.Match[str], clock: Clock) -> Moment:
    unit, count = _counted(match, clock)
    return _relative(clock.back(unit, 1, skipped=max(count, 1) - 1), unit, 1)


def _current(match: re.Match[str], clock: Clock) -> Moment:
    unit, count = _counted(match, clock)
    if count > 1:
        return _relative(clock.back(unit, count), unit, count)
    return _relative(clock.current(unit), unit, 0)


def _to_date(match: re.Match[str], clock: Clock) -> Moment:
    unit = next(unit for unit in UNITS.values() if unit[0] == match["short"].lower())
    return _relative(clock.current(unit), unit, 0)


def _next(match: re.Match[str], clock: Clock) -> Moment:
    unit, count = _counted(match, clock)
    start = add_days(clock.whole(unit, clock.today).end, 1)
    return _relative(period(start, add_days(shift(start, unit, max(count, 1)), -1)), unit, 0)


def _near_day(match: re.Match[str], clock: Clock) -> Moment:
    said = match[0].lower()
    if "yesterday" in said:
        return _relative(clock.back("day", 1, skipped=int("before" in said)), "day", 1)
    day = add_days(clock.today, int(said == "tomorrow"))
    remark = "" if day <= clock.last else f"There is no data for {said} yet."
    return Moment(0, 0, period(day, day), remark=remark)


def _weekday(match: re.Match[str], clock: Clock) -> Moment:
    wanted = next(number for number, name in enumerate(WEEKDAYS) if name[:3] == match["day"].lower()[:3])
    day = add_days(clock.newest, -((clock.newest.weekday() - wanted) % WEEK_DAYS))
    return _relative(period(day, day), "day", 1)


def _weekend(match: re.Match[str], clock: Clock) -> Moment:
    end = add_days(clock.newest, -((clock.newest.weekday() - 6) % WEEK_DAYS))
    return _relative(period(add_days(end, -1), end), "day", 2)


def _day_of_month(match: re.Match[str], clock: Clock) -> Moment | None:
    """The newest such day."""
    wanted = int(match["day"])
    months = (shift(clock.start_of("month", clock.newest), "month", -back) for back in range(3))
    days = (add_days(month, wanted - 1) for month in months if 1 <= wanted <= days_in(month.year, month.month))
    day = next((day for day in days if day <= clock.newest), None)
    return _relative(period(day, day), "day", 1) if day else None


def _numbered_week(match: re.Match[str], clock: Clock) -> Moment | None:
    """As ISO 8601 numbers them, from Monday to Sunday."""
    year = int(match["year"] or clock.last.year)
    try:
        start = date.fromisocalendar(year, int(match["number"]), 1)
    except ValueError:
        return None
    return Moment(0, 0, period(start, add_days(start, WEEK_DAYS - 1)))


def _all_time(match: re.Match[str], clock: Clock) -> Moment:
    return Moment(0, 0, period(clock.first, max(clock.first, clock.newest)))


def _relative(days: Period, unit: Unit, count: int) -> Moment:
    return Moment(0, 0, days, unit=unit, count=count, is_relative=True, is_week=unit == "week")


def _month_number(said: str) -> int:
    return next(number for number, name in enumerate(MONTHS, 1) if name[:3] == said.lower()[:3])


def _is_month(match: re.Match[str]) -> bool:
    """May and march are verbs too: in lower case only what stands around it can make it a month."""
    if match["month"].lower() not in ("may", "march") or match["year"]:
        return True
    behind, ahead = match.string[: match.start("month")], match.string[match.end("month") :]
    if _AFTER_VERB.match(ahead):
        return False
    return match["month"][0].isupper() or bool(_BEFORE_MONTH.search(behind) or _AFTER_MONTH.match(ahead))


_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_AFTER_VERB = re.compile(
    r"\s+(?:i|we|you|they|it|he|she|be|have|not|well|also|need|want|cause|explain|help|on|forward)\b", re.I
)
_BEFORE_MONTH = re.compile(
    r"(?:^|[,-]|\b(?:in|for|of|during|since|from|to|until|till|and|or|vs|versus|than|with|before|after|about|through|was|is|did|how"
    r"|over|early|mid|late|last|this|past|compared|by|against|what about))\W*$",
    re.I,
)
_AFTER_MONTH = re.compile(
    r"\W*$|\s*[,;.?!-]|\s+(?:vs|versus|to|and|or|against|compared|better|worse|performance|results|figures)\b", re.I
)

_READERS: list[tuple[re.Pattern[str], Callable[[re.Match[str], Clock], Moment | None]]] = [
    (re.compile(pattern, re.I), read)
    for pattern, read in (
        (r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b", _iso_day),
        (
            rf"\b(?P<day>\d{{1,2}}){_ORDINAL}{_TO}(?P<until>\d{{1,2}}){_ORDINAL}\s+(?:of\s+)?"
            rf"(?P<month>{_MONTH})\b\.?(?:,?\s+(?P<year>{_YEAR})\b)?",
            _day,
        ),
        (
            rf"\b(?P<month>{_MONTH})\b\.?\s+(?:the\s+)?(?P<day>\d{{1,2}}){_ORDINAL}{_TO}(?P<until>\d{{1,2}})"
            rf"{_ORDINAL}\b(?!\s+(?:of\s+)?(?:{_MONTH})\b)(?:,?\s+(?P<year>{_YEAR})\b)?",
            _day,
        ),
        (
            rf"\b(?P<day>\d{{1,2}}){_ORDINAL}\s*(?:of\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s+(?P<year>{_YEAR})\b)?",
            _day,
        ),
        (
            rf"\b(?P<month>{_MONTH})\b\.?\s+(?:the\s+)?(?P<day>\d{{1,2}}){_ORDINAL}\b"
            rf"(?:,?\s+(?P<year>{_YEAR})\b)?",
            _day,
        ),
        (r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})\b", _numeric_day),
        (r"\b(20\d\d)-(\d{1,2})\b(?!-)", _iso_month),
        (
            rf"\b(?:(?P<before>{_YEAR})\s*[-/]?\s*)?(?P<half>H(?=[12]))?(?(half)|Q)(?P<number>[1-4])\b"
            rf"(?P<word>(?!))?(?:\s*[-/]?\s*(?:of\s+)?(?:(?P<year>{_YEAR})|'(?P<short>\d\d))\b)?",
            _part_of_year,
        ),
        (
            rf"\b(?:the\s+)?(?:(?P<number>[1-4])(?:st|nd|rd|th)|(?P<word>first|second|third|fourth|last(?=\s+quarter\s+of\s+{_YEAR})))\s+"
            rf"(?P<half>(?!))?quarter\b(?P<before>(?!))?"
            rf"(?:\s+(?:of\s+)?(?:the year\s+)?(?:(?P<year>{_YEAR})|'(?P<short>\d\d))\b)?",
            _part_of_year,
        ),
        (
            rf"\b(?:calendar\s+)?week\s+(?:no\.?\s*|number\s+)?(?P<number>\d{{1,2}})\b(?:\s+(?:of\s+)?(?P<year>{_YEAR})\b)?",
            _numbered_week,
        ),
        (r"\b(?:the\s+day\s+before\s+)?yesterday\b|\btoday\b|\btomorrow\b", _near_day),
        (rf"\bthe\s+{UNIT}\s+before\s+last\b", _before_last),
        (rf"\b(?P<count>an?|{COUNT})[\s-]+{UNIT}s?\s+ago\b", _ago),
        (rf"\b{UNIT}[\s-]+to[\s-]+date\b", _current),
        (r"\b(?P<short>[WMQY])TD\b", _to_date),
        (rf"\b(?:so\s+far\s+)?(?:this|(?:the\s+)?current)\s+{UNIT}\b(?:\s+(?:so\s+far|to\s+date))?", _current),
        (
            rf"\b(?:the\s+)?(?:last|past|previous|preceding|prior|(?:most\s+)?(?:recent|latest)|(?P<rolling>trailing|rolling))"
            rf"\s+(?:(?P<count>{COUNT})[\s-]+)?(?:(?:full|whole|complete|calendar)\s+)?{UNIT}s?\b",
            _back,
        ),
        (rf"\b(?:the\s+)?(?:next|coming)\s+(?:(?P<count>{COUNT})[\s-]+)?{UNIT}s?\b", _next),
        (rf"\b(?P<count>{COUNT})[\s-]+{UNIT}s?\b", _back),
        (rf"\b(?:for|over|in|during|within)\s+(?P<time>(?P<count>an?)\s+{UNIT})\b", _back),
        (r"\b(?:an?|the)\s+(?P<unit>fortnight)\b", _back),
        (
            rf"\b(?:for|over|in|during|of)\s+(?P<time>the\s+{UNIT})\b(?!\s+(?:of|before|after|commencing|beginning|starting|ending|to|prior)\b)",
            _current,
        ),
        (r"\b(?:at|last|this|past|over|on)\s+(?P<time>(?:the\s+)?weekend)\b", _weekend),
        (
            rf"\b(?:on|since|last|this|past|from|until|before|after)\s+(?P<time>(?P<day>{_WEEKDAY}))\b"
            rf"(?!\s*(?:-|to|till|through|until)\s*(?:{_WEEKDAY})\b|,?\s+(?:the\s+)?[\d{BLOT}])",
            _weekday,
        ),
        (
            rf"\b(?:(?:last|this|past)\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s+(?:of\s+)?(?P<year>{_YEAR})\b|\s*'(?P<short>\d\d)\b)?",
            _month,
        ),
        (
            r"\b(?:on|since|from|until|before|after|to|and)\s+(?P<time>the\s+(?P<day>\d{1,2})(?:st|nd|rd|th))\b",
            _day_of_month,
        ),
        (
            rf"(?:^|\b(?:in|for|during|of|year|throughout|since|and|vs|versus|to|from|with|than)\s+)(?P<time>(?P<year>{_YEAR}))\b",
            _year_alone,
        ),
        (
            r"\ball[\s-]+time\b|\bever\b|\blifetime\b(?!\s+value)"
            r"|\b(?:entire|whole|full)\s+(?:period|history|time)\b|\ball\s+(?:the\s+)?(?:data|days|history|dates)\b"
            r"|\bsince\s+(?:the\s+)?(?:start|beginning|launch)\b(?!\s+of)",
            _all_time,
        ),
    )
]
"""In the order in which they are tried: what is longer or more exact comes first."""
