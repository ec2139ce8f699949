"""Questions to a database with a time limit: an answer or error arrives by then, even if the server is silent.
Errors omit URL, credentials, SQL and cause: a driver's own message may quote all three."""

import sqlite3
import threading
import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from turnkeep_agents.databases.engines import GRACE_SECONDS, Called
from turnkeep_agents.databases.errors import DatabaseBusy, DatabaseDown, DatabaseError, DatabaseSlow
from turnkeep_agents.databases.watch import Watch

T = TypeVar("T")

_TOO_MANY = {1040, 1203, 1226, "53300"}
_POSTGRESQL_IS_FULL = "too many c"  # connections, clients: psycopg has no state for failures before the login

FETCHING = "fetching rows"  # replaces the statement of errors raised while reading rows, where SQLAlchemy names none

RefusalError: TypeAlias = Callable[[DBAPIError], DatabaseError]


class Sessions:
    """One database, opened on first use. `refusal_error` converts the error of a refused statement."""

    def __init__(
        self,
        called: Called,
        open_engine: Callable[[float], Engine],
        seconds: float,
        refusal_error: RefusalError,
        grace_seconds: float = GRACE_SECONDS,
        *,
        retries: bool = True,
    ):
        """A server is cut off after `seconds` plus `grace_seconds`. `retries`: retry over a dead idle connection."""
        self.called, self.seconds, self._grace_seconds, self._retries = called, seconds, grace_seconds, retries
        self._open, self._refusal_error = open_engine, refusal_error
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    def ask(self, question: Callable[[Connection], T]) -> T:
        return self._ask(question, retries=self._retries)

    def _ask(self, question: Callable[[Connection], T], *, retries: bool) -> T:
        started = time.monotonic()
        try:
            return self.ask_once(question)
        except (SQLAlchemyError, OSError, ValueError) as error:
            is_stale = isinstance(error, DBAPIError) and error.connection_invalidated
            if not (is_stale and retries) or self._is_late(started):
                raise self._error(error, started) from None
        return self._ask(question, retries=False)

    def ask_once(self, question: Callable[[Connection], T]) -> T:
        """Raise the errors of SQLAlchemy and the driver."""
        with Watch(self._opened(), self.seconds, self._grace_seconds) as watch, watch.engine.connect() as connection:
            watch.hold(connection.connection.driver_connection)
            try:
                return question(connection)
            except DBAPIError as error:
                connection.invalidate()  # so that no caller waits for a rollback
                error.statement = error.statement or FETCHING
                raise

    def _opened(self) -> Engine:
        with self._lock:
            self._engine = self._engine or self._open(self.seconds)
            return self._engine

    def _is_late(self, started: float) -> bool:
        return time.monotonic() - started >= self.seconds * 0.95

    def _error(self, error: Exception, started: float) -> DatabaseError:
        if is_locked(error):
            return too_busy(self.called)
        if self._is_late(started) or isinstance(error, PoolTimeout):
            return too_slow(self.called, self.seconds)
        if isinstance(error, DBAPIError) and error.statement is not None:
            return self._refusal_error(error)
        return DatabaseDown(f"{self.called.name} {_wrong_outside(error)}.")


def too_slow(called: Called, seconds: float) -> DatabaseSlow:
    return DatabaseSlow(f"{called.name} did not answer within {seconds:g} seconds.")


def too_busy(called: Called) -> DatabaseBusy:
    return DatabaseBusy(f"{called.name} is being written by another program. Try again in a moment.")


def is_locked(error: Exception) -> bool:
    """Return whether another program writes to the file."""
    return sqlite_name(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def is_no_database(error: Exception) -> bool:
    return sqlite_name(error) == "SQLITE_NOTADB"


def sqlite_name(error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    return getattr(cause, "sqlite_errorname", "")


def _code(error: DBAPIError) -> int | str:
    first = next(iter(getattr(error.orig, "args", ())), 0)
    return first if isinstance(first, int) and first else getattr(error.orig, "sqlstate", None) or 0


def _wrong_outside(error: Exception) -> str:
    if isinstance(error, DBAPIError):
        if _code(error) in _TOO_MANY or _POSTGRESQL_IS_FULL in str(error.orig):
            return "has no free connection; try again in a moment"
        is_file = isinstance(error.orig, sqlite3.Error)
        return "has no file that can be opened" if is_file else "cannot be reached, or refuses the login"
    if isinstance(error, OSError):
        return f"cannot be opened ({error.strerror or type(error).__name__})"
    return "contains invalid dates or numbers"
