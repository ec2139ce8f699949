"""Values of spans that somebody named, and facts of a text by the same patterns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from turnkeep.blocks.facts import dates, quantities, ranges
from turnkeep.blocks.facts.days import OPEN_END, OPEN_START, Partial, Span
from turnkeep.blocks.facts.lexicon import language_of
from turnkeep.blocks.facts.tokens import Token, tokens

type Kind = Literal["date", "period", "duration", "amount", "percentage", "ordinal", "number"]

LONGEST = 500  # characters of a span
_NO_DAY = "there is no such day"
_WEAK = "un uno una un' a an one sei prima secondo second may set mar sat sun"
"""What alone is rather another word: "sei sicuro", "secondo la legge", "I may"."""
_FAMILIES: tuple[tuple[Kind, ...], ...] = (
    ("date", "period", "duration"),
    ("ordinal",),
    ("number", "percentage", "amount"),
)
"""As what a span is read where it is none of its kind: "nel 2024" is no date."""


@dataclass(frozen=True)
class Fact:
    """`value` by kind: date "2026-03-31"; period "2026-01-01/2026-03-31", both ends included, an open one "..";
    duration of ISO 8601 "P3M"; amount, percentage and number as decimals "1234.50", ranges of them "[20,30]", "(30,)";
    ordinal "3", from the end "-1". It is empty where the words contradict themselves, and `reading` says how."""

    text: str  # as it stands in the message
    kind: Kind
    value: str
    unit: str = ""  # ISO 4217 of an amount; "pp" of percentage points; the unit of a number: "km"
    reading: str = ""  # what was chosen where the words leave it open
    other: str = ""  # the value that it may mean as well


def canonical(text: str, kind: Kind, *, today: date, language: str = "it") -> Fact | None:
    """The value of a span; None where it cannot be read or is no such thing: "31 febbraio". Its kind is what the words
    are, which may be another one: "nel 2024" named as a date is a period."""
    known = tokens(text, language_of(language)) if len(text) <= LONGEST else []
    found = _trimmed(known)
    kinds = dates.classes(found)
    if kinds == "x" and len(known) > 1:  # "un po' di soldi"
        return None
    for each in sorted(next(family for family in _FAMILIES if kind in family), key=lambda other: other != kind):
        start = int(kind == each == "date" and kinds[:1] == "q")  # "entro il 31 marzo"
        start += int(start > 0 and kinds[1:2] == "L")
        for pattern, read in (*_rules(each), *_rules(each, " alone")):
            matches = dates.compiled(pattern).fullmatch(kinds, start)
            if matches and (fact := _fact(text, each, read, found[start:], today)):
                return fact if fact.reading != _NO_DAY else None
    return None


def find(text: str, *, today: date, language: str = "it") -> list[Fact]:
    """The facts of a text in order, none within another one."""
    found = tokens(text, language_of(language))
    kinds, facts, taken = dates.classes(found), list[Fact](), 0
    rules = [
        (kind, rule)
        for scope in (" in text", "")
        for family in _FAMILIES
        for kind in family
        for rule in _rules(kind, scope)
    ]
    places = [(*at.span(), kind, rule[1]) for kind, rule in rules for at in dates.compiled(rule[0]).finditer(kinds)]
    for start, end, kind, read in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= taken and (end > start + 1 or found[start].word not in _WEAK.split()):
            fact = _fact(text[found[start].start : found[end - 1].end], kind, read, found[start:end], today)
            taken = end if fact else taken
            facts += [fact] if fact and fact.reading not in (_NO_DAY, quantities.REFERENCE) else []
    return facts


@cache
def _rules(kind: Kind, scope: str = "") -> list[tuple[str, dates.Read]]:
    rules = (*dates.RULES, *ranges.RULES, *quantities.RULES)
    return [(pattern, read) for name, pattern, read in rules if name == kind + scope]


def _fact(text: str, kind: Kind, read: dates.Read, found: Sequence[Token], today: date) -> Fact | None:
    try:
        value = read([token for token in found if token.kind not in "aL,."], today)
        span = dates.resolved(value, today) if isinstance(value, Partial) else value
    except (ValueError, OverflowError):  # outside the calendar
        return Fact(text, kind, "", reading=_NO_DAY)
    if isinstance(value, quantities.Quantity):
        return Fact(text, kind, value.value, value.unit, value.note, value.other)
    if not isinstance(span, Span):
        return None
    if span.end < span.start:
        return Fact(text, kind, "", reading="it ends before it begins")
    has_other = span.other is not None and span.other.start <= span.other.end
    written, other = _written(span), _written(span.other) if span.other and has_other else ""
    return Fact(text, "date" if span.is_day else "period", written, "", span.note, other if other != written else "")


def _written(span: Span) -> str:
    if span.is_day:
        return span.start.isoformat()
    return f"{'..' if span.start == OPEN_START else span.start}/{'..' if span.end == OPEN_END else span.end}"


def _trimmed(found: list[Token]) -> list[Token]:
    """Without what stands around a value: "circa 3 mesi", "il 22%"."""
    while found and found[-1].kind in "aLftFbiqU,.z":
        found = found[:-1]
    while found and found[0].kind in "aL,.z":
        found = found[1:]
    return found
