"""The demo's known questions, and matching a message to them: word for word except for filler words and slots (a
period, a number, a name or state in a column). A message that is not understood completely is unknown."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import count
from typing import TypeAlias

from turnkeep.kit.words import singular, words
from turnkeep_agents.database.verified import dated
from turnkeep_demo.database import periods
from turnkeep_demo.database.field_service import FOLDER

SILENT = frozenset(
    words(
        """a an the of in on at is are was were be been do does did have has had we our us there please me my all can
        could you tell that which it its now currently"""
    )
)
"""Words that do not change a question."""
OPENING = SILENT | frozenset(words("hello hi hey ok okay thanks and so"))
"""Words that do not change it at the beginning: "Hi, how many letters are there?"."""
FIRST = frozenset(words("which what list show display name give find"))
"""Words that ask for a list: "Show the closed bridges", "Which bridges are closed"."""
PHRASES: Mapping[tuple[str, ...], str] = {
    ("how", "many"): "count", ("number", "of"): "count", ("for", "each"): "by", ("in", "each"): "by", ("each",): "by",
    ("per",): "by", ("less", "than"): "below", ("fewer", "than"): "below", ("under",): "below", ("who",): "person",
    ("whom",): "person", ("more", "than"): "above",
}  # fmt: skip
LITERAL = re.compile(r"\b(\w+)\.(\w+) = '([^']*)'")
PAST = frozenset(words("was were did had"))  # words that make even a question about the future ask for the past
MARK = re.compile(r"\{[^}]*\}")
NUMBER = re.compile(r"(?<![\w'{+-])\d+(?![\w'}])")


@dataclass(frozen=True)
class Slot:
    """Allowed values at a place of a question: the values of a column, keyed by their words, or if empty a number."""

    original: str
    options: Mapping[tuple[str, ...], str]


Element: TypeAlias = str | Slot


@dataclass(frozen=True)
class Known:
    """One phrasing of a question, as words and slots."""

    text: str
    sql: str
    elements: tuple[Element, ...]
    has_period: bool
    says: str = ""
    """The definition behind the answer: "Sold vehicles are not counted."."""
    looks_ahead: bool = False
    """A month without a year means the next one: "Which bridges open in May?"."""

    def is_ahead(self, text: str) -> bool:
        return self.looks_ahead and PAST.isdisjoint(words(text))


@dataclass(frozen=True)
class Understood:
    """A message that is a known question, and its statement."""

    question: str
    known: Known
    sql: str
    period: periods.Period | None
    values: Mapping[str, str]
    """The values of the slots, keyed by the value in the known question."""


@cache
def verified() -> tuple[Known, ...]:
    lines = (FOLDER / "verified.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(known for line in lines for known in phrasings(**json.loads(line)))


def phrasings(
    question: str,
    sql: str,
    asks: Sequence[str] = (),
    only: Mapping[str, Sequence[str]] | None = None,
    *,
    says: str = "",
    looks_ahead: bool = False,
) -> Iterator[Known]:
    """`asks` are other wordings of the question; `only` limits the alternatives for a value to a part of its column."""
    for text in (question, *asks):
        period = periods.find(text, date(2026, 3, 4))
        tokens = tokens_of(text, period)
        yield Known(text, sql, tuple(_elements(tokens, sql, only or {})), period is not None, says, looks_ahead)


def tokens_of(text: str, period: periods.Found | None = None) -> list[str]:
    """Return the words without the period, filler words, and plural endings."""
    if period:
        text = f"{text[: period.span[0]]} {text[period.span[1] :]}"
    left = words(text.replace("'s ", " "))
    found: list[str] = []
    while left:
        phrase = next((each for each in PHRASES if tuple(left[: len(each)]) == each), None)
        found.append(PHRASES[phrase] if phrase else left[0])
        del left[: len(phrase or "1")]
    while found and found[0] in OPENING - FIRST:
        del found[0]
    head = ["list"] if found and found[0] in FIRST else [singular(word) for word in found[:1]]
    terms = head + [singular(word) for word in found[1:] if word not in SILENT]
    return terms[1:] if terms[:2] == ["list", "count"] else terms


def understand(text: str, today: date, among: Sequence[Known]) -> Understood | None:
    """Return the matching question; None if more than one statement would answer the message."""
    read = {ahead: _read(text, periods.find(text, today, is_ahead=ahead)) for ahead in (False, True)}
    found: dict[str, Understood] = {}
    for known in among:
        period, tokens = read[known.is_ahead(text)]
        values = _match(known.elements, tokens) if known.has_period == (period is not None) else None
        if values is not None:
            sql = _filled(known, values, period, today)
            found.setdefault(sql, Understood(text, known, sql, period, values))
    return next(iter(found.values())) if len(found) == 1 else None


def _read(text: str, found: periods.Found | None) -> tuple[periods.Period | None, list[str]]:
    return found.period if found else None, tokens_of(text, found)


def nearest(text: str, most: int) -> list[str]:
    """Return verified questions that share the most words with the message, without figures."""
    terms = _content(text)
    firsts = {known.sql: known for known in reversed(verified()) if not re.search(r"\d", known.text)}
    order = count()
    ranked = sorted((-_likeness(terms, known), next(order), known.text) for known in reversed(firsts.values()))
    return [text for _, _, text in ranked[:most]]


def _content(text: str) -> set[str]:
    return set(tokens_of(text)) - {"count", "list", "person", "how", "by"}


def _likeness(terms: set[str], known: Known) -> float:
    own = _content(known.text)
    return len(terms & own) / len(terms | own)


def _elements(tokens: Sequence[str], sql: str, only: Mapping[str, Sequence[str]]) -> Iterator[Element]:
    slots = _slots(sql, only)
    place = 0
    while place < len(tokens):
        width, slot = next(
            ((len(key), slot) for key, slot in slots.items() if tuple(tokens[place : place + len(key)]) == key),
            (1, None),
        )
        yield slot or tokens[place]
        place += width


def _slots(sql: str, only: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], Slot]:
    """Return slots for values and numbers that occur once in the statement, keyed by their words in the question."""
    found: dict[tuple[str, ...], Slot] = {}
    for table, column, value in LITERAL.findall(sql):
        values = only.get(value) or values_of(table, column)
        options = {value_tokens(each): each for each in {value, *values}}
        if values and sql.count(f"'{value}'") == 1:
            found[value_tokens(value)] = Slot(value, options)
    for number in NUMBER.findall(sql):
        if len(re.findall(rf"\b{number}\b", sql)) == 1:
            for word in (number, *periods.NUMBERS[int(number) :][:1]):
                found[word,] = Slot(number, {})
    return found


def value_tokens(value: str) -> tuple[str, ...]:
    """Return the words of a value as in a question; filler words only if there are no others."""
    terms = words(value.replace("_", " "))
    return tuple(singular(word) for word in terms if word not in SILENT) or tuple(terms)


@cache
def tables() -> Mapping[str, Mapping[str, Mapping[str, list[str]]]]:
    known: Mapping[str, Mapping[str, Mapping[str, list[str]]]] = json.loads((FOLDER / "joins.json").read_text())[
        "tables"
    ]
    return known


def values_of(table: str, column: str) -> list[str]:
    """Return all values of a column, if known."""
    return tables().get(table, {}).get("values", {}).get(column, [])


def _match(elements: Sequence[Element], tokens: Sequence[str]) -> dict[str, str] | None:
    """Return the values of the slots, keyed by the value in the known question; None if the words differ."""
    if not elements or not tokens:
        return None if elements or tokens else {}
    first, rest = elements[0], elements[1:]
    if isinstance(first, str):
        return _match(rest, tokens[1:]) if tokens[0] == first else None
    for terms, value in _fitting(first, tokens):
        if (further := _match(rest, tokens[len(terms) :])) is not None:
            return {first.original: value, **further}
    return None


def _fitting(slot: Slot, tokens: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    number = periods.number_of(tokens[0])
    if not slot.options and number:
        yield (tokens[0],), str(number)
    for terms in sorted(slot.options, key=len, reverse=True):
        if tuple(tokens[: len(terms)]) == terms:
            yield terms, slot.options[terms]


def _filled(known: Known, values: Mapping[str, str], period: periods.Period | None, today: date) -> str:
    sql = known.sql
    if period:
        marks = sorted(set(MARK.findall(sql)), key=lambda mark: dated(mark, today))
        sql = sql.replace(marks[0], f"'{period.begin}'").replace(marks[1], f"'{period.end}'")
    for original, value in values.items():
        if original.isdecimal():
            sql = re.sub(rf"(?<![\w'-]){original}\b(?![-'])", value, sql)
        else:
            quoted = value.replace("'", "''")
            sql = sql.replace(f"'{original}'", f"'{quoted}'")
    return sql
