"""Row-level security on PostgreSQL: whose session it is, what a reader's login can reach, and what is said when it
fails."""

import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from two_companies import (
    COLUMNS,
    KEY,
    OTHER,
    OWN,
    PASSWORD,
    SEAL,
    STRANGER,
    fill_postgres,
    hasty,
)

from postgres import PostgresServer, find, postgres
from turnkeep.databases.errors import DatabaseError
from turnkeep.records import Principal
from turnkeep_agents.database.access import Access, SecureView, load_access
from turnkeep_agents.database.security.database import (
    Database,
    DatabaseDown,
    DatabaseSlow,
    QueryFailed,
    TenantUnknown,
    open_databases,
)
from turnkeep_agents.database.security.postgresql import barrier_views_ddl
from turnkeep_agents.database.security.servers import TRANSACTION, sign
from turnkeep_agents.database.security.views import Secrets
from turnkeep_agents.database.settings import DatabaseSettings

TODAY = date(2026, 6, 18)
ANN, EVE = Principal(OWN, "ann"), Principal(STRANGER, "eve")
SECRETS = ("reader", PASSWORD, "127.0.0.1", SEAL, KEY, "/tmp")
OPEN = "SELECT turnkeep_read.open_session(%s, %s)"

IS_TOLD = """CREATE OR REPLACE FUNCTION public.is_told(name text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS $$
BEGIN IF name LIKE 'Can%' THEN RAISE EXCEPTION '%', name; END IF; RETURN true; END $$"""


@pytest.fixture
def reader(field_on_postgres: PostgresServer) -> Iterator[Any]:
    """The login that Turnkeep has, in the hands of somebody else, in a transaction."""
    with closing(field_on_postgres.connect("field", user="reader", password=PASSWORD)) as connection:
        connection.autocommit = False
        yield connection


@pytest.fixture
def database(postgresql_tuning: DatabaseSettings) -> Database:
    return open_databases(postgresql_tuning)(TODAY)


