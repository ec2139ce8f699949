"""Guarded SQL returns the same rows as the original, on a real SQLite and a real MariaDB."""

import re
from collections.abc import Iterator
from contextlib import closing

import fair
import pytest
from fair import Ask, OwnDialect, Trial, guard_of, running, selected, tried
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mariadb import Server
from postgres import PostgresServer
from turnkeep_agents.database.guard.guard import Refused
from turnkeep_agents.database.guard.repairs import repair

# runs as it was meant and not as this database would read it: see test_guard_meaning
SETTLED = re.compile(r"/|\|\||AS (DECIMAL|NUMERIC)|sold (>|BETWEEN)")


@pytest.fixture(scope="session")
def on_sqlite() -> Iterator[Ask]:
    with closing(fair.sqlite_shop()) as shop:
        yield fair.asking(shop)


@pytest.fixture(scope="session")
def on_mariadb(mariadb_server: Server) -> Iterator[Ask]:
    mariadb_server.run("CREATE DATABASE fair CHARACTER SET utf8mb4")
    mariadb_server.run(*fair.FILLED, database="fair")
    with closing(mariadb_server.connect("fair")) as connection:
        yield fair.asking(connection)
    mariadb_server.run("DROP DATABASE fair")


# Statements


def test_mariadb_returns_the_same_rows(on_mariadb: Ask) -> None:
    found = list(tried(on_mariadb, "mysql", sqls=fair.statements()))
    assert len(found) > 600
    assert [(each.sql, each.ran) for each in unlike(found)] == []


def test_sqlite_returns_the_same_rows(on_sqlite: Ask) -> None:
    """CAST('2024-01-31' AS DATE) is 2024 on SQLite, and SIGNED is not an integer: both are refused, then repaired."""
    found = list(tried(on_sqlite, "sqlite", sqls=fair.statements()))
    assert len(found) > 600
    others = unlike(found)
    assert [(each.sql, each.ran) for each in others if not each.is_repaired] == []
    assert [each.sql for each in others if not re.search(r"AS (DATE|TIME|SIGNED)", each.sql)] == []
    assert others


def test_postgresql_returns_the_same_rows(postgres_server: PostgresServer) -> None:
    """LOG10 and DATE_PART of a float are rewritten to return a decimal."""
    postgres_server.run("CREATE DATABASE fair")
    postgres_server.run(*fair.FOLDED, database="fair")
    with closing(postgres_server.connect("fair")) as connection:
        connection.autocommit = True
        found = list(tried(fair.asking(connection), "postgres", sqls=fair.statements(), repairs=False))
    postgres_server.run("DROP DATABASE fair WITH (FORCE)")
    assert len(found) > 450
    assert [(each.sql, each.ran) for each in unlike(found) if "LOG10" not in each.sql] == []


def unlike(trials: list[Trial]) -> list[Trial]:
    return [each for each in trials if not each.is_alike and not SETTLED.search(each.sql)]


# Any order of operators

VALUES = [
    "qty", "name", "price", "id", "1", "0", "NULL", "-3", "2.5", "1e2", "'a'", "'Apple'", "'2'", "parent", "code",
    "made", "(qty)", "(parent = 1)", "CASE WHEN qty THEN 1 END", "ABS(qty)", "TRUE",
    "EXISTS (SELECT 1 FROM sale WHERE itemId = item.id)",
]  # fmt: skip
SIGNS = [
    "+", "-", "*", "%", "=", "<>", "!=", "<", "<=", ">", ">=", "AND", "OR", "LIKE", "NOT LIKE", "&", "|", "||",
]  # fmt: skip
SAME = "DISTINCT FROM"
OF_SQLITE = ["==", "GLOB", "NOT GLOB", "IS", "IS NOT", f"IS {SAME}", f"IS NOT {SAME}", "->>"]
OF_MARIADB = ["/", "DIV", "MOD", "XOR", "<=>", "&&", "!= NOT"]
ENDINGS = [" IS NULL", " IS NOT NULL", " IS TRUE", " IS NOT FALSE", " ISNULL", " NOTNULL", " NOT NULL"]
BEGINNINGS = ["NOT ", "NOT ", "- ", "-", "+", "!"]


@st.composite
def chains(draw: st.DrawFn, signs: list[str]) -> str:
    """Values and operators in a row, with few brackets: precedence is the database's business."""
    text = draw(operands())
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["sign", "sign", "sign", "in", "between", "ending"]))
        no = draw(st.sampled_from(["", " NOT"]))
        if kind == "sign":
            text += f" {draw(st.sampled_from(signs))} {draw(operands())}"
        elif kind == "in":
            text += f"{no} IN ({draw(operands())}, {draw(operands())})"
        elif kind == "between":
            text += f"{no} BETWEEN {draw(operands())} AND {draw(operands())}"
        else:
            text += draw(st.sampled_from(ENDINGS))
    return f"({text})" if draw(st.integers(0, 5)) == 0 else text


