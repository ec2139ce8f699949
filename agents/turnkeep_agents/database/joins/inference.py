"""Guess undeclared links from names: `employeeId` is the key of employee, `RESPONSIBLE_MIT_ID` an MIT_ID. In a database
that declares foreign keys only columns named after a table count. In one that declares none, columns with the same name
are joined as well."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from turnkeep_agents.database.joins.naming import (
    KEY_WORDS,
    abbreviates,
    ends_with,
    fit,
    is_key_like,
    may_join,
    name_words,
    stem,
    thing_words,
)
from turnkeep_agents.database.joins.records import Cardinality, Column, Relationship, Table
from turnkeep_agents.database.joins.sharing import Cell, shared

LEAST = 0.5  # links with less confidence are dropped

NAMED_AFTER = 0.95
SAME_NAME = 0.85
AMBIGUOUS = 0.6  # for a declared key that several tables have
WITH_ROLE = 0.9
SHORTENED = 0.85
SAME_FAMILY = 0.88  # the column names the table without the prefix that both tables share
SHORT_NAME = 0.66
STEM = 0.8
ABBREVIATED = 0.79
SURE = 0.8
_WORLDWIDE = frozenset({("uuid",), ("guid",)})


@dataclass(frozen=True, slots=True)
class _Key:
    """A column that identifies the rows of its table. `surety` is 1 for a declared key; `is_only` means that no other
    table has a key of that name."""

    table: Table
    column: Column
    words: tuple[str, ...]
    surety: float = 1.0
    is_only: bool = True

    @property
    def thing(self) -> tuple[str, ...]:
        return thing_words(self.table.name)

    @property
    def is_named_after_table(self) -> bool:
        return stem(self.words) == self.thing or ends_with(self.thing, stem(self.words))


def infer(tables: Mapping[str, Table], declared: Iterable[Relationship] = ()) -> tuple[Relationship, ...]:
    """Return the links that names make likely, without the declared ones. Their confidence is below 1."""
    known = tuple(declared)
    taken = {(link.from_table, pair[0]) for link in known for pair in link.pairs}
    keys = [key for table in tables.values() for key in _keys(table) if (table.name, key.column.name) not in taken]
    count = Counter(key.words for key in keys)
    keys = [replace(key, is_only=count[key.words] == 1) for key in keys]
    found: dict[tuple[str, str, str], Relationship] = {}
    for link in _to_keys(tables, keys, taken, is_silent=not known):
        ends = link.from_table, link.from_column, link.to_table
        if link.confidence >= LEAST and (ends not in found or found[ends].confidence < link.confidence):
            found[ends] = link
    sure = _columns_of_sure_links(found.values(), keys)
    links = _one_way(
        link
        for link in found.values()
        if (sure.get((link.from_table, link.from_column)) or link).confidence <= link.confidence
    )
    return (*links, *shared(tables, links, sure.keys())) if not known else links


def _columns_of_sure_links(links: Iterable[Relationship], keys: Iterable[_Key]) -> dict[Cell, Relationship]:
    """Return the columns named after a table with a declared key, with their links to it. Other columns of that name
    point there too."""
    declared = (key for key in keys if key.surety == 1 and (len(key.words) == 1 or key.is_named_after_table))
    owned = {(key.table.name, key.column.name) for key in declared}
    sure: dict[Cell, Relationship] = {}
    for link in links:
        column = link.from_table, link.from_column
        if (link.to_table, link.to_column) in owned and link.confidence >= SURE:
            sure[column] = max(sure.get(column, link), link, key=lambda each: each.confidence)
    return sure


def _keys(table: Table) -> Iterator[_Key]:
    """Without declared keys, columns that are named like the key of the table, or come first, count."""
    for name in table.unique_columns:
        yield _Key(table, table.columns[name], name_words(name))
    if table.primary_key or table.unique_columns:
        loose = [column for column in table.columns.values() if name_words(column.name) in _WORLDWIDE]
        yield from (
            _Key(table, each, name_words(each.name), 0.9) for each in loose if each.name not in table.unique_columns
        )
        return
    thing = thing_words(table.name)
    for place, column in enumerate(table.columns.values()):
        words = name_words(column.name)
        named = stem(words)
        if is_key_like(column.name) and named == thing:
            yield _Key(table, column, words, 0.95)
        elif is_key_like(column.name) and (ends_with(thing, named) or place == 0):
            yield _Key(table, column, words, 0.9)
        elif len(words) > 1 and ends_with(thing, words):
            yield _Key(table, column, words, 0.85)
        elif words in {("id",), ("key",)} and place == 0:
            yield _Key(table, column, words, 0.9)


def _to_keys(
    tables: Mapping[str, Table], keys: Iterable[_Key], taken: set[tuple[str, str]], *, is_silent: bool
) -> Iterator[Relationship]:
    by_last: defaultdict[str, list[_Key]] = defaultdict(list)
    for key in keys:
        by_last[key.words[-1] if key.words else ""].append(key)
    for table in tables.values():
        for column in table.columns.values():
            words = name_words(column.name)
            if not words or not may_join(column) or (table.name, column.name) in taken:
                continue
            near = by_last[words[-1]] if not is_silent else [key for found in by_last.values() for key in found]
            for key in near:
                grade = _grade(table, words, key, is_silent=is_silent)
                if grade:
                    yield _link(table, column, key, grade)


def _grade(table: Table, words: tuple[str, ...], key: _Key, *, is_silent: bool) -> float:
    if key.table.name == table.name:
        is_parent = words[0] == "parent" and words[1:] in {key.words, (*key.thing, *key.words)}
        return SAME_NAME if is_parent else 0
    if len(key.words) == 1:
        return _grade_of_plain_key(table, words, key)
    is_own = key.is_named_after_table
    if words == key.words and is_own:
        return NAMED_AFTER
    if words == key.words:
        return (SAME_NAME if key.is_only or key.surety < 1 else AMBIGUOUS) if is_silent else 0
    if not is_own and not is_silent:
        return 0
    return _grade_of_variant(words, key, is_own=is_own, is_silent=is_silent)


def _grade_of_variant(words: tuple[str, ...], key: _Key, *, is_own: bool, is_silent: bool) -> float:
    """Grade a name that is longer, shorter or more abbreviated than the key's."""
    fits = {
        STEM: is_silent and is_own and words == stem(key.words) != key.words,
        WITH_ROLE: words[-1] in KEY_WORDS and ends_with(words, key.words),
        SHORTENED: is_own and len(words) > 1 and words[-1] in KEY_WORDS and ends_with(key.words, words),
        ABBREVIATED: is_silent and words[-1] in KEY_WORDS and abbreviates(words, key.words),
    }
    return max(grade if does_fit else 0 for grade, does_fit in fits.items())


