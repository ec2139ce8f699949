"""The database behind its row-level security: results and errors."""

import sqlite3
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from two_companies import ANN, ODD, OTHER, OWN, STRANGER, TODAY, message_of, opened, write_file

from turnkeep.records import Principal
from turnkeep_agents.database.access import Access, Rule, SecureView
from turnkeep_agents.database.security.database import Database, open_databases
from turnkeep_agents.database.security.sqlite import SqliteSecurity
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow, QueryFailed, SchemaChanged, TenantUnknown

BOB, EVE = Principal(OTHER, "bob"), Principal(STRANGER, "eve")


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    """A file that a test may change."""
    return write_file(tmp_path)


@pytest.fixture
def own_database(own_file: Path, access_file: Path) -> Database:
    return opened(DatabaseSettings(url=f"sqlite:///{own_file}", access=str(access_file)))


# What it gives


def test_rows_come_with_their_columns_in_plain_types(database: Database) -> None:
    result = database.run("SELECT title AS t, openedOn, done, NULL FROM secure_workorder ORDER BY id LIMIT 1", ANN)
    assert [name.lower() for name in result.columns[:3]] == ["t", "openedon", "done"]
    assert (result.rows, result.is_cut) == ((("Repair 1", "2026-03-02", "0x01", None),), False)


def test_two_columns_of_one_name_are_two(database: Database) -> None:
    result = database.run("SELECT c.id, w.id FROM secure_crew c JOIN secure_workorder w ON w.crewId = c.id", ANN)
    assert (len(result.columns), len(result.rows), result.is_cut) == (2, 60, False)


def test_placeholders_of_drivers_are_plain_text(database: Database) -> None:
    sql = "SELECT 'a % b', ':x', '%s' FROM trade WHERE name LIKE '%oo%'"
    assert database.run(sql, ANN).rows == (("a % b", ":x", "%s"),)


def test_reserved_quoted_and_foreign_names_are_found(tuning: DatabaseSettings) -> None:
    mark = "`" if "mysql" in tuning.url.get_secret_value() else '"'
    names = [f"{mark}{name.replace(mark, mark * 2)}{mark}" for name in ("select", "Ä e", ODD)]
    result = opened(tuning).run("SELECT {}, {} FROM {}".format(*names), ANN)
    assert (result.columns, result.rows) == (("select", "Ä e"), (("é", 3), ("100 % 'quoted'", 4)))


def test_rows_and_bytes_beyond_the_limits_are_cut(tuning: DatabaseSettings) -> None:
    few, small = opened(tuning, max_rows=3), opened(tuning, max_bytes=1000)
    sql = "SELECT * FROM secure_workorder ORDER BY id"
    found = [few.run(f"{sql} LIMIT {count}", ANN) for count in (2, 3, 4, 60)]
    assert [(len(one.rows), one.is_cut) for one in found] == [(2, False), (3, False), (3, True), (3, True)]
    assert small.run(sql, ANN).is_cut
    assert 0 < len(str(small.run(sql, ANN).rows)) <= 1000


@pytest.mark.parametrize("limit", ["", " LIMIT 10000000"])
def test_ten_million_rows_never_reach_the_memory(tuning: DatabaseSettings, limit: str) -> None:
    database = opened(tuning, query_seconds=50)
    tables = ", ".join(f"secure_workorder {name}" for name in "abcd")
    tracemalloc.start()
    try:
        result = database.run(f"SELECT a.*, b.* FROM {tables}{limit}", ANN)
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (len(result.rows), result.is_cut) == (100, True)
    assert most_bytes < 5_000_000


def test_concurrent_callers_get_their_own_rows(database: Database) -> None:
    with ThreadPoolExecutor(6) as threads:
        asked = [(who, threads.submit(database.run, "SELECT name FROM secure_crew", who)) for who in (ANN, BOB) * 10]
    for who, answer in asked:
        assert {row[0].split()[0] for row in answer.result().rows} == {"Crew" if who is ANN else "Canary"}


# What it refuses


@pytest.mark.parametrize(
    ("sql", "kind", "words"),
    [
        *(
            (f"SELECT {names}", SchemaChanged, "nope")
            for names in ("nope FROM trade", "* FROM nope", "t.nope FROM trade t")
        ),
        ("SELECT id FROM", QueryFailed, "(?i)syntax|incomplete"),
        ("SELECT id FROM trade a JOIN trade b ON 1 = 1", QueryFailed, "ambiguous"),
        ("SELECT SUM(COUNT(id)) FROM trade", QueryFailed, "(?i)misuse|group function|nested"),
        ("SELECT id FROM trade UNION SELECT id, name FROM trade", QueryFailed, "columns"),
        ("SELECT id, FROM trade", QueryFailed, "syntax"),
        ("SELECT nofunction(1)", QueryFailed, "(?i)nofunction"),
        *((sql, QueryFailed, "") for sql in ("SELECT 'a\0b'", f"SELECT '{'x' * 30_000}'", "", "  ", "SELECT '\ud800'")),
    ],
)
def test_an_error_of_the_statement_is_shown(database: Database, sql: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words or None) as caught:
        database.run(sql, ANN)
    assert "manual" not in message_of(caught)


