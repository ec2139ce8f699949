"""The sample on MariaDB and PostgreSQL holds what it holds in SQLite."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from opened_sample import SAMPLE_DAY

from sample_on_servers import DATABASE, DAY

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


def test_every_table_holds_the_same_on_a_server_and_in_sqlite(server: Any, sample: sqlite3.Connection) -> None:
    assert DAY == SAMPLE_DAY
    quote, figure = ("`", "DECIMAL(20)") if "mysql" in server.url else ('"', "BIGINT")
    tables = sample.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'wall%'").fetchall()
    with closing(server.server.connect(DATABASE)) as connection, connection.cursor() as cursor:
        for (name,) in tables:
            columns = sample.execute(f'PRAGMA table_info("{name}")').fetchall()
            sql = f"SELECT {', '.join(measures(columns, quote, figure))} FROM {quote}{name}{quote}"
            cursor.execute(sql)
            there, here = cursor.fetchone(), sample.execute(sql).fetchone()
            assert [None if value is None else float(value) for value in there] == [*here], name
