import sqlite3
from collections.abc import Iterator

import pytest
from sqlalchemy import Integer, Numeric, Table

from sample_on_mariadb import DATABASE, DAY, SampleServer
from turnkeep_agents.database.sample.access import CANARY_TENANT
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.wall.database import Database, QueryFailed, open_databases
from turnkeep.records import Principal
from turnkeep_agents.database.settings import DatabaseSettings

OURS, CANARY = Principal("acme", "ann"), Principal(CANARY_TENANT, "ben")


@pytest.fixture(scope="module")
def database(sample_server: SampleServer) -> Database:
    return open_databases(DatabaseSettings(**sample_server.tuning))(DAY)


def measures(table: Table) -> Iterator[str]:
    """What both databases reckon alike: how many rows, sums of figures, how often there is anything else."""
    yield "COUNT(*)"
    for column in table.columns:
        name = f"`{column.name}`"
        is_figure = isinstance(column.type, Numeric | Integer)
        yield f"SUM(CAST(ROUND({name} * 100) AS DECIMAL(20)))" if is_figure else f"COUNT({name})"


def test_every_table_holds_the_same_on_mariadb_and_sqlite(
    sample_server: SampleServer, sample: sqlite3.Connection
) -> None:
    for table in metadata.tables.values():
        sql = f"SELECT {', '.join(measures(table))} FROM `{table.name}`"
        (there,), (here,) = sample_server.server.run(sql, database=DATABASE), sample.execute(sql).fetchall()
        assert [None if value is None else float(value) for value in there] == [*here], table.name


def test_a_tenant_sees_the_rows_of_its_company_in_clear(database: Database) -> None:
    sql = "SELECT name FROM secure_customer"
    ours, canary = database.run(sql, OURS), database.run(sql, CANARY)
    assert len(ours.rows) == 100
    assert not any(CANARY_TENANT in str(name) for (name,) in ours.rows)
    assert all(str(name).startswith(f"{CANARY_TENANT} ") for (name,) in canary.rows)


@pytest.mark.parametrize("table", ["employee", "apiKey", "secure_usercredential"])
def test_tables_behind_the_wall_cannot_be_read(database: Database, table: str) -> None:
    with pytest.raises(QueryFailed):
        database.run(f"SELECT * FROM {table}", OURS)
