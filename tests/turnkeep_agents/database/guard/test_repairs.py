"""Repairs of refused SQL: the guard accepts each result."""

import pytest
from guarded import WORKSHOP, Dialect, guard

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


def test_curly_quotes_are_made_straight() -> None:
    assert (
        mended("SELECT name FROM crew WHERE name = \u2018North\u2019") == "SELECT name FROM crew WHERE name = 'North'"
    )


@pytest.mark.parametrize("text", ["'Women's team'", "'Women\\'s team'"])
def test_an_apostrophe_inside_a_text_is_doubled(text: str) -> None:
    assert mended(f"SELECT name FROM crew WHERE name = {text}").endswith("name = 'Women''s team'")


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
    ],
)
def test_no_name_becomes_another(sql: str) -> None:
    found = guard().check(sql)
    assert isinstance(found, Refused)
    assert repair(sql, found, WORKSHOP, "sqlite") is None


def test_the_default_schema_is_left_out() -> None:
    assert mended("SELECT name FROM main.crew") == "SELECT name FROM crew"


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


@pytest.mark.parametrize(
    ("sql", "written", "dialect"),
    [
        ("SELECT id FROM order", 'SELECT id FROM "order"', "sqlite"),
        ("SELECT id FROM order", "SELECT id FROM `order`", "mysql"),
        ("SELECT o.due date FROM `order` o", "SELECT o.`due date` FROM `order` AS o", "mysql"),
    ],
)
def test_reserved_names_are_quoted(sql: str, written: str, dialect: Dialect) -> None:
    found = guard(dialect).check(sql)
    if isinstance(found, Refused):
        assert mended(sql, dialect) == written
