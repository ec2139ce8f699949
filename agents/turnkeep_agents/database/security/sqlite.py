"""Row-level security of SQLite: one connection for one statement, and an authorizer that denies everything unknown.

SQLite reports the view that reads a table by its name in FROM, so a CTE can pass for a view. The secure views are
therefore made for each connection, over inner views with unguessable names.
"""

import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from turnkeep.records import Principal
from turnkeep_agents.database.access import Access
from turnkeep_agents.database.results import Cell, Result, read_result
from turnkeep_agents.database.security.ciphers import decrypt
from turnkeep_agents.database.security.complaints import is_ended, is_too_big
from turnkeep_agents.database.security.functions import FUNCTIONS, SWIFT_FUNCTIONS
from turnkeep_agents.database.security.view_sql import (
    ANY_TENANT,
    COMPANY_FUNCTION,
    COMPANY_TABLE,
    DECRYPT_FUNCTION,
    HIDDEN_TABLES,
    KEY_TABLE,
    inner,
    outer,
    quote,
)
from turnkeep_agents.databases.engines import connect_file
from turnkeep_agents.databases.errors import DatabaseDown, TenantUnknown
from turnkeep_agents.databases.watch import PROGRESS_STEPS

WIDE_BYTES = 1_000_000  # of a text that is only shown and compared
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 100_000,  # one step of `instr` on longer texts takes too long to be ended
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 50_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 500,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 100_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 50,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
LEAST_SECONDS = 0.1
MARK = '"'
CACHE_KIB = 16_000  # memory of a sort or a DISTINCT before it uses a temporary file


@dataclass(frozen=True)
class SqliteSecurity:
    access: Access
    seconds: float
    max_rows: int
    max_bytes: int

    def run(self, file: Path, sql: str, principal: Principal) -> Result:
        """Raise the errors of sqlite3, and DatabaseError."""
        started = time.monotonic()
        try:
            return self._read(file, sql, principal, self.seconds)
        except sqlite3.DataError as error:
            if not is_too_big(error):
                raise
            too_big = error
        left = max(self.seconds - (time.monotonic() - started), LEAST_SECONDS)
        try:
            return self._read(file, sql, principal, left, is_wide=True)
        except sqlite3.DatabaseError as error:
            raise error if is_ended(error) else too_big from None

    def _read(self, file: Path, sql: str, principal: Principal, seconds: float, *, is_wide: bool = False) -> Result:
        """`is_wide` allows longer texts, but only functions that take one step for each character."""
        with closing(connect_file(file)) as connection:
            _Session(connection, self.access, principal, sql, is_wide=is_wide).close()
            with _ended_after(connection, seconds), closing(connection.execute(sql)) as cursor:
                names = [column[0] for column in cursor.description or ()]
                return read_result(names, cursor, self.max_rows, self.max_bytes)


