"""Limits of SQLite: texts beyond them can be shown, but not used in functions; statements fail with the reason."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from turnkeep.records import Principal
from turnkeep_agents.database.access import Access
from turnkeep_agents.database.security.complaints import TOO_BIG, sqlite_error
from turnkeep_agents.database.security.sqlite import LIMITS, WIDE_BYTES, SqliteSecurity
from turnkeep_agents.databases.engines import Called
from turnkeep_agents.databases.errors import QueryFailed

ANN = Principal("acme", "ann")
LIMIT = LIMITS[sqlite3.SQLITE_LIMIT_LENGTH]
DEEP = "Expression tree is too large (maximum depth 100)"
ORDERED = "SELECT id, body FROM note WHERE id > 0 AND lower(topic) LIKE '%roof%' ORDER BY topic, id"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notes.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, topic TEXT, body TEXT)")
        rows = [("Roof", "short"), ("roofs", "x" * (LIMIT + 50_000)), ("Cellar", "y" * (WIDE_BYTES + 1))]
        connection.executemany("INSERT INTO note (topic, body) VALUES (?, ?)", rows)
        connection.commit()
    return file


def security(max_bytes: int = 1_000_000) -> SqliteSecurity:
    return SqliteSecurity(Access(), seconds=20, max_rows=100, max_bytes=max_bytes)


def failed(notes: Path, sql: str) -> tuple[type[Exception], str]:
    with pytest.raises(sqlite3.Error) as caught:
        security().run(notes, sql, ANN)
    error = sqlite_error(Called("The database", "DATABASE__URL"), caught.value, 5)
    return type(error), str(error)


def test_a_text_beyond_the_limit_is_shown_with_the_other_rows(notes: Path) -> None:
    result = security().run(notes, ORDERED, ANN)
    assert [(number, len(str(body))) for number, body in result.rows] == [(1, 5), (2, LIMIT + 50_000)]
    assert not result.has_cut_texts


def test_a_text_that_does_not_fit_a_page_is_cut(notes: Path) -> None:
    result = security(max_bytes=20_000).run(notes, f"{ORDERED} LIMIT 1 OFFSET 1", ANN)
    [[number, body]] = result.rows
    assert (number, result.has_cut_texts) == (2, True)
    assert 10_000 < len(str(body)) <= 20_000


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT instr(body, 'z') FROM note WHERE id = 2",
        "SELECT id, replace(body, 'x', 'yy') FROM note WHERE id = 2",
        "SELECT group_concat(body) FROM note WHERE id < 3",
        "SELECT body FROM note",
        f"SELECT {' || '.join(['body'] * 7)} FROM note WHERE id = 2",
    ],
)
def test_functions_cannot_use_longer_texts(sql: str, notes: Path) -> None:
    assert failed(notes, sql) == (QueryFailed, TOO_BIG)


def test_other_statements_keep_the_limit_and_all_functions(notes: Path) -> None:
    result = security().run(notes, "SELECT instr(body, 'r'), replace(topic, 'R', 'r') FROM note WHERE id = 1", ANN)
    assert result.rows == ((4, "roof"),)


def test_a_timeout_over_long_texts_is_reported_as_one(notes: Path) -> None:
    endless = " CROSS JOIN ".join(f"note AS n{number}" for number in range(20))
    sql = f"SELECT a.body FROM note AS a CROSS JOIN {endless} WHERE a.id = 2 AND a.body <> 'x' AND n19.id + n18.id < 0"
    with pytest.raises(sqlite3.OperationalError) as caught:
        SqliteSecurity(Access(), seconds=0.3, max_rows=100, max_bytes=1_000).run(notes, sql, ANN)
    assert caught.value.sqlite_errorname == "SQLITE_INTERRUPT"


@pytest.mark.parametrize(
    ("more", "sql", "most", "reason"),
    [
        (" OR id = 1", "SELECT id FROM note WHERE id = 1{}", 99, DEEP),
        (" || topic", "SELECT topic{} FROM note", 100, DEEP),
        (", id", "SELECT MAX(id{}) FROM note", 50, "too many arguments on function MAX"),
        (" UNION SELECT id FROM note", "SELECT id FROM note{}", 20, "too many terms in compound SELECT"),
    ],
)
def test_a_statement_beyond_a_limit_fails_with_the_reason(
    notes: Path, more: str, sql: str, most: int, reason: str
) -> None:
    assert security().run(notes, sql.format(more * (most - 1)), ANN).rows
    assert failed(notes, sql.format(more * (most + 1))) == (QueryFailed, reason)
