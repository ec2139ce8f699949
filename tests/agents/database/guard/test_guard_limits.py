"""Rows of a page, and sizes that would cost more than an answer is worth."""

import time

import pytest
from guarded import DIALECTS, Dialect, benign, codes, guard, passed, sample_guard

from turnkeep.agents.database.guard.guard import Checked


@pytest.mark.parametrize(
    ("sql", "offset", "end"),
    [
        ("SELECT name FROM crew", 0, " FROM crew LIMIT 101"),
        ("SELECT name FROM crew", 200, " LIMIT 101 OFFSET 200"),
        ("SELECT name FROM crew LIMIT 5", 0, " LIMIT 5"),
        ("SELECT name FROM crew LIMIT 100", 0, " LIMIT 100"),
        ("SELECT name FROM crew LIMIT 5000", 0, " LIMIT 101"),
        ("SELECT name FROM crew LIMIT 150", 100, " LIMIT 50 OFFSET 100"),
        ("SELECT name FROM crew LIMIT 5", 100, " LIMIT 0 OFFSET 100"),
        ("SELECT name FROM crew LIMIT 500 OFFSET 7", 100, " LIMIT 101 OFFSET 107"),
        ("SELECT name FROM crew LIMIT 7, 20", 0, " LIMIT 20 OFFSET 7"),
        ("SELECT name FROM crew UNION SELECT name FROM customer", 0, " FROM customer LIMIT 101"),
        ("SELECT name FROM crew UNION SELECT name FROM customer LIMIT 3", 0, " FROM customer LIMIT 3"),
        ("WITH c AS (SELECT name FROM crew LIMIT 9000) SELECT name FROM c", 0, " FROM c LIMIT 101"),
        ("((SELECT name FROM crew))", 0, " FROM crew LIMIT 101"),
        ("SELECT name FROM crew LIMIT 0", 0, " LIMIT 0"),
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


def test_the_number_of_rows_is_the_guards() -> None:
    found = guard(max_rows=3).check("SELECT name FROM crew")
    assert isinstance(found, Checked)
    assert found.sql.endswith("LIMIT 4")


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
def test_the_size_of_a_statement_costs_no_time(sql: str, dialect: Dialect) -> None:
    start = time.process_time()
    guard(dialect).check(sql)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT REPEAT('a', 1000000)", "mysql"),
        ("SELECT REPEAT('a', id) FROM crew", "mysql"),
        ("SELECT SPACE(1000000)", "mysql"),
        ("SELECT RPAD('a', 1000000, 'b')", "mysql"),
        ("SELECT name FROM crew WHERE name REGEXP '(a+)+$'", "mysql"),
        ("SELECT name FROM crew WHERE name REGEXP name", "mysql"),
        ("SELECT name FROM crew WHERE name LIKE '%a%a%a%a%a%a%a%a%a%a%a%b'", "sqlite"),
        ("SELECT " + "REPLACE(" * 6 + "name" + ", 'a', 'aaaaaaaaaaaaaaaaaaaa')" * 6 + " FROM crew", "sqlite"),
    ],
)
def test_what_grows_without_bound_is_refused(sql: str, dialect: Dialect) -> None:
    assert codes(sql, dialect) == ["cost"]


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT REPEAT('-', 20), LPAD(id, 6, '0') FROM crew", "mysql"),
        ("SELECT name FROM crew WHERE name REGEXP '^[A-M].*x$'", "mysql"),
        ("SELECT REPLACE(REPLACE(name, ' ', ''), '-', '') FROM crew WHERE name LIKE '%north%crew%'", "sqlite"),
    ],
)
def test_what_stays_small_is_not(sql: str, dialect: Dialect) -> None:
    passed(sql, dialect)


def test_a_check_takes_milliseconds() -> None:
    queries = benign("sqlite")
    check = sample_guard("sqlite").check
    start = time.process_time()
    for sql in queries:
        check(sql)
    assert (time.process_time() - start) / len(queries) < 0.02


@pytest.mark.parametrize(
    "sql", ["WITH hush AS (SELECT 1) GRANT ALL ON hush TO hush", "SELECT hush FROM", "SELECT hush FROM crew WHERE ("]
)
def test_no_log_holds_a_word_of_the_statement(sql: str, caplog: pytest.LogCaptureFixture) -> None:
    codes(sql)
    assert "hush" not in caplog.text


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        (";", "empty"),
        ("SELECT 1; SELECT 2", "statements"),
        ("DROP TABLE crew", "not_select"),
        ("SELECT name FROM crew FOR UPDATE", "lock"),
        ("SELECT /*+ x */ name FROM crew", "hint"),
        ("SELECT name FROM crew WHERE name = @x", "variable"),
        ("WITH RECURSIVE n AS (SELECT 1 AS x) SELECT x FROM n", "recursive"),
        ("SELECT name FROM crew NATURAL JOIN customer", "natural"),
        ("SELECT name FROM shop.crew", "qualified"),
        ("SELECT * FROM information_schema.tables", "qualified"),
        ("SELECT * FROM sqlite_master", "catalog"),
        ("SELECT LOAD_FILE('x')", "function"),
        ("SELECT name\x00 FROM crew", "characters"),
        ("SELECT n\u0430me\uff1b FROM crew", "characters"),
    ],
)
def test_a_refusal_says_what_kind_it_is(sql: str, code: str) -> None:
    assert codes(sql, "mysql")[0] == code
