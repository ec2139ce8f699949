"""Any question over the workshop gives what looking at every combination of rows gives, in SQLite, in MariaDB and in
PostgreSQL."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import brute
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp
from workshop import GRAPH, Rows, ask, sql_of, statements
from workshop_questions import filled_tables, questions

from mariadb import Server
from postgres import PostgresServer
from turnkeep_agents.database.guard.guard import Guard
from turnkeep_agents.database.guard.verdicts import Checked
from turnkeep_agents.database.reading.asked import Asked, Condition, Field
from turnkeep_agents.database.writing.dialects import Dialect

GUARDS = {dialect: Guard(GRAPH, dialect=dialect) for dialect in ("sqlite", "mysql", "postgres")}  # type: ignore[arg-type]


def plain(cell: Any) -> Any:
    return round(float(cell), 4) if isinstance(cell, float | int | Decimal) else cell


def tidy(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(map(plain, row)) for row in rows), key=repr)


@settings(max_examples=150, deadline=None)
@given(filled_tables(), questions())
def test_a_measure_is_what_every_combination_of_rows_makes_it(rows: Rows, asked: Asked) -> None:
    answered = ask(rows, asked)
    assert tidy(answered.rows) == tidy(brute.solve(rows, asked))
    assert len(set(answered.columns)) == len(answered.columns)


@settings(max_examples=60, deadline=None)
@given(filled_tables(), questions(), st.integers(1, 3), st.sampled_from(["descending", "ascending"]))
def test_the_first_of_many_groups_are_those_with_the_largest_or_smallest_measure(
    rows: Rows, asked: Asked, limit: int, order: Literal["descending", "ascending"]
) -> None:
    asked = replace(asked, grain=None, groups=asked.groups[:1] or (Field(asked.subject, "id"),), keep=None)
    answered = ask(rows, replace(asked, order=order, limit=limit))
    some = brute.solve(rows, replace(asked, keep=Condition(Field("", ""), "is_there")))
    none = brute.solve(rows, replace(asked, keep=Condition(Field("", ""), "is_missing")))
    expected = sorted((row[-1] for row in some), reverse=order == "descending") + [row[-1] for row in none]
    assert [plain(row[-1]) for row in answered.rows] == [plain(cell) for cell in expected[:limit]]


@settings(max_examples=150, deadline=None)
@given(questions(), st.sampled_from(["sqlite", "mysql", "postgres"]))
def test_the_sql_is_one_select_over_tables_of_the_graph_that_reads_back_as_it_is(
    asked: Asked, dialect: Dialect
) -> None:
    sql = sql_of(asked, dialect)
    [parsed] = sqlglot.parse(sql, read=dialect)
    assert isinstance(parsed, exp.Select)
    assert {table.name for table in parsed.find_all(exp.Table)} <= set(GRAPH.tables)
    assert parsed.sql(dialect) == sql


@settings(max_examples=100, deadline=None)
@given(questions(), st.sampled_from(["sqlite", "mysql", "postgres"]))
def test_the_guard_refuses_nothing_that_is_written(asked: Asked, dialect: Dialect) -> None:
    checked = GUARDS[dialect].check(sql_of(asked, dialect))
    assert isinstance(checked, Checked), checked


FIXED: Rows = {
    "crew": [
        {"id": key, "name": name, "city": city}
        for key, name, city in ((1, "North", "Ulm"), (2, "North", None), (3, None, "Ulm"))
    ],
    "employee": [
        {"id": key, "firstName": "Ann", "lastName": "Lee" if key < 3 else None, "city": city, "position": "technician",
         "isActive": key % 2, "rate": 10 * key, "supervisorId": boss, "hiredOn": "2026-04-05"}
        for key, city, boss in ((1, "Ulm", None), (2, "O'Hara%_!", 1), (3, None, 1))
    ],
    "employeeCrew": [{"id": at, "employeeId": one, "crewId": crew} for at, (one, crew) in
                     enumerate([(1, 1), (1, 1), (1, 2), (2, 2), (2, 3), (None, 3)], 1)],
    "customer": [{"id": 1, "name": "North", "city": "Ulm"}, {"id": 2, "name": None, "city": "Bonn"},
                 {"id": 3, "name": "North", "city": None}],
    "workOrder": [
        {"id": key, "number": f"A-{key}", "customerId": of, "assignedTo": to, "createdBy": by, "status": status,
         "total": total, "due": due}
        for key, of, to, by, status, total, due in (
            (1, 1, 1, 2, "open", 7, "2026-03-30 00:00:00"), (2, 1, 1, 2, "done", 7, "2026-04-05 23:59:59"),
            (3, 2, 2, 2, "open", 5, "2026-04-06 00:00:00"), (4, None, None, 3, None, None, None),
            (5, 2, 3, None, "done", 1, "2026-06-30 23:59:59"),
        )
    ],
    "invoice": [
        {"id": key, "workOrderId": of, "amount": amount, "issuedOn": day, "order": "x"}
        for key, of, amount, day in ((1, 1, 3, "2026-01-31"), (2, 1, 3, "2026-04-05"), (3, 3, 2, "2026-06-30"),
                                     (4, None, 2, "2026-04-06"), (5, 5, None, None))
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def workshop_in_mariadb(mariadb_server: Server) -> Iterator[Any]:
    mariadb_server.run("CREATE DATABASE workshop")
    with closing(mariadb_server.connect("workshop")) as connection, connection.cursor() as cursor:
        for statement, values in statements(FIXED, quote="`", mark="%s"):
            cursor.execute(statement, values)
        yield cursor
    mariadb_server.run("DROP DATABASE workshop")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(questions())
def test_mariadb_answers_as_every_combination_of_rows_does(workshop_in_mariadb: Any, asked: Asked) -> None:
    workshop_in_mariadb.execute(sql_of(asked, "mysql"))
    found = [tuple(str(cell) if isinstance(cell, date) else cell for cell in row) for row in workshop_in_mariadb]
    assert tidy(found) == tidy(brute.solve(FIXED, asked))


@pytest.fixture(scope="module")
def workshop_in_postgresql(postgres_server: PostgresServer) -> Iterator[Any]:
    postgres_server.run("CREATE DATABASE workshop")
    with closing(postgres_server.connect("workshop")) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DOMAIN datetime AS timestamp")
        people = [{**row, "isActive": bool(row["isActive"])} for row in FIXED["employee"]]
        for statement, values in statements({**FIXED, "employee": people}, mark="%s"):
            cursor.execute(statement.encode(), values)
        yield cursor
    postgres_server.run("DROP DATABASE workshop")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(questions())
def test_postgresql_answers_as_every_combination_of_rows_does(workshop_in_postgresql: Any, asked: Asked) -> None:
    checked = GUARDS["postgres"].check(sql_of(asked, "postgres"))
    assert isinstance(checked, Checked)
    workshop_in_postgresql.execute(checked.sql.encode())
    found = [tuple(str(cell) if isinstance(cell, date) else cell for cell in row) for row in workshop_in_postgresql]
    assert tidy(found) == tidy(brute.solve(FIXED, asked))
