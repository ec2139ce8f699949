"""Row-level security of MariaDB and PostgreSQL: no SQL of a reader's login can choose the session's tenant, only what
the signing key has signed. Also the errors of a failing server."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from two_companies import OTHER, OWN, PASSWORD, SEAL, STRANGER, hasty, message_of
from walled import WORDS, Reader, Words, reading

from turnkeep.records import Principal
from turnkeep_agents.database.joins.files import save_graph
from turnkeep_agents.database.joins.records import JoinGraph, Table
from turnkeep_agents.database.security.database import Database, open_databases
from turnkeep_agents.database.security.view_sql import SCHEMA
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow

TODAY, ANN = date(2026, 6, 18), Principal(OWN, "ann")


@dataclass(frozen=True)
class Site:
    server: Any
    tuning: DatabaseSettings
    words: Words

    def open(self, **changes: Any) -> Database:
        return open_databases(DatabaseSettings(**{**self.tuning.model_dump(), **changes}))(TODAY)

    def sleeper(self) -> int:
        """Who runs the endless statement, as soon as it sleeps."""
        return sleeper(self.server, self.words)


def sleeper(server: Any, words: Words) -> int:
    """Return the session that runs the endless statement, once it sleeps."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if found := server.run(words.running):
            return int(found[0][0])
        time.sleep(0.02)
    pytest.fail("it never ran")


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


# Errors


@pytest.mark.parametrize(("seal", "words"), [("", r"__SEAL is empty"), ("another", "does not accept the proof")])
def test_a_missing_or_wrong_signing_key_is_reported(site: Site, seal: str, words: str) -> None:
    with pytest.raises(DatabaseDown, match=words) as caught:
        site.open(seal=seal).run("SELECT 1", ANN)
    message_of(caught)


def test_an_endless_statement_is_stopped_on_the_server(site: Site) -> None:
    with pytest.raises(DatabaseSlow, match=r"did not answer within 0\.25 seconds"):
        open_databases(hasty(site.tuning))(TODAY)._run(site.words.endless, ANN)
    until = time.monotonic() + 120
    while site.server.run(site.words.running):
        assert time.monotonic() < until, "it still runs"
        time.sleep(0.05)


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
        site.server.run(site.words.kill.format(site.sleeper()))
        with pytest.raises(DatabaseDown, match="closed the connection") as caught:
            asked.result()
    message_of(caught)


def test_a_dead_server_stays_down(site: Site) -> None:
    access = site.tuning.access
    with site.words.start() as server:
        site.words.fill(server, "field", Path(access))
        url = server.url("field", user="reader", password=PASSWORD)
        database = open_databases(DatabaseSettings(url=url, access=access, seal=SEAL, query_seconds=50))(TODAY)
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