class _Session:
    """A connection before its statement: prepared with full rights, then restricted to what `principal` may read."""

    def __init__(
        self, connection: sqlite3.Connection, access: Access, principal: Principal, sql: str, *, is_wide: bool = False
    ):
        self._connection, self._principal, self._is_wide = connection, principal, is_wide
        self._secret = f"wall_{secrets.token_hex(16)}_"
        found = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        self._names = frozenset(name for (name,) in found)
        allowed = access.allowed(principal, self._names)
        self._views = {view.view: view for view in access.views if view.table in allowed and _may_name(sql, view.view)}
        secured = {view.table for view in access.views} | {view.view for view in access.views}
        self._plain = {name for name in allowed - secured - HIDDEN_TABLES if not name.startswith("sqlite_")}

    def close(self) -> None:
        connection = self._connection
        connection.text_factory = lambda data: data.decode(errors="replace")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA temp_store = FILE")  # drops whatever is temporary, so it comes before the views
        self._make_functions()
        self._make_views()
        for category, limit in LIMITS.items():
            connection.setlimit(category, limit)
        if self._is_wide:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, WIDE_BYTES)
        connection.set_authorizer(self._decide)

    def _make_functions(self) -> None:
        create = self._connection.create_function
        for name, strip in (("trim", str.strip), ("ltrim", str.lstrip), ("rtrim", str.rstrip)):
            create(name, 2, _stripping(strip), deterministic=True)  # SQLite's own takes the product of both lengths
        if any(view.encrypted for view in self._views.values()):
            key = self._hidden(KEY_TABLE, f"SELECT secret FROM {KEY_TABLE}")  # noqa: S608
            create(DECRYPT_FUNCTION, 1, lambda data: _decrypted(data, str(key)), deterministic=True)
        if any(view.company_column for view in self._views.values()):
            company = self._company()
            create(COMPANY_FUNCTION, 0, lambda: company, deterministic=True)

    def _company(self) -> Cell:
        known = f"SELECT company FROM {COMPANY_TABLE} WHERE tenant IN (?, '{ANY_TENANT}')"  # noqa: S608
        own_first = f" ORDER BY tenant = '{ANY_TENANT}' LIMIT 1"
        found = self._hidden(COMPANY_TABLE, known + own_first, self._principal.tenant)
        if found is None:
            raise TenantUnknown("The database has no company for this caller.")
        return found

    def _hidden(self, table: str, sql: str, *values: str) -> Cell:
        if table not in self._names:
            raise DatabaseDown(f"The database lacks {table}, which its secure views need.")
        row = self._connection.execute(sql, values).fetchone()
        return row[0] if row else None

    def _make_views(self) -> None:
        self._connection.execute("PRAGMA query_only=0")  # the file itself is open for reading alone
        for view in self._views.values():
            own, shown = quote(f"{self._secret}own_{view.table}"), quote(f"{self._secret}{view.table}")
            table = f"main.{quote(view.table)}"
            information = self._connection.execute(f"PRAGMA main.table_info({quote(view.table)})")
            columns = [name for _, name, *_ in information]
            self._make(own, inner(view, table, f"{COMPANY_FUNCTION}()", MARK))
            self._make(shown, outer(view, columns, own, DECRYPT_FUNCTION, MARK))
            self._make(quote(view.view), f"SELECT * FROM {shown}")  # noqa: S608
        self._connection.execute("PRAGMA query_only=1")

    def _make(self, name: str, definition: str) -> None:
        self._connection.execute(f"CREATE TEMP VIEW {name} AS {definition}")

    def _decide(self, action: int, name: str | None, detail: str | None, schema: str | None, view: str | None) -> int:
        """`detail` is the column or the function; an empty column means counting rows. For counting, SQLite does not
        name the schema."""
        is_ours = (view or "").startswith(self._secret)
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):  # a recursion without end ends by the clock
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            is_known = is_ours or (detail or "").lower() in (SWIFT_FUNCTIONS if self._is_wide else FUNCTIONS)
            return sqlite3.SQLITE_OK if is_known else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ and (is_ours or self._is_open(name or "", schema)):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _is_open(self, table: str, schema: str | None) -> bool:
        if table in self._views or table.startswith(self._secret):
            return schema in ("temp", None)
        return table in self._plain and schema in ("main", None)


def _may_name(sql: str, view: str) -> bool:
    """Return whether the statement may use the view: making all views of a large schema takes longer than most
    statements."""
    return view.lower() in sql.replace(MARK * 2, MARK).lower()


def _decrypted(data: object, key: str) -> str | None:
    """Return NULL for a wrong key, as MySQL does."""
    if not isinstance(data, bytes):
        return None
    try:
        return decrypt(data, key)
    except ValueError:
        return None


def _stripping(strip: Callable[[str, str], str]) -> Callable[[object, object], str | None]:
    def stripped(text: object, characters: object) -> str | None:
        return None if text is None or characters is None else strip(str(text), str(characters))

    return stripped


@contextmanager
def _ended_after(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Stop the statement by a progress handler and by a second thread: only loops ask the clock, and one step may be
    long."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, PROGRESS_STEPS)
    timer = threading.Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
