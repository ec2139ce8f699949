"""Expressions of time in a question, as days from and to, both included."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from turnkeep_agents.database.reading.asked import EARLIEST, LATEST
from turnkeep_agents.database.reading.times.days import shift, whole
from turnkeep_agents.database.reading.times.stretches import COUNT, DAY, MONTH, STRETCH, YEAR, Days, days_of, number_of

_UNIT = r"(?P<unit>day|week|fortnight|month|quarter|year)s?"


@dataclass(frozen=True)
class Stretch:
    """A part of the text from `at` up to `to` that names days."""

    at: int
    to: int
    start: date
    end: date
    words: str


def find_periods(text: str, today: date) -> list[Stretch]:
    """The expressions of time of a text in lower case, in order; none overlap."""
    found: list[Stretch] = []
    for pattern, resolve in _PATTERNS:
        for match in pattern.finditer(text):
            if any(match.start() < one.to and one.at < match.end() for one in found):
                continue
            days = resolve(match, today)
            if days is not None and days[0] <= days[1]:
                found.append(Stretch(*match.span(), *days, _words(match[0])))
    return sorted(found, key=lambda one: one.at)


_FIGURE_BEFORE = re.compile(
    r"(?:\b(?:and|than|over|under|above|below|least|most|exactly|between|number|no|id)|[$\u20ac\xa3#])\s*$"
)

_FIGURE_BEHIND = re.compile(r"\s*(?:dollars|euros|pounds|hours|days|usd|eur|%|percent|or (?:more|less)|km|miles)")


def _is_figure(match: re.Match[str]) -> bool:
    """Whether four digits that could be a year are an amount or the number of something."""
    if not re.fullmatch(YEAR, match["on"]):
        return False
    before, behind = match.string[: match.start()], match.string[match.end() :]
    return bool(re.match(r"(?:over|at)\s", match[0]) or _FIGURE_BEFORE.search(before) or _FIGURE_BEHIND.match(behind))


_AHEAD = re.compile(
    r"\b(?:will|upcoming|coming up|due|(?:end|expir|start|begin|laps|renew)(?:s|e|es|ing|ning)?|run(?:s|ning)? out"
    r"|is|are) (?:up |again )?(?:in|on|by|this|for|during|next)\b"
    r"|\b(?:planned|scheduled|booked|set) (?:for|in|on)\b|\bupcoming\b"
)
_PAST = re.compile(r"\b(?:was|were|did|had|been|ended|expired|started|began|lapsed)\b")


def _looks_ahead(text: str) -> bool:
    """Whether a month without a year is the next of that name rather than the last."""
    return bool(_AHEAD.search(text)) and not _PAST.search(text)


def _plain(match: re.Match[str], today: date) -> Days:
    if _is_figure(match):
        return None
    is_future = bool(match.groupdict().get("by")) or _looks_ahead(match.string)
    return days_of(match["on"], today, is_future=is_future)


def _between(match: re.Match[str], today: date) -> Days:
    first, last = match["from"], match["to"]
    if re.fullmatch(rf"{MONTH}|{DAY}", first) and re.search(YEAR, last):
        first = f"{first} {re.findall(YEAR, last)[0]}"
    ends = days_of(first, today), days_of(last, today)
    if ends[0] is None or ends[1] is None:
        return None
    if ends[0][0] > ends[1][1]:
        earlier = days_of(f"{first} {ends[1][0].year - 1}", today)
        return (earlier[0], ends[1][1]) if earlier else None
    return ends[0][0], ends[1][1]


def _same_month(match: re.Match[str], today: date) -> Days:
    last = days_of(match["rest"], today)
    day = int(re.sub(r"\D", "", match["first"]))
    return (last[1].replace(day=day), last[1]) if last and day <= last[1].day else None


def _since(match: re.Match[str], today: date) -> Days:
    days = days_of(match["on"], today)
    return (days[0], today) if days else None


def _onwards(match: re.Match[str], today: date) -> Days:
    days = days_of(match["on"], today)
    return (days[0], LATEST) if days else None


def _after(match: re.Match[str], today: date) -> Days:
    days = days_of(match["on"], today)
    return (shift(days[1], "day", 1), LATEST) if days else None


def _before(match: re.Match[str], today: date) -> Days:
    days = days_of(match["on"], today)
    return (EARLIEST, shift(days[0], "day", -1)) if days else None


def _until(match: re.Match[str], today: date) -> Days:
    days = days_of(match["on"], today)
    return (EARLIEST, days[1]) if days else None


def _lately(match: re.Match[str], today: date) -> Days:
    """The last so many days up to today; of months and years as many back from today."""
    return shift(today, match["unit"], -number_of(match["count"])), today


def _ahead(match: re.Match[str], today: date) -> Days:
    return today, shift(today, match["unit"], number_of(match["count"]))


def _older(match: re.Match[str], today: date) -> Days:
    return EARLIEST, shift(shift(today, match["unit"], -number_of(match["count"])), "day", -1)


def _to_date(match: re.Match[str], today: date) -> Days:
    return whole(match["unit"], today)[0], today


_PATTERNS: list[tuple[re.Pattern[str], Callable[[re.Match[str], date], Days]]] = [
    (re.compile(pattern, re.X), resolve)
    for pattern, resolve in (
        (
            rf"\b(?:between|from)\s+(?P<from>{STRETCH}|{DAY})\s+(?:and|to|until|till|through|-)\s+(?P<to>{STRETCH})(?!\w)",
            lambda match, today: (_same_month_of if re.fullmatch(DAY, match["from"]) else _between)(match, today),
        ),
        (
            rf"\b(?:on\s+|from\s+)?(?P<first>{DAY})\s*(?:-|to|and)\s*(?P<rest>{DAY}\s+{MONTH}\b(?:\s+{YEAR})?)",
            _same_month,
        ),
        (rf"\b(?:ever\s+)?since\s+(?P<on>{STRETCH})(?!\w)", _since),
        (rf"\b(?:after|later\s+than|following)\s+(?P<on>{STRETCH})(?!\w)", _after),
        (rf"\bfrom\s+(?P<on>{STRETCH})\s+(?:on|onwards?)\b", _since),
        (
            rf"(?:(?<=ed\s)|(?<=ing\s)|(?<=valid\s)|(?<=effective\s))from\s+(?=\d|{MONTH})(?P<on>{STRETCH})(?!\w)",
            _onwards,
        ),
        (rf"\b(?:before|prior\s+to|earlier\s+than)\s+(?P<on>{STRETCH})(?!\w)", _before),
        (rf"\b(?:until|till|up\s+to|no\s+later\s+than)\s+(?P<on>{STRETCH})(?!\w)", _until),
        (
            rf"\b(?:(?:in|over|during|within|for|from)\s+)?(?:the\s+)?(?:last|past|previous|latest)\s+{COUNT}\s+{_UNIT}\b",
            _lately,
        ),
        (
            rf"\b(?:(?:in|over|during|within|for)\s+)?(?:the\s+)?(?:next|coming|following)\s+{COUNT}\s+{_UNIT}\b",
            _ahead,
        ),
        (rf"\bwithin\s+{COUNT}\s+{_UNIT}\b", _ahead),
        (rf"\b(?:older|longer|more)\s+than\s+{COUNT}\s+{_UNIT}\s+(?:ago|old)\b", _older),
        (rf"\bolder\s+than\s+{COUNT}\s+{_UNIT}\b", _older),
        (rf"\bover\s+{COUNT}\s+{_UNIT}\s+(?:ago|old)\b", _older),
        (r"\b(?P<unit>year|month|quarter|week)[\s-]to[\s-]date\b", _to_date),
        (rf"\b(?:so\s+far\s+this|so\s+far\s+in\s+the\s+current)\s+{_UNIT}\b", _to_date),
        (
            rf"(?<![\w-])(?:(?P<by>by\s+)|(?:(?<!came\s)(?<!come\s)in|on|during|for|of|from|over|at)\s+)?(?P<on>{STRETCH})(?![\w-])(?:'s)?",
            _plain,
        ),
    )
]


def _same_month_of(match: re.Match[str], today: date) -> Days:
    last = days_of(match["to"], today)
    day = int(re.sub(r"\D", "", match["from"]))
    return (last[1].replace(day=day), last[1]) if last and day <= last[1].day else None


def _words(said: str) -> str:
    plain = " ".join(said.removesuffix("'s").split())
    return re.sub(
        r"^(?:in|on|during|for|of|from|over|at|by)\s+(?=\w)(?!.*\b(?:to|until|till|on)$)(?:the\s+)?", "", plain
    )
