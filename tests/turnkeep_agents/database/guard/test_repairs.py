"""Repairs of refused SQL: the guard accepts each result."""

from typing import Any

import pytest
from guarded import WORKSHOP, Dialect, guard, passed, refused

from turnkeep_agents.database.guard.guard import Checked, Refused
from turnkeep_agents.database.guard.repairs import repair


def mended(sql: str, dialect: Dialect = "sqlite") -> str:
    by = guard(dialect)
    found = by.check(sql)
    assert isinstance(found, Refused), found
    again = repair(sql, found, WORKSHOP, dialect)
    assert again is not None, found
    checked = by.check(again)
    assert isinstance(checked, Checked), (again, checked)
    return checked.sql.removesuffix(" LIMIT 101")


@pytest.mark.parametrize(
    "text",
    [
        "```sql\nSELECT name FROM crew\n```",
        "```SQLite\nSELECT name FROM crew;",
        "Here is the statement you need:\n\n```\nSELECT name FROM crew;\n```\nIt lists the crews.",
        "The crews are found with: SELECT name FROM crew; This lists their names.",
        "SELECT name FROM crew;\n\nThis lists the names of all crews.",
        "SELECT name FROM crew\n\nNote that the names are not sorted.",
        "SELECT\u00a0name\u200b FROM crew",
    ],
)
def test_sql_is_found_in_prose(text: str) -> None:
    assert mended(text) == "SELECT name FROM crew"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT first_name FROM employee",
        "SELECT w.title FROM work_orders w",
        "SELECT secure_crew.name FROM secure_crew",
        "SELECT cre.name FROM crew",
        "SELECT crew.name FROM crew WHERE crew.isLead = 1",
        "SELECT c.name FROM crew c JOIN employeeCrew x ON x.id = c.employeeCrewId",
        "SELECT name FROM crew JOIN customer ON crew.id = customer.id",
        "mysql: SELECT DATE('now', 'start of month') AS first_day FROM crew",
        "postgres: SELECT DATE('now', 'start of month') AS first_day FROM crew",
    ],
)
def test_no_name_becomes_another_and_no_argument_is_dropped(sql: str) -> None:
    *other, sql = sql.split(": ")
    dialect: Any = other[0] if other else "sqlite"
    assert repair(sql, refused(sql, dialect), WORKSHOP, dialect) is None


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("YEAR(formedOn)", "CAST(STRFTIME('%Y', formedOn) AS INTEGER)"),
        ("EXTRACT(MONTH FROM formedOn)", "CAST(STRFTIME('%m', formedOn) AS INTEGER)"),
        ("CONCAT(name, ' ', id)", "(name || ' ' || id)"),
        ("DIVIDE(SUM(id), COUNT(*))", "(CAST(SUM(id) AS REAL) / COUNT(*))"),
        ("SUBTRACT(id, workOrderId)", "(id - workOrderId)"),
        ("YEAR(NOW())", "CAST(STRFTIME('%Y', CURRENT_TIMESTAMP) AS INTEGER)"),
    ],
)  # fmt: skip
def test_functions_of_mysql_are_translated_for_sqlite(sql: str, written: str) -> None:
    assert mended(f"SELECT {sql} FROM crew") == f"SELECT {written} FROM crew"


NAMED = "SELECT name FROM crew WHERE name = "


@pytest.mark.parametrize(
    ("dialect", "sql", "written"),
    [
        ("sqlite", "SELECT name FROM main.crew", "SELECT name FROM crew"),
        ("sqlite", f"{NAMED}\u2018North\u2019", f"{NAMED}'North'"),
        ("sqlite", f"{NAMED}'Women's team'", f"{NAMED}'Women''s team'"),
        ("sqlite", f"{NAMED}'Women\\'s team'", f"{NAMED}'Women''s team'"),
        ("mysql", "SELECT o.due date FROM `order` o", "SELECT o.`due date` FROM `order` AS o"),
        ("postgres", "SELECT `firstName` FROM `employee`", 'SELECT "firstName" FROM secure_employee AS employee'),
    ],
)
def test_quotes_are_made_those_of_the_database(dialect: Dialect, sql: str, written: str) -> None:
    assert mended(sql, dialect) == written


@pytest.mark.parametrize(("dialect", "mark"), [("sqlite", '"'), ("mysql", "`")])
def test_a_reserved_name_needs_no_quotes(dialect: Dialect, mark: str) -> None:
    assert passed("SELECT id FROM order", dialect).sql == f"SELECT id FROM {mark}order{mark} LIMIT 101"
