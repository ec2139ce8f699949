"""Rows of a page, and limits of size and cost."""

import pytest
from guarded import DIALECTS, Dialect, codes, guard, passed


@pytest.mark.parametrize(
    ("sql", "offset", "end"),
    [
        ("SELECT name FROM crew", 0, " FROM crew LIMIT 101"),
        ("SELECT name FROM crew", 200, " LIMIT 101 OFFSET 200"),
        ("SELECT name FROM crew LIMIT 5", 0, " LIMIT 5"),
        ("SELECT name FROM crew LIMIT 5000", 0, " LIMIT 101"),
        ("SELECT name FROM crew LIMIT 150", 100, " LIMIT 50 OFFSET 100"),
        ("SELECT name FROM crew LIMIT 5", 100, " LIMIT 0 OFFSET 100"),
        ("SELECT name FROM crew LIMIT 500 OFFSET 7", 100, " LIMIT 101 OFFSET 107"),
        ("SELECT name FROM crew LIMIT 7, 20", 0, " LIMIT 20 OFFSET 7"),
        ("SELECT name FROM crew UNION SELECT name FROM customer LIMIT 3", 0, " FROM customer LIMIT 3"),
        ("WITH c AS (SELECT name FROM crew LIMIT 9000) SELECT name FROM c", 0, " FROM c LIMIT 101"),
        ("((SELECT name FROM crew))", 0, " FROM crew LIMIT 101"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_one_row_more_than_a_page_is_asked_for(sql: str, offset: int, end: str, dialect: Dialect) -> None:
    assert passed(sql, dialect, offset=offset).sql.endswith(end)


@pytest.mark.parametrize(
    "limit", ["-1", "1 + 1", "?", ":n", "@n", "(SELECT 5)", "'5'", "id", "NULL", "1.5", "1e3", "ALL"]
)
@pytest.mark.parametrize("sql", ["SELECT name FROM crew LIMIT {}", "SELECT 1 FROM (SELECT name FROM crew LIMIT {}) t"])
def test_a_limit_is_a_plain_number(sql: str, limit: str) -> None:
    assert codes(sql.format(limit))[0] in {"limit", "syntax", "variable", "characters"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 3_000 + "1" + ")" * 3_000,
        "SELECT " + "NOT " * 3_000 + "1",
        "SELECT " + "- " * 3_000 + "1",
        "SELECT " + "CASE WHEN 1 THEN " * 900 + "1" + " END" * 900,
        "SELECT * FROM " + "(SELECT * FROM " * 900 + "crew" + ") t" * 900,
        "SELECT * FROM crew " + "JOIN crew " * 900,
        "SELECT * FROM crew" + ", crew" * 900,
        "SELECT " + "ABS(" * 900 + "1" + ")" * 900,
        "SELECT 1 " + "UNION SELECT 1 " * 900,
        "SELECT " + "1 + " * 4_000 + "1",
        "SELECT a" + ".a" * 4_000,
        "SELECT a" + "[1]" * 2_000,
        "SELECT 1 WHERE " + "1 = 1 AND " * 1_900 + "1",
        "SELECT '" + "x" * 30_000 + "'",
        "(" * 5_000,
        "SELECT name FROM crew WHERE id IN (" + "1," * 9_000 + "1)",
        "SELECT " + "1 BETWEEN " * 1_500 + "1",
        "SELECT " + "x -> " * 1_500 + "1",
        "WITH " + "a AS (SELECT 1), " * 900 + "b AS (SELECT 1) SELECT 1",
        "SELECT " + "INTERVAL " * 1_500 + "1 DAY",
        "SELECT " + "CAST(" * 23 + "1" + " AS INT)" * 23,
        "SELECT * FROM " + "(" * 20 + "crew" + ")" * 20,
        "SELECT 1 IN " + "(SELECT 1 IN " * 20 + "(1)" + ")" * 20,
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.timeout(120)  # it would take minutes
def test_a_huge_statement_is_judged_quickly(sql: str, dialect: Dialect) -> None:
    guard(dialect).check(sql)


@pytest.mark.parametrize("condition", ["name REGEXP name", "REPEAT('a', id) = 'a'"])
def test_what_grows_without_bound_is_refused(condition: str) -> None:
    """The corpora of attacks contain more."""
    assert codes(f"SELECT name FROM crew WHERE {condition}", "mysql") == ["cost"]


@pytest.mark.parametrize(
    "sql",
    [
        "WITH hush AS (SELECT 1) GRANT ALL ON hush TO hush",
        "SELECT hush FROM",
        "SELECT hush FROM crew WHERE (",
        "SELECT JSON_EXTRACT(name, '$.hush[#-1]') FROM crew",
    ],
)
def test_logs_contain_no_sql(sql: str, caplog: pytest.LogCaptureFixture) -> None:
    guard().check(sql)
    assert "hush" not in caplog.text
