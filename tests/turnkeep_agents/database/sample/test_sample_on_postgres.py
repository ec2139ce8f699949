import sqlite3
from collections.abc import Iterator

import pytest
from sqlalchemy import Integer, Numeric, Table

from sample_on_postgres import DATABASE, DAY, SampleOnPostgres
from turnkeep_agents.database.sample.access import CANARY_TENANT
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.wall.database import Database, QueryFailed, open_databases
from turnkeep.records import Principal
from turnkeep_agents.database.settings import DatabaseSettings

OURS, CANARY = Principal("acme", "ann"), Principal(CANARY_TENANT, "ben")


@pytest.fixture(scope="module")
def database(sample_on_postgres: SampleOnPostgres) -> Database:
    return open_databases(DatabaseSettings(**sample_on_postgres.tuning))(DAY)


def measures(table: Table) -> Iterator[str]:
    """What both databases reckon alike: how many rows, sums of figures, how often there is anything else."""
    yield "COUNT(*)"
    for column in table.columns:
        is_figure = isinstance(column.type, Numeric | Integer)
        yield f'SUM(CAST(ROUND("{column.name}" * 100.0) AS BIGINT))' if is_figure else f'COUNT("{column.name}")'


def test_every_table_holds_the_same_on_postgresql_and_sqlite(
    sample_on_postgres: SampleOnPostgres, sample: sqlite3.Connection
) -> None:
    for table in metadata.tables.values():
        sql = f'SELECT {", ".join(measures(table))} FROM "{table.name}"'
        (there,), (here,) = sample_on_postgres.server.run(sql, database=DATABASE), sample.execute(sql).fetchall()
        assert [None if value is None else float(value) for value in there] == [*here], table.name


def test_a_tenant_sees_the_rows_of_its_company_in_clear(database: Database, sample: sqlite3.Connection) -> None:
    ours, canary = (database.run("SELECT name FROM secure_customer", who) for who in (OURS, CANARY))
    assert len(ours.rows) == 100
    assert not any(CANARY_TENANT in str(name) for (name,) in ours.rows)
    assert all(str(name).startswith(f"{CANARY_TENANT} ") for (name,) in canary.rows)

    sql = 'SELECT "id", {0}("firstName"), {0}("lastName") FROM {1} WHERE "companyId" = 1 ORDER BY "id" LIMIT 50'
    assert [*database.run(sql.format("", "secure_employee"), OURS).rows] == [
        *sample.execute(sql.format("SHOWN", "employee"))
    ]


@pytest.mark.parametrize("table", ["employee", "public.employee", '"apiKey"', "secure_usercredential"])
def test_tables_behind_the_wall_cannot_be_read(database: Database, table: str) -> None:
    with pytest.raises(QueryFailed):
        database.run(f"SELECT * FROM {table}", OURS)
