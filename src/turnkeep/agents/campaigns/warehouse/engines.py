"""Databases as `Warehouse` reads them: every session is read-only, and every query ends in time, whoever is silent.

What fails is told without URL, credentials and SQL, and without its cause: a driver's own message may quote all three.
"""

import math
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql import Select

from turnkeep.agents.campaigns.warehouse.tables import REQUIRED

GRACE_SECONDS = 1
"""How much later than the server we end a query ourselves: a server that ends it keeps its connection usable."""
PROGRESS_STEPS = 10_000
"""Of SQLite's machine between two looks at the clock: far under a millisecond."""
BUSY_SECONDS = 1
RECYCLE_SECONDS = 600

PACKAGES = {
    "psycopg": "psycopg[binary]",
    "psycopg2": "psycopg2-binary",
    "MySQLdb": "mysqlclient",
    "mysql": "mysql-connector-python",
    "snowflake": "snowflake-sqlalchemy",
}
"""What to install, where it is not called as the module that is missing."""

SOCKET_LIMITS = {
    "psycopg": ("connect_timeout",),
    "psycopg2": ("connect_timeout",),
    "pg8000": ("timeout",),
    "pymysql": ("connect_timeout", "read_timeout", "write_timeout"),
    "snowflake": ("login_timeout", "network_timeout"),
}
"""What the drivers call their own limits, in whole seconds. Another driver has those of the server alone."""


class WarehouseError(Exception):
    """The warehouse gave no figures. The message is for the user."""


class WarehouseDown(WarehouseError):
    """It cannot be reached, or holds no metrics in the documented tables."""


class WarehouseSlow(WarehouseError):
    """It did not answer in time."""


class Source:
    """One database, opened on first use."""

    def __init__(self, open_engine: Callable[[float], Engine], seconds: float):
        """`seconds`: longest time of one query."""
        self._open, self._seconds = open_engine, seconds
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    def fetch(self, statement: Select[*tuple[Any, ...]], limit: int) -> list[Sequence[Any]]:
        """At most `limit` rows; raises WarehouseError."""
        return self._ask(lambda connection: [tuple(row) for row in connection.execute(statement.limit(limit)).all()])

    def has(self, table: str) -> bool:
        """Whether there is a table or view of that name; raises WarehouseError."""
        return self._ask(lambda connection: _has(connection, table))

    def _ask[T](self, question: Callable[[Connection], T]) -> T:
        started = time.monotonic()
        try:
            return self._once(question)
        except (SQLAlchemyError, OSError, ValueError) as error:
            is_stale = isinstance(error, DBAPIError) and error.connection_invalidated
            if not is_stale or self._is_late(started):
                raise self._told(error, started) from None
        return self._ask_anew(question)

    def _ask_anew[T](self, question: Callable[[Connection], T]) -> T:
        """Once more, where a connection of the pool had died while nobody used it."""
        started = time.monotonic()
        try:
            return self._once(question)
        except (SQLAlchemyError, OSError, ValueError) as error:
            raise self._told(error, started) from None

    def _once[T](self, question: Callable[[Connection], T]) -> T:
        with _Watch(self._opened(), self._seconds) as watch, watch.engine.connect() as connection:
            watch.hold(connection.connection.driver_connection)
            try:
                return question(connection)
            except DBAPIError:
                connection.invalidate()  # so that nobody waits for a rollback of what has not answered
                raise

    def _opened(self) -> Engine:
        with self._lock:
            self._engine = self._engine or self._open(self._seconds)
            return self._engine

    def _is_late(self, started: float) -> bool:
        return time.monotonic() - started >= self._seconds * 0.95

    def _told(self, error: Exception, started: float) -> WarehouseError:
        if self._is_late(started) or isinstance(error, PoolTimeout) or _is_locked(error):
            return WarehouseSlow(f"The metrics warehouse did not answer within {self._seconds:g} seconds.")
        if isinstance(error, DBAPIError) and error.statement is not None:
            return WarehouseDown(f"The metrics warehouse {self._wrong_inside(error)}.")
        return WarehouseDown(f"The metrics warehouse {_wrong_outside(error)}.")

    def _wrong_inside(self, error: DBAPIError) -> str:
        if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_NOTADB":
            return "is no SQLite database"
        if missing := self._missing():
            return f"lacks these tables or may not show them: {', '.join(missing)}"
        return "refused a query: its tables need the documented columns, and its login the right to read them"

    def _missing(self) -> list[str]:
        try:
            return self._once(lambda connection: [one.name for one in REQUIRED if not _has(connection, one.name)])
        except (SQLAlchemyError, OSError):
            return []


def open_file(find: Callable[[], Path], _: float) -> Engine:
    """Read-only connections to a SQLite file; `find` is asked for it at each of them."""
    return create_engine("sqlite://", creator=lambda: _connect(find()), poolclass=NullPool, hide_parameters=True)


