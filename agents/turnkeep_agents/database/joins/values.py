"""The texts that stand in columns which hold few of them: states, kinds, priorities. They tell a question's words from
each other, and prompts show them; so no column is read that may hold what a caller should not see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnClause, Connection, column, func, select, table
from sqlalchemy.exc import DBAPIError

from turnkeep_agents.database.joins.naming import name_words, thing_words
from turnkeep_agents.database.joins.records import Column, Relationship, Table

MOST_VALUES = 20
LONGEST_VALUE = 40
"""Characters."""
REPEATS = 2
"""Rows that a value has to have, on average: what is different in every row is the name of something."""
TENANTS = 2
"""How many of them have to have a value."""

_PRIVATE = frozenset(
    {"name", "email", "mail", "phone", "mobile", "fax", "address", "street", "password", "secret", "token", "hash"}
    | {"note", "notes", "comment", "comments", "description", "remark", "remarks", "message", "text", "salt"}
)
"""Columns with such words hold what somebody wrote or is called, however few of them there are."""


@dataclass(frozen=True)
class Reading:
    """What is to be read: nothing of `hidden` tables and columns (`table.column`), and where `tenant_columns` name the
    column of a table that says whose a row is, only what several tenants have."""

    connection: Connection
    links: tuple[Relationship, ...]
    hidden: frozenset[str] = frozenset()
    tenant_columns: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def looked_up(self) -> frozenset[str]:
        """Tables that others point at: their rows may be kinds of something."""
        return frozenset(link.to_table for link in self.links)

    @cached_property
    def joining(self) -> frozenset[tuple[str, str]]:
        return frozenset((link.from_table, start) for link in self.links for start, _ in link.pairs)


def with_values_of(
    reading: Reading, tables: Mapping[str, Table], progress: Callable[[str], None] = lambda _: None
) -> dict[str, Table]:
    """The tables with the values of their columns."""
    found = dict(tables)
    seen = [table for name, table in tables.items() if name not in reading.hidden]
    for place, described in enumerate(seen, 1):
        progress(f"values of {described.name}, {place} of {len(seen)}")
        columns = {each.name: _with_values(reading, described, each) for each in described.columns.values()}
        found[described.name] = replace(described, columns=columns)
    return found


def _with_values(reading: Reading, described: Table, each: Column) -> Column:
    is_hidden = f"{described.name}.{each.name}" in reading.hidden
    if is_hidden or each.kind not in ("text", "boolean") or (described.name, each.name) in reading.joining:
        return each
    words = name_words(each.name)
    names_a_kind = described.name in reading.looked_up and words in {("name",), (*thing_words(described.name), "name")}
    if not names_a_kind and not _PRIVATE.isdisjoint(words):
        return each
    return replace(each, values=_values(reading, described, each.name))


def _values(reading: Reading, described: Table, name: str) -> tuple[str, ...]:
    """None where they are too many or too long, differ in every row, or cannot be read."""
    of: ColumnClause[Any] = column(name)
    tenant = reading.tenant_columns.get(described.name)
    filled = select(of).select_from(table(described.name)).where(of.is_not(None))
    counted = filled.add_columns(func.count()).group_by(of)
    if tenant is not None:
        owner: ColumnClause[Any] = column(tenant)
        counted = counted.having(func.count(owner.distinct()) >= TENANTS)
    try:  # a column of many values is found out without being read to its end
        many = len(reading.connection.execute(filled.distinct().limit(MOST_VALUES + 1)).all()) > MOST_VALUES
        rows = [] if many else reading.connection.execute(counted).all()
    except DBAPIError:
        reading.connection.rollback()
        return ()
    texts = sorted(str(value) for value, _ in rows if value != "")
    is_kind = described.name in reading.looked_up or sum(count for _, count in rows) >= REPEATS * len(rows)
    return tuple(texts) if is_kind and all(len(text) <= LONGEST_VALUE for text in texts) else ()
