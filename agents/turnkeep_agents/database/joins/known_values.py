"""Read the texts of columns with few distinct values: states, kinds, priorities. Prompts show them, so no column is
read that may hold what a caller must not see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnClause, Connection, column, func, select, table
from sqlalchemy.exc import DBAPIError

from turnkeep_agents.database.joins.naming import name_words, thing_words
from turnkeep_agents.database.joins.records import Column, Relationship, Table

MOST_VALUES = 20
LONGEST_VALUE = 40  # characters
REPEATS = 2  # rows of a value, on average: a text that differs in every row is a name
TENANTS = 2  # tenants that must have a value

_PRIVATE = frozenset(  # columns with such words may hold personal data, however few values they have
    {"name", "email", "mail", "phone", "mobile", "fax", "address", "street", "password", "secret", "token", "hash"}
    | {"note", "notes", "comment", "comments", "description", "remark", "remarks", "message", "text", "salt"}
)


@dataclass(frozen=True)
class Reading:
    """`hidden` lists tables and columns (`table.column`) that are not read. `tenant_columns` maps a table to the column
    with a row's owner: only values of several tenants are read there."""

    connection: Connection
    links: tuple[Relationship, ...]
    hidden: frozenset[str] = frozenset()
    tenant_columns: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def looked_up(self) -> frozenset[str]:
        """Tables that others point at: their rows may be kinds of something."""
        return frozenset(link.to_table for link in self.links)


def with_values_of(
    reading: Reading, tables: Mapping[str, Table], progress: Callable[[str], None] = lambda _: None
) -> dict[str, Table]:
    found = dict(tables)
    joining = {(link.from_table, start) for link in reading.links for start, _ in link.pairs}
    seen = [table for name, table in tables.items() if name not in reading.hidden]
    for place, described in enumerate(seen, 1):
        progress(f"values of {described.name}, {place} of {len(seen)}")
        columns = dict(described.columns)
        for name, each in columns.items():
            if (described.name, name) not in joining and _may_have_values(reading, described, each):
                columns[name] = replace(each, values=_values(reading, described, name))
        found[described.name] = replace(described, columns=columns)
    return found


def _may_have_values(reading: Reading, described: Table, each: Column) -> bool:
    if f"{described.name}.{each.name}" in reading.hidden or each.kind not in ("text", "boolean"):
        return False
    words = name_words(each.name)
    names_a_kind = described.name in reading.looked_up and words in {("name",), (*thing_words(described.name), "name")}
    return names_a_kind or _PRIVATE.isdisjoint(words)


def _values(reading: Reading, described: Table, name: str) -> tuple[str, ...]:
    """Return nothing if the values are too many, too long, unreadable, or differ in every row."""
    of: ColumnClause[Any] = column(name)
    tenant = reading.tenant_columns.get(described.name)
    filled = select(of).select_from(table(described.name)).where(of.is_not(None))
    counted = filled.add_columns(func.count()).group_by(of)
    if tenant is not None:
        owner: ColumnClause[Any] = column(tenant)
        counted = counted.having(func.count(owner.distinct()) >= TENANTS)
    try:  # find out that there are many values without reading the column to its end
        many = len(reading.connection.execute(filled.distinct().limit(MOST_VALUES + 1)).all()) > MOST_VALUES
        rows = [] if many else reading.connection.execute(counted).all()
    except DBAPIError:
        reading.connection.rollback()
        return ()
    texts = sorted(str(value) for value, _ in rows if value != "")
    is_kind = described.name in reading.looked_up or sum(count for _, count in rows) >= REPEATS * len(rows)
    return tuple(texts) if is_kind and all(len(text) <= LONGEST_VALUE for text in texts) else ()
