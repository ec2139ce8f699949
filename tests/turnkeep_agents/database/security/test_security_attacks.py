"""Row-level security without the guard: no attack may succeed."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from two_companies import ANN, CANARY, KEY, OTHER, SEAL, hasty, opened
from walled import until

from mariadb import Server
from postgres import PostgresServer
from turnkeep.records import Principal
from turnkeep_agents.database.results import Result
from turnkeep_agents.database.security.ciphers import encrypt
from turnkeep_agents.database.security.database import Database
from turnkeep_agents.databases.errors import DatabaseError, QueryFailed

CIPHER = encrypt(f"{CANARY}son", KEY)

type Ran = Callable[[str], Result]


def traces(secret: str | bytes) -> list[str]:
    """Return how a value may look in a result or a message."""
    data = secret.encode() if isinstance(secret, str) else secret
    return [data.hex(), *([secret.lower()] if isinstance(secret, str) else [])]


FORBIDDEN = [trace for secret in (CANARY, KEY, SEAL, CIPHER, "root:x:") for trace in traces(secret)]


def leaks(shown: object) -> list[str]:
    text = repr(shown).lower()
    return [trace for trace in FORBIDDEN if trace in text]


def check(run: Ran, sql: str) -> None:
    """A statement that is not stopped runs until the timeout of the tests."""
    try:
        shown: Result | str = run(sql)
    except DatabaseError as error:
        shown = str(error)
    found = [trace for trace in leaks(shown) if trace not in sql.lower()]
    assert not found, (sql, shown)
    assert not isinstance(shown, Result) or len(shown.rows) <= 100


# the class of a statement names what must not happen
ROWS = [json.loads(line) for line in Path(__file__).with_name("attacks.jsonl").read_text().splitlines()]
LONG_ONES = ["SELECT '" + "x" * 60_000 + "'", "SELECT " + " + ".join(["1"] * 5000)]
LONG_ONES += ["SELECT 1 " + " UNION ALL SELECT 1" * 600, "SELECT " + ", ".join(["1"] * 5000)]
WATCHING = "watching"  # other sessions of one login: the server allows it, so row-level security refuses it
KINDS = dict.fromkeys(row["class"] for row in ROWS if row["class"] != WATCHING)
GUARDS = {"sqlite": "sqlite", "mariadb": "mysql", "postgresql": "postgres"}


def attacks(where: str, kind: str) -> list[str]:
    """Return the attacks of a class; `the guard` uses the guard's corpus on our tables."""
    if kind == "the guard":
        file = Path(__file__).parents[1] / "guard" / f"attacks_{GUARDS[where]}.jsonl"
        texts = [json.loads(line)["sql"] for line in file.read_text().splitlines()]
        return [re.sub(r"(?i)customer\b", "crew", text) for text in texts][:: 1 if where == "sqlite" else 6]
    found = [row["sql"] for row in ROWS if row["where"] in (where, "all") and row["class"] == kind]
    return [*found, *LONG_ONES] if (where, kind) == ("sqlite", "too much in one value") else found


@pytest.mark.parametrize("kind", [*KINDS, "the guard"])
@pytest.mark.parametrize("where", GUARDS)
def test_row_level_security_alone_stops_every_attack(where: str, kind: str, request: pytest.FixtureRequest) -> None:
    tuning = request.getfixturevalue(f"{where}_tuning")
    database, before = hasty(tuning), state(where, request)
    for sql in attacks(where, kind):
        check(lambda sql: database._run(sql, ANN), sql)
    assert state(where, request) == before
    assert not list(Path("/tmp").glob("turnkeep-stolen*"))
    assert opened(tuning).run("SELECT COUNT(*) FROM secure_crew", ANN).rows == ((4,),)


@pytest.mark.parametrize("where", ["mariadb", "postgresql"])
def test_no_session_watches_or_ends_another(where: str, request: pytest.FixtureRequest) -> None:
    database = opened(request.getfixturevalue(f"{where}_tuning"))
    for sql in attacks(where, WATCHING):
        with pytest.raises(QueryFailed, match=r"may not be read|Only a SELECT is run"):
            database.run(sql, ANN)


def state(where: str, request: pytest.FixtureRequest) -> object:
    """Return what a statement could have changed, started or locked."""
    if where == "sqlite":
        file: Path = request.getfixturevalue("sqlite_file")
        return hashlib.sha256(file.read_bytes()).digest(), [path.name for path in file.parent.iterdir()]
    if where == "mariadb":
        return checksums(request.getfixturevalue("field"))
    return catalogues(request.getfixturevalue("field_on_postgres"))


# the reader's sessions that still run something, and those that are still there
BUSY = "SELECT info FROM information_schema.processlist WHERE user = 'reader' AND command = 'Query'"
THERE = "SELECT pid FROM pg_stat_activity WHERE usename = 'reader'"


def checksums(server: Server) -> object:
    tables = server.run(
        "SELECT CONCAT('`', table_schema, '`.`', REPLACE(table_name, '`', '``'), '`') FROM information_schema.tables"
        " WHERE table_type = 'BASE TABLE' AND table_name <> 'wall_session'"
        " AND table_schema IN ('field', 'turnkeep_wall') ORDER BY 1"
    )
    names = [name for (name,) in tables]
    rights = server.run("SELECT User, Host, Priv FROM mysql.global_priv ORDER BY 1, 2")
    return names, rights, server.run(f"CHECKSUM TABLE {', '.join(names)}"), until(lambda: not server.run(BUSY))


def catalogues(server: PostgresServer) -> object:
    tables = ["employee", "crew", "workorder", "trade", "audit", "turnkeep_wall.wall_key", "turnkeep_wall.wall_company"]
    digest = "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {} t"
    rows = [server.run(digest.format(table), database="field") for table in tables]
    catalogs = ("pg_class", "pg_proc", "pg_roles", "pg_largeobject_metadata", "pg_db_role_setting", "pg_auth_members")
    counts = [server.run(f"SELECT COUNT(*) FROM {catalog}", database="field") for catalog in catalogs]
    sizes = server.run("SELECT SUM(length(relacl::text)) FROM pg_class", database="field")
    return rows, counts, sizes, until(lambda: not server.run(THERE))


def test_each_company_sees_its_own_rows_by_the_same_statements(database: Database) -> None:
    for table, count in (("employee", 40), ("crew", 4), ("workorder", 60)):
        sql = f"SELECT companyId, COUNT(*) FROM secure_{table} GROUP BY companyId"
        assert database.run(sql, Principal(OTHER, "bob")).rows == ((2, count),)
        assert database.run(sql, ANN).rows == ((1, count),)


def test_encrypted_columns_are_in_clear_for_their_company(database: Database) -> None:
    sql = "SELECT firstName, lastName FROM secure_employee WHERE lastName = 'Annson' ORDER BY id LIMIT 1"
    assert database.run(sql, ANN).rows == (("Ann 1", "Annson"),)
