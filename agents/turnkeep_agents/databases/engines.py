"""Engines whose sessions are all read-only and end their statements in time."""

import math
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from turnkeep.settings import SecretSource
from turnkeep_agents.databases.errors import DatabaseDown
from turnkeep_agents.databases.watch import Watch

GRACE_SECONDS = 1  # after the server's own limit: a server that ends a query keeps its connection usable
BUSY_SECONDS = 1
RECYCLE_SECONDS = 600

PACKAGES = {  # packages to install, unless named like the missing module
    "psycopg": "psycopg[binary]",
    "psycopg2": "psycopg2-binary",
    "MySQLdb": "mysqlclient",
    "mysql": "mysql-connector-python",
    "snowflake": "snowflake-sqlalchemy",
}

SOCKET_LIMITS = {  # the drivers' own limits, in whole seconds; other drivers rely on the server's
    "psycopg": ("connect_timeout",),
    "psycopg2": ("connect_timeout",),
    "pg8000": ("timeout",),
    "pymysql": ("connect_timeout", "read_timeout", "write_timeout"),
    "snowflake": ("login_timeout", "network_timeout"),
}

DRIVER_OPTIONS: Mapping[str, Mapping[str, Any]] = {  # else every new connection asks for a type first
    "psycopg": {"use_native_hstore": False},
    "psycopg2": {"use_native_hstore": False},
}


@dataclass(frozen=True, slots=True)
class Called:
    """A database's name in our messages, and the setting that contains its URL."""

    name: str
    setting: str


def open_file(find: Callable[[], Path], _: float) -> Engine:
    """Return read-only connections to a SQLite file; each one calls `find`."""
    return create_engine("sqlite://", creator=lambda: connect_file(find()), poolclass=NullPool, hide_parameters=True)


def open_url(
    called: Called, url: str, seconds: float, *, keeps_connections: bool = True, current: SecretSource | None = None
) -> Engine:
    """Return read-only connections to a URL, or to `current` if its password may change; raise DatabaseDown."""
    parsed = parse_url(called, url)
    if parsed.get_backend_name() == "sqlite":
        return open_file(lambda: file_of(parsed), seconds)
    engine = _server(called, parsed, seconds, keeps_connections)
    if engine.dialect.is_async:
        raise DatabaseDown(f"{called.setting} names an asynchronous driver: use another, such as postgresql+psycopg.")
    event.listen(engine, "connect", partial(_restrict, engine, seconds), insert=True)
    if current is not None:
        event.listen(engine, "do_connect", partial(_log_in, called, current, seconds))
    return engine


def parse_url(called: Called, url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        shape = "dialect+driver://user:password@host/database, or sqlite:////folder/file"
        raise DatabaseDown(f"{called.setting} cannot be read: write {shape}.") from None


def file_of(url: URL) -> Path:
    return Path((url.database or "").removeprefix("file:"))


def connect_file(file: Path) -> sqlite3.Connection:
    where = f"{file.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    return connection


def session_limits(dialect: str, version: str, seconds: float) -> tuple[str, ...]:
    """Make a session read-only and limited; empty for an unknown dialect, which relies on the login's rights."""
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


def _server(called: Called, url: URL, seconds: float, keeps_connections: bool) -> Engine:
    pool: dict[str, Any] = {"pool_timeout": seconds, "pool_recycle": RECYCLE_SECONDS}
    pool = pool if keeps_connections else {"poolclass": NullPool}
    try:
        options = DRIVER_OPTIONS.get(url.get_driver_name(), {})
        return create_engine(url, connect_args=_socket_limits(url, seconds), hide_parameters=True, **pool, **options)
    except NoSuchModuleError:
        package = PACKAGES.get(url.get_backend_name(), f"SQLAlchemy's dialect for {url.get_backend_name()}")
    except ImportError as error:
        module = (error.name or url.get_driver_name()).split(".")[0]
        package = PACKAGES.get(module, module)
    raise DatabaseDown(f"{called.name} needs a Python package that is not installed: {package}.")


def _socket_limits(url: URL, seconds: float) -> dict[str, int]:
    """Raise SQLAlchemy's errors for a URL without a driver."""
    return dict.fromkeys(SOCKET_LIMITS.get(url.get_driver_name(), ()), math.ceil(seconds + GRACE_SECONDS))


def _log_in(called: Called, current: SecretSource, seconds: float, dialect: Any, *_: object) -> Any:
    """Connect; retry with a newer URL after any error, since drivers report refused logins differently."""
    url = current("")
    try:
        return _connected(called, url, seconds, dialect)
    except dialect.loaded_dbapi.Error:
        newer = current(url)
        if newer == url:
            raise
    return _connected(called, newer, seconds, dialect)


def _connected(called: Called, url: str, seconds: float, dialect: Any) -> Any:
    parsed = parse_url(called, url)
    arguments, options = dialect.create_connect_args(parsed)
    return dialect.connect(*arguments, **options | _socket_limits(parsed, seconds))


def _restrict(engine: Engine, seconds: float, connection: Any, _: object) -> None:
    """Restrict a new connection before SQLAlchemy itself asks anything."""
    watch = Watch.of_this_thread()
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
