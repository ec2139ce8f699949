"""Tables and columns in every scope, messages about unknown ones, and joins."""

import pytest
from guarded import DIALECTS, VIEWS, WORKSHOP, Dialect, codes, guard, message, passed, refused

from turnkeep_agents.database.guard.guard import Checked, Guard, Refused


def test_an_unknown_column_is_reported_with_where_it_exists() -> None:
    reason = message("SELECT crew.isLead FROM crew")
    assert reason.startswith("Column 'crew.isLead' does NOT exist in table 'crew'.")
    assert "Found in: employeeCrew." in reason
    assert reason.endswith("Available columns in crew: id, name, workOrderId, formedOn.")


def test_a_long_list_of_columns_is_cut_at_the_setting() -> None:
    found = Guard(WORKSHOP, dialect="sqlite", max_columns=2).check("SELECT crew.isLead FROM crew")
    assert isinstance(found, Refused)
    assert "Available columns in crew: id, name, " in found.problems[0].message
    assert "formedOn" not in found.problems[0].message


def test_an_unknown_table_is_reported_with_similar_names() -> None:
    assert (
        message("SELECT id FROM employes") == "Table 'employes' does NOT exist. Did you mean: employee, employeeCrew?"
    )


def test_a_forbidden_table_looks_like_an_unknown_one() -> None:
    allowed = {"crew", "customer"}
    reason = message("SELECT id FROM employee", allowed=allowed)
    assert reason == message("SELECT id FROM employae", allowed=allowed).replace("employae", "employee")
    reason = message("SELECT id FROM secure_employee", allowed=allowed)
    assert reason == message("SELECT id FROM secure_employae", allowed=allowed).replace("employae", "employee")


def test_suggestions_name_nothing_that_is_not_allowed() -> None:
    reason = message("SELECT isLead FROM crew", allowed={"crew"})
    assert "employeeCrew" not in reason


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
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_out_of_scope_are_refused(sql: str, code: str, dialect: Dialect) -> None:
    assert codes(sql, dialect)[0] == code


def test_all_problems_are_reported_together_up_to_a_limit() -> None:
    found = refused("SELECT " + ", ".join(f"nothing{number}" for number in range(50)) + " FROM crew").problems
    assert 2 <= len(found) <= 8


def test_mysql_sees_no_result_names_in_where() -> None:
    sql = "SELECT amount * 2 AS twice FROM workOrder WHERE twice > 5"
    passed(sql, "sqlite")
    assert codes(sql, "mysql") == ["unknown_column"]


def test_mysql_conditions_see_no_later_table() -> None:
    sql = (
        "SELECT crew.name FROM crew JOIN employeeCrew ON employeeCrew.employeeId = customer.employeeId"
        " JOIN customer ON customer.id = crew.id"
    )
    passed(sql, "sqlite")
    assert codes(sql, "mysql") == ["unknown_alias"]


def test_double_quotes_are_a_text_only_in_a_comparison() -> None:
    found = passed('SELECT name FROM customer WHERE city = "Bergamo Alta"')
    assert "city = 'Bergamo Alta'" in found.sql
    assert codes('SELECT "Bergamo Alta" FROM customer') == ["unknown_column"]
    assert codes('SELECT name FROM customer WHERE "Bergamo Alta" = city') == ["unknown_column"]


def test_double_quotes_around_a_near_column_are_a_mistake() -> None:
    assert codes('SELECT name FROM customer WHERE city = "nam"') == ["unknown_column"]
    assert codes('SELECT name FROM customer WHERE city = "isLead"') == ["unknown_column"]


def test_names_come_out_as_the_database_spells_them() -> None:
    found = passed("SELECT W.TITLE FROM WORKORDER w JOIN CREW ON crew.ID = w.CREWID", "mysql")
    assert found.sql.startswith("SELECT w.title FROM secure_workorder AS w JOIN crew ON crew.id = w.crewId")


def test_names_that_need_quotes_get_them() -> None:
    assert 'FROM "order" LIMIT' in passed("SELECT id FROM [order]").sql
    assert "FROM `order` AS o" in passed("SELECT o.`due date` FROM `order` o", "mysql").sql


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


def test_a_join_of_a_number_with_a_date_is_refused() -> None:
    sql = "SELECT crew.name FROM crew JOIN employee ON crew.id = employee.hiredOn"
    assert codes(sql) == ["types"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM crew, customer, workOrder",
        "SELECT 1 FROM crew JOIN customer ON 1 = 1 JOIN workOrder ON TRUE",
        "SELECT 1 FROM crew a JOIN crew b ON a.id <> b.id JOIN crew c ON b.id <> c.id",
        "SELECT 1 FROM crew a JOIN crew b ON a.id = b.id OR 1 = 1 JOIN crew c ON a.id = c.id OR TRUE",
    ],
)
def test_three_tables_that_nothing_connects_are_refused(sql: str) -> None:
    assert codes(sql) == ["cartesian"]
    passed("SELECT 1 FROM crew, customer")


def test_name_checks_can_be_left_to_the_database() -> None:
    loose = guard(checks_names=False)
    found = loose.check("SELECT e.nothing FROM employee e")
    assert isinstance(found, Checked)
    assert "secure_employee AS e" in found.sql
    assert not isinstance(loose.check("SELECT nothing FROM nowhere"), Checked)
    assert not isinstance(loose.check("SELECT name FROM crew", allowed=set()), Checked)


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        (
            "(SELECT name FROM crew) UNION (SELECT name FROM customer)",
            "SELECT name FROM crew UNION SELECT name FROM customer",
        ),
        (
            "SELECT id FROM crew UNION (SELECT id FROM customer ORDER BY id LIMIT 1)",
            "SELECT id FROM crew UNION SELECT * FROM (SELECT id FROM customer ORDER BY id LIMIT 1)",
        ),
        (
            "SELECT id FROM crew UNION ((SELECT id FROM customer) EXCEPT (SELECT id FROM `order`))",
            "SELECT id FROM crew UNION SELECT * FROM (SELECT id FROM customer EXCEPT SELECT id FROM `order`)".replace(
                "`", '"'
            ),
        ),
    ],
)
def test_brackets_around_union_queries_are_removed_for_sqlite(sql: str, written: str) -> None:
    assert passed(sql, "sqlite").sql == f"{written} LIMIT 101"


def test_postgres_names_are_quoted_to_keep_their_case() -> None:
    found = Guard(WORKSHOP, dialect="postgres", views=VIEWS).check("SELECT e.firstname FROM Employee e")
    assert isinstance(found, Checked)
    assert found.sql == 'SELECT e."firstName" FROM secure_employee AS e LIMIT 101'