def open_url(url: str, seconds: float) -> Engine:
    """Read-only connections to the database of a SQLAlchemy URL; raises WarehouseDown where no driver fits it."""
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite":
        return open_file(lambda: Path((parsed.database or "").removeprefix("file:")), seconds)
    engine = _server(parsed, seconds)
    if engine.dialect.is_async:
        raise WarehouseDown(
            "CAMPAIGNS__WAREHOUSE names an asynchronous driver: use another, such as postgresql+psycopg."
        )
    event.listen(engine, "connect", partial(_restrict, engine, seconds), insert=True)
    return engine


def session_limits(dialect: str, version: str, seconds: float) -> tuple[str, ...]:
    """What a new session is told: to read only, and how long a statement may take. Empty for an unknown dialect, where
    the rights of the login have to do the first."""
    whole, thousandths = math.ceil(seconds), math.ceil(seconds * 1000)
    if dialect == "postgresql":
        return "SET default_transaction_read_only = on", f"SET statement_timeout = {thousandths}"
    if dialect in ("mysql", "mariadb"):
        is_mariadb = "mariadb" in version.lower()
        limit = f"max_statement_time = {seconds:f}" if is_mariadb else f"max_execution_time = {thousandths}"
        return "SET SESSION TRANSACTION READ ONLY", f"SET SESSION {limit}"
    if dialect == "snowflake":
        return (f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {whole}",)
    return ()


class _Watch:
    """Ends what one thread asks of a database: SQLite by its clock, and any other, late, by cutting its line."""

    _current = threading.local()

    def __init__(self, engine: Engine, seconds: float):
        self.engine, self._deadline = engine, time.monotonic() + seconds
        self._held: Any = None
        self._is_over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds + GRACE_SECONDS, self._cut)

    def __enter__(self) -> Self:
        type(self)._current.watch = self
        if self.engine.dialect.name != "sqlite":
            self._timer.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._timer.cancel()
        type(self)._current.watch = None

    @classmethod
    def of_this_thread(cls) -> Self | None:
        return getattr(cls._current, "watch", None)

    def hold(self, connection: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.set_progress_handler(lambda: time.monotonic() > self._deadline, PROGRESS_STEPS)
        with self._lock:
            self._held = connection
            is_over = self._is_over
        if is_over:
            self._cut()

    def _cut(self) -> None:
        with self._lock:
            self._is_over = True
            held = self._held
        if not hasattr(held, "fileno"):
            return  # the other drivers limit the wait for their socket themselves
        try:
            _hang_up(held.fileno())
        except (OSError, self.engine.dialect.loaded_dbapi.Error):
            return  # it is closed already


def _hang_up(descriptor: int) -> None:
    """Both ends see the end of the stream; the driver that owns the descriptor closes it."""
    with socket.socket(fileno=os.dup(descriptor)) as line:
        line.shutdown(socket.SHUT_RDWR)


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        shape = "dialect+driver://user:password@host/database, or sqlite:////folder/file"
        raise WarehouseDown(f"CAMPAIGNS__WAREHOUSE cannot be read: write {shape}.") from None


def _server(url: URL, seconds: float) -> Engine:
    limit = math.ceil(seconds + GRACE_SECONDS)
    try:
        limits = dict.fromkeys(SOCKET_LIMITS.get(url.get_driver_name(), ()), limit)
        return create_engine(
            url, connect_args=limits, pool_timeout=seconds, pool_recycle=RECYCLE_SECONDS, hide_parameters=True
        )
    except NoSuchModuleError:
        package = PACKAGES.get(url.get_backend_name(), f"SQLAlchemy's dialect for {url.get_backend_name()}")
    except ImportError as error:
        module = (error.name or url.get_driver_name()).split(".")[0]
        package = PACKAGES.get(module, module)
    raise WarehouseDown(f"The metrics warehouse needs a Python package that is not installed: {package}.")


def _connect(file: Path) -> sqlite3.Connection:
    where = f"{file.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _restrict(engine: Engine, seconds: float, connection: Any, _: object) -> None:
    """Comes before SQLAlchemy itself asks anything over a new connection."""
    watch = _Watch.of_this_thread()
    if watch is not None:
        watch.hold(connection)
    cursor = connection.cursor()
    version = ""
    if engine.dialect.name in ("mysql", "mariadb"):
        cursor.execute("SELECT VERSION()")
        version = str(cursor.fetchone()[0])
    for statement in session_limits(engine.dialect.name, version, seconds):
        cursor.execute(statement)
    cursor.close()
    connection.commit()


def _has(connection: Connection, table: str) -> bool:
    return inspect(connection).has_table(table)


def _is_locked(error: Exception) -> bool:
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_BUSY")


def _wrong_outside(error: Exception) -> str:
    if isinstance(error, DBAPIError):
        is_file = isinstance(error.orig, sqlite3.Error)
        return "has no file that can be opened" if is_file else "cannot be reached, or refuses the login"
    if isinstance(error, OSError):
        return f"cannot be opened ({error.strerror or type(error).__name__})"
    return "holds values that are no dates or numbers"
