"""A small shop with many kinds of values, and its answers to SQL as it was written and as the guard writes it."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import psycopg
import pymysql
from guarded import table

from turnkeep_agents.database.guard.guard import Checked, Guard, Refused
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.joins.records import JoinGraph, Kind, Relationship

type Answer = list[tuple[str, ...]] | None
type OwnDialect = Literal["sqlite", "mysql", "postgres"]
type Ask = Callable[[str], Answer]

FOLDER = Path(__file__).parent
FILLED = tuple((FOLDER / "shop.sql").read_text().replace(";\n", "\n").splitlines())


def shop(item_id: str) -> JoinGraph:
    item = table(
        "item", id="integer", name="text", price="number", weight="number", qty="integer", code="text", made="date",
        sold="datetime", tags="text", parent="integer",
    )  # fmt: skip
    more: dict[str, Kind] = {item_id: "integer", "how__many": "integer", "note": "text", "at": "datetime"}
    links = Relationship("sale", item_id, "item", "id"), Relationship("item", "parent", "item", "id")
    return JoinGraph({"item": item, "sale": table("sale", id="integer", **more)}, links)


SHOP, FOLDED_SHOP = shop("itemId"), shop("itemid")  # PostgreSQL folds unquoted names
FOLDED = tuple(
    statement.replace("DOUBLE", "DOUBLE PRECISION").replace("DATETIME", "TIMESTAMP").replace("`", '"')
    for statement in FILLED
)
MOST_ROWS = 10_000


def statements() -> list[str]:
    """Each expression over all items, and whole statements."""
    expressions = (FOLDER / "expressions.sql").read_text().splitlines()
    return [selected(each) for each in expressions] + (FOLDER / "statements.sql").read_text().splitlines()


def selected(expression: str) -> str:
    return f"SELECT id, {expression} FROM item ORDER BY id"


@cache
def guard_of(dialect: OwnDialect) -> Guard:
    return Guard(FOLDED_SHOP if dialect == "postgres" else SHOP, dialect=dialect, max_rows=MOST_ROWS)


def sqlite_shop() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    for statement in FILLED:
        connection.execute(statement)
    return connection


def asking(connection: Any) -> Ask:
    """Return the rows with the kinds of their values, or None if the database refuses."""

    def ask(sql: str) -> Answer:
        with closing(connection.cursor()) as cursor:
            try:
                cursor.execute(sql)
                return [tuple(f"{type(value).__name__} {value!r}" for value in row) for row in cursor.fetchall()]
            except (sqlite3.Error, sqlite3.Warning, pymysql.Error, psycopg.Error):
                return None

    return ask


@dataclass(frozen=True)
class Trial:
    """One statement: what ran in its place, the rows of both, and whether rules repaired it."""

    sql: str
    ran: str
    is_repaired: bool
    rows: Answer
    rows_of_ran: Answer

    @property
    def is_alike(self) -> bool:
        return self.rows == self.rows_of_ran


def tried(ask: Ask, dialect: OwnDialect, *, sqls: Iterable[str], repairs: bool = True) -> Iterator[Trial]:
    """Yield statements that may run, also after a repair, and that the database understands unguarded."""
    for sql in sqls:
        is_refused = isinstance(guard_of(dialect).check(sql), Refused)
        ran = running(sql, dialect) if repairs or not is_refused else None
        rows = ask(sql) if ran else None
        if ran and rows is not None:
            yield Trial(sql, ran, is_refused, rows, ask(ran))


def running(sql: str, dialect: OwnDialect) -> str | None:
    """Return what runs in place of `sql`, or None."""
    found = guard_of(dialect).check(sql)
    again = repair(sql, found, SHOP, dialect) if isinstance(found, Refused) else None
    found = guard_of(dialect).check(again) if again else found
    return found.sql if isinstance(found, Checked) else None
