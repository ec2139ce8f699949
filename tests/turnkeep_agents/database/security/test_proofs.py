"""Whose session it is, on MariaDB: no SQL of a reader's login can say it, only what the seal has signed."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pymysql
import pytest
from two_companies import OTHER, OWN, PASSWORD, SEAL, STRANGER

from mariadb import Server
from turnkeep_agents.database.security.hidden import SCHEMA
from turnkeep_agents.database.security.servers import sign
from turnkeep_agents.database.security.views import SLOTS

OPEN = f"CALL {SCHEMA}.open_session(%s, %s, %s)"


@pytest.fixture
def reader(field: Server) -> Iterator[Any]:
    """The login that Turnkeep has, in the hands of somebody else."""
    with closing(field.connect("field", user="reader", password=PASSWORD)) as connection:
        yield connection


def ask(connection: Any, sql: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def proof(connection: Any, tenant: str, *, seal: str = SEAL, seconds: int = 60) -> tuple[str, int, str]:
    ((number, now),) = ask(connection, "select CONNECTION_ID(), UNIX_TIMESTAMP()")
    return tenant, now + seconds, sign(seal, tenant, number, now + seconds)


def crews(connection: Any) -> set[str]:
    return {name.split()[0] for (name,) in ask(connection, "SELECT name FROM secure_crew")}


def refusal(connection: Any, values: tuple[Any, ...]) -> str:
    with pytest.raises(pymysql.err.OperationalError) as caught:
        ask(connection, OPEN, values)
    return str(caught.value.args[1])


def test_a_session_that_was_not_opened_sees_no_rows(reader: Any) -> None:
    assert crews(reader) == set()


def test_a_proof_opens_the_session_of_its_tenant(reader: Any) -> None:
    ask(reader, OPEN, proof(reader, OWN))
    assert crews(reader) == {"Crew"}

    ask(reader, OPEN, proof(reader, OTHER))
    assert crews(reader) == {"Canary"}


def test_a_proof_of_one_tenant_is_none_of_another(reader: Any) -> None:
    _, until, signature = proof(reader, OWN)

    assert refusal(reader, (OTHER, until, signature)) == "the proof does not fit"
    assert crews(reader) == set()


def test_a_proof_that_was_overheard_opens_no_other_connection(field: Server, reader: Any) -> None:
    heard = proof(reader, OTHER)
    ask(reader, OPEN, heard)

    with closing(field.connect("field", user="reader", password=PASSWORD)) as thief:
        assert refusal(thief, heard) == "the proof does not fit"
        assert crews(thief) == set()


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(-1, "the proof is not of now"), (3600, "the proof is not of now"), (60, None)],
)
def test_a_proof_is_good_for_a_moment_only(reader: Any, seconds: int, told: str | None) -> None:
    values = proof(reader, OWN, seconds=seconds)

    if told:
        assert refusal(reader, values) == told
    else:
        ask(reader, OPEN, values)


@pytest.mark.parametrize("forged", ["", "0", None, "f" * 64, "' OR 1 = 1 -- ", 0, True])
def test_whatever_else_is_said_is_no_proof(reader: Any, forged: object) -> None:
    tenant, until, _ = proof(reader, OTHER)

    assert refusal(reader, (tenant, until, forged)) == "the proof does not fit"


def test_another_seal_proves_nothing(reader: Any) -> None:
    assert refusal(reader, proof(reader, OWN, seal="another")) == "the proof does not fit"


def test_a_tenant_without_a_company_is_none(reader: Any) -> None:
    assert refusal(reader, proof(reader, STRANGER)) == "no company of this tenant"


def test_what_a_connection_of_before_had_proved_is_of_no_use_to_its_successor(field: Server, reader: Any) -> None:
    """The number of a connection comes again when a server starts anew; its slot comes again sooner."""
    ((number,),) = ask(reader, "SELECT CONNECTION_ID()")
    table = f"{SCHEMA}.wall_session"

    field.run(f"REPLACE INTO {table} VALUES ({number % SLOTS}, {number}, '2', UNIX_TIMESTAMP() - 1)")
    assert crews(reader) == set()
    field.run(f"REPLACE INTO {table} VALUES ({number % SLOTS}, {number + SLOTS}, '2', UNIX_TIMESTAMP() + 60)")
    assert crews(reader) == set()
    field.run(f"REPLACE INTO {table} VALUES ({number % SLOTS}, {number}, '2', UNIX_TIMESTAMP() + 60)")
    assert crews(reader) == {"Canary"}  # so the two before it would have worked, had they counted


@pytest.mark.parametrize(
    "sql",
    [
        "SET @@session.pseudo_thread_id = 1",
        f"INSERT INTO {SCHEMA}.wall_session VALUES (1, 1, '2', 9999999999)",
        f"SELECT * FROM {SCHEMA}.wall_session",
        f"SELECT * FROM {SCHEMA}.wall_seal",
        f"SELECT {SCHEMA}.current_company()",
        "SHOW CREATE VIEW secure_crew",
        "EXPLAIN SELECT * FROM secure_crew",
        f"CREATE OR REPLACE VIEW {SCHEMA}.x AS SELECT 1",
        "CREATE TEMPORARY TABLE crew (x INT)",
    ],
)
def test_a_reader_cannot_reach_behind_the_wall(reader: Any, sql: str) -> None:
    ask(reader, OPEN, proof(reader, OWN))
    with pytest.raises(pymysql.err.Error, match=r"denied|privilege"):
        ask(reader, sql)

    assert crews(reader) == {"Crew"}


def test_a_reader_does_not_see_how_a_proof_is_checked(reader: Any) -> None:
    ((_, _, body, *_),) = ask(reader, f"SHOW CREATE PROCEDURE {SCHEMA}.open_session")

    assert body is None
