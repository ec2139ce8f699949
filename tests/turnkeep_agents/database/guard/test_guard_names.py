"""Tables and columns in every scope: what is written in their place, which are refused, and with which message. Tables
with a secure view are read only through it."""

from itertools import batched

import pytest
from guarded import DIALECTS, WORKSHOP, Dialect, codes, guard, message, passed, refused

from turnkeep_agents.database.guard.guard import Checked, Guard, Refused
from turnkeep_agents.database.joins.records import Column, JoinGraph, Table

# On SQLite a common table expression that names itself recurs without the keyword. The Kelvin sign is a small k for
# Python and another letter for the database.
WRITTEN = """
sqlite: SELECT employee.email FROM employee
        SELECT employee.email FROM secure_employee AS employee
sqlite: SELECT secure_employee.email FROM secure_employee
        SELECT secure_employee.email FROM secure_employee
sqlite: WITH employee AS (SELECT 7 AS n) SELECT employee.n FROM employee
        WITH cte_employee AS (SELECT 7 AS n) SELECT employee.n FROM cte_employee AS employee
sqlite: WITH crew AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM crew) SELECT id FROM crew
        WITH cte_crew AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM crew) SELECT id FROM cte_crew AS crew
sqlite: WITH "wor\u212aorder" AS (SELECT 1 AS id) SELECT title FROM workOrder
        WITH "wor\u212aorder" AS (SELECT 1 AS id) SELECT title FROM secure_workorder AS workOrder
sqlite: SELECT id FROM crew WHERE name = "Team A"
        SELECT id FROM crew WHERE name = 'Team A'
sqlite: SELECT id FROM [order]
        SELECT id FROM "order"
mysql: SELECT o.`due date` FROM `order` o
       SELECT o.`due date` FROM `order` AS o
mysql: SELECT W.TITLE FROM WORKORDER w JOIN CREW ON crew.ID = w.CREWID
       SELECT w.title FROM secure_workorder AS w JOIN crew ON crew.id = w.crewId
sqlite: (SELECT name FROM crew) UNION (SELECT name FROM customer)
        SELECT name FROM crew UNION SELECT name FROM customer
sqlite: SELECT id FROM crew UNION (SELECT id FROM customer ORDER BY id LIMIT 1)
        SELECT id FROM crew UNION SELECT * FROM (SELECT id FROM customer ORDER BY id LIMIT 1)
sqlite: SELECT id FROM crew UNION ((SELECT id FROM customer) EXCEPT (SELECT id FROM `order`))
        SELECT id FROM crew UNION SELECT * FROM (SELECT id FROM customer EXCEPT SELECT id FROM "order")
postgres: SELECT e.firstname FROM Employee e
          SELECT e."firstName" FROM secure_employee AS e
postgres: SELECT t.firstname FROM (SELECT firstName FROM employee) t ORDER BY FIRSTNAME
          SELECT t."firstName" FROM (SELECT "firstName" FROM secure_employee AS employee) AS t ORDER BY "firstName"
postgres: SELECT x.FN FROM (SELECT firstName AS "fN" FROM employee) x
          SELECT x."fN" FROM (SELECT "firstName" AS "fN" FROM secure_employee AS employee) AS x
postgres: SELECT WorkOrder.crewid FROM workOrder
          SELECT "workOrder"."crewId" FROM secure_workorder AS "workOrder"
postgres: SELECT c.id FROM crew c JOIN employeeCrew e USING (ID)
          SELECT c.id FROM crew AS c JOIN "employeeCrew" AS e USING (id)
"""


