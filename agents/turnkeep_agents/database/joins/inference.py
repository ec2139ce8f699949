"""Links that nobody declared, told from names: `employeeId` is the key of employee, `RESPONSIBLE_MIT_ID` an MIT_ID. No
such link is certain. A database that declares foreign keys is believed where it is silent: only a column named after
a table counts there; in one that declares none, columns of one name are two halves of a key as well."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from turnkeep_agents.database.joins.likeness import abbreviates, ends_with, fit, may_join, stem
from turnkeep_agents.database.joins.naming import KEY_WORDS, is_key_like, name_words, thing_words
from turnkeep_agents.database.joins.records import Column, Relationship, Table
from turnkeep_agents.database.joins.sharing import Cell, shared

LEAST = 0.5
"""A link with less confidence is not worth keeping."""

NAMED_AFTER = 0.95
SAME_NAME = 0.85
AMBIGUOUS = 0.6
"""For a declared key that several tables have: which is meant cannot be told."""
WITH_ROLE = 0.9
SHORTENED = 0.85
SAME_FAMILY = 0.88
"""The column names the table without the prefix that both tables have."""
SHORT_NAME = 0.66
STEM = 0.8
ABBREVIATED = 0.79
SURE = 0.8
_WORLDWIDE = frozenset({("uuid",), ("guid",)})


@dataclass(frozen=True, slots=True)
class _Key:
    """A column that tells the rows of its table apart. `surety` is 1 where that is declared, else what names are worth;
    `is_only`: no other table has a key of that name."""

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
    """The links that names make likely, beside the declared ones. Their confidence is below 1."""
    known = tuple(declared)
    taken = {(link.from_table, pair[0]) for link in known for pair in link.pairs}
    keys = _told_apart(
        key for table in tables.values() for key in _keys(table) if (table.name, key.column.name) not in taken
    )
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


def _told_apart(keys: Iterable[_Key]) -> list[_Key]:
    found = list(keys)
    count = Counter(key.words for key in found)
    return [replace(key, is_only=count[key.words] == 1) for key in found]


def _columns_of_sure_links(links: Iterable[Relationship], keys: Iterable[_Key]) -> dict[Cell, Relationship]:
    """The columns that are named after a table with a declared key, with their links to it. What else has the same name
    points there as well."""
    owned = {(key.table.name, key.column.name) for key in keys if key.surety == 1 and _owns(key)}
    sure: dict[Cell, Relationship] = {}
    for link in links:
        column = link.from_table, link.from_column
        if (link.to_table, link.to_column) in owned and link.confidence >= SURE:
            sure[column] = max(sure.get(column, link), link, key=lambda each: each.confidence)
    return sure


def _has_keys(table: Table) -> bool:
    return bool(table.primary_key or table.unique_columns)


def _owns(key: _Key) -> bool:
    return len(key.words) == 1 or key.is_named_after_table


def _keys(table: Table) -> Iterator[_Key]:
    """Declared keys; without any, the columns that are named as the key of the table, or come first."""
    for name in table.unique_columns:
        yield _Key(table, table.columns[name], name_words(name))
    if _has_keys(table):
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
    """How well the name of a column of `table` fits a key."""
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
    """For a name that is that of the key with something more, less or shortened."""
    fits = {
        STEM: is_silent and is_own and words == stem(key.words) != key.words,
        WITH_ROLE: words[-1] in KEY_WORDS and ends_with(words, key.words),
        SHORTENED: is_own and len(words) > 1 and words[-1] in KEY_WORDS and ends_with(key.words, words),
        ABBREVIATED: is_silent and words[-1] in KEY_WORDS and abbreviates(words, key.words),
    }
    return max(grade if does_fit else 0 for grade, does_fit in fits.items())


def _grade_of_plain_key(table: Table, words: tuple[str, ...], key: _Key) -> float:
    """For a key that is just called id: the column has to name the table, or what follows a prefix of its name."""
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
    confidence = round(grade * key.surety * fit(column, key.column), 2)
    return Relationship(
        table.name,
        column.name,
        key.table.name,
        key.column.name,
        "inferred",
        confidence,
        "1:1" if is_one else "N:1",
    )


def _one_way(links: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """Of two links over the same columns in opposite directions the surer one, else that of the first name."""
    best: dict[frozenset[tuple[str, str]], Relationship] = {}
    for link in links:
        ends = frozenset({(link.from_table, link.from_column), (link.to_table, link.to_column)})
        if ends not in best or best[ends].confidence < link.confidence:
            best[ends] = link
    return tuple(best.values())
