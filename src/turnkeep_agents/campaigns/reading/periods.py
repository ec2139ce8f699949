"""From the words of a message to the days it is about, and those it compares them with. What was not said is taken for
granted aloud (`assumed`); what cannot be known, such as which days a week has, is asked (`doubts`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from turnkeep_agents.campaigns.reading import days
from turnkeep_agents.campaigns.reading.days import WEEK_DAYS, Clock, Unit, Week, add_days, period
from turnkeep_agents.campaigns.reading.expressions import UNITS, moments_in
from turnkeep_agents.campaigns.reading.moments import Impossible
from turnkeep_agents.campaigns.reading.smalltalk import read_week, week_words
from turnkeep_agents.campaigns.reading.spans import VERSUS, Joined, Span, join, spans_of
from turnkeep_agents.campaigns.reading.vocabulary import COUNT, blot, blot_all
from turnkeep_agents.campaigns.requests import Grain, Period

__all__ = ["ReadPeriods", "Week", "is_about_time", "names_time", "read_periods", "usual_period"]

USUAL_DAYS: Mapping[Grain, int] = {"day": 30, "week": 84, "month": 365}
_ANY_CLOCK = Clock(date(2026, 1, 1), date(2026, 1, 1), date(2026, 1, 1))
_OPENINGS = ("No period", "Weeks are", "The newest day", "There is data", "The data begins", "The two periods")
UNEQUAL_DAYS = 3

_LONG_UNIT = r"(?P<unit>period|day|week|fortnight|month|quarter|year)"
_AGAINST = rf"\b(?P<versus>{VERSUS}\s+(?:with\s+|to\s+|in\s+|on\s+|for\s+)*(?:the\s+)?)"
_SAME_LAST_YEAR = (
    r"same\s+(?:\w+\s+)?(?:period|time|months?|weeks?|days|quarter|dates)\s+(?:of\s+|in\s+)?(?:the\s+)?"
    r"(?:(?:last|previous|prior)\s+year|a\s+year\s+(?:ago|before|earlier))|a\s+year\s+(?:before|earlier)"
)
_RELATIONS = [
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?:{_AGAINST})?\b(?:the\s+)?(?P<year>{_SAME_LAST_YEAR})\b",
        rf"{_AGAINST}(?:previous|prior|preceding)\s+(?:{COUNT}\s+)?{_LONG_UNIT}s?\b",
        rf"(?:{_AGAINST})?\b(?:the\s+)?(?:{COUNT}\s+)?{_LONG_UNIT}s?\s+(?:before|earlier|prior|previously)\b"
        r"(?!\s+(?:last|yesterday|that\s+was)\b)",
        rf"(?:{_AGAINST})?\b(?:the\s+)?(?:previous|prior|preceding)\s+(?P<unit>period)\b",
        rf"{_AGAINST}(?P<unit>before|previously|earlier)\b",
        rf"\bthe\s+(?:(?P<next>following)\s+{_LONG_UNIT}|(?P<after>week|month|quarter|period)\s+after)\b",
        r"\b(?P<over>(?P<unit>day|week|month|quarter|year)[\s-](?:over|on)[\s-](?P=unit))\b",
        r"\b(?P<over>(?P<unit>[MWQY])o(?P=unit))\b",
    )
]


@dataclass(frozen=True)
class ReadPeriods:
    """`rest` is the text with all that was understood blotted out."""

    period: Period | None = None
    compared: Period | None = None
    assumed: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    rest: str = ""


@dataclass(frozen=True)
class _Relation:
    """A period that is told from another one: the `unit` before or after it, or the same days a year before."""

    kind: str
    is_compared: bool
    unit: Unit | None


def read_periods(
    text: str,
    *,
    first: date,
    last: date,
    today: date,
    week: Week | None = None,
    before: Period | None = None,
    is_series: bool = False,
) -> ReadPeriods:
    """The periods that `text`, made plain, asks for; none where it names none. `before` is the period that the thread
    spoke of, for "the month before". A `week` of None is in doubt."""
    settled = read_week(text) or week
    clock = Clock(first, last, today, settled or "sunday")
    for found in week_words(text):
        text = blot(text, *found.span())
    relation, text = _take_relation(text)
    moments = moments_in(text, clock)
    rest = blot_all(text, moments)
    try:
        spans = spans_of(text, moments, clock)
        joined = join(text, spans, clock, is_series=is_series)
    except Impossible as fault:
        return ReadPeriods(doubts=(f"I cannot take these dates: {fault}. Which days do you mean?",), rest=rest)
    rest = blot_all(rest, spans)
    if joined.rivals:
        labels = " or ".join(one.label for one in joined.rivals)
        return ReadPeriods(doubts=(f"Which period do you mean: {labels}?",), rest=rest)
    joined, relation = _implied(joined, relation, before, clock)
    main, compared = _related(joined, relation, before, clock)
    has_weeks = any(side.is_week for side in (joined.main, joined.compared) if side)
    doubts = (_week_question(main, compared),) if has_weeks and main and not settled else ()
    assumed = _assumed(joined, spans, main, compared, clock)
    if has_weeks and settled:
        assumed = (_week_said(settled), *assumed)
    return ReadPeriods(main, compared, assumed, doubts, rest)


def usual_period(*, first: date, last: date, today: date, grain: Grain = "day") -> tuple[Period, str]:
    """What is taken where no period is named, and the sentence that says so; longer where figures are wanted by week
    or month."""
    taken = _usual(Clock(first, last, today), USUAL_DAYS[grain])
    return taken, f"No period was named, so these are the last {taken.days} days with data: {taken.label}."


def names_time(text: str) -> bool:
    """Whether a plain text has any expression of time."""
    return bool(moments_in(text, _ANY_CLOCK)) or _take_relation(text)[0] is not None


def is_about_time(sentence: str) -> bool:
    """Whether it is one of the sentences that say how a period was taken."""
    return sentence.startswith(_OPENINGS)


def _usual(clock: Clock, count: int = USUAL_DAYS["day"]) -> Period:
    return period(max(min(clock.first, clock.newest), add_days(clock.newest, 1 - count)), clock.newest)


def _take_relation(text: str) -> tuple[_Relation | None, str]:
    """The first relation of the text, and the text without it."""
    for pattern in _RELATIONS:
        found = pattern.search(text)
        if found:
            return _relation(found.groupdict()), blot(text, *found.span())
    return None, text


def _relation(said: dict[str, str | None]) -> _Relation:
    name = (said.get("unit") or said.get("after") or "").lower()
    unit = next((unit for unit in UNITS.values() if unit == name or (len(name) == 1 and unit[0] == name)), None)
    if said.get("year") or (said.get("over") and unit == "year"):
        return _Relation("year", True, unit)
    if said.get("next") or said.get("after"):
        return _Relation("after", False, unit)
    return _Relation("before", bool(said.get("versus") or said.get("over") or name == "before"), unit)


def _implied(
    joined: Joined, relation: _Relation | None, before: Period | None, clock: Clock
) -> tuple[Joined, _Relation | None]:
    """What is only hinted at: "than last month" is said of this month, "month over month" of the last whole one."""
    compared, unit = joined.compared, relation.unit if relation else None
    if joined.main or before:
        return joined, relation
    if compared:
        is_last = compared.unit is not None and compared.count == 1
        main = clock.current(compared.unit) if compared.unit and is_last else _usual(clock)
        return Joined(_counted(main, compared.unit if is_last else None), compared), relation
    if relation and not relation.is_compared and relation.kind == "before" and unit:
        return Joined(_counted(clock.back(unit, 1), unit)), None
    if relation and relation.kind == "before" and unit:
        return Joined(_counted(clock.back(unit, 1), unit)), relation
    return (Joined(_counted(_usual(clock), None)) if relation else joined), relation


def _counted(taken: Period, unit: Unit | None) -> Span:
    return Span(0, 0, taken, unit, is_relative=True, is_week=unit == "week")


def _related(
    joined: Joined, relation: _Relation | None, before: Period | None, clock: Clock
) -> tuple[Period | None, Period | None]:
    main = joined.main.period if joined.main else None
    compared = joined.compared.period if joined.compared else None
    anchor = main or before
    if relation and anchor:
        other = _told_from(anchor, relation)
        main, compared = (anchor, other) if relation.is_compared else (other, compared)
    if compared and main is None:
        main = before
    if compared and compared == main:
        compared = days.before(compared)
    return main, compared


def _told_from(anchor: Period, relation: _Relation) -> Period:
    if relation.kind == "year":
        return days.a_year_before(anchor)
    if relation.kind == "after":
        return days.after(anchor)
    is_shorter = relation.unit == "week" and anchor.days < WEEK_DAYS
    if is_shorter:
        return period(add_days(anchor.start, -WEEK_DAYS), add_days(anchor.end, -WEEK_DAYS))
    if relation.unit in ("month", "quarter", "year") and not days.is_whole_months(anchor):
        start, end = days.shift(anchor.start, relation.unit, -1), days.shift(anchor.end, relation.unit, -1)
        return period(start, end) if end < anchor.start else days.before(anchor)
    return days.before(anchor)


def _week_question(main: Period, compared: Period | None) -> str:
    against = f", compared with {_dated(compared)}" if compared else ""
    weeks = -(-main.days // WEEK_DAYS)
    return (
        f"Just to confirm the dates: with weeks that run from {_SUNDAY} to {_SATURDAY} it is {_dated(main)}{against}. "
        f"Is that right, or do you want other days, such as {_MONDAY} to {_SUNDAY} or the last "
        f"{weeks * WEEK_DAYS} days?"
    )


_MONDAY, _SATURDAY, _SUNDAY = "Monday", "Saturday", "Sunday"


def _dated(one: Period) -> str:
    return f"{one.start:%A} {one.start.day} {one.start:%B} to {one.end:%A} {one.end.day} {one.end:%B %Y}"


def _week_said(week: Week) -> str:
    if week == "rolling":
        return "Weeks are taken as the seven days up to the newest day with data, and the seven before."
    begins, ends = (_SUNDAY, _SATURDAY) if week == "sunday" else (_MONDAY, _SUNDAY)
    return f"Weeks are taken from {begins} to {ends}."


def _assumed(
    joined: Joined, spans: list[Span], main: Period | None, compared: Period | None, clock: Clock
) -> tuple[str, ...]:
    said = [span.remark for span in spans if span.remark]
    newest = days.name_of(clock.newest, clock.newest)
    sides = [side for side in (joined.main, joined.compared) if side]
    if clock.is_behind and any(side.is_relative for side in sides):
        said.append(f"The newest day with data is {newest}, so time is counted back from there.")
    if main and main.start <= clock.newest < main.end:
        said.append(f"There is data up to {newest} only.")
    if main and main.start < clock.first <= main.end:
        said.append(f"The data begins on {days.name_of(clock.first, clock.first)}.")
    if main and compared and abs(main.days - compared.days) > UNEQUAL_DAYS:
        said.append(f"The two periods are not of one length: {main.days} and {compared.days} days.")
    return tuple(said)