def ask(connection: Any, sql: str, values: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = connection.execute(sql, values).fetchall()
    return rows


def proof(connection: Any, tenant: str, *, seal: str = SEAL) -> tuple[str, str]:
    ((number, moment),) = ask(connection, TRANSACTION)
    return tenant, sign(seal, tenant, number, moment)


def crews(connection: Any) -> set[str]:
    return {name.split()[0] for (name,) in ask(connection, "SELECT name FROM secure_crew")}


def refusal(connection: Any, values: tuple[Any, ...]) -> str:
    with pytest.raises(psycopg.errors.RaiseException) as caught, connection.transaction():
        ask(connection, OPEN, values)
    return str(caught.value.diag.message_primary)


# Whose session it is


def test_a_transaction_that_proved_nothing_sees_no_rows(reader: Any) -> None:
    assert crews(reader) == set()


def test_a_proof_opens_the_rows_of_its_tenant_for_one_transaction(reader: Any) -> None:
    ask(reader, OPEN, proof(reader, OWN))
    assert crews(reader) == {"Crew"}
    reader.rollback()
    assert crews(reader) == set()

    ask(reader, OPEN, proof(reader, OTHER))
    assert crews(reader) == {"Canary"}


def test_a_proof_of_a_transaction_is_none_of_the_next(reader: Any) -> None:
    heard = proof(reader, OTHER)
    ask(reader, OPEN, heard)
    reader.commit()

    assert refusal(reader, heard) == "the proof does not fit"
    assert crews(reader) == set()


def test_a_proof_of_one_tenant_is_none_of_another(reader: Any) -> None:
    _, signature = proof(reader, OWN)

    assert refusal(reader, (OTHER, signature)) == "the proof does not fit"
    assert crews(reader) == set()


def test_a_proof_that_was_overheard_opens_no_other_connection(field_on_postgres: PostgresServer, reader: Any) -> None:
    heard = proof(reader, OTHER)
    ask(reader, OPEN, heard)

    with closing(field_on_postgres.connect("field", user="reader", password=PASSWORD)) as thief:
        assert refusal(thief, heard) == "the proof does not fit"


@pytest.mark.parametrize("forged", ["", "0", None, "f" * 64, "' OR 1 = 1 -- "])
def test_whatever_else_is_said_is_no_proof(reader: Any, forged: object) -> None:
    assert refusal(reader, (OTHER, forged)) == "the proof does not fit"


def test_another_seal_proves_nothing(reader: Any) -> None:
    assert refusal(reader, proof(reader, OWN, seal="another")) == "the proof does not fit"


def test_a_tenant_without_a_company_is_none(reader: Any, database: Database) -> None:
    assert refusal(reader, proof(reader, STRANGER)) == "no company of this tenant"
    with pytest.raises(TenantUnknown, match="no company for this caller"):
        database.run("SELECT 1", EVE)


@pytest.mark.parametrize("is_local", ["true", "false"])
def test_a_setting_that_sql_changes_shows_nobody_elses_rows(reader: Any, is_local: str) -> None:
    ask(reader, OPEN, proof(reader, OWN))

    ask(reader, f"SELECT set_config('turnkeep.tenant', '{OTHER}', {is_local})")
    assert crews(reader) == set()


# What a reader reaches


@pytest.mark.parametrize(
    "sql",
    [
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
)
def test_a_reader_cannot_reach_behind_the_wall(reader: Any, sql: str) -> None:
    ask(reader, OPEN, proof(reader, OWN))

    with pytest.raises(psycopg.Error, match=r"permission denied|read-only transaction"), reader.transaction():
        reader.execute(sql)

    assert crews(reader) == {"Crew"}


def test_the_statements_of_one_session_are_not_shown_to_another(field_on_postgres: PostgresServer, reader: Any) -> None:
    with closing(field_on_postgres.connect("field", user="reader", password=PASSWORD)) as other:
        ask(other, "SELECT 'said by another'")
        told = ask(reader, "SELECT query FROM pg_stat_activity WHERE usename = 'reader'")

    assert len(told) == 2
    assert "another" not in repr(told)


@pytest.mark.parametrize(
    "condition",
    [
        "1 / (CASE WHEN name LIKE 'Can%' THEN 0 ELSE 1 END) = 1",
        "name !~ '^Can' OR name::int = 1",
        "CASE WHEN companyid = 2 THEN name::int = 1 ELSE true END",
        "public.is_told(name)",
    ],
)
def test_a_condition_is_tried_on_no_other_companys_row(
    database: Database, field_on_postgres: PostgresServer, condition: str
) -> None:
    """The function claims to be cheaper than any other condition, so it would be tried first."""
    field_on_postgres.run(IS_TOLD, database="field")
    with pytest.raises(psycopg.Error):  # so it would tell, were it tried
        field_on_postgres.run(f"SELECT id FROM crew WHERE {condition}", database="field")

    for cheap in ("", " AND id > 0 AND name <> ''"):
        assert len(database.run(f"SELECT id FROM secure_crew WHERE {condition}{cheap}", ANN).rows) == 4


def test_an_index_of_the_company_column_is_used(field_on_postgres: PostgresServer) -> None:
    field_on_postgres.run("CREATE INDEX of_company ON workorder (companyid)", database="field")
    plan = field_on_postgres.run(
        "SET enable_seqscan = off", "EXPLAIN SELECT * FROM turnkeep_read.secure_workorder", database="field"
    )

    assert "of_company" in repr(plan)


def test_a_text_that_the_key_does_not_fit_is_missing(database: Database, field_on_postgres: PostgresServer) -> None:
    field_on_postgres.run("UPDATE employee SET firstname = 'no cipher' WHERE id = 40", database="field")

    assert database.run("SELECT firstname, lastname FROM secure_employee WHERE id = 40", ANN).rows == (
        (None, "Annson"),
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 AS asset_config, 2 AS shipments_status, 3 AS exported_to_xml, 4 AS avg_pg_count, 5 AS my_dblink",
        "SELECT 'R&D menu & ts_statistics'",
    ],
)
def test_names_that_only_hold_those_of_the_server_are_read(database: Database, sql: str) -> None:
    assert len(database.run(sql, ANN).rows) == 1


# The script


def again(access: Path, *more: str) -> list[str]:
    """What `--again` prints; `more` are columns of crew."""
    columns = {name.lower(): [column.lower() for column in of] for name, of in COLUMNS.items() if name.isascii()}
    columns["crew"] += more
    return barrier_views_ddl(load_access(access), columns, "public", "reader", None)


def test_the_script_runs_again_after_a_change_of_the_schema_and_keeps_its_secrets(
    field_on_postgres: PostgresServer, folded_access_file: Path, database: Database
) -> None:
    changed = ["ALTER TABLE crew ADD COLUMN motto text DEFAULT 'x'", *again(folded_access_file, "motto")]
    assert not [text for text in changed if KEY in text or "wall_company" in text]

    field_on_postgres.run(*changed, database="field")
    assert database.run("SELECT motto FROM secure_crew LIMIT 1", ANN).rows == (("x",),)

    field_on_postgres.run("ALTER TABLE crew DROP COLUMN motto CASCADE", *again(folded_access_file), database="field")
    assert len(database.run("SELECT * FROM secure_crew", ANN).rows) == 4


@pytest.mark.parametrize(
    "older",
    ["GRANT SELECT ON crew TO reader", "GRANT SELECT (name) ON crew TO reader", "GRANT pg_read_all_data TO reader"],
)
def test_the_reader_loses_what_it_could_read_before(
    field_on_postgres: PostgresServer, folded_access_file: Path, reader: Any, older: str
) -> None:
    field_on_postgres.run(older, database="field")
    assert ask(reader, "SELECT COUNT(name) FROM public.crew") == [(8,)]
    reader.rollback()

    field_on_postgres.run(*again(folded_access_file), database="field")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ask(reader, "SELECT name FROM public.crew")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("GRANT SELECT ON crew TO PUBLIC", "REVOKE SELECT ON crew FROM PUBLIC", "may still read crew"),
        ("ALTER ROLE reader BYPASSRLS", "ALTER ROLE reader NOBYPASSRLS", "more than a reader"),
    ],
)
def test_a_reader_that_would_read_past_the_views_is_refused(
    field_on_postgres: PostgresServer, folded_access_file: Path, before: str, after: str, words: str
) -> None:
    field_on_postgres.run(before, database="field")
    try:
        with pytest.raises(psycopg.errors.RaiseException, match=words):
            field_on_postgres.run(*again(folded_access_file), database="field")
    finally:
        field_on_postgres.run(after, *again(folded_access_file), database="field")


