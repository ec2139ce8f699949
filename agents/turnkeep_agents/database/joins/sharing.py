"""Guess links between tables without declared keys: columns of one name are taken for two halves of a key. Tables that
share no key-like name are joined by weaker signs, one for two tables."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

from turnkeep_agents.database.joins.naming import ends_with, fit, is_key_like, may_join, name_words, stem, thing_words
from turnkeep_agents.database.joins.records import Column, Relationship, Table

SHARED = 0.78
RARELY_SHARED = 0.06  # more if only two tables share a name, less the more do
LAST_RESORT = 0.72

_PERSONAL = frozenset({("full", "name"), ("user", "name"), ("login", "name"), ("email",), ("email", "address")})
_TIMES = frozenset({"period", "year"})
_NAMES = frozenset({"name", "title"})
_PLACES = frozenset({"place", "location", "room", "building", "site"})

Cell: TypeAlias = tuple[str, str]
Words: TypeAlias = tuple[str, ...]
Held: TypeAlias = tuple[Table, Column]


def shared(
    tables: Mapping[str, Table], known: Iterable[Relationship], sure: Collection[Cell]
) -> Iterator[Relationship]:
    """Yield links over columns of one name, and weaker ones, next to `known`. Columns that are `sure` of their table
    are left out: they are joined through it."""
    links = tuple(known)
    holders = _holders(tables, sure)
    alike = list(_alike(holders, links))
    yield from alike
    joined = {frozenset({link.from_table, link.to_table}) for link in (*links, *alike)}
    for link in _last_resorts(holders):
        ends = frozenset({link.from_table, link.to_table})
        if ends not in joined:
            joined.add(ends)
            yield link


def _alike(holders: Mapping[Words, list[Held]], known: Iterable[Relationship]) -> Iterator[Relationship]:
    linked = {(link.from_table, link.to_table, link.from_column) for link in known}
    linked |= {(link.to_table, link.from_table, link.to_column) for link in known}
    for found in holders.values():
        grade = SHARED + RARELY_SHARED / max(1, len(found) - 1)
        for (table, column), (other, twin) in combinations(found, 2):
            if is_key_like(column.name) and (table.name, other.name, column.name) not in linked:
                yield _link((table, column), (other, twin), grade)


def _last_resorts(holders: Mapping[Words, list[Held]]) -> Iterator[Relationship]:
    """Yield the best sign for two tables first."""
    for words, found in holders.items():
        if is_key_like("_".join(words)):
            for longer in (each for each in holders if ends_with(each, words)):
                yield from _between(holders[longer], found)
            yield from _between(holders.get(stem(words), []), found)
    for words, found in holders.items():
        is_own_name = words[-1:] and words[-1] in _NAMES and any(thing_words(t.name) == words[:-1] for t, _ in found)
        if words in _PERSONAL or is_own_name or (len(words) > 1 and words[-1] in _TIMES):
            yield from (_link(one, other, LAST_RESORT) for one, other in combinations(found, 2))
    yield from _places(holders)


def _places(holders: Mapping[Words, list[Held]]) -> Iterator[Relationship]:
    """Join columns that name a place with the keys of tables of places."""
    homes = []
    for table, column in (held for words, found in holders.items() if is_key_like("_".join(words)) for held in found):
        thing = thing_words(table.name)
        if thing[-1] in _PLACES and ends_with(("", *thing), stem(name_words(column.name))):
            homes.append((table, column))
    for words, found in holders.items():
        if len(words) > 1 and words[-1] in _PLACES:
            yield from _between(found, homes)


def _between(some: Iterable[Held], others: Iterable[Held]) -> Iterator[Relationship]:
    others = list(others)
    yield from (_link(one, other, LAST_RESORT) for one in some for other in others if one[0].name != other[0].name)


def _link(one: Held, other: Held, grade: float) -> Relationship:
    (table, column), (target, twin) = one, other
    confidence = round(grade * fit(column, twin), 2)
    return Relationship(table.name, column.name, target.name, twin.name, "inferred", confidence, "N:N")


def _holders(tables: Mapping[str, Table], sure: Collection[Cell]) -> Mapping[Words, list[Held]]:
    holders: defaultdict[Words, list[Held]] = defaultdict(list)
    for table in tables.values():
        for column in () if table.primary_key or table.unique_columns else table.columns.values():
            if may_join(column) and (table.name, column.name) not in sure:
                holders[name_words(column.name)].append((table, column))
    return dict(holders)
