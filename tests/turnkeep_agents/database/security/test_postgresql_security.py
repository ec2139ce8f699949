"""Row-level security on PostgreSQL: the session's tenant, and what a reader's login can reach."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from two_companies import ANN, COLUMNS, KEY, OTHER, OWN, PASSWORD, SEAL, opened
from walled import Reader, reading

from postgres import PostgresServer
from turnkeep_agents.database.access import Access, SecureView, load_access
from turnkeep_agents.database.security.database import Database
from turnkeep_agents.database.security.postgresql import barrier_views_ddl
from turnkeep_agents.database.security.views import Secrets
from turnkeep_agents.database.settings import DatabaseSettings

IS_TOLD = """CREATE OR REPLACE FUNCTION public.is_told(name text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS $$
BEGIN IF name LIKE 'Can%' THEN RAISE EXCEPTION '%', name; END IF; RETURN true; END $$"""


@pytest.fixture
def reader(field_on_postgres: PostgresServer) -> Iterator[Reader]:
    with reading(field_on_postgres) as found:
        yield found


@pytest.fixture
def database(postgresql_tuning: DatabaseSettings) -> Database:
    return opened(postgresql_tuning)


# Whose session it is


def test_a_proof_is_valid_for_one_transaction(reader: Reader) -> None:
    heard = reader.proof(OTHER)
    reader.ask(reader.open, heard)
    assert reader.crews() == {"Canary"}
    reader.connection.commit()
    assert reader.refusal(heard) == "the proof does not fit"
    assert reader.crews() == set()


@pytest.mark.parametrize("is_local", ["true", "false"])
def test_changing_the_tenant_setting_shows_no_rows(reader: Reader, is_local: str) -> None:
    reader.prove(OWN)
    reader.ask(f"SELECT set_config('turnkeep.tenant', '{OTHER}', {is_local})")
    assert reader.crews() == set()


# What a reader reaches


def test_the_statements_of_one_session_are_not_shown_to_another(
    field_on_postgres: PostgresServer, reader: Reader
) -> None:
    with closing(field_on_postgres.connect("field", user="reader", password=PASSWORD)) as other:
        Reader(other).ask("SELECT 'said by another'")
        message_of = reader.ask("SELECT query FROM pg_stat_activity WHERE usename = 'reader'")
    assert len(message_of) == 2
    assert "another" not in repr(message_of)


@pytest.mark.parametrize(
    "condition",
    [
        "1 / (CASE WHEN name LIKE 'Can%' THEN 0 ELSE 1 END) = 1",
        "name !~ '^Can' OR name::int = 1",
        "CASE WHEN companyid = 2 THEN name::int = 1 ELSE true END",
        "public.is_told(name)",
    ],
)
def test_conditions_never_see_other_companies_rows(
    database: Database, field_on_postgres: PostgresServer, condition: str
) -> None:
    """The function claims the lowest cost, so it would run first."""
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


def test_undecryptable_text_is_null(database: Database, field_on_postgres: PostgresServer) -> None:
    field_on_postgres.run("UPDATE employee SET firstname = 'no cipher' WHERE id = 40", database="field")
    sql = "SELECT firstname, lastname FROM secure_employee WHERE id = 40"
    assert database.run(sql, ANN).rows == ((None, "Annson"),)


def test_names_that_resemble_server_names_are_read(database: Database) -> None:
    names = ("asset_config", "shipments_status", "exported_to_xml", "avg_pg_count", "my_dblink")
    sql = f"SELECT 'R&D menu & ts_statistics', {', '.join(f'1 AS {name}' for name in names)}"
    assert len(database.run(sql, ANN).rows) == 1


# The script


def again(access: Path, *more: str) -> list[str]:
    """Return what `--again` prints; `more` are columns of crew."""
    columns = {name.lower(): [column.lower() for column in of] for name, of in COLUMNS.items() if name.isascii()}
    columns["crew"] += more
    return barrier_views_ddl(load_access(access), columns, "public", "reader", None)


def test_the_script_runs_again_and_keeps_its_secrets(
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
def test_the_reader_loses_older_rights(
    field_on_postgres: PostgresServer, folded_access_file: Path, reader: Reader, older: str
) -> None:
    field_on_postgres.run(older, database="field")
    assert reader.ask("SELECT COUNT(name) FROM public.crew") == [(8,)]
    reader.connection.rollback()
    field_on_postgres.run(*again(folded_access_file), database="field")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.ask("SELECT name FROM public.crew")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("GRANT SELECT ON crew TO PUBLIC", "REVOKE SELECT ON crew FROM PUBLIC", "may still read crew"),
        ("ALTER ROLE reader BYPASSRLS", "ALTER ROLE reader NOBYPASSRLS", "more than a reader"),
    ],
)
def test_a_reader_with_rights_past_the_views_is_refused(
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

    found = opened(tuning).run('SELECT "Order" FROM "secure ""größe"""', ANN)

    assert found.rows == ((1,),)
