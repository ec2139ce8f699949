"""The database behind its row-level security: any SQL reads only what its caller may read, writes nothing, and ends in
time."""

import sqlite3
import threading
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import inspect
from sqlalchemy.exc import DBAPIError

from turnkeep.demo import maker, sample
from turnkeep.records import Principal
from turnkeep.settings import SecretSource, source_of
from turnkeep_agents.database.access import Access, load_access
from turnkeep_agents.database.guard.verdicts import Dialect
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.introspection import in_clear, introspect
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.results import Result
from turnkeep_agents.database.security.complaints import sqlite_error
from turnkeep_agents.database.security.servers import ServerDatabase
from turnkeep_agents.database.security.sqlite import SqliteSecurity
from turnkeep_agents.database.security.statements import check_statement
from turnkeep_agents.database.security.view_sql import HIDDEN_TABLES
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.engines import Called, file_of, open_url, parse_url
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseError, QueryFailed
from turnkeep_agents.databases.sessions import Sessions

CALLED = Called("The database", "DATABASE__URL")

CONNECT_SECONDS = 10
INTROSPECTION_SECONDS = 20
SAMPLE = "field_service"  # folder of the bundled sample
SAMPLE_FILE = "database.field_service:sample_file"  # makes the sample's SQLite file for a day

Run: TypeAlias = Callable[[str, Principal], Result]

DIALECTS: Mapping[str, Dialect] = {"sqlite": "sqlite", "mysql": "mysql", "mariadb": "mysql", "postgresql": "postgres"}
NO_DIALECT = f"{CALLED.setting} must begin with {', '.join(DIALECTS)}."
NEEDS_JOINS = (
    "DATABASE__ACCESS names secure views, whose tables a reader's login does not see: save the join graph with an "
    "administrator's login, by `turnkeep joins build`, and name it in DATABASE__JOINS."
)


class Database:
    def __init__(self, dialect: Dialect, access: Access, run: Run, read_graph: Callable[[], JoinGraph]):
        self.dialect, self.access = dialect, access
        self._run, self._read_graph = run, read_graph
        self._graph: JoinGraph | None = None
        self._lock = threading.Lock()

    def graph(self) -> JoinGraph:
        """Return the graph, read once. Raises DatabaseError if the database itself must be read."""
        with self._lock:
            self._graph = self._graph or self._read_graph()
            return self._graph

    def run(self, sql: str, principal: Principal) -> Result:
        """Return the result of one SELECT for `principal`; other statements are refused. Raises DatabaseError."""
        check_statement(sql, is_postgresql=self.dialect == "postgres")
        return self._run(sql, principal)


def open_databases(tuning: DatabaseSettings) -> Callable[[date], Database]:
    """Return the database as of a day: the bundled sample moves with it, other databases do not. Raises UnusableFile
    for an unusable file of the settings, or without a sample."""
    graph = load_graph(Path(tuning.joins)) if tuning.joins else None
    access = load_access(Path(tuning.access)) if tuning.access else None
    if url := tuning.url.get_secret_value():
        own = _own_database(url, access or Access(), graph, tuning)
        return lambda _: own

    bundled, known = sample_joins(), access or load_access(sample(f"{SAMPLE}/access.json", CALLED.setting))
    find = maker(SAMPLE_FILE, CALLED.setting)

    @lru_cache(maxsize=4)
    def sample_on(today: date) -> Database:
        run = _on_file(partial(find, today), known, tuning)
        return Database("sqlite", known, run, lambda: graph or load_graph(bundled))

    return sample_on


def dialect_of(url: str) -> Dialect | None:
    """Return None for an unknown kind of database."""
    return DIALECTS.get(url.partition(":")[0].partition("+")[0])


def sample_joins() -> Path:
    """Return the sample's join graph; raise UnusableFile if it is not installed."""
    return sample(f"{SAMPLE}/joins.json", CALLED.setting)


def _own_database(url: str, access: Access, graph: JoinGraph | None, tuning: DatabaseSettings) -> Database:
    """An unusable URL is reported on first use."""
    dialect = dialect_of(url)
    if dialect == "sqlite":
        run = _on_file(lambda: file_of(parse_url(CALLED, url)), access, tuning)
    elif dialect:
        run = ServerDatabase(CALLED, url, access, tuning).run
    else:
        run = _nowhere
    return Database(dialect or "sqlite", access, run, lambda: graph or _introspected(url, access, tuning))


def _on_file(find: Callable[[], Path], access: Access, tuning: DatabaseSettings) -> Run:
    security = SqliteSecurity(access, tuning.query_seconds, tuning.max_rows, tuning.max_bytes)

    def run(sql: str, principal: Principal) -> Result:
        try:
            return security.run(find(), sql, principal)
        except (sqlite3.Error, ValueError) as error:
            raise sqlite_error(CALLED, error, tuning.query_seconds) from None
        except OSError as error:
            raise DatabaseDown(f"{CALLED.name} cannot be opened ({error.strerror or type(error).__name__}).") from None

    return run


def _nowhere(_: str, __: Principal) -> Result:
    raise DatabaseDown(NO_DIALECT)


def _introspected(url: str, access: Access, tuning: DatabaseSettings) -> JoinGraph:
    sessions = catalogue_sessions(url, INTROSPECTION_SECONDS, source_of(tuning.url))
    if access.views and dialect_of(url) != "sqlite":
        raise DatabaseDown(NEEDS_JOINS)
    hidden = {*HIDDEN_TABLES, *access.view_of.values()}
    graph = sessions.ask(lambda connection: introspect(connection.engine, without=hidden))
    return in_clear(graph, {view.table: view.encrypted for view in access.views})


def connect(url: str) -> None:
    """Raise DatabaseError unless the database lists its tables."""
    catalogue_sessions(url, CONNECT_SECONDS).ask(lambda connection: inspect(connection).get_table_names())


def catalogue_sessions(url: str, seconds: float, current: SecretSource | None = None) -> Sessions:
    """Return sessions that read the catalogue; raise DatabaseDown for an unknown kind of database."""
    if dialect_of(url) is None:
        raise DatabaseDown(NO_DIALECT)
    return Sessions(CALLED, partial(open_url, CALLED, url, current=current), seconds, _not_introspected)


def _not_introspected(error: DBAPIError) -> DatabaseError:
    if isinstance(error.orig, sqlite3.Error):
        found = sqlite_error(CALLED, error.orig, INTROSPECTION_SECONDS)
        if not isinstance(found, QueryFailed):
            return found
    return DatabaseDown(f"{CALLED.name} does not list its tables.")
