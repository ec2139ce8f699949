"""The sample on MariaDB and PostgreSQL holds what it holds in SQLite, and shows it through the same wall."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from opened_sample import SAMPLE_DAY

from sample_on_mariadb import DATABASE, DAY
from sample_on_postgres import DAY as DAY_ON_POSTGRES
from turnkeep.records import Principal
from turnkeep_agents.database.security.database import Database, QueryFailed, open_databases
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_demo.database.field_service import CANARY_TENANT

OURS, CANARY = Principal("acme", "ann"), Principal(CANARY_TENANT, "ben")
FIGURES = ("INTEGER", "NUMERIC")


def measures(columns: list[tuple[Any, ...]], quote: str, figure: str) -> Iterator[str]:
    """What all databases reckon alike: how many rows, sums of figures, how often there is anything else."""
    yield "COUNT(*)"
    for _, name, kind, *_ in columns:
        named = f"{quote}{name}{quote}"
        yield f"SUM(CAST(ROUND({named} * 100.0) AS {figure}))" if kind.startswith(FIGURES) else f"COUNT({named})"


@pytest.fixture(params=["sample_server", "sample_on_postgres"])
def server(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


@pytest.fixture
def database(server: Any) -> Database:
    return open_databases(DatabaseSettings(**server.tuning))(SAMPLE_DAY)


def test_every_table_holds_the_same_on_a_server_and_in_sqlite(server: Any, sample: sqlite3.Connection) -> None:
    assert DAY == DAY_ON_POSTGRES == SAMPLE_DAY
    quote, figure = ("`", "DECIMAL(20)") if "mysql" in server.url else ('"', "BIGINT")
    tables = sample.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'wall%'").fetchall()
    with closing(server.server.connect(DATABASE)) as connection, connection.cursor() as cursor:
        for (name,) in tables:
            columns = sample.execute(f'PRAGMA table_info("{name}")').fetchall()
            sql = f"SELECT {', '.join(measures(columns, quote, figure))} FROM {quote}{name}{quote}"
            cursor.execute(sql)
            there, here = cursor.fetchone(), sample.execute(sql).fetchone()
            assert [None if value is None else float(value) for value in there] == [*here], name


def test_a_tenant_sees_the_rows_of_its_company_in_clear(database: Database, sample: sqlite3.Connection) -> None:
    sql = "SELECT name FROM secure_customer"
    ours, canary = database.run(sql, OURS), database.run(sql, CANARY)
    assert len(ours.rows) == 100
    assert not any(CANARY_TENANT in str(name) for (name,) in ours.rows)
    assert all(str(name).startswith(f"{CANARY_TENANT} ") for (name,) in canary.rows)
    quote = '"' if database.dialect == "postgres" else ""
    sql = "SELECT {0}id{0}, {1}, {2} FROM {3} WHERE {0}companyId{0} = 1 ORDER BY {0}id{0} LIMIT 50"
    names = [f"{quote}{name}{quote}" for name in ("firstName", "lastName")]
    assert [*database.run(sql.format(quote, *names, "secure_employee"), OURS).rows] == [
        *sample.execute(sql.format("", "SHOWN(firstName)", "SHOWN(lastName)", "employee"))
    ]


@pytest.mark.parametrize("table", ["employee", "apiKey", "secure_usercredential"])
def test_tables_behind_the_wall_cannot_be_read(database: Database, table: str) -> None:
    with pytest.raises(QueryFailed):
        database.run(f"SELECT * FROM {table}", OURS)