def test_a_forbidden_table_is_not_read_through_its_view(sqlite_file: Path) -> None:
    crew = SecureView("crew", "secure_crew", "companyId")
    access = Access((crew,), (Rule(user="ann"), Rule(tables=("*",), without=("crew", "trade"))))
    wall = SqliteSecurity(access, 1, 10, 10_000)
    assert wall.run(sqlite_file, "SELECT COUNT(*) FROM secure_crew", ANN).rows == ((4,),)
    for name in ("secure_crew", "crew", "trade"):
        with pytest.raises(sqlite3.Error, match=r"no such table|prohibited"):
            wall.run(sqlite_file, f"SELECT * FROM {name}", Principal(OWN, "eve"))


# Whose rows


def test_a_tenant_without_a_company_is_reported(database: Database) -> None:
    with pytest.raises(TenantUnknown, match="no company for this caller"):
        database.run("SELECT COUNT(*) FROM secure_crew", EVE)


def test_a_file_without_its_hidden_tables_is_reported(own_file: Path, own_database: Database) -> None:
    with closing(sqlite3.connect(own_file)) as connection:
        connection.execute("DROP TABLE wall_company")
    with pytest.raises(DatabaseDown, match="lacks wall_company"):
        own_database.run("SELECT * FROM secure_crew", ANN)


# Slow or down


def test_a_locked_file_is_slow(own_file: Path, own_database: Database) -> None:
    with closing(sqlite3.connect(own_file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseSlow, match=r"is being written by another program\. Try again"):
            own_database.run("SELECT 1 FROM trade", ANN)
        with pytest.raises(DatabaseSlow, match="is being written by another program"):
            own_database.graph()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlite:////absent/reader.sqlite", "cannot be read|has no file"),
        ("mysql+pymysql://reader:s3cret@127.0.0.1:1/field", "cannot be reached, or refuses the login"),
        ("no url at all, but a reader", "DATABASE__URL must begin with sqlite, mysql, mariadb, postgresql"),
        ("snowflake://reader:s3cret@account/field", "DATABASE__URL must begin with"),
        ("mysql://reader:s3cret@host:port/field", "DATABASE__URL cannot be read"),
        ("mysql+none://reader:s3cret@host/field", "needs a Python package"),
        ("mysql+asyncmy://reader:s3cret@127.0.0.1/field", "not installed: asyncmy"),
    ],
)
def test_an_unusable_database_is_reported_without_its_url(url: str, words: str) -> None:
    with pytest.raises(DatabaseDown, match=words) as caught:
        opened(DatabaseSettings(url=url)).run("SELECT 1", ANN)
    message_of(caught)


def test_a_file_of_another_kind_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("Not a database, but long enough to be taken for the header of one.\n" * 20)
    database = opened(DatabaseSettings(url=f"sqlite:///{file}"))
    for ask in (lambda: database.run("SELECT 1", ANN), database.graph):
        with pytest.raises(DatabaseDown, match="is not a SQLite database"):
            ask()


def test_a_changed_schema_is_reported_and_the_new_one_is_read(own_file: Path, own_database: Database) -> None:
    assert own_database.run("SELECT name FROM trade", ANN).rows
    with closing(sqlite3.connect(own_file)) as connection:
        connection.execute("ALTER TABLE trade RENAME COLUMN name TO title")
        connection.execute("ALTER TABLE crew RENAME COLUMN name TO title")
    with pytest.raises(SchemaChanged, match="no such column: name"):
        own_database.run("SELECT name FROM trade", ANN)
    assert own_database.run("SELECT title FROM secure_crew WHERE id = 1", ANN).rows == (("Crew 1",),)


# Opening


def test_nothing_is_opened_before_it_is_asked(tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path}/absent", "mysql+pymysql://reader@127.0.0.1:1/field", "no url"):
        assert opened(DatabaseSettings(url=url)).dialect in ("sqlite", "mysql")
    assert list(tmp_path.iterdir()) == []


def test_only_the_sample_moves_with_the_day(sqlite_tuning: DatabaseSettings) -> None:
    embedded, own = open_databases(DatabaseSettings()), open_databases(sqlite_tuning)
    sql = "SELECT MAX(workDate) FROM secure_worktime"
    one, other = (str(embedded(day).run(sql, ANN).rows[0][0])[:10] for day in (TODAY, TODAY + timedelta(weeks=1)))
    assert date.fromisoformat(other) - date.fromisoformat(one) == timedelta(weeks=1)
    assert own(TODAY) is own(TODAY + timedelta(days=1))
    assert embedded(TODAY) is embedded(TODAY)


def test_the_graph_of_a_file_is_read_once_without_hidden_tables(sqlite_tuning: DatabaseSettings) -> None:
    database = opened(sqlite_tuning)
    graph = database.graph()
    assert set(graph.tables) == {"employee", "crew", "workOrder", "trade", ODD, "audit", "everybody"}
    assert database.graph() is graph
