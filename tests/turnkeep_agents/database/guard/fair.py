"""A small shop with many kinds of values, and its answers to SQL as it was written and as the guard writes it."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psycopg
import pymysql
from guarded import table

from turnkeep_agents.database.guard.guard import Checked, Guard, Refused
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

type Answer = list[tuple[str, ...]] | None
type OwnDialect = Literal["sqlite", "mysql", "postgres"]
type Ask = Callable[[str], Answer]

FOLDER = Path(__file__).parent
FILLED = tuple((FOLDER / "shop.sql").read_text().replace(";\n", "\n").splitlines())
SHOP = JoinGraph(
    {
        "item": table(
            "item", id="integer", name="text", price="number", weight="number", qty="integer", code="text", made="date",
            sold="datetime", tags="text", parent="integer",
        ),
        "sale": table("sale", id="integer", itemId="integer", how__many="integer", note="text", at="datetime"),
    },
    (Relationship("sale", "itemId", "item", "id"), Relationship("item", "parent", "item", "id")),
)  # fmt: skip
# as PostgreSQL folds unquoted names
FOLDED_SHOP = JoinGraph(
    {
        "item": SHOP.tables["item"],
        "sale": table("sale", id="integer", itemid="integer", how__many="integer", note="text", at="datetime"),
    },
    (Relationship("sale", "itemid", "item", "id"),),
)
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


def guard_of(dialect: OwnDialect) -> Guard:
    return Guard(FOLDED_SHOP if dialect == "postgres" else SHOP, dialect=dialect, max_rows=MOST_ROWS)


def sqlite_shop() -> sqlite3.Connection:
    shop = sqlite3.connect(":memory:", check_same_thread=False)
    for statement in FILLED:
        shop.execute(statement)
    return shop


def asking(connection: Any) -> Ask:
    """Return the rows with the kinds of their values, or None if the database refuses."""

    def ask(sql: str) -> Answer:
        with closing(connection.cursor()) as cursor:
            try:
                cursor.execute(sql)
                return [tuple(map(canonical, row)) for row in cursor.fetchall()]
            except (sqlite3.Error, sqlite3.Warning, pymysql.Error, psycopg.Error):
                return None

    return ask


def canonical(value: object) -> str:
    return f"{type(value).__name__} {value!r}"


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
    guard = guard_of(dialect)
    for sql in sqls:
        found = guard.check(sql)
        again = repaired(sql, found, dialect) if isinstance(found, Refused) and repairs else None
        ran = found.sql if isinstance(found, Checked) else again
        rows = ask(sql) if ran else None
        if ran and rows is not None:
            yield Trial(sql, ran, isinstance(found, Refused), rows, ask(ran))


def repaired(sql: str, refused: Refused, dialect: OwnDialect) -> str | None:
    again = repair(sql, refused, SHOP, dialect)
    found = guard_of(dialect).check(again) if again else refused
    return found.sql if isinstance(found, Checked) else None


def running(sql: str, dialect: OwnDialect) -> str | None:
    """Return what runs in place of `sql`, or None."""
    found = guard_of(dialect).check(sql)
    return found.sql if isinstance(found, Checked) else repaired(sql, found, dialect)
