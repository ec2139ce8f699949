"""Tables with a secure view are read through it, whatever they are called and wherever they stand."""

import pytest
import sqlglot
from guarded import DIALECTS, VIEWS, Dialect, codes, message, passed
from sqlglot import exp

from turnkeep_agents.database.guard.guard import Guard, Refused
from turnkeep_agents.database.joins.records import Column, JoinGraph, Table


def test_a_table_is_read_through_its_view_and_keeps_its_name() -> None:
    found = passed("SELECT employee.email FROM employee")
    assert found.sql == "SELECT employee.email FROM secure_employee AS employee LIMIT 101"


def test_an_alias_stays() -> None:
    assert "FROM secure_employee AS e " in passed("SELECT e.email FROM employee e").sql


def test_the_view_itself_may_be_named() -> None:
    found = passed("SELECT secure_employee.email FROM secure_employee")
    assert found.sql == "SELECT secure_employee.email FROM secure_employee LIMIT 101"
    assert found.tables == ("employee",)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM crew WHERE id IN (SELECT id FROM employee)",
        "SELECT (SELECT MAX(email) FROM employee) FROM crew",
        "WITH e AS (SELECT email FROM employee) SELECT email FROM e",
        "SELECT email FROM (SELECT * FROM Employee) t",
        "SELECT name FROM crew UNION SELECT email FROM employee",
        "SELECT 1 FROM crew JOIN (employee JOIN employeeCrew ON employee.id = employeeId) ON crew.id = crewId",
        "SELECT name FROM crew ORDER BY (SELECT MAX(email) FROM employee)",
        "SELECT COUNT(*) FROM crew GROUP BY (SELECT MAX(id) FROM EMPLOYEE)",
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM employee) THEN 1 END FROM crew",
        "WITH employee AS (SELECT * FROM employee) SELECT * FROM employee",
        "WITH Employee AS (SELECT * FROM employee) SELECT * FROM EMPLOYEE JOIN workOrder ON TRUE",
        "SELECT 1 FROM (WITH employee AS (SELECT 1 AS id) SELECT id FROM employee) t, employee",
        "WITH secure_employee AS (SELECT email FROM employee) SELECT email FROM secure_employee",
        "WITH a AS (SELECT id FROM employee), employee AS (SELECT 2 AS id) SELECT * FROM employee, a",
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_place_in_a_query_reaches_the_table_itself(sql: str, dialect: Dialect) -> None:
    written = passed(sql, dialect).sql
    tables = {table.name.lower() for table in sqlglot.parse_one(written, read=dialect).find_all(exp.Table)}
    assert not tables & {name.lower() for name in VIEWS}
    assert "secure_employee" in tables


def test_a_common_table_expression_with_the_name_of_a_table_stays_what_it_is() -> None:
    found = passed("WITH employee AS (SELECT 7 AS n) SELECT employee.n FROM employee")
    assert found.sql == "WITH cte_employee AS (SELECT 7 AS n) SELECT employee.n FROM cte_employee AS employee LIMIT 101"
    assert found.tables == ()


def test_a_recursion_that_only_sqlite_sees_is_none() -> None:
    """There a common table expression that names itself recurs without the word."""
    found = passed("WITH crew AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM crew) SELECT id FROM crew")
    assert "FROM crew)" in found.sql
    assert found.sql.startswith("WITH cte_crew AS")


def test_names_that_only_look_alike_do_not_shadow() -> None:
    """The sign of Kelvin is a small k for Python and another letter for the database."""
    found = passed('WITH "wor\u212aorder" AS (SELECT 1 AS id) SELECT title FROM workOrder')
    assert "FROM secure_workorder" in found.sql


@pytest.mark.parametrize(
    ("name", "real"),
    [("secure_crew", "crew"), ("SECURE_CUSTOMER", "customer"), ("secure_employeeCrew", "employeeCrew")],
)
def test_a_view_that_nobody_made_is_refused_with_the_real_name(name: str, real: str) -> None:
    assert codes(f"SELECT id FROM {name}") == ["secure_view"]
    assert f"'{real}'" in message(f"SELECT id FROM {name}")


def test_the_rows_of_a_view_have_no_number() -> None:
    assert codes("SELECT rowid FROM employee") == ["unknown_column"]
    assert codes("SELECT employee.rowid FROM employee") == ["unknown_column"]
    passed("SELECT customer.rowid FROM customer")


def test_a_table_of_the_graph_that_is_called_like_a_view_is_none() -> None:
    """Only the map makes such names, whatever an introspection found."""
    graph = JoinGraph({"secure_ledger": Table("secure_ledger", {"id": Column("id")})})
    found = Guard(graph, dialect="sqlite").check("SELECT id FROM secure_ledger")
    assert isinstance(found, Refused)
    assert [problem.code for problem in found.problems] == ["secure_view"]
