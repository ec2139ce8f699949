"""A small workshop in SQLite with everything that is hard about joins: one-to-many, a bridge with repeats, two links
between the same tables, a table that points at itself, missing values. Names need quotes here and there."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table
from turnkeep_agents.database.joins.trees import JoinTree
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.writing.dialects import Dialect
from turnkeep_agents.database.writing.writer import write_sql

type Row = dict[str, Any]
type Rows = dict[str, list[Row]]

_KINDS: Mapping[str, Kind] = {"i": "integer", "n": "number", "t": "text", "d": "date", "m": "datetime", "b": "boolean"}
_TYPES: Mapping[Kind, str] = {
    "integer": "INTEGER",
    "number": "DECIMAL(10,2)",
    "text": "VARCHAR(60)",
    "date": "DATE",
    "datetime": "DATETIME",
    "boolean": "BOOLEAN",
}
SCHEMA = {
    "crew": "id:i name:t city:t",
    "employee": "id:i firstName:t lastName:t city:t position:t isActive:b rate:n supervisorId:i hiredOn:d",
    "employeeCrew": "id:i employeeId:i crewId:i",
    "customer": "id:i name:t city:t",
    "workOrder": "id:i number:t customerId:i assignedTo:i createdBy:i status:t total:n due:m",
    "invoice": "id:i workOrderId:i amount:n issuedOn:d order:t",
}
LINKS = (
    ("employee", "supervisorId", "employee"),
    ("employeeCrew", "employeeId", "employee"),
    ("employeeCrew", "crewId", "crew"),
    ("workOrder", "customerId", "customer"),
    ("workOrder", "createdBy", "employee"),
    ("workOrder", "assignedTo", "employee"),
    ("invoice", "workOrderId", "workOrder"),
)
VALUES = {("workOrder", "status"): ("open", "done", "cancelled"), ("employee", "position"): ("technician", "office")}


def _table(name: str, columns: str) -> Table:
    found = {}
    for column in columns.split():
        label, _, kind = column.partition(":")
        found[label] = Column(label, _KINDS[kind], values=VALUES.get((name, label), ()))
    return Table(name, found, primary_key=("id",), unique_columns=("id",))


GRAPH = JoinGraph(
    {name: _table(name, columns) for name, columns in SCHEMA.items()},
    tuple(Relationship(table, column, to, "id") for table, column, to in LINKS),
)
FINDER = PathFinder(GRAPH)


def tree_of(asked: Asked, *more: str) -> JoinTree:
    """Over all tables that `asked` names."""
    fields = [*asked.shown, *asked.groups, asked.of, asked.order_by, asked.grain_of]
    fields += [condition.field for condition in asked.conditions] + [asked.period.field if asked.period else None]
    tables = [asked.subject, *(field.table for field in fields if field), *(one.table for one in asked.absences), *more]
    tables += [condition.field.table for one in asked.absences for condition in one.conditions]
    tables += [other.table for condition in asked.conditions for other in condition.others]
    return FINDER.connect(list(dict.fromkeys(tables)))


def sql_of(asked: Asked, dialect: Dialect = "sqlite", *more: str) -> str:
    return write_sql(asked, tree_of(asked, *more), GRAPH, dialect)


@dataclass(frozen=True)
class Answer:
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def filled(rows: Rows) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for statement in statements(rows):
        connection.execute(*statement)
    return connection


def statements(rows: Rows, quote: str = '"', mark: str = "?") -> Iterable[tuple[str, Sequence[Any]]]:
    """What creates the tables and fills them."""
    for name, table in GRAPH.tables.items():
        columns = ", ".join(f"{quote}{one.name}{quote} {_TYPES[one.kind]}" for one in table.columns.values())
        yield f"CREATE TABLE {quote}{name}{quote} ({columns})", ()
        for row in rows.get(name, []):
            marks = ", ".join([mark] * len(table.columns))
            yield f"INSERT INTO {quote}{name}{quote} VALUES ({marks})", [row.get(column) for column in table.columns]


def answer(connection: sqlite3.Connection, sql: str) -> Answer:
    cursor = connection.execute(sql)
    return Answer(tuple(column[0] for column in cursor.description), cursor.fetchall())


def ask(rows: Rows, asked: Asked, *more: str) -> Answer:
    return answer(filled(rows), sql_of(asked, "sqlite", *more))
