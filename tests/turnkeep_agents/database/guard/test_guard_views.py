"""Tables with a secure view are read only through it."""

import pytest
from guarded import codes, message, passed

from turnkeep_agents.database.guard.guard import Guard, Refused
from turnkeep_agents.database.joins.records import Column, JoinGraph, Table


def test_a_table_is_read_through_its_view_and_keeps_its_name() -> None:
    found = passed("SELECT employee.email FROM employee")
    assert found.sql == "SELECT employee.email FROM secure_employee AS employee LIMIT 101"


def test_the_view_itself_may_be_named() -> None:
    found = passed("SELECT secure_employee.email FROM secure_employee")
    assert found.sql == "SELECT secure_employee.email FROM secure_employee LIMIT 101"
    assert found.tables == ("employee",)


def test_a_common_table_expression_with_the_name_of_a_table_stays_what_it_is() -> None:
    found = passed("WITH employee AS (SELECT 7 AS n) SELECT employee.n FROM employee")
    assert found.sql == "WITH cte_employee AS (SELECT 7 AS n) SELECT employee.n FROM cte_employee AS employee LIMIT 101"
    assert found.tables == ()


def test_a_recursion_that_only_sqlite_sees_is_none() -> None:
    """On SQLite a common table expression that names itself recurs without the keyword."""
    found = passed("WITH crew AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM crew) SELECT id FROM crew")
    assert "FROM crew)" in found.sql
    assert found.sql.startswith("WITH cte_crew AS")


def test_names_that_only_look_alike_do_not_shadow() -> None:
    """The Kelvin sign is a small k for Python and another letter for the database."""
    found = passed('WITH "wor\u212aorder" AS (SELECT 1 AS id) SELECT title FROM workOrder')
    assert "FROM secure_workorder" in found.sql


@pytest.mark.parametrize(
    ("name", "real"),
    [("secure_crew", "crew"), ("SECURE_CUSTOMER", "customer"), ("secure_employeeCrew", "employeeCrew")],
)
def test_an_invented_view_is_refused_with_the_real_name(name: str, real: str) -> None:
    assert codes(f"SELECT id FROM {name}") == ["secure_view"]
    assert f"'{real}'" in message(f"SELECT id FROM {name}")


def test_the_rows_of_a_view_have_no_number() -> None:
    assert codes("SELECT rowid FROM employee") == ["unknown_column"]
    assert codes("SELECT employee.rowid FROM employee") == ["unknown_column"]
    passed("SELECT customer.rowid FROM customer")


def test_a_table_named_like_a_view_is_refused() -> None:
    graph = JoinGraph({"secure_ledger": Table("secure_ledger", {"id": Column("id")})})
    found = Guard(graph, dialect="sqlite").check("SELECT id FROM secure_ledger")
    assert isinstance(found, Refused)
    assert [problem.code for problem in found.problems] == ["secure_view"]
