"""Tables and columns in every scope, what is said of unknown ones, and joins."""

import pytest
from guarded import DIALECTS, VIEWS, WORKSHOP, Dialect, codes, guard, message, passed, refused

from turnkeep_agents.database.guard.guard import Checked, Guard, Refused


def test_an_unknown_column_is_told_where_it_is_found_and_what_there_is() -> None:
    told = message("SELECT crew.isLead FROM crew")
    assert told.startswith("Column 'crew.isLead' does NOT exist in table 'crew'.")
    assert "Found in: employeeCrew." in told
    assert told.endswith("Available columns in crew: id, name, workOrderId, formedOn.")


def test_a_long_list_of_columns_is_cut_where_the_setting_says() -> None:
    found = Guard(WORKSHOP, dialect="sqlite", max_columns=2).check("SELECT crew.isLead FROM crew")
    assert isinstance(found, Refused)
    assert "Available columns in crew: id, name, " in found.problems[0].message
    assert "formedOn" not in found.problems[0].message


def test_an_alias_is_told_by_the_name_of_its_table() -> None:
    assert "'crew.isLead'" in message("SELECT c.isLead FROM crew c")


def test_an_unknown_table_is_told_with_names_like_it() -> None:
    assert (
        message("SELECT id FROM employes") == "Table 'employes' does NOT exist. Did you mean: employee, employeeCrew?"
    )


def test_a_table_that_is_not_allowed_is_told_like_an_unknown_one() -> None:
    allowed = {"crew", "customer"}
    told = message("SELECT id FROM employee", allowed=allowed)
    assert told == message("SELECT id FROM employae", allowed=allowed).replace("employae", "employee")
    told = message("SELECT id FROM secure_employee", allowed=allowed)
    assert told == message("SELECT id FROM secure_employae", allowed=allowed).replace("employae", "employee")


def test_suggestions_name_nothing_that_is_not_allowed() -> None:
    told = message("SELECT isLead FROM crew", allowed={"crew"})
    assert "employeeCrew" not in told


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT e.firstName FROM employee e WHERE EXISTS (SELECT 1 FROM customer c WHERE c.employeeId = e.id)",
        "SELECT name FROM crew WHERE id IN (SELECT crewId FROM workOrder WHERE crewId = crew.id)",
        "WITH big AS (SELECT crewId, SUM(amount) AS total FROM workOrder GROUP BY crewId) SELECT total FROM big",
        "WITH big (k, v) AS (SELECT crewId, amount FROM workOrder) SELECT b.v FROM big b WHERE b.k = 1",
        "SELECT t.n FROM (SELECT COUNT(*) AS n FROM crew) t",
        "SELECT t.name FROM (SELECT * FROM crew) t",
        "SELECT t.name FROM (SELECT c.*, e.isLead FROM crew c JOIN employeeCrew e ON e.crewId = c.id) t",
        "SELECT status AS s FROM workOrder GROUP BY s HAVING COUNT(*) > 1 ORDER BY s",
        "SELECT name FROM crew UNION SELECT name FROM customer ORDER BY name",
        "SELECT NAME FROM CREW",
        "SELECT (SELECT MAX(c.formedOn) FROM crew c WHERE c.id = w.crewId) FROM workOrder w",
        "SELECT name FROM crew c JOIN employeeCrew e ON c.id = e.crewId",
        "SELECT customerId FROM `order` ORDER BY `due date`",
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_are_found_in_their_scope(sql: str, dialect: Dialect) -> None:
    passed(sql.replace("`", '"') if dialect == "postgres" else sql, dialect)


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


def test_all_problems_are_told_at_once_and_not_without_end() -> None:
    found = refused("SELECT " + ", ".join(f"nothing{number}" for number in range(50)) + " FROM crew").problems
    assert 2 <= len(found) <= 8


def test_in_where_mysql_knows_no_names_of_the_result_and_sqlite_does() -> None:
    sql = "SELECT amount * 2 AS twice FROM workOrder WHERE twice > 5"
    passed(sql, "sqlite")
    assert codes(sql, "mysql") == ["unknown_column"]


def test_a_condition_in_mysql_sees_no_table_that_is_joined_later() -> None:
    sql = (
        "SELECT crew.name FROM crew JOIN employeeCrew ON employeeCrew.employeeId = customer.employeeId"
        " JOIN customer ON customer.id = crew.id"
    )
    passed(sql, "sqlite")
    assert codes(sql, "mysql") == ["unknown_alias"]


def test_double_quotes_in_sqlite_hold_a_text_only_where_a_column_is_compared_with_it() -> None:
    found = passed('SELECT name FROM customer WHERE city = "Bergamo Alta"')
    assert "city = 'Bergamo Alta'" in found.sql
    assert codes('SELECT "Bergamo Alta" FROM customer') == ["unknown_column"]
    assert codes('SELECT name FROM customer WHERE "Bergamo Alta" = city') == ["unknown_column"]


def test_double_quotes_around_what_may_have_been_a_column_are_a_mistake() -> None:
    assert codes('SELECT name FROM customer WHERE city = "nam"') == ["unknown_column"]
    assert codes('SELECT name FROM customer WHERE city = "isLead"') == ["unknown_column"]


def test_names_come_out_as_the_database_spells_them() -> None:
    found = passed("SELECT W.TITLE FROM WORKORDER w JOIN CREW ON crew.ID = w.CREWID", "mysql")
    assert found.sql.startswith("SELECT w.title FROM secure_workorder AS w JOIN crew ON crew.id = w.crewId")


def test_names_that_need_quotes_get_them() -> None:
    assert 'FROM "order" LIMIT' in passed("SELECT id FROM [order]").sql
    assert "FROM `order` AS o" in passed("SELECT o.`due date` FROM `order` o", "mysql").sql


def test_what_was_read_is_told_by_logical_names() -> None:
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


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM crew c, workOrder w, employeeCrew e WHERE c.id = w.crewId AND e.crewId = c.id",
        "SELECT a.n FROM (SELECT COUNT(*) AS n FROM crew) a, (SELECT COUNT(*) FROM customer) b, (SELECT 1) c",
        "SELECT 1 FROM crew a JOIN workOrder b ON (a.id = b.crewId OR a.workOrderId = b.id) JOIN customer c USING (id)",
    ],
)
def test_tables_that_hang_together_in_other_ways_are_not(sql: str) -> None:
    passed(sql)


def test_without_the_check_of_names_columns_are_left_to_the_database_and_tables_are_not() -> None:
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
def test_brackets_around_the_queries_of_a_union_go_where_sqlite_has_none(sql: str, written: str) -> None:
    assert passed(sql, "sqlite").sql == f"{written} LIMIT 101"


def test_postgres_gets_quotes_where_it_would_lose_the_case() -> None:
    found = Guard(WORKSHOP, dialect="postgres", views=VIEWS).check("SELECT e.firstname FROM Employee e")
    assert isinstance(found, Checked)
    assert found.sql == 'SELECT e."firstName" FROM secure_employee AS e LIMIT 101'