def _grade_of_plain_key(table: Table, words: tuple[str, ...], key: _Key) -> float:
    """Grade a name for a key called just id: it must name the table, or what follows a prefix of its name."""
    named, last = words[:-1], words[-1:]
    if not named or last != key.words:
        return 0
    if "".join(named) == "".join(key.thing):
        return NAMED_AFTER
    if ends_with(named, key.thing):
        return WITH_ROLE
    if ends_with(key.thing, named):
        return SAME_FAMILY if name_words(table.name)[:1] == key.thing[:1] else SHORT_NAME
    return 0


def _link(table: Table, column: Column, key: _Key, grade: float) -> Relationship:
    is_one = column.name in table.unique_columns and key.surety == 1
    cardinality: Cardinality = "1:1" if is_one else "N:1"
    confidence = round(grade * key.surety * fit(column, key.column), 2)
    ends = table.name, column.name, key.table.name, key.column.name
    return Relationship(*ends, "inferred", confidence, cardinality)


def _one_way(links: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """Keep the surer of two opposite links over the same columns, else the first."""
    best: dict[frozenset[tuple[str, str]], Relationship] = {}
    for link in links:
        ends = frozenset({(link.from_table, link.from_column), (link.to_table, link.to_column)})
        if ends not in best or best[ends].confidence < link.confidence:
            best[ends] = link
    return tuple(best.values())