@pytest.fixture(scope="module")
def odd_reader(postgres_server: PostgresServer) -> Iterator[str]:
    postgres_server.run(f"CREATE ROLE \"Odd 'reader'\" LOGIN PASSWORD '{PASSWORD}'", "CREATE DATABASE odd")
    yield "Odd 'reader'"
    postgres_server.run("DROP DATABASE odd WITH (FORCE)", "DROP ROLE \"Odd 'reader'\"")


@pytest.mark.parametrize(
    ("kind", "own"),
    [("int", "7"), ("varchar(9)", "7"), ("numeric", "7"), ("uuid", "00000000-0000-0000-0000-000000000007")],
)
def test_company_columns_of_any_kind_and_tables_of_any_schema_and_name(
    postgres_server: PostgresServer, odd_reader: str, kind: str, own: str
) -> None:
    access = Access((SecureView("Größe", 'secure "größe"', "Firma"),))
    postgres_server.run(
        'DROP SCHEMA IF EXISTS "my Shop" CASCADE',
        'CREATE SCHEMA "my Shop"',
        f'CREATE TABLE "my Shop"."Größe" ("Firma" {kind}, "Order" int)',
        f'INSERT INTO "my Shop"."Größe" VALUES (\'{own}\', 1), (NULL, 2)',
        *barrier_views_ddl(access, {"Größe": ["Order"]}, "my Shop", odd_reader, Secrets(KEY, SEAL, {"*": own})),
        database="odd",
    )
    tuning = DatabaseSettings(url=postgres_server.url("odd", user=quote(odd_reader), password=PASSWORD), seal=SEAL)

    found = open_databases(tuning)(TODAY).run('SELECT "Order" FROM "secure ""größe"""', ANN)

    assert found.rows == ((1,),)


# What is said when it fails


def told(caught: pytest.ExceptionInfo[DatabaseError]) -> str:
    """The message, once it was looked through for secrets, with the traceback that a log would hold."""
    whole = "".join(traceback.format_exception(caught.value))
    assert not [secret for secret in SECRETS if secret in caught.value.message]
    assert "psycopg.errors" not in whole
    return caught.value.message


