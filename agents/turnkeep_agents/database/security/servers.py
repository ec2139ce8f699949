"""Row-level security that a server enforces itself: a reader's login, views that know the session's tenant, and a
read-only transaction. A session serves one statement, so nothing that a statement leaves behind outlives it."""

import hashlib
import hmac
from functools import partial
from typing import Any, cast
from urllib.parse import unquote

from sqlalchemy import Connection, CursorResult
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from turnkeep.records import Principal
from turnkeep.settings import source_of
from turnkeep_agents.database.access import Access
from turnkeep_agents.database.results import Result, read_result
from turnkeep_agents.database.security.complaints import server_error
from turnkeep_agents.database.security.view_sql import OPEN_PROCEDURE, READ_SCHEMA, SCHEMA, UNKNOWN_TENANT
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.engines import Called, open_url
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseError, QueryFailed, TenantUnknown
from turnkeep_agents.databases.sessions import Sessions
from turnkeep_agents.databases.watch import Watch

GRACE_SECONDS = 0.15  # after which a statement is killed that the server did not end
PROVED_SECONDS = 60  # validity of a proof, longer than any statement may take
READ_AT_ONCE = 50
PLACES = 10  # of a quotient on MariaDB and MySQL; the default of 4 shows 3 of 100,000 as 0
MYSQL = ("mysql", "mariadb")
TRANSACTION = "SELECT pg_backend_pid(), (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint"


class ServerDatabase:
    def __init__(self, called: Called, url: str, access: Access, tuning: DatabaseSettings):
        self._called, self._tuning = called, tuning
        self._schema = unquote(url.partition("?")[0].rpartition("/")[2])
        self._has_companies = any(view.company_column for view in access.views)
        opened = partial(open_url, called, url, keeps_connections=False, current=source_of(tuning.url))
        self._sessions = Sessions(called, opened, tuning.query_seconds, self._refused, GRACE_SECONDS, retries=False)

    def run(self, sql: str, principal: Principal) -> Result:
        return self._sessions.ask(partial(self._read, sql, principal))

    def _read(self, sql: str, principal: Principal, connection: Connection) -> Result:
        begin = self._begin if connection.dialect.name in MYSQL else self._begin_on_postgresql
        begin(connection, principal.tenant)
        options = {"stream_results": True, "max_row_buffer": READ_AT_ONCE, "no_parameters": True}
        with connection.exec_driver_sql(sql, execution_options=options) as cursor:
            return self._result(connection, cursor)

    def _begin(self, connection: Connection, tenant: str) -> None:
        number, now = connection.exec_driver_sql("SELECT CONNECTION_ID(), UNIX_TIMESTAMP()").one()
        watch = Watch.of_this_thread()
        if watch is not None:
            watch.cut = partial(_kill, connection, number)
        if key := self._signing_key():
            until = int(now) + PROVED_SECONDS
            proof = (tenant, until, sign(key, tenant, int(number), until))
            connection.exec_driver_sql("START TRANSACTION READ WRITE")
            connection.exec_driver_sql(f"CALL {SCHEMA}.{OPEN_PROCEDURE}(%s, %s, %s)", proof)
            connection.commit()
        connection.exec_driver_sql(f"SET SESSION div_precision_increment = {PLACES}")
        connection.exec_driver_sql("START TRANSACTION READ ONLY")

    def _begin_on_postgresql(self, connection: Connection, tenant: str) -> None:
        watch, driver = Watch.of_this_thread(), cast(Any, connection.connection.driver_connection)
        if watch is not None:
            watch.cut = getattr(driver, "cancel", None)
        if connection.dialect.driver == "psycopg":
            from psycopg.types.string import TextLoader  # noqa: PLC0415 - it is installed if it is the driver

            for name in ("json", "jsonb"):  # leave JSON as text: a value may have megabytes
                driver.adapters.register_loader(name, TextLoader)
        number, moment = connection.exec_driver_sql(TRANSACTION).one()
        if key := self._signing_key():
            proof = (tenant, sign(key, tenant, int(number), int(moment)))
            connection.exec_driver_sql(f"SELECT {READ_SCHEMA}.{OPEN_PROCEDURE}(%s, %s)", proof)

    def _signing_key(self) -> str:
        """Return the key that signs a session's tenant; empty if no view needs it."""
        key = self._tuning.seal.get_secret_value()
        if self._has_companies and not key:
            raise DatabaseDown("DATABASE__SEAL is empty, and the secure views need it: see `turnkeep database secure`.")
        return key

    def _result(self, connection: Connection, cursor: CursorResult[Any]) -> Result:
        try:
            result = read_result(cursor.keys(), cursor, self._tuning.max_rows, self._tuning.max_bytes)
        except ValueError:
            raise QueryFailed("The result holds values that cannot be read.") from None
        if result.is_cut and cursor.fetchone() is not None:
            _hang_up(connection, cursor)
        return result

    def _refused(self, error: DBAPIError) -> DatabaseError:
        if OPEN_PROCEDURE in (error.statement or ""):
            if UNKNOWN_TENANT in str(error.orig):
                return TenantUnknown("The database has no company for this caller.")
            return DatabaseDown(
                "The database does not accept the proof of the session's tenant: DATABASE__SEAL must be the one that"
                " `turnkeep database secure` printed, and its statements must have been run."
            )
        return server_error(self._called, error, self._sessions.seconds, self._schema)


def sign(key: str, tenant: str, connection: int, moment: int) -> str:
    """Return HMAC-SHA256 in hexadecimal. `moment` is the server's time: when the proof ends, in epoch seconds, or on
    PostgreSQL when the transaction began, in microseconds."""
    return hmac.new(key.encode(), f"{connection}\n{moment}\n{tenant}".encode(), hashlib.sha256).hexdigest()


def _hang_up(connection: Connection, cursor: CursorResult[Any]) -> None:
    """Stop a statement with more rows than we want. MySQL's drivers would read all rows, as its protocol demands;
    PyMySQL is made to believe that it has, and closing the connection stops the server."""
    received: Any = getattr(cursor.cursor, "_result", None)
    if hasattr(received, "unbuffered_active"):
        received.unbuffered_active = False
    connection.invalidate()


def _kill(connection: Connection, number: int) -> None:
    """Every login may kill its own connections."""
    try:
        with connection.engine.connect() as other:
            other.exec_driver_sql(f"KILL {number}")
    except SQLAlchemyError:
        return  # it has ended, or nobody can be reached
