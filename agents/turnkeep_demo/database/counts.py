"""Counts and lists of one table, generated, so that the verified questions need no lines for them: "How many ladders
are broken?", "Which bridges are closed?", "How many letters are there by stamp?"."""

import json
import re
from collections.abc import Iterator
from functools import cache

from turnkeep.kit.words import singular
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_demo.database.field_service import FOLDER
from turnkeep_demo.database.questions import Known, phrasings, tables, values_of

STATE, IN_USE = "status", "isActive"
KIND = re.compile(r"[a-z][a-z_ ]+")
"""A value that is a state or kind: "on_hold", "full service"; not "New vans arrived" or "GB"."""
LABEL = "name"
NAMED_BY = ("number", LABEL, "plateNumber", "serialNumber")
"""Columns that people identify things by; a table without one is not listed."""
MOST_SHOWN = 5
AUDITS = ("createdAt", "updatedAt")
RESERVED = frozenset({"order", "group", "user", "lead", "message", "3rdPartySystem"})
"""SQL keywords, or names that mean something else in a question: an order is a work order as well."""


@cache
def counts() -> tuple[Known, ...]:
    """Return the questions. A table with a state is only counted by state: no rule knows if former employees count."""
    return tuple(known for table in tables() if table not in RESERVED for known in _of(table))


def _of(table: str) -> Iterator[Known]:
    things = _plural(table)
    total = f'SELECT COUNT(*) AS "{things}" FROM {table}'  # noqa: S608
    shown = _shown(table)
    has_state = not {STATE, IN_USE}.isdisjoint(tables()[table]["types"])
    for column in [STATE] if has_state else [name for name in tables()[table].get("values", {}) if name != LABEL]:
        if values := [value for value in values_of(table, column) if KIND.fullmatch(value)]:
            yield from _by_column(table, column, things)
            asks = [
                f"How many {_plain(values[0])} {things} are there?",
                f"How many {_plain(values[0])} {things} do we have?",
            ]
            sql = f"{total} WHERE {table}.{column} = '{values[0]}'"
            yield from phrasings(f"How many {things} are {_plain(values[0])}?", sql, asks, {values[0]: values})
            if shown:
                sql = f"SELECT {shown} FROM {table} WHERE {table}.{column} = '{values[0]}' ORDER BY 1"  # noqa: S608
                asks = [f"Which {_plain(values[0])} {things} are there?", f"List the {_plain(values[0])} {things}."]
                yield from phrasings(f"Which {things} are {_plain(values[0])}?", sql, asks, {values[0]: values})
    if not has_state:
        yield from phrasings(f"How many {things} are there?", total, [f"How many {things} do we have?"])
        if shown:
            yield from phrasings(f"Which {things} are there?", f"SELECT {shown} FROM {table} ORDER BY 1")  # noqa: S608
        for column, other in _lookups(table):
            yield from _by_lookup(table, column, other, things)


def _by_column(table: str, column: str, things: str) -> Iterator[Known]:
    name = f"{table}.{column}"
    label = " ".join(name_words(column))
    sql = f'SELECT {name} AS "{label}", COUNT(*) AS "{things}" FROM {table} GROUP BY {name} ORDER BY {name}'  # noqa: S608
    yield from phrasings(f"How many {things} are there by {label}?", sql, [f"How many {things} do we have by {label}?"])


def _by_lookup(table: str, column: str, other: str, things: str) -> Iterator[Known]:
    label = " ".join(name_words(other))
    sql = f"""SELECT {other}.{LABEL} AS "{label}", COUNT(*) AS "{things}" FROM {table}
LEFT JOIN {other} ON {other}.id = {table}.{column} GROUP BY {other}.id, {other}.{LABEL} ORDER BY {other}.{LABEL}"""  # noqa: S608
    yield from phrasings(f"How many {things} are there by {label}?", sql, [f"How many {things} do we have by {label}?"])


def _lookups(table: str) -> Iterator[tuple[str, str]]:
    """Yield short lists behind a foreign key that has the list's name: `branchId` refers to `branch`."""
    for link in _links():
        column, other = link["from_column"], link["to_table"]
        is_named = bool(values_of(other, LABEL)) and column == f"{other}Id"
        if link["from_table"] == table and is_named and other not in (*RESERVED, "company"):
            yield column, other


@cache
def _links() -> list[dict[str, str]]:
    links: list[dict[str, str]] = json.loads((FOLDER / "joins.json").read_text())["relationships"]
    return links


def _shown(table: str) -> str:
    """Return the first columns from the identifying one, without keys; empty without one."""
    links = {link["from_column"] for link in _links() if link["from_table"] == table}
    columns = [name for name in tables()[table]["types"] if name not in ("id", *AUDITS, *links)]
    place = next((columns.index(name) for name in NAMED_BY if name in columns), None)
    chosen = columns[place : place + MOST_SHOWN] if place is not None else []
    return ", ".join(f'{table}.{name} AS "{" ".join(name_words(name))}"' for name in chosen)


def _plural(table: str) -> str:
    *before, last = name_words(table)
    one = singular(last)
    if one.endswith("y") and one[-2] not in "aeo":
        return " ".join([*before, f"{one[:-1]}ies"])
    return " ".join([*before, f"{one}{'es' if one.endswith(('s', 'x', 'ch')) else 's'}"])


def _plain(value: str) -> str:
    return value.replace("_", " ")
