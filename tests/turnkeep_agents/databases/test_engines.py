import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, literal, select, text
from sqlalchemy.exc import OperationalError

from silent_driver import SilentDialect
from turnkeep_agents.databases.engines import Called, open_file, open_url, session_limits
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow
from turnkeep_agents.databases.sessions import Sessions

CALLED = Called("The ledger", "LEDGER__URL")
MARIADB = ("set session transaction read only", "set session max_statement_time = 2.500000")


@pytest.mark.parametrize("statement", ["INSERT INTO crew VALUES ('x')", "DELETE FROM crew", "DROP TABLE crew"])
def test_the_database_itself_refuses_to_write(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "some.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE crew (name)")
    for engine in (open_file(lambda: file, 5), open_url(CALLED, f"sqlite:///{file}", 5)):
        with engine.connect() as connection:
            for before in ("SELECT 1", "PRAGMA query_only = OFF"):
                connection.execute(text(before))
                with pytest.raises(OperationalError, match="readonly"):
                    connection.execute(text(statement))


@pytest.mark.parametrize(
    ("dialect", "version", "expected"),
    [
        ("postgresql", "", ("set default_transaction_read_only = on", "set statement_timeout = 2500")),
        ("mysql", "8.4.2", ("set session transaction read only", "set session max_execution_time = 2500")),
        ("mysql", "10.11.1-MariaDB", MARIADB),
        ("mariadb", "11.4-MariaDB", MARIADB),
        ("snowflake", "", ("alter session set statement_timeout_in_seconds = 3",)),
        ("another", "", ()),
    ],
)
def test_a_session_of_a_server_reads_only_and_has_the_servers_own_limit(
    dialect: str, version: str, expected: tuple[str, ...]
) -> None:
    assert tuple(map(str.lower, session_limits(dialect, version, 2.5))) == expected


def test_a_new_session_is_limited_before_anything_else_is_asked() -> None:
    SilentDialect.heard, SilentDialect.talk = [], ["answer"] * 3
    with open_url(CALLED, "silent+like://", 5).connect() as connection:
        connection.execute(select(literal(1)))
    assert tuple(SilentDialect.heard[:2]) == session_limits("postgresql", "", 5)
    assert [statement[:6] for statement in SilentDialect.heard[2:]] == ["SELECT"]


def silent(*talk: str, seconds: float = 0.1) -> Sessions:
    SilentDialect.talk = list(talk)
    return Sessions(CALLED, partial(open_url, CALLED, "silent://"), seconds, lambda _: DatabaseDown("refused"), 0.1)


def ask_one(connection: Connection) -> int:
    ((value,),) = connection.execute(select(literal(1))).all()
    return int(value)


def test_a_driver_that_would_wait_for_ever_is_cut_off() -> None:
    with pytest.raises(DatabaseSlow, match=r"The ledger did not answer within 0\.1 seconds\."):
        silent("silence").ask(ask_one)


def test_a_pooled_connection_that_died_unused_is_replaced_once() -> None:
    sessions = silent("answer", "dead", "answer", "dead", "dead", seconds=5)
    assert sessions.ask(ask_one) == 1
    assert sessions.ask(ask_one) == 1
    with pytest.raises(DatabaseDown, match="refused"):
        sessions.ask(ask_one)


def test_after_an_error_no_rollback_is_awaited() -> None:
    sessions = silent("answer", "refusal", "answer", seconds=5)
    assert sessions.ask(ask_one) == 1
    with pytest.raises(DatabaseDown, match="refused"):
        sessions.ask(ask_one)
    assert SilentDialect.rollbacks_after_an_error == 0
    assert sessions.ask(ask_one) == 1