@st.composite
def operands(draw: st.DrawFn) -> str:
    value = draw(st.sampled_from(VALUES))
    return draw(st.sampled_from(BEGINNINGS)) + value if draw(st.integers(0, 4)) == 0 else value


def assert_alike(ask: Ask, dialect: OwnDialect, expression: str) -> None:
    sqls = (selected(expression), f"SELECT id FROM item WHERE {expression} ORDER BY id")
    assert [(each.sql, each.ran) for each in tried(ask, dialect, sqls=sqls) if not each.is_alike] == []


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chains(SIGNS + OF_SQLITE))
def test_sqlite_reads_any_order_of_operators_as_it_was_written(on_sqlite: Ask, expression: str) -> None:
    assert_alike(on_sqlite, "sqlite", expression)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chains(SIGNS[:-1] + OF_MARIADB))
def test_mariadb_reads_any_order_of_operators_as_it_was_written(on_mariadb: Ask, expression: str) -> None:
    assert_alike(on_mariadb, "mysql", expression)


# Refusals


@pytest.mark.parametrize(
    ("expression", "dialect", "reason"),
    [
        ("1e3-1e3", "sqlite", "'1e3-1' can be read in two ways. Put blanks around its signs."),
        ("1e3-1e3", "mysql", "'1e3-1e3' can be read in two ways. Put blanks around its signs."),
        ("1_000", "sqlite", "Put a blank behind the number 1."),
        ("'a' 'b'", "mysql", "side. Join"),
        ("GREATEST(qty, 5)", "sqlite", "'ID , GREATEST ( QTY , 5 ) FROM ITEM' would be run as 'ID , MAX ( COALESCE"),
        ("CAST(made AS DATE)", "sqlite", "'ID , CAST ( MADE DATE ) FROM ITEM ORDER BY' would be run as 'ID , DATE ("),
        ("DATE_ADD(made, INTERVAL 1.5 DAY)", "mysql", "may not be the same. Write it in another way."),
        ("DATE(made, '+1 month')", "mysql", "The function DATE is not allowed, or mysql has none of that name."),
    ],
)
def test_a_refusal_shows_how_the_sql_would_be_read(expression: str, dialect: OwnDialect, reason: str) -> None:
    found = guard_of(dialect).check(selected(expression))
    assert isinstance(found, Refused)
    assert reason in found.problems[0].message


def test_a_repair_does_not_change_the_meaning() -> None:
    sql = "SELECT id, +code = 10 FROM items"
    found = guard_of("sqlite").check(sql)
    assert isinstance(found, Refused)
    assert repair(sql, found, fair.SHOP, "sqlite") is None


# What is foreign, in other words


@pytest.mark.parametrize(
    ("foreign", "values"),
    [
        ("GREATEST(qty, 5)", [10, 5, 5, None, 5, 10, 5]),
        ("LEAST(qty, 5)", [5, 3, 0, None, -7, 5, 2]),
        ("CONCAT(parent, '-', id)", [None, "1-2", "1-3", "2-4", "2-5", "3-6", "3-7"]),
    ],
)
def test_translated_functions_return_the_values_of_mariadb(foreign: str, values: list[object]) -> None:
    found = running(selected(foreign), "sqlite")
    assert found
    with closing(fair.sqlite_shop()) as shop:
        assert [row[1] for row in shop.execute(found)] == values


@pytest.mark.parametrize(
    ("foreign", "dialect"),
    [
        ("DATE_FORMAT(sold, CONCAT('%Y', '-%M'))", "sqlite"),
        ("STR_TO_DATE('31/01/2024', '%d/%m/%Y')", "sqlite"),
        ("TIMESTAMPDIFF(MONTH, made, sold)", "sqlite"),
        ("DATE_ADD('2024-01-31', INTERVAL 1 MONTH)", "sqlite"),
        ("JULIANDAY('now') - JULIANDAY(made)", "mysql"),
        ("WEEK(made)", "sqlite"),
        ("STRFTIME('%Y' || '-%M', sold)", "mysql"),
    ],
)
def test_functions_without_an_equivalent_are_not_translated(foreign: str, dialect: OwnDialect) -> None:
    assert running(selected(foreign), dialect) is None


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_a_comma_before_a_right_join_is_refused_where_it_binds_less(dialect: OwnDialect) -> None:
    sql = "SELECT 1 FROM item i, item j RIGHT JOIN sale s ON s.id = j.id"
    found = guard_of(dialect).check(sql)
    assert isinstance(found, Refused)
    assert found.problems[0].code == "meaning"
    assert running(sql, dialect) is None
    assert running(sql, "sqlite")


def test_postgresql_looks_for_a_name_inside_an_expression_in_the_tables_first() -> None:
    found = running("SELECT -qty AS qty FROM item ORDER BY qty + 0, qty", "postgres")
    assert found == "SELECT -qty AS qty FROM item ORDER BY qty + 0, qty LIMIT 10001"
