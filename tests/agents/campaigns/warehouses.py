"""Small warehouses for tests, as files, and a database that falls silent."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from sqlalchemy.dialects import registry
from sqlalchemy.engine.default import DefaultDialect

from turnkeep.agents.campaigns.warehouse import tables
from turnkeep.agents.campaigns.warehouse.engines import Source, open_file
from turnkeep.agents.campaigns.warehouse.files import Contents, pack
from turnkeep.agents.campaigns.warehouse.sums import Warehouse

FIRST = date(2026, 5, 1)


@dataclass(frozen=True)
class Flown:
    """A flight of one line item that costs the same every day, `days` days from its start on."""

    name: str
    budget: float | None
    start: date
    end: date
    cost: float = 10
    days: int = 0
    audience: str = "Everybody"
    advertiser: str = "Acme"


def write(file: Path, contents: Contents) -> Path:
    file.write_bytes(pack(contents))
    return file


def flown(file: Path, flights: Sequence[Flown]) -> Path:
    contents: list[Any] = []
    for at, flight in enumerate(flights, 1):
        days = [flight.start + timedelta(days=day) for day in range(flight.days)]
        window = flight.start.isoformat(), flight.end.isoformat()
        contents += [
            (tables.advertisers, [(at, flight.advertiser)]),
            (tables.insertion_orders, [(at, at, flight.name, flight.budget, *window)]),
            (tables.audiences, [(at, flight.audience)]),
            (tables.line_items, [(at, at, at, f"{flight.name} item", "Display")]),
            (tables.daily_metrics, [(day.isoformat(), at, None, 100, 1, flight.cost, 0, 0) for day in days]),
        ]
    return write(file, contents)


def on_days(file: Path, days: Sequence[date]) -> Path:
    """A warehouse of nothing but daily rows whose line items nobody knows."""
    return write(file, [(tables.daily_metrics, [(day.isoformat(), 7, 8, 100, 2, 1.5, 1, 4) for day in days])])


def opened(file: Path, *, seconds: float = 5, max_rows: int = 500, **more: Any) -> Warehouse:
    return Warehouse(Source(partial(open_file, lambda: file), seconds), max_rows, **more)


class SilentError(Exception):
    """The error class of the driver below."""


class SilentCursor:
    """`talk` says what the server does at each query: answer, refusal, dead; then silence until the line is cut."""

    arraysize, rowcount, lastrowid = 1, 1, None
    description = (("count", None, None, None, None, None, None),)

    def __init__(self, connection: "SilentConnection", line: socket.socket, talk: list[str]):
        self._connection, self._line, self._talk = connection, line, talk

    def execute(self, statement: str, _: object = ()) -> None:
        SilentDialect.heard.append(statement)
        said = self._talk.pop(0) if self._talk else "silence"
        self._connection.has_failed = said != "answer"
        if said in ("dead", "refusal"):
            raise SilentError(said)
        if said == "silence":
            self._line.recv(1)
            raise SilentError("the line was cut")

    def fetchall(self) -> list[tuple[int]]:
        return [(1,)]

    def fetchone(self) -> None:
        return None

    def close(self) -> None:
        pass


class SilentConnection:
    def __init__(self, talk: list[str]):
        self._talk, self.has_failed = talk, False
        self._ours, self._theirs = socket.socketpair()

    def fileno(self) -> int:
        return self._ours.fileno()

    def cursor(self) -> SilentCursor:
        return SilentCursor(self, self._ours, self._talk)

    def commit(self) -> None:
        pass

    def rollback(self) -> None:
        SilentDialect.rollbacks_after_an_error += self.has_failed

    def close(self) -> None:
        self._ours.close()
        self._theirs.close()


class SilentDialect(DefaultDialect):
    """A driver that waits for its server without a limit of its own, as PostgreSQL's library does."""

    name, driver = "silent", "silent"
    supports_statement_cache = True
    talk: ClassVar[list[str]] = []
    heard: ClassVar[list[str]] = []
    rollbacks_after_an_error: ClassVar[int] = 0

    @classmethod
    def import_dbapi(cls) -> Any:
        return SimpleNamespace(
            Error=SilentError, paramstyle="qmark", connect=lambda *_, **__: SilentConnection(cls.talk)
        )

    def do_ping(self, _: Any) -> bool:
        raise AssertionError("a ping may hang as well")

    def is_disconnect(self, error: Any, _: Any, __: Any) -> bool:
        return isinstance(error, SilentError) and str(error) != "refusal"

    def has_table(self, *_: Any, **__: Any) -> bool:
        return True


class UnfitDialect(SilentDialect):
    driver = "unfit"
    is_async = True


class PostgresLikeDialect(SilentDialect):
    name, driver = "postgresql", "like"
    supports_statement_cache = True


registry.register("silent.like", __name__, "PostgresLikeDialect")
registry.register("silent", __name__, "SilentDialect")
registry.register("silent.unfit", __name__, "UnfitDialect")
