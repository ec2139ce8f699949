"""SQLite refuses statements beyond the limits of row-level security, with a reason for their author."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from turnkeep.records import Principal
from turnkeep_agents.database.access import Access
from turnkeep_agents.database.security.complaints import sqlite_error
from turnkeep_agents.database.security.sqlite import SqliteSecurity
from turnkeep_agents.databases.engines import Called
from turnkeep_agents.databases.errors import QueryFailed

ANN = Principal("acme", "ann")
DEEP = "Expression tree is too large (maximum depth 100)"


@pytest.fixture
def crews(tmp_path: Path) -> Path:
    file = tmp_path / "crews.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE crew (id INTEGER, name TEXT)")
        connection.execute("INSERT INTO crew VALUES (1, 'x')")
        connection.commit()
    return file


@pytest.mark.parametrize(
    ("word", "sql", "most", "reason"),
    [
        (" OR ", "SELECT id FROM crew WHERE id = 1{}", 99, DEEP),
        (" || ", "SELECT name{} FROM crew", 100, DEEP),
        (", ", "SELECT MAX(id{}) FROM crew", 50, "too many arguments on function MAX"),
        (" UNION ", "SELECT id FROM crew{}", 20, "too many terms in compound SELECT"),
    ],
)
def test_a_statement_beyond_a_limit_fails_with_the_reason(
    crews: Path, word: str, sql: str, most: int, reason: str
) -> None:
    security = SqliteSecurity(Access(), seconds=20, max_rows=100, max_bytes=1_000_000)
    same = {" OR ": "id = 1", " || ": "name", ", ": "id", " UNION ": "SELECT id FROM crew"}[word]
    assert security.run(crews, sql.format(f"{word}{same}" * (most - 1)), ANN).rows
    with pytest.raises(sqlite3.Error) as caught:
        security.run(crews, sql.format(f"{word}{same}" * (most + 1)), ANN)
    told = sqlite_error(Called("It", "URL"), caught.value, 20)
    assert (type(told), str(told)) == (QueryFailed, reason)
