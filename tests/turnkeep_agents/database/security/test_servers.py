"""Row-level security of MariaDB and PostgreSQL: no SQL of a reader's login can choose the session's tenant, only what
the signing key has signed. Also the errors of a failing server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from two_companies import ANN, OTHER, OWN, PASSWORD, STRANGER, hasty, message_of, opened
from walled import WORDS, Reader, Words, reading, until

from turnkeep_agents.database.joins.files import save_graph
from turnkeep_agents.database.joins.records import JoinGraph, Table
from turnkeep_agents.database.security.database import Database
from turnkeep_agents.database.security.view_sql import SCHEMA
from turnkeep_agents.database.security.views import SLOTS
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow, QueryFailed

ON_MARIADB = pytest.mark.parametrize("site", ["mariadb"], indirect=True)


@dataclass(frozen=True)
class Site:
    server: Any
    tuning: DatabaseSettings
    words: Words

    def open(self, **changes: Any) -> Database:
        return opened(DatabaseSettings(**{**self.tuning.model_dump(), **changes}))


def sleeper(server: Any, words: Words) -> int:
    """Return the session that runs the endless statement, once it sleeps."""
    return int(until(lambda: server.run(words.running))[0][0])


@pytest.fixture(params=["mariadb", "postgresql"])
def site(request: pytest.FixtureRequest) -> Site:
    server = request.getfixturevalue({"mariadb": "field", "postgresql": "field_on_postgres"}[request.param])
    return Site(server, request.getfixturevalue(f"{request.param}_tuning"), WORDS[request.param])


@pytest.fixture
def reader(site: Site) -> Iterator[Reader]:
    with reading(site.server) as found:
        yield found


# Whose session it is


def test_a_proof_opens_the_rows_of_its_tenant_and_without_one_there_are_none(reader: Reader) -> None:
    assert reader.crews() == set()
    reader.prove(OWN)
    assert reader.crews() == {"Crew"}
    reader.prove(OTHER)
    assert reader.crews() == {"Canary"}


def test_a_proof_is_valid_for_one_tenant_and_one_key(reader: Reader) -> None:
    _, *rest = reader.proof(OWN)
    assert reader.refusal((OTHER, *rest)) == "the proof does not fit"
    assert reader.refusal(reader.proof(OWN, seal="another")) == "the proof does not fit"
    assert reader.refusal(reader.proof(STRANGER)) == "no company of this tenant"
    assert reader.crews() == set()


def test_an_overheard_proof_opens_no_other_connection(site: Site, reader: Reader) -> None:
    heard = reader.proof(OTHER)
    reader.ask(reader.open, heard)
    with reading(site.server) as thief:
        assert thief.refusal(heard) == "the proof does not fit"
        assert thief.crews() == set()


@pytest.mark.parametrize("forged", ["", "0", None, "f" * 64, "' OR 1 = 1 -- "])
def test_a_forged_proof_is_refused(reader: Reader, forged: object) -> None:
    *rest, _ = reader.proof(OTHER)
    assert reader.refusal((*rest, forged)) == "the proof does not fit"


BEHIND = {
    "mariadb": [
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
    "postgresql": [
        "SELECT * FROM public.crew",
        "SELECT * FROM turnkeep_wall.crew",
        "SELECT * FROM turnkeep_wall.wall_seal",
        "SELECT turnkeep_wall.decrypt_text('x')",
        "SELECT turnkeep_wall.current_company(1)",
        "SELECT turnkeep_wall.is_proved()",
        "INSERT INTO turnkeep_read.trade VALUES (9, 'x')",
        "CREATE VIEW turnkeep_read.mine AS SELECT 1",
        "CREATE TEMP TABLE secure_crew (x int)",
        "SET ROLE turnkeep_wall",
    ],
}


def test_a_reader_cannot_reach_hidden_objects(site: Site, reader: Reader) -> None:
    reader.prove(OWN)
    for sql in BEHIND["mariadb" if reader.is_mysql else "postgresql"]:
        error = reader.fails_at(sql)
        assert any(word in error for word in ("denied", "privilege", "read-only transaction")), (sql, error)
        assert reader.crews() == {"Crew"}


@ON_MARIADB
@pytest.mark.parametrize("seconds", [-1, 3600])
def test_a_proof_expires(reader: Reader, seconds: int) -> None:
    assert reader.refusal(reader.proof(OWN, seconds=seconds)) == "the proof is not of now"


@ON_MARIADB
def test_a_proof_does_not_outlive_its_connection(site: Site, reader: Reader) -> None:
    """A connection number is reused after a restart, its slot even sooner."""
    ((number,),) = reader.ask("SELECT CONNECTION_ID()")
    for holder, seconds, shown in ((number, -1, set()), (number + SLOTS, 60, set()), (number, 60, {"Canary"})):
        values = f"({number % SLOTS}, {holder}, '2', UNIX_TIMESTAMP() + {seconds})"
        site.server.run(f"REPLACE INTO {SCHEMA}.wall_session VALUES {values}")
        assert reader.crews() == shown  # the last shows that the two before it would have worked, had they counted


@ON_MARIADB
def test_a_reader_does_not_see_how_a_proof_is_checked(reader: Reader) -> None:
    ((_, _, body, *_),) = reader.ask(f"SHOW CREATE PROCEDURE {SCHEMA}.open_session")
    assert body is None


# Errors


@pytest.mark.parametrize(
    ("site", "sql", "words"),
    [
        (
            "mariadb",
            "SELECT EXTRACTVALUE(1, CONCAT(0x7e, (SELECT name FROM secure_crew LIMIT 1)))",
            r"refused the statement \(error 1105\)",
        ),
        ("mariadb", "SELECT POW(10, IF(id = 4, 10000, 1)) FROM secure_crew", "out of range"),
        ("postgresql", "SELECT name::int FROM secure_crew", r"refused the statement \(error 22P02\)"),
        ("postgresql", "SELECT 1 / 0", "division by zero"),
        ("postgresql", "SELECT (SELECT id FROM secure_crew)", "more than one row"),
        ("postgresql", "SELECT id / (id - 40) FROM secure_employee ORDER BY id", "division by zero"),
        ("postgresql", "SELECT 'infinity'::date", "cannot be read"),
    ],
    indirect=["site"],
)
def test_an_error_contains_no_row_values(site: Site, sql: str, words: str) -> None:
    """Also one that comes while rows are read."""
    with pytest.raises(QueryFailed, match=words) as caught:
        site.open().run(sql, ANN)
    assert "Crew" not in message_of(caught)


@pytest.mark.parametrize(("seal", "words"), [("", r"__SEAL is empty"), ("another", "does not accept the proof")])
def test_a_missing_or_wrong_signing_key_is_reported(site: Site, seal: str, words: str) -> None:
    with pytest.raises(DatabaseDown, match=words) as caught:
        site.open(seal=seal).run("SELECT 1", ANN)
    message_of(caught)


def test_an_endless_statement_is_stopped_on_the_server(site: Site) -> None:
    with pytest.raises(DatabaseSlow, match=r"did not answer within 0\.25 seconds"):
        hasty(site.tuning)._run(site.words.endless, ANN)
    assert until(lambda: not site.server.run(site.words.running)), "it still runs"


def test_a_refused_login_is_not_quoted(site: Site) -> None:
    url = site.server.url("field", user="reader", password="wrong")
    with pytest.raises(DatabaseDown, match="refuses the login") as caught:
        site.open(url=url).run("SELECT 1", ANN)
    message_of(caught)


def test_a_server_with_too_many_connections_is_reported(site: Site) -> None:
    site.server.run(site.words.crowded)
    with (
        closing(site.server.connect("field", user="reader", password=PASSWORD)),
        pytest.raises(DatabaseDown, match="has no free connection") as caught,
    ):
        site.open().run("SELECT 1", ANN)
    site.server.run(site.words.roomy)
    message_of(caught)
    assert site.open().run("SELECT 1", ANN).rows == ((1,),)


def test_a_killed_connection_is_down_immediately(site: Site) -> None:
    database = site.open(query_seconds=50)
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(database._run, site.words.endless, ANN)
        site.server.run(site.words.kill.format(sleeper(site.server, site.words)))
        with pytest.raises(DatabaseDown, match="closed the connection") as caught:
            asked.result()
    message_of(caught)


def test_a_dead_server_stays_down(site: Site) -> None:
    with site.words.start() as server:
        site.words.fill(server, "field", Path(site.tuning.access))
        url = server.url("field", user="reader", password=PASSWORD)
        database = site.open(url=url, query_seconds=50)
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(database._run, site.words.endless, ANN)
            sleeper(server, site.words)
            server.kill()
            with pytest.raises(DatabaseDown, match="closed the connection") as caught:
                asked.result(timeout=120)
        message_of(caught)
    with pytest.raises(DatabaseDown, match="cannot be reached"):
        database.run("SELECT 1", ANN)


def test_the_graph_of_a_server_with_secure_views_has_to_be_saved_before(site: Site, tmp_path: Path) -> None:
    with pytest.raises(DatabaseDown, match="name it in DATABASE__JOINS"):
        site.open().graph()
    save_graph(JoinGraph({"crew": Table("crew")}), tmp_path / "joins.json")
    assert set(site.open(joins=str(tmp_path / "joins.json")).graph().tables) == {"crew"}
