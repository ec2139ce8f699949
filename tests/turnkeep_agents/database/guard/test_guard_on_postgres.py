"""Guarded SQL runs on PostgreSQL: names are quoted, and groups are complete."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from guarded import benign, passed, sample_guard

from sample_on_servers import DATABASE, PASSWORD, READER, SEAL, SampleOn
from turnkeep_agents.database.guard.guard import Checked
from turnkeep_agents.database.security.servers import TRANSACTION, sign


@pytest.fixture(scope="module")
def reader(sample_on_postgres: SampleOn) -> Iterator[Any]:
    """The reader's session in one transaction, opened for the first company."""
    with sample_on_postgres.server.connect(DATABASE, user=READER, password=PASSWORD) as connection:
        connection.autocommit = False
        number, moment = connection.execute(TRANSACTION).fetchone()
        connection.execute("SELECT turnkeep_read.open_session(%s, %s)", ("acme", sign(SEAL, "acme", number, moment)))
        yield connection
        connection.rollback()


def complaint(reader: Any, sql: str) -> str | None:
    found = sample_guard("postgres").check(sql)
    if not isinstance(found, Checked):
        return str(found)
    try:
        with reader.transaction(force_rollback=True):
            reader.execute(found.sql.encode()).fetchall()
    except psycopg.Error as error:
        return f"{found.sql}: {error}"
    return None


def test_benign_queries_run(reader: Any) -> None:
    queries = benign("postgres")
    own = [sql for sql in queries if sql not in benign("mysql")]
    assert len(own) > 100
    assert [error for sql in [*own, *queries[::4]] if (error := complaint(reader, sql))] == []


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("SELECT crewId AS a, SUM(id) AS nOf FROM workOrder GROUP BY a HAVING nOf > 3", "HAVING SUM(id) > 3"),
        ("SELECT crewId, id AS nOf FROM workOrder ORDER BY NOF", " ORDER BY nOf"),
        ("SELECT amount AS a FROM workOrder ORDER BY ABS(a)", "ORDER BY ABS(amount)"),
        ("SELECT SUM(isLead) FROM employeeCrew WHERE isLead = 1", 'SUM(CAST("isLead" AS INT)) FROM'),
        ("SELECT id FROM employeeCrew WHERE isLead IN (0, 1)", '"isLead" IN (FALSE, TRUE)'),
        ("SELECT id FROM crew WHERE formedOn LIKE '2025-%'", """CAST("formedOn" AS TEXT) LIKE '2025-%'"""),
        ("SELECT ROUND(amount / 3, 2) FROM workOrder", "ROUND(CAST(amount * 1.0 / 3 AS DECIMAL), 2)"),
        ("SELECT id FROM crew FETCH FIRST 3 ROWS ONLY", "SELECT id FROM crew LIMIT 3"),
        ("SELECT DISTINCT ON (crewId) crewId FROM workOrder", 'DISTINCT ON ("crewId") "crewId"'),
        ("SELECT id FROM crew WHERE formedOn > NOW() - INTERVAL '3 months'", "INTERVAL '3 MONTHS'"),
    ],
)
def test_sql_of_other_databases_is_rewritten_for_postgresql(sql: str, written: str) -> None:
    assert written in passed(sql, "postgres").sql


def test_a_group_by_a_key_is_completed(reader: Any) -> None:
    sql = "SELECT c.*, COUNT(w.id) AS n FROM crew c JOIN workOrder w ON w.crewId = c.id GROUP BY c.id ORDER BY c.name"
    found = sample_guard("postgres").check(sql)
    assert isinstance(found, Checked)
    grouped = found.sql.split("GROUP BY ")[1].split(" ORDER BY")[0]
    assert grouped.startswith('c.id, c."companyId", c.name')
    assert "w." not in grouped
    assert complaint(reader, sql) is None
