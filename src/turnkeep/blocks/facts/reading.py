"""Values of spans that somebody named, and facts of a text by the same patterns."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, partial

from turnkeep.blocks.facts import dates, periods, quantities
from turnkeep.blocks.facts.dates import classes, compiled, every, resolved
from turnkeep.blocks.facts.days import OPEN_END, OPEN_START, Partial, Span
from turnkeep.blocks.facts.fact import Fact, Kind
from turnkeep.blocks.facts.lexicon import from_the_end
from turnkeep.blocks.facts.phrases import merged
from turnkeep.blocks.facts.quantities import Quantity
from turnkeep.blocks.facts.tokens import Token, tokens

LONGEST = 500  # characters of a span

type Rule = tuple[Kind, str, Callable[[Sequence[Token], date], dates.Point | Quantity]]

_AROUND = "aLftFbiqU,.z"
_NEXT_KINDS: dict[Kind, tuple[Kind, ...]] = {
    "date": ("date", "period"),
    "period": ("period", "date", "duration"),
    "duration": ("duration", "period"),
    "amount": ("amount", "number"),
    "percentage": ("percentage", "number"),
    "ordinal": ("ordinal",),
    "number": ("number", "percentage", "amount", "ordinal"),
}
"""As what a span is read where it is none of its kind: "nel 2024" is no date."""


def canonical(text: str, kind: Kind, *, today: date, language: str = "it") -> Fact | None:
    """The value of a span; None where it cannot be read or is no such thing: "31 febbraio". Its kind is what the words
    are, which may be another one: "nel 2024" named as a date is a period."""
    if len(text) > LONGEST:
        return None
    if kind == "ordinal" and (place := from_the_end(re.split(r"[\s'\u2019]+", text.strip(" ."))[-1], language)):
        return Fact(text, "ordinal", str(place), reading="counted from the end")
    found = _trimmed(merged(tokens(text, language)))
    for each in _NEXT_KINDS[kind]:
        for rule in (*_rules()[each], *_alone()[each]):
            if compiled(rule[1]).fullmatch(classes(found)) and (fact := _fact(text, rule, found, today)):
                return fact
    return None


def find(text: str, *, today: date, language: str = "it") -> list[Fact]:
    """The facts of a text in order, none within another one."""
    found = merged(tokens(text, language))
    facts: list[Fact] = []
    taken = 0
    for start, end, rule in sorted(_matches(classes(found)), key=lambda match: (match[0], -match[1])):
        if start >= taken:
            stretch = found[start:end]
            written = text[stretch[0].start : stretch[-1].end]
            if fact := _fact(written, rule, stretch, today):
                facts.append(fact)
                taken = end
            elif rule[0] in ("date", "period"):
                taken = end
    return facts


def _matches(text: str) -> Iterator[tuple[int, int, Rule]]:
    for rule in _in_text():
        for match in compiled(rule[1]).finditer(text):
            yield *match.span(), rule


def _fact(text: str, rule: Rule, found: Sequence[Token], today: date) -> Fact | None:
    kind, _, read = rule
    value = read([token for token in found if token.kind not in "aL,."], today)
    if isinstance(value, Partial):
        value = value.resolved(today)
    if value is None:
        return None
    if isinstance(value, Quantity):
        return Fact(text, kind, value.value, value.unit, value.note, value.other)
    if value.end < value.start:
        return Fact(text, kind, "", reading="it ends before it begins")
    written, other = _written(value), _written(value.other) if value.other else ""
    return Fact(text, "date" if value.is_day else kind, written, "", value.note, other if other != written else "")


def _written(span: Span) -> str:
    if span.is_day:
        return span.start.isoformat()
    return f"{'..' if span.start == OPEN_START else span.start}/{'..' if span.end == OPEN_END else span.end}"


def _trimmed(found: list[Token]) -> list[Token]:
    """Without what stands around a value: "circa 3 mesi", "il 22%"."""
    while found and found[-1].kind in _AROUND:
        found = found[:-1]
    while found and found[0].kind in "aL,.z":
        found = found[1:]
    return found


def _timed(kind: Kind, rules: Sequence[tuple[str, dates.Read]]) -> list[Rule]:
    return [(kind, pattern, read) for pattern, read in rules]


def _counted(kind: Kind, rules: Sequence[tuple[str, quantities.Read]]) -> list[Rule]:
    return [(kind, pattern, partial(_timeless, read)) for pattern, read in rules]


def _timeless(read: quantities.Read, found: Sequence[Token], today: date) -> Quantity | None:
    return read(found)


@cache
def _rules() -> dict[Kind, list[Rule]]:
    return {
        "date": _timed("date", dates.DATES),
        "period": _timed("period", periods.PERIODS),
        "duration": _counted("duration", quantities.DURATIONS),
        "amount": _counted("amount", quantities.AMOUNTS),
        "percentage": _counted("percentage", quantities.PERCENTAGES),
        "ordinal": _counted("ordinal", quantities.ORDINALS),
        "number": _counted("number", quantities.NUMBERS),
    }


@cache
def _alone() -> dict[Kind, list[Rule]]:
    return {kind: [] for kind in _rules()} | {
        "date": _timed("date", dates.ONLY_ALONE),
        "period": _timed("period", periods.ONLY_ALONE),
    }


@cache
def _in_text() -> list[Rule]:
    found = [*_timed("date", dates.IN_TEXT), *_timed("period", periods.IN_TEXT)]
    for kind in ("date", "period", "duration", "amount", "percentage", "ordinal", "number"):
        found += _rules()[kind]
    return found
