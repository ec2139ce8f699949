"""The expressions of time in a message, put together: "the second half of" May, "from" one day "to" another, one month
"against" another."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from turnkeep_agents.campaigns.reading.days import (
    MONTHS_OF,
    WEEK_DAYS,
    Clock,
    Unit,
    add_days,
    is_whole_months,
    period,
    shift,
)
from turnkeep_agents.campaigns.reading.expressions import UNITS
from turnkeep_agents.campaigns.reading.moments import Impossible, Moment, resolve
from turnkeep_agents.campaigns.reading.smalltalk import WEEKDAY
from turnkeep_agents.campaigns.reading.vocabulary import COUNT, number
from turnkeep_agents.campaigns.requests import Period

type Link = Literal["range", "and", "versus", "compared", "counted_from", "counted_until", "cut", "same", "none"]

WHOLE_YEAR = (1, 12)
VERSUS = r"(?:vs\.?|versus|against|compar\w+(?:\s+(?:to|with))?|relative\s+to|than|better|worse|differ\w*|chang\w+)"
_THE = rf"\s*(?:on\s+|in\s+|for\s+|during\s+)?(?:the\s+)?(?:{WEEKDAY},?\s+)?"
_RANGE = re.compile(rf"\s*(?:,?\s*(?:up\s+)?(?:to|until|till|through|thru)\b|-)(?:\s+and\s+including\b)?{_THE}", re.I)
_AND = re.compile(rf"\s*(?:,?\s*and\b|,|&|\+|plus\b){_THE}", re.I)
_BESIDE = re.compile(rf"\s*(?:,?\s*(?:and|or|with|to)\b|,|&){_THE}", re.I)
_VERSUS = re.compile(rf"\b{VERSUS}(?!\w)|\bor\b", re.I)
_VERSUS_LAST = re.compile(
    rf"\b(?:vs\.?|versus|against|compared?s?\s+(?:to|with)|relative\s+to|than)(?!\w){_THE}$", re.I
)
_COMPARES = re.compile(r"\b(?:compar\w+|differ\w*|chang\w+|contrast\w*)\b", re.I)
_MOVES = re.compile(
    r"\b(?:f[ae]ll(?:s|en|ing)?|dropp?\w*|declin\w+|decreas\w+|r[io]s(?:es?|en|ing)|gr[eo]w\w*|increas\w+|improv\w+"
    r"|worsen\w*|climb\w*|jump\w*|mov(?:es?|ed)|(?:go(?:es)?|went|gone)\s+(?:up|down))\b[^.?!]{0,40}\b(?:from|between)\s+$",
    re.I,
)
_COUNTED_FROM = re.compile(rf"\s*,?\s*(?:from|starting|beginning|since|after)\b(?:\s+from\b)?{_THE}", re.I)
_COUNTED_UNTIL = re.compile(rf"\s*,?\s*(?:ending|to|until|till|up\s+to|before)\b{_THE}", re.I)
_OF = re.compile(r"\s*(?:of|in)\s+(?:the\s+)?", re.I)
_BEGINS = re.compile(rf"\b(?:between|from){_THE}$", re.I)
_PART = re.compile(
    r"\b(?:the\s+)?(?:(?P<half>first|second|last|1st|2nd)\s+half\s+of"
    r"|(?P<third>early|mid|middle|late|(?:start|beginning|middle|end)\s+of))[\s-]+(?:in\s+)?(?:the\s+)?$",
    re.I,
)
_WEEK_OF = re.compile(
    r"\b(?:(?:the\s+)?(?:week|wk)\s+(?P<how>of|containing|commencing|beginning|starting|from|ending)\b|w/(?P<short>[ce])\b)"
    rf"{_THE}$",
    re.I,
)
_FIRST = re.compile(
    rf"\b(?:the\s+)?(?P<which>first|opening|final|last)\s+(?:(?P<count>{COUNT})\s+)?(?P<unit>day|week|month)s?\s+(?:of|in)\s+(?:the\s+)?$",
    re.I,
)
_OPEN = re.compile(
    rf"\b(?P<how>since|from|starting|as\s+of|after|before|prior\s+to|until|till|up\s+to|through)\b{_THE}$", re.I
)


@dataclass(frozen=True)
class Span:
    """The days that a stretch of the text names, with what matters of the expression they come from."""

    at: int
    to: int
    period: Period
    unit: Unit | None = None
    count: int = 0
    is_relative: bool = False
    is_week: bool = False
    is_day: bool = False
    has_year: bool = True
    remark: str = ""


@dataclass(frozen=True)
class Joined:
    """`rivals` are periods that cannot both be meant."""

    main: Span | None = None
    compared: Span | None = None
    rivals: tuple[Period, ...] = ()


def spans_of(text: str, moments: Sequence[Moment], clock: Clock) -> list[Span]:
    """What the expressions of the text mean with the words right before each; raises Impossible."""
    found: list[Span] = []
    for moment in moments:
        span = _modified(_span(moment, _year_of(moment, moments, text, clock), clock), text, clock)
        found = [*(other for other in found if other.at < span.at), span]
    return found


def join(text: str, spans: Sequence[Span], clock: Clock, *, is_series: bool = False) -> Joined:
    """What rises or falls from one month to another is compared, but for a series: that shows all between. Raises
    Impossible for a range that runs backwards."""
    if not spans:
        return Joined()
    sides, is_versus = [spans[0]], False
    for other in spans[1:]:
        current = sides[-1]
        link = _link(text, current, other, is_series)
        if link == "none" and _VERSUS_LAST.search(text[: current.at]):
            return Joined(main=other, compared=current)
        if link == "none":
            return Joined(rivals=(current.period, other.period))
        if link in ("versus", "compared"):
            sides.append(other)
            is_versus = link == "versus"
        else:
            sides[-1] = _linked(link, current, other, clock)
    sides = [_opened(side, text, clock) for side in sides]
    if len(sides) == 1 and _VERSUS_LAST.search(text[: sides[0].at]):
        return Joined(compared=sides[0])
    return _compared(sides, is_versus)


def _compared(sides: Sequence[Span], is_versus: bool) -> Joined:
    """What stands first is held against what stands second; where both are only "compared", the newer against the
    older. Of more than two the whole time is taken."""
    if len(sides) > 2:
        return Joined(_united(sides))
    if len(sides) == 2 and not is_versus:
        sides = sorted(sides, key=lambda side: side.period.start, reverse=True)
    return Joined(sides[0], sides[1] if len(sides) > 1 else None)


def _year_of(moment: Moment, moments: Sequence[Moment], text: str, clock: Clock) -> int | None:
    """The year that it names, or the one of its neighbour: of what it is compared with, the year that is nearest."""
    dated = [other for other in moments if other.year and other.months != WHOLE_YEAR]
    if moment.year or moment.period or not dated:
        return moment.year
    other = min(dated, key=lambda each: (abs(each.at - moment.at), each.at < moment.at))
    year = other.year or 0
    if not _VERSUS.search(text[min(moment.to, other.to) : max(moment.at, other.at)]):
        return year
    start = resolve(other, clock).start
    near = {each: (resolve(replace(moment, year=each), clock).start - start).days for each in (year, year + 1)}
    begun = [each for each, distance in near.items() if distance and add_days(start, distance) <= clock.last]
    return min(begun, key=lambda each: abs(near[each]), default=year)


def _span(moment: Moment, year: int | None, clock: Clock) -> Span:
    days = resolve(moment if moment.period else replace(moment, year=year), clock)
    return Span(
        moment.at,
        moment.to,
        days,
        moment.unit,
        moment.count,
        moment.is_relative,
        moment.is_week,
        moment.is_day,
        moment.period is not None or moment.year is not None,
        moment.remark,
    )


def _link(text: str, one: Span, other: Span, is_series: bool) -> Link:
    """How two expressions belong together: the first that fits."""
    lead, gap = text[: one.at], text[one.to : other.at]
    is_and, is_begun = _AND.fullmatch(gap), _BEGINS.search(lead) is not None
    is_counted = one.unit and one.count and other.is_day and not is_begun
    is_held = _COMPARES.search(lead) if not (is_series and is_begun) else None
    is_held = is_held or (_MOVES.search(lead) if not (is_series or one.is_day or other.is_day) else None)
    links: tuple[tuple[Link, object], ...] = (
        ("same", one.period == other.period),
        ("compared", is_held and _BESIDE.fullmatch(gap)),
        ("cut", _OF.fullmatch(gap) and one.unit and one.is_relative),
        ("counted_from", is_counted and _COUNTED_FROM.fullmatch(gap)),
        ("counted_until", is_counted and _COUNTED_UNTIL.fullmatch(gap)),
        ("range", _RANGE.fullmatch(gap) or (is_begun and is_and)),
        ("and", is_and and _is_touching(one, other)),
        ("compared", is_and),
        ("versus", _VERSUS.search(gap)),
    )
    return next((link for link, fits in links if fits), "none")


def _linked(link: Link, one: Span, other: Span, clock: Clock) -> Span:
    days = {
        "range": lambda: _range(one, other, clock),
        "and": lambda: _hull(one, other),
        "same": lambda: one.period,
        "cut": lambda: _cut(other.period, "last", one.count or 1, one.unit or "day"),
        "counted_from": lambda: period(
            other.period.start, add_days(shift(other.period.start, one.unit or "day", one.count), -1)
        ),
        "counted_until": lambda: period(
            add_days(shift(other.period.end, one.unit or "day", -one.count), 1), other.period.end
        ),
    }[link]()
    is_week = link in ("same", "and", "range") and (one.is_week or other.is_week)
    remark = one.remark or other.remark
    return replace(other, at=one.at, period=days, is_week=is_week, is_day=False, remark=remark)


def _range(one: Span, other: Span, clock: Clock) -> Period:
    """A range that runs backwards may run over the end of a year that was not named."""
    start, end = one.period.start, other.period.end
    if end < start and one.has_year and not other.has_year:
        end = shift(end, "year", 1)
    elif end < start and not one.has_year and (other.has_year or shift(start, "year", -1) >= clock.first):
        start = shift(start, "year", -1)
    if end < start:
        raise Impossible(f"{other.period.label} comes before {one.period.label}")
    return period(start, end)


def _hull(one: Span, other: Span) -> Period:
    return period(min(one.period.start, other.period.start), max(one.period.end, other.period.end))


def _united(sides: Sequence[Span]) -> Span:
    whole = sides[0]
    for side in sides[1:]:
        whole = replace(side, at=whole.at, period=_hull(whole, side))
    return whole


def _is_touching(one: Span, other: Span) -> bool:
    first, second = sorted((one.period, other.period), key=lambda days: days.start)
    return second.start <= add_days(first.end, 1)


def _modified(span: Span, text: str, clock: Clock) -> Span:
    """With what stands right before it, such as "the week of" or "early"."""
    behind = text[: span.at]
    found = _WEEK_OF.search(behind) if span.is_day else None
    if found:
        return _week_at(span, found, clock)
    found = _FIRST.search(behind)
    if found:
        count = number(found["count"]) if found["count"] else 1
        days = _cut(span.period, found["which"].lower(), count, UNITS[found["unit"].lower()])
        return replace(span, at=found.start(), period=days, is_week=False)
    found = _PART.search(behind)
    if found and span.period.days > 2:
        return replace(span, at=found.start(), period=_part(span.period, found), is_day=False)
    return span


def _week_at(span: Span, found: re.Match[str], clock: Clock) -> Span:
    day, how = span.period.start, (found["how"] or {"c": "commencing", "e": "ending"}[found["short"].lower()]).lower()
    if how in ("of", "containing"):
        whole = clock.whole("week", day) if clock.week != "rolling" else period(day, add_days(day, WEEK_DAYS - 1))
        return replace(span, at=found.start(), period=whole, is_week=True, is_day=False)
    start = add_days(day, 1 - WEEK_DAYS) if how == "ending" else day
    return replace(span, at=found.start(), period=period(start, add_days(start, WEEK_DAYS - 1)), is_day=False)


def _part(days: Period, found: re.Match[str]) -> Period:
    """A half, or a third for "early", "mid" and "late"; of months in days, of longer times in months."""
    which = (found["half"] or found["third"]).lower().split()[0]
    parts = 2 if found["half"] else 3
    place = {"first": 0, "1st": 0, "early": 0, "start": 0, "beginning": 0, "mid": 1, "middle": 1}.get(which, parts - 1)
    months = (days.end.year - days.start.year) * 12 + days.end.month - days.start.month + 1
    if is_whole_months(days) and months % parts == 0:
        length = months // parts
        start = shift(days.start, "month", place * length)
        return period(start, add_days(shift(start, "month", length), -1))
    length = {2: days.days // 2, 3: days.days // 3}[parts]
    start = add_days(days.start, place * length)
    return period(start, days.end if place == parts - 1 else add_days(start, length - 1))


def _cut(days: Period, which: str, count: int, unit: Unit) -> Period:
    """The first or the last so many days, weeks or months of it."""
    if which in ("last", "final"):
        if unit in MONTHS_OF:
            start = shift(days.end.replace(day=1), unit, 1 - count)
        else:
            start = add_days(shift(days.end, unit, -count), 1)
        return period(max(start, days.start), days.end)
    return period(days.start, min(days.end, add_days(shift(days.start, unit, count), -1)))


def _opened(span: Span, text: str, clock: Clock) -> Span:
    """With the open end that "since" or "until" gives it."""
    found = _OPEN.search(text[: span.at])
    how = found["how"].lower().split()[0] if found else ""
    if not found or (how in ("from", "starting") and not span.is_day and "onward" not in text[span.to : span.to + 12]):
        return span
    start, end = span.period.start, span.period.end
    if how in ("since", "from", "starting", "as"):
        days = period(start, max(start, clock.newest))
    elif how == "after":
        days = period(add_days(end, 1), max(add_days(end, 1), clock.newest))
    else:
        last = add_days(start, -1) if how in ("before", "prior") else end
        days = period(min(clock.first, last), last)
    return replace(span, at=found.start(), period=days, is_day=False, is_relative=True)
