"""Helpers for tests of both servers: an attacker with Turnkeep's login, and each server's statements."""

import time
from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
from two_companies import PASSWORD, READER, SEAL, fill_postgres, fill_server

import mariadb
import postgres
from turnkeep_agents.database.security.servers import TRANSACTION, sign
from turnkeep_agents.database.security.view_sql import SCHEMA


def until(condition: Callable[[], Any]) -> Any:
    """Return the condition's value once it is true, or what it is after two minutes."""
    end = time.monotonic() + 120
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


class Reader:
    """`open` is the statement that takes a proof."""

    def __init__(self, connection: Any):
        self.connection = connection
        self.is_mysql = isinstance(connection, pymysql.Connection)
        places = "%s, %s, %s" if self.is_mysql else "%s, %s"
        self.open = f"{f'CALL {SCHEMA}.' if self.is_mysql else 'SELECT turnkeep_read.'}open_session({places})"

    def ask(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall()) if cursor.description else []

    def proof(self, tenant: str, *, seal: str = SEAL, seconds: int = 60) -> tuple[Any, ...]:
        """The tenant first, the signature last."""
        if self.is_mysql:
            ((number, now),) = self.ask("select CONNECTION_ID(), UNIX_TIMESTAMP()")
            return tenant, now + seconds, sign(seal, tenant, number, now + seconds)
        ((number, moment),) = self.ask(TRANSACTION)
        return tenant, sign(seal, tenant, number, moment)

    def prove(self, tenant: str) -> None:
        self.ask(self.open, self.proof(tenant))

    def crews(self) -> set[str]:
        return {name.split()[0] for (name,) in self.ask("SELECT name FROM secure_crew")}

    def refusal(self, values: tuple[Any, ...]) -> str:
        if self.is_mysql:
            with pytest.raises(pymysql.err.OperationalError) as refused:
                self.ask(self.open, values)
            return str(refused.value.args[1])
        with pytest.raises(psycopg.errors.RaiseException) as raised, self.connection.transaction():
            self.ask(self.open, values)
        return str(raised.value.diag.message_primary)

    def fails_at(self, sql: str) -> str:
        if self.is_mysql:
            with pytest.raises(pymysql.err.Error) as refused:
                self.ask(sql)
            return str(refused.value)
        with pytest.raises(psycopg.Error) as raised, self.connection.transaction():
            self.ask(sql)
        return str(raised.value)


@contextmanager
def reading(server: Any) -> Any:
    with closing(server.connect("field", user="reader", password=PASSWORD)) as connection:
        if not isinstance(connection, pymysql.Connection):
            connection.autocommit = False
        yield Reader(connection)


@dataclass(frozen=True)
class Words:
    """Statements of one kind of server. `endless` ignores the session's limit; `running` finds who runs it."""

    endless: str
    running: str
    kill: str
    crowded: str
    roomy: str
    start: Callable[[], Any]
    fill: Callable[[Any, str, Path], None]


def _started(module: Any, find: Callable[[], Any], name: str) -> Any:
    programs = find()
    assert programs is not None, module.MISSING
    return getattr(module, name)(programs)


WORDS = {
    "mariadb": Words(
        "SELECT /* endless */ SLEEP(600)",
        "SELECT id FROM information_schema.processlist WHERE user = 'reader' AND state = 'User sleep'"
        " AND info LIKE '%endless%'",
        "KILL {}",
        f"ALTER USER {READER} WITH MAX_USER_CONNECTIONS 1",
        f"ALTER USER {READER} WITH MAX_USER_CONNECTIONS 0",
        lambda: _started(mariadb, mariadb.find, "mariadb"),
        fill_server,
    ),
    "postgresql": Words(
        "SELECT set_config('statement_timeout', '0', false), pg_sleep(600) FROM generate_series(1, 9)",
        "SELECT pid FROM pg_stat_activity WHERE usename = 'reader' AND wait_event = 'PgSleep'",
        "SELECT pg_terminate_backend({})",
        "ALTER ROLE reader CONNECTION LIMIT 1",
        "ALTER ROLE reader CONNECTION LIMIT -1",
        lambda: _started(postgres, postgres.find, "postgres"),
        fill_postgres,
    ),
}