@pytest.mark.parametrize(("given", "written"), [*batched(WRITTEN.strip().splitlines(), 2, strict=True)])
def test_names_are_written_as_the_database_needs_them(given: str, written: str) -> None:
    dialect, _, sql = given.partition(": ")
    assert passed(sql, dialect).sql == f"{written.strip()} LIMIT 101"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT x.name FROM crew", "unknown_alias"),
        ("SELECT crew.name FROM crew c", "unknown_alias"),
        ("SELECT t.city FROM (SELECT name FROM customer) t", "unknown_column"),
        ("WITH big AS (SELECT name FROM crew) SELECT big.id FROM big", "unknown_column"),
        ("SELECT name FROM crew WHERE id IN (SELECT firstName FROM customer)", "unknown_column"),
        ("SELECT id FROM crew JOIN customer ON crew.id = customer.id", "ambiguous_column"),
        ("SELECT name AS n, n FROM crew", "unknown_column"),
        ("SELECT name FROM crew GROUP BY nothing", "unknown_column"),
        ("SELECT name FROM crew UNION SELECT name FROM customer ORDER BY city", "unknown_column"),
        ("SELECT name FROM crew, (SELECT crew.id FROM customer) t", "unknown_alias"),
        ("SELECT name FROM crew JOIN employeeCrew USING (crewId)", "unknown_column"),
        ("SELECT name FROM crew WHERE COUNT(*) > 1", "misuse"),
        ("SELECT MAX(COUNT(*)) FROM crew", "misuse"),
        ("SELECT a.x FROM later a, (SELECT 1 AS x) AS later", "unknown_table"),
        ("SELECT crew.name FROM crew JOIN employee ON crew.id = employee.hiredOn", "types"),
        ("SELECT id FROM SECURE_CUSTOMER", "secure_view"),
        ("SELECT employee.rowid FROM employee", "unknown_column"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_out_of_scope_are_refused(sql: str, code: str, dialect: Dialect) -> None:
    assert codes(sql, dialect)[0] == code


def test_only_a_table_without_a_view_has_row_numbers() -> None:
    assert codes("SELECT rowid FROM employee") == ["unknown_column"]
    passed("SELECT customer.rowid FROM customer")


@pytest.mark.parametrize(
    "rest",
    [
        '"a b" FROM crew', 'id FROM crew WHERE "a b" = name', 'id FROM customer WHERE city = "nam"',
        'id FROM customer WHERE city = "isLead"',
    ],
)  # fmt: skip
def test_double_quotes_are_a_text_only_in_a_comparison_and_unlike_a_column(rest: str) -> None:
    assert codes(f"SELECT {rest}") == ["unknown_column"]


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT amount * 2 AS twice FROM workOrder WHERE twice > 5", "unknown_column"),
        (
            "SELECT crew.name FROM crew JOIN employeeCrew ON employeeCrew.employeeId = customer.employeeId"
            " JOIN customer ON customer.id = crew.id",
            "unknown_alias",
        ),
    ],
)
def test_mysql_sees_no_result_names_in_where_and_no_later_table_in_a_join(sql: str, code: str) -> None:
    passed(sql, "sqlite")
    assert codes(sql, "mysql") == [code]


# Messages


def test_an_unknown_name_is_reported_with_where_it_exists_and_similar_names() -> None:
    assert message("SELECT crew.isLead FROM crew") == (
        "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available columns in crew: "
        "id, name, workOrderId, formedOn."
    )
    reason = "Table 'employes' does NOT exist. Did you mean: employee, employeeCrew?"
    assert message("SELECT id FROM employes") == reason


def test_a_long_list_of_columns_is_cut_at_the_setting() -> None:
    found = Guard(WORKSHOP, dialect="sqlite", max_columns=2).check("SELECT crew.isLead FROM crew")
    assert isinstance(found, Refused)
    assert "Available columns in crew: id, name, " in found.problems[0].message
    assert "formedOn" not in found.problems[0].message


def test_a_forbidden_table_looks_like_an_unknown_one() -> None:
    allowed = {"crew", "customer"}
    for name, unknown in (("employee", "employae"), ("secure_employee", "secure_employae")):
        reason = message(f"SELECT id FROM {name}", allowed=allowed)
        assert reason == message(f"SELECT id FROM {unknown}", allowed=allowed).replace(unknown, name)
    assert "employeeCrew" not in message("SELECT isLead FROM crew", allowed={"crew"})


def test_an_invented_view_is_refused_with_the_real_name() -> None:
    assert "'employeeCrew'" in message("SELECT id FROM secure_employeeCrew")
    graph = JoinGraph({"secure_ledger": Table("secure_ledger", {"id": Column("id")})})
    found = Guard(graph, dialect="sqlite").check("SELECT id FROM secure_ledger")
    assert isinstance(found, Refused)
    assert [problem.code for problem in found.problems] == ["secure_view"]


def test_all_problems_are_reported_together_up_to_a_limit() -> None:
    found = refused("SELECT " + ", ".join(f"nothing{number}" for number in range(50)) + " FROM crew").problems
    assert 2 <= len(found) <= 8


def test_tables_columns_and_joins_are_reported_by_logical_names() -> None:
    found = passed(
        "SELECT e.firstName, c.* FROM secure_employee e JOIN employeeCrew x ON e.id = x.employeeId"
        " JOIN crew c ON x.crewId = c.id"
    )
    assert found.tables == ("employee", "employeeCrew", "crew")
    assert found.columns == (
        "employee.id", "employeeCrew.employeeId", "employeeCrew.crewId", "crew.id", "employee.firstName", "crew.*"
    )  # fmt: skip
    assert found.joins == ("employee.id = employeeCrew.employeeId", "employeeCrew.crewId = crew.id")
    assert passed("WITH employee AS (SELECT 7 AS n) SELECT employee.n FROM employee").tables == ()


def test_name_checks_can_be_left_to_the_database() -> None:
    loose = guard(checks_names=False)
    found = loose.check("SELECT e.nothing FROM employee e")
    assert isinstance(found, Checked)
    assert "secure_employee AS e" in found.sql
    assert not isinstance(loose.check("SELECT nothing FROM nowhere"), Checked)
    assert not isinstance(loose.check("SELECT name FROM crew", allowed=set()), Checked)
