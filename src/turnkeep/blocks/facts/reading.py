"""Values of spans that somebody named, and facts of a text by the same patterns."""

from collections.abc import Iterator, Sequence
from datetime import date

from turnkeep.blocks.facts import dates, periods, quantities
from turnkeep.blocks.facts.dates import classes, compiled
from turnkeep.blocks.facts.days import OPEN_END, OPEN_START, Span
from turnkeep.blocks.facts.fact import Fact, Kind
from turnkeep.blocks.facts.lexicon import language_of
from turnkeep.blocks.facts.phrases import merged
from turnkeep.blocks.facts.quantities import Quantity
from turnkeep.blocks.facts.tokens import Token, tokens

LONGEST = 500  # characters of a span

_NO_DAY, _REFERENCE = "there is no such day", quantities.REFERENCE
_WEAK = frozenset("un uno una un' a an one sei prima secondo second may set mar sat sun".split())
"""What alone is rather another word: "sei sicuro", "secondo la legge", "I may"."""

type Rule = tuple[str, dates.Read | quantities.Read]

_RULES: dict[Kind, tuple[Rule, ...]] = {
    "date": dates.DATES,
    "period": periods.PERIODS,
    "duration": quantities.DURATIONS,
    "amount": quantities.AMOUNTS,
    "percentage": quantities.PERCENTAGES,
    "ordinal": quantities.ORDINALS,
    "number": quantities.NUMBERS,
}
_IN_TEXT: dict[Kind, tuple[Rule, ...]] = {
    "number": quantities.IN_TEXT,
    "date": dates.IN_TEXT,
    "period": periods.IN_TEXT,
}
_ALONE: dict[Kind, tuple[Rule, ...]] = {
    "date": dates.ONLY_ALONE,
    "period": periods.ONLY_ALONE,
    "ordinal": quantities.ORDINALS_ALONE,
}
_FAMILIES: tuple[tuple[Kind, ...], ...] = (
    ("date", "period", "duration"),
    ("number", "percentage", "amount"),
    ("ordinal",),
)
"""As what a span is read where it is none of its kind: "nel 2024" is no date."""


def canonical(text: str, kind: Kind, *, today: date, language: str = "it") -> Fact | None:
    """The value of a span; None where it cannot be read or is no such thing: "31 febbraio". Its kind is what the words
    are, which may be another one: "nel 2024" named as a date is a period."""
    found = _trimmed(merged(tokens(text, language_of(language)))) if len(text) <= LONGEST else []
    family = next(family for family in _FAMILIES if kind in family)
    for each in sorted(family, key=lambda other: other != kind):
        for pattern, read in (*_RULES[each], *_ALONE.get(each, ())):
            if compiled(pattern).fullmatch(classes(found)) and (fact := _fact(text, each, read, found, today)):
                return fact if fact.reading != _NO_DAY else None
    return None


def find(text: str, *, today: date, language: str = "it") -> list[Fact]:
    """The facts of a text in order, none within another one."""
    found = merged(tokens(text, language_of(language)))
    facts: list[Fact] = []
    taken = 0
    for start, end, kind, read in sorted(_matches(classes(found)), key=lambda match: (match[0], -match[1])):
        if start < taken or (end == start + 1 and found[start].word in _WEAK):
            continue
        written = text[found[start].start : found[end - 1].end]
        fact = _fact(written, kind, read, found[start:end], today)
        taken = end if fact else taken
        facts += [fact] if fact and fact.reading not in (_NO_DAY, _REFERENCE) else []
    return facts


def _matches(text: str) -> Iterator[tuple[int, int, Kind, dates.Read | quantities.Read]]:
    for rules in (_IN_TEXT, _RULES):
        for kind, each in rules.items():
            for pattern, read in each:
                yield from ((*match.span(), kind, read) for match in compiled(pattern).finditer(text))


def _fact(
    text: str, kind: Kind, read: dates.Read | quantities.Read, found: Sequence[Token], today: date
) -> Fact | None:
    try:
        value = read([token for token in found if token.kind not in "aL,."], today)
    except (ValueError, OverflowError):  # outside the calendar
        return Fact(text, kind, "", reading=_NO_DAY)
    if isinstance(value, Quantity):
        return Fact(text, kind, value.value, value.unit, value.note, value.other)
    span = dates.resolved(value, today)
    if value is None:
        return None
    if span is None or span.end < span.start:
        return Fact(text, kind, "", reading="it ends before it begins" if span else _NO_DAY)
    written, other = _written(span), _written(span.other) if span.other else ""
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