@pytest.mark.parametrize(("seal", "words"), [("", r"__SEAL is empty"), ("another", "does not take the proof")])
def test_a_seal_that_is_missing_or_wrong_is_told(postgresql_tuning: DatabaseSettings, seal: str, words: str) -> None:
    tuning = DatabaseSettings(**{**postgresql_tuning.model_dump(), "seal": seal})

    with pytest.raises(DatabaseDown, match=words) as caught:
        open_databases(tuning)(TODAY).run("SELECT 1", ANN)

    told(caught)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT name::int FROM secure_crew", r"refused the statement \(error 22P02\)"),
        ("SELECT 1 / 0", "division by zero"),
        ("SELECT (SELECT id FROM secure_crew)", "more than one row"),
        ("SELECT id / (id - 40) FROM secure_employee ORDER BY id", "division by zero"),
        ("SELECT 'infinity'::date", "cannot be read"),
    ],
)
def test_a_complaint_holds_no_value_of_a_row(database: Database, sql: str, words: str) -> None:
    with pytest.raises(QueryFailed, match=words) as caught:
        database.run(sql, ANN)

    assert "Crew" not in told(caught)


def test_a_statement_without_end_is_ended_on_the_server_too(
    postgresql_tuning: DatabaseSettings, field_on_postgres: PostgresServer
) -> None:
    with pytest.raises(DatabaseSlow, match=r"did not answer within 0\.25 seconds"):
        open_databases(hasty(postgresql_tuning))(TODAY)._run(
            "SELECT set_config('statement_timeout', '0', false), pg_sleep(600) FROM generate_series(1, 9)", ANN
        )

    until = time.monotonic() + 30
    while field_on_postgres.run("SELECT FROM pg_stat_activity WHERE usename = 'reader'"):
        assert time.monotonic() < until, "it still runs"
        time.sleep(0.05)


def test_a_login_that_is_refused_is_told_without_it(field_on_postgres: PostgresServer) -> None:
    url = field_on_postgres.url("field", user="reader", password="wrong")

    with pytest.raises(DatabaseDown, match="refuses the login") as caught:
        open_databases(DatabaseSettings(url=url, seal=SEAL))(TODAY).run("SELECT 1", ANN)

    told(caught)


def test_a_server_with_too_many_callers_says_so(database: Database, field_on_postgres: PostgresServer) -> None:
    field_on_postgres.run("ALTER ROLE reader CONNECTION LIMIT 1")
    with (
        closing(field_on_postgres.connect("field", user="reader", password=PASSWORD)),
        pytest.raises(DatabaseDown, match="takes no more connections just now") as caught,
    ):
        database.run("SELECT 1", ANN)
    field_on_postgres.run("ALTER ROLE reader CONNECTION LIMIT -1")

    told(caught)


def number_of_what_runs(server: PostgresServer) -> int:
    """The session of the reader's login, as soon as it sleeps."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if found := server.run("SELECT pid FROM pg_stat_activity WHERE usename = 'reader' AND wait_event = 'PgSleep'"):
            return int(found[0][0])
        time.sleep(0.02)
    pytest.fail("it never ran")


def test_a_connection_that_is_killed_in_the_middle_is_down_at_once(
    database: Database, field_on_postgres: PostgresServer
) -> None:
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(database._run, "SELECT pg_sleep(600)", ANN)
        field_on_postgres.run(f"SELECT pg_terminate_backend({number_of_what_runs(field_on_postgres)})")
        with pytest.raises(DatabaseDown, match="broke off the connection") as caught:
            asked.result()

    told(caught)


def test_a_server_that_dies_in_the_middle_is_down_then_and_later(folded_access_file: Path) -> None:
    programs = find()
    assert programs is not None
    with postgres(programs) as server:
        fill_postgres(server, "field", folded_access_file)
        url = server.url("field", user="reader", password=PASSWORD)
        database = open_databases(
            DatabaseSettings(url=url, access=str(folded_access_file), seal=SEAL, query_seconds=50)
        )
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(database(TODAY)._run, "SELECT pg_sleep(600)", ANN)
            number_of_what_runs(server)
            server.kill()
            with pytest.raises(DatabaseDown, match="broke off the connection") as caught:
                asked.result(timeout=40)
        told(caught)
    with pytest.raises(DatabaseDown, match="cannot be reached") as caught:
        database(TODAY).run("SELECT 1", ANN)


def test_the_graph_of_a_server_with_secure_views_has_to_be_saved_before(database: Database) -> None:
    with pytest.raises(DatabaseDown, match="name it in DATABASE__JOINS"):
        database.graph()
