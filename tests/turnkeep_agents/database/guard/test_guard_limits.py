"""Rows of a page, and limits of size and cost."""

import sqlite3
from collections.abc import Mapping

import pytest
from guarded import DIALECTS, WORKSHOP, Dialect, codes, guard, passed

from turnkeep_agents.database.guard import limits
from turnkeep_agents.database.guard.guard import Checked, Guard
from turnkeep_agents.database.security.sqlite import LIMITS


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


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT REPEAT('a', 1000000)", "mysql"),
        ("SELECT REPEAT('a', id) FROM crew", "mysql"),
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


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("", "empty"),
        ("SELECT 1; SELECT 2", "statements"),
        ("DROP TABLE crew", "not_select"),
        ("SELECT name FROM crew FOR UPDATE", "lock"),
        ("SELECT /*+ x */ name FROM crew", "hint"),
        ("SELECT name FROM crew WHERE name = @x", "variable"),
        ("WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT x FROM n", "recursive"),
        ("SELECT name FROM crew NATURAL JOIN customer", "natural"),
        ("SELECT name FROM shop.crew", "qualified"),
        ("SELECT * FROM information_schema.tables", "qualified"),
        ("SELECT * FROM sqlite_master", "catalog"),
        ("SELECT LOAD_FILE('x')", "function"),
        ("SELECT name\x00 FROM crew", "characters"),
        ("SELECT n\u0430me\uff1b FROM crew", "characters"),
    ],
)
def test_a_refusal_has_a_code(sql: str, code: str) -> None:
    assert codes(sql, "mysql")[0] == code


# SQLite's own limits


def conditions(condition: str, word: str = " OR ", number: int = 1) -> str:
    return word.join([condition] * number)


SHAPES = {
    "comparisons": lambda number: f"SELECT id FROM crew WHERE {conditions('id = 1', number=number)}",
    "with a table": lambda number: f"SELECT c.id FROM crew c WHERE {conditions('c.id = 1', number=number)}",
    "negated": lambda number: f"SELECT id FROM crew WHERE {conditions('id NOT BETWEEN 1 AND 2', ' AND ', number)}",
    "texts": lambda number: f"SELECT {conditions('name', ' || ', number)} FROM crew",
    "a sum": lambda number: f"SELECT SUM(CASE WHEN {conditions('id = 1', number=number)} THEN 1 END) FROM crew",
    "an inner query": lambda number: (
        f"SELECT id FROM crew WHERE id IN (SELECT id FROM crew WHERE {conditions('id = 1', number=number)})"
    ),
    "a join": lambda number: (
        f"SELECT 1 FROM crew c JOIN customer o ON o.id = c.id AND ({conditions('c.id = 1', number=number)})"
    ),
    "arguments": lambda number: f"SELECT MAX({conditions('id', ', ', number + 1)}) FROM crew",
    "a union": lambda number: conditions("SELECT id FROM crew", " UNION ", number),
    "a pattern": lambda number: f"SELECT id FROM crew WHERE name LIKE '{'x' * number}'",
}


def test_the_limits_are_those_of_row_level_security() -> None:
    assert LIMITS[sqlite3.SQLITE_LIMIT_EXPR_DEPTH] == limits.DEEPEST_EXPRESSION
    assert LIMITS[sqlite3.SQLITE_LIMIT_FUNCTION_ARG] == limits.MOST_ARGUMENTS
    assert LIMITS[sqlite3.SQLITE_LIMIT_COMPOUND_SELECT] == limits.MOST_SELECTS
    assert LIMITS[sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH] == limits.LONGEST_PATTERN_BYTES


@pytest.mark.parametrize("shape", SHAPES)
def test_the_limits_match_those_of_sqlite(shape: str) -> None:
    walled, plain = tables_within(LIMITS), Guard(WORKSHOP, dialect="sqlite")
    accepted, readable = 0, 0
    for number in (*range(18, 23), *range(46, 53), *range(96, 103)):
        sql = SHAPES[shape](number)
        found = plain.check(sql)
        if isinstance(found, Checked):
            walled.execute(found.sql).fetchall()
            accepted = number
        else:
            assert found.problems[0].code in {"too_deep", "cost"}
        readable = number if is_readable(walled, sql) else readable
    assert accepted in {readable, readable - 1}


def tables_within(bounds: Mapping[int, int]) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE crew (id INTEGER, name TEXT)")
    database.execute("INSERT INTO crew VALUES (1, 'x')")
    database.execute("CREATE TABLE customer (id INTEGER, name TEXT)")
    for limit, most in bounds.items():
        database.setlimit(limit, most)
    return database


def is_readable(database: sqlite3.Connection, sql: str) -> bool:
    try:
        database.execute(sql).fetchall()
    except sqlite3.Error:
        return False
    return True


def test_mariadb_has_no_such_limits() -> None:
    passed(f"SELECT id FROM crew WHERE {conditions('id = 1', number=150)}", "mysql")
