"""Row-level security of a server, which enforces it itself: a reader's login, views that know whose session it is,
and a read-only transaction. A session is opened for one statement, so nothing that a statement leaves behind
outlives it."""

import hashlib
import hmac
from functools import partial
from typing import Any
from urllib.parse import unquote

from sqlalchemy import Connection, CursorResult
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from turnkeep.locations import source_of
from turnkeep.records import Principal
from turnkeep_agents.database.access import Access
from turnkeep_agents.database.results import Result, read_result
from turnkeep_agents.database.security.complaints import tell_server
from turnkeep_agents.database.security.hidden import OPEN_PROCEDURE, READ_SCHEMA, SCHEMA, UNKNOWN_TENANT
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.engines import Called, open_url
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseError, QueryFailed, TenantUnknown
from turnkeep_agents.databases.sessions import Sessions
from turnkeep_agents.databases.watch import Watch

GRACE_SECONDS = 0.15
"""After which a statement is killed that the server itself did not end."""
PROVED_SECONDS = 60
"""How long the server believes whose session it is, longer than any statement may take."""
READ_AT_ONCE = 50
PLACES = 10  # of a quotient on MariaDB and MySQL, whose default of 4 shows 3 of 100,000 as 0
MYSQL = ("mysql", "mariadb")
TRANSACTION = "SELECT pg_backend_pid(), (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint"


class ServerWall:
    """One database of a server, opened on its first use."""

    def __init__(self, called: Called, url: str, access: Access, tuning: DatabaseSettings):
        self._called, self._tuning = called, tuning
        self._schema = unquote(url.partition("?")[0].rpartition("/")[2])
        self._has_companies = any(view.company_column for view in access.views)
        opened = partial(open_url, called, url, keeps_connections=False, current=source_of(tuning.url))
        self._sessions = Sessions(called, opened, tuning.query_seconds, self._refused, GRACE_SECONDS, asks_anew=False)

    def run(self, sql: str, principal: Principal) -> Result:
        """Raises DatabaseError."""
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
        if seal := self._seal():
            until = int(now) + PROVED_SECONDS
            proof = (tenant, until, sign(seal, tenant, int(number), until))
            connection.exec_driver_sql("START TRANSACTION READ WRITE")
            connection.exec_driver_sql(f"CALL {SCHEMA}.{OPEN_PROCEDURE}(%s, %s, %s)", proof)
            connection.commit()
        connection.exec_driver_sql(f"SET SESSION div_precision_increment = {PLACES}")
        connection.exec_driver_sql("START TRANSACTION READ ONLY")

    def _begin_on_postgresql(self, connection: Connection, tenant: str) -> None:
        """The proof is of this one transaction, in which the statement will run."""
        watch, driver = Watch.of_this_thread(), connection.connection.driver_connection
        if watch is not None:
            watch.cut = getattr(driver, "cancel", None)
        if connection.dialect.driver == "psycopg":
            _leave_json_as_it_is(driver)
        number, moment = connection.exec_driver_sql(TRANSACTION).one()
        if seal := self._seal():
            proof = (tenant, sign(seal, tenant, int(number), int(moment)))
            connection.exec_driver_sql(f"SELECT {READ_SCHEMA}.{OPEN_PROCEDURE}(%s, %s)", proof)

    def _seal(self) -> str:
        """Empty where nobody has to prove whose session it is."""
        seal = self._tuning.seal.get_secret_value()
        if self._has_companies and not seal:
            raise DatabaseDown("DATABASE__SEAL is empty, and the secure views need it: see `turnkeep database secure`.")
        return seal

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
            return _not_proved(error)
        return tell_server(self._called, error, self._sessions.seconds, self._schema)


def _leave_json_as_it_is(driver: Any) -> None:
    """We would only write it again, and a value may have megabytes."""
    from psycopg.types.string import TextLoader  # noqa: PLC0415 - it is there where it is the driver

    for name in ("json", "jsonb"):
        driver.adapters.register_loader(name, TextLoader)


def sign(seal: str, tenant: str, connection: int, moment: int) -> str:
    """HMAC-SHA256 in hexadecimal; `moment`, of the server's clock, is when the proof ends, in epoch seconds, or on
    PostgreSQL when the transaction began, in microseconds."""
    return hmac.new(seal.encode(), f"{connection}\n{moment}\n{tenant}".encode(), hashlib.sha256).hexdigest()


def _not_proved(error: DBAPIError) -> DatabaseError:
    if UNKNOWN_TENANT in str(error.orig):
        return TenantUnknown("The database holds no company for this caller.")
    return DatabaseDown(
        "The database does not take the proof of whose session it is: DATABASE__SEAL has to be the one that"
        " `turnkeep database secure` printed, and its statements have to be there."
    )


def _hang_up(connection: Connection, cursor: CursorResult[Any]) -> None:
    """Ends a statement that has more rows than we want. MySQL's drivers would read them all to the end, as its protocol
    asks; PyMySQL is told that it has, and the line is closed, at which the server gives up."""
    received: Any = getattr(cursor.cursor, "_result", None)
    if hasattr(received, "unbuffered_active"):
        received.unbuffered_active = False
    connection.invalidate()


def _kill(connection: Connection, number: int) -> None:
    """Every login may kill its own."""
    try:
        with connection.engine.connect() as other:
            other.exec_driver_sql(f"KILL {number}")
    except SQLAlchemyError:
        return  # it has ended, or nobody can be reached
