"""Row-level security of MariaDB: proofs that expire, slots that are reused, rows that fail late."""

from collections.abc import Iterator
from datetime import date

import pytest
from two_companies import OWN, message_of
from walled import Reader, reading

from mariadb import Server
from turnkeep.records import Principal
from turnkeep_agents.database.security.database import open_databases
from turnkeep_agents.database.security.view_sql import SCHEMA
from turnkeep_agents.database.security.views import SLOTS
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import QueryFailed

TODAY, ANN = date(2026, 6, 18), Principal(OWN, "ann")


@pytest.fixture
def reader(field: Server) -> Iterator[Reader]:
    with reading(field) as found:
        yield found


@pytest.mark.parametrize("seconds", [-1, 3600])
def test_a_proof_expires(reader: Reader, seconds: int) -> None:
    assert reader.refusal(reader.proof(OWN, seconds=seconds)) == "the proof is not of now"


def test_a_proof_does_not_outlive_its_connection(field: Server, reader: Reader) -> None:
    """A connection number is reused after a restart, its slot even sooner."""
    ((number,),) = reader.ask("SELECT CONNECTION_ID()")
    for holder, seconds, shown in ((number, -1, set()), (number + SLOTS, 60, set()), (number, 60, {"Canary"})):
        values = f"({number % SLOTS}, {holder}, '2', UNIX_TIMESTAMP() + {seconds})"
        field.run(f"REPLACE INTO {SCHEMA}.wall_session VALUES {values}")
        assert reader.crews() == shown  # the last shows that the two before it would have worked, had they counted


def test_a_reader_does_not_see_how_a_proof_is_checked(reader: Reader) -> None:
    ((_, _, body, *_),) = reader.ask(f"SHOW CREATE PROCEDURE {SCHEMA}.open_session")
    assert body is None


def test_an_error_contains_no_row_values(mariadb_tuning: DatabaseSettings) -> None:
    sql = "SELECT EXTRACTVALUE(1, CONCAT(0x7e, (SELECT name FROM secure_crew LIMIT 1)))"
    with pytest.raises(QueryFailed, match=r"refused the statement \(error 1105\)") as caught:
        open_databases(mariadb_tuning)(TODAY).run(sql, ANN)
    assert "Crew" not in message_of(caught)


def test_a_failure_while_reading_rows_is_a_query_error(mariadb_tuning: DatabaseSettings) -> None:
    sql = "SELECT POW(10, IF(name = 'Crew 4', 10000, 1)) FROM secure_crew"
    with pytest.raises(QueryFailed, match="out of range"):
        open_databases(mariadb_tuning)(TODAY).run(sql, ANN)
