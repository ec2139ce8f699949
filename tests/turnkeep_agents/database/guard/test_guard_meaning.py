"""Guarded SQL returns the values that Python's fractions and dates give for the same rows, on three databases."""

import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from operator import sub, truediv
from typing import Any

import pytest
from guarded import DIALECTS, Dialect
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mariadb import Server
from postgres import PostgresServer
from turnkeep_agents.database.guard.guard import Checked, Guard, Refused
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Table

type Run = Callable[[str], list[tuple[Any, ...]]]
type Value = Fraction | None

KINDS: dict[str, tuple[Kind, str]] = {
    "id": ("integer", "INTEGER"), "grp": ("text", "VARCHAR(9)"), "qty": ("integer", "INTEGER"),
    "price": ("number", "DECIMAL(10, 2)"), "placed": ("datetime", "TIMESTAMP NULL"), "due": ("date", "DATE"),
    "noted": ("text", "VARCHAR(30)"),
}  # fmt: skip
PLACED = JoinGraph({"orders": Table("orders", {name: Column(name, *kind) for name, kind in KINDS.items()})})
START = date(2025, 1, 1)
COLUMNS = ", ".join(f"{name} {spelt}" for name, (_, spelt) in KINDS.items())


@dataclass(frozen=True)
class Row:
    """`price` in hundredths."""

    grp: str
    qty: int
    price: int
    placed: datetime
    due: date


def _rows() -> list[Row]:
    draw = random.Random(20250107)

    def row() -> Row:
        grp, qty, price = draw.choice("abc"), draw.randint(1, 9), draw.choice([1000, 250, 999, 1, 300])
        midnight = datetime.combine(START, datetime.min.time())
        placed = midnight + timedelta(days=draw.randint(0, 9), seconds=draw.choice([0, 1, 36_000, 86_399]))
        return Row(grp, qty, price, placed, START + timedelta(days=draw.randint(0, 9)))

    return [row() for _ in range(30)]


ROWS = _rows()


def _filled() -> list[str]:
    lines = [
        f"({at}, '{row.grp}', {row.qty}, {row.price // 100}.{row.price % 100:02}, '{row.placed}', '{row.due}',"
        f" '{row.placed}')"
        for at, row in enumerate(ROWS)
    ]
    return [f"CREATE TABLE orders ({COLUMNS})", f"INSERT INTO orders VALUES {', '.join(lines)}"]


@pytest.fixture(scope="module")
def runs(mariadb_server: Server, postgres_server: PostgresServer) -> Iterator[dict[Dialect, Run]]:
    mariadb_server.run("CREATE DATABASE meaning")
    postgres_server.run("CREATE DATABASE meaning")
    with (
        closing(sqlite3.connect(":memory:")) as lite,
        closing(mariadb_server.connect("meaning")) as maria,
        closing(postgres_server.connect("meaning")) as postgres,
    ):
        found: dict[Dialect, Run] = {"sqlite": _run(lite), "mysql": _run(maria), "postgres": _run(postgres)}
        for statement in _filled():
            for run in found.values():
                run(statement)
        found["mysql"]("SET div_precision_increment = 10")
        yield found
    mariadb_server.run("DROP DATABASE meaning")
    postgres_server.run("DROP DATABASE meaning WITH (FORCE)")


def _run(connection: Any) -> Run:
    def run(sql: str) -> list[tuple[Any, ...]]:
        with closing(connection.cursor()) as cursor:
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()] if cursor.description else []

    return run


def checked(sql: str, dialect: Dialect) -> Checked | Refused:
    by = Guard(PLACED, dialect=dialect)
    found = by.check(sql)
    again = repair(sql, found, PLACED, dialect) if isinstance(found, Refused) else None
    return by.check(again) if again else found


def answer(runs: dict[Dialect, Run], sql: str, dialect: Dialect) -> Any:
    found = checked(sql, dialect)
    assert isinstance(found, Checked), (sql, found)
    again = Guard(PLACED, dialect=dialect).check(found.sql)
    assert isinstance(again, Checked)
    assert again.sql == found.sql
    return runs[dialect](found.sql)


# Random aggregates


@dataclass(frozen=True)
class Sum:
    """SQL, and its value for the rows of a group."""

    sql: str
    of: Callable[[Sequence[Row]], Value]


@dataclass(frozen=True)
class Condition:
    sql: str
    holds: Callable[[Row], bool]


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    one, other = sorted(START + timedelta(days=draw(st.integers(0, 9))) for _ in range(2))
    on: dict[str, Callable[[date, Row], bool]] = {
        f"placed <= '{one}'": lambda day, _: day <= one,
        f"'{one}' >= placed": lambda day, _: day <= one,
        f"placed > '{one}'": lambda day, _: day > one,
        f"placed < '{one}'": lambda day, _: day < one,
        f"placed = '{one}'": lambda day, _: day == one,
        f"placed <> '{one}'": lambda day, _: day != one,
        f"placed IN ('{one}', '{other}')": lambda day, _: day in (one, other),
        f"placed NOT IN ('{one}', '{other}')": lambda day, _: day not in (one, other),
        f"placed BETWEEN '{one}' AND '{other}'": lambda day, _: one <= day <= other,
        f"placed NOT BETWEEN '{one}' AND '{other}'": lambda day, _: not one <= day <= other,
        f"placed <= '{one} 23:59:59'": lambda day, _: day <= one,
        f"DATE(placed) <= '{one}'": lambda day, _: day <= one,
        f"noted <= '{one}'": lambda day, _: day <= one,
        f"noted = '{one}'": lambda day, _: day == one,
        "placed <= due": lambda day, row: day <= row.due,
        "placed = due": lambda day, row: day == row.due,
        f"'{one}' BETWEEN placed AND due": lambda day, row: day <= one <= row.due,
        f"due BETWEEN placed AND '{other}'": lambda day, row: day <= row.due <= other,
        "qty > 4": lambda _, row: row.qty > 4,
        "price / qty > 1": lambda _, row: Fraction(row.price, 100) / row.qty > 1,
    }
    sql = draw(st.sampled_from(list(on)))
    return Condition(sql, lambda row: on[sql](row.placed.date(), row))


_cells: dict[str, Callable[[Row], Fraction]] = {
    "qty": lambda row: Fraction(row.qty),
    "price": lambda row: Fraction(row.price, 100),
    "qty * price": lambda row: row.qty * Fraction(row.price, 100),
    "qty / 4": lambda row: Fraction(row.qty, 4),
    "price / qty": lambda row: Fraction(row.price, 100) / row.qty,
    "CAST(qty AS DECIMAL(10, 2)) / 7": lambda row: Fraction(row.qty, 7),
    "CAST(price AS DECIMAL)": lambda row: Fraction(row.price, 100),
    "1 / 8": lambda _: Fraction(1, 8),
}


@st.composite
def sums(draw: st.DrawFn, depth: int = 2) -> Sum:
    kind = draw(st.sampled_from(["sum", "avg", "max", "count", "share", "ratio", "ratio", "percent", "cast", "less"]))
    if depth and kind in ("ratio", "percent", "cast", "less"):
        return _compound(kind, draw(sums(depth - 1)), draw(sums(depth - 1)))
    cell = draw(st.sampled_from(sorted(_cells)))
    value = _cells[cell]
    if kind == "share":
        when = draw(conditions())
        sql = f"SUM(CASE WHEN {when.sql} THEN 1 ELSE 0 END)"
        return Sum(sql, lambda rows: Fraction(sum(map(when.holds, rows))) if rows else None)
    if kind == "avg":
        return Sum(f"AVG({cell})", lambda rows: Fraction(sum(map(value, rows))) / len(rows) if rows else None)
    if kind == "max":
        return Sum(f"MAX({cell})", lambda rows: max(map(value, rows), default=None))
    if kind == "sum":
        return Sum(f"SUM({cell})", lambda rows: Fraction(sum(map(value, rows))) if rows else None)
    return Sum("COUNT(*)", lambda rows: Fraction(len(rows)))


def _compound(kind: str, one: Sum, other: Sum) -> Sum:
    sql, reckon = {
        "cast": (f"CAST({one.sql} AS DECIMAL) / ({other.sql})", truediv),
        "less": (f"({one.sql} - {other.sql})", sub),
        "percent": (f"(100 * ({one.sql}) / ({other.sql}))", lambda left, right: 100 * left / right),
        "ratio": (f"(({one.sql}) / ({other.sql}))", truediv),
    }[kind]

    def of(rows: Sequence[Row]) -> Value:
        left, right = one.of(rows), other.of(rows)
        return None if left is None or right is None else reckon(left, right)

    return Sum(sql, of)


def assert_near(given: Any, exact: Value, places: int | None) -> None:
    if exact is None:
        assert given is None
        return
    most = Fraction(1, 2 * 10**places) if places is not None else 0
    assert abs(Fraction(given) - exact) <= most + Fraction(1, 10**6) * max(1, abs(exact)), (given, float(exact))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sums(), st.one_of(st.none(), conditions()), st.sampled_from(["", "grouped", "nested"]),
    st.sampled_from([None, 0, 1, 2]),
)  # fmt: skip
def test_aggregates_equal_fractions_on_three_databases(
    runs: dict[Dialect, Run], figure: Sum, where: Condition | None, shape: str, places: int | None
) -> None:
    kept = [row for row in ROWS if where is None or where.holds(row)]
    groups = {name: [row for row in kept if row.grp == name] for name in sorted({row.grp for row in kept})}
    source = f"FROM orders{f' WHERE {where.sql}' if where else ''}"
    rounded = f"ROUND({figure.sql}, {places})" if places is not None else figure.sql
    try:
        whole, each = figure.of(kept), {name: figure.of(rows) for name, rows in groups.items()}
    except ZeroDivisionError:
        assume(False)
    for dialect in DIALECTS:
        if shape == "":
            ((value,),) = answer(runs, f"SELECT {rounded} {source}", dialect)
            assert_near(value, whole, places)
        elif shape == "grouped":
            found = answer(runs, f"SELECT grp, {rounded} AS n {source} GROUP BY grp ORDER BY grp", dialect)
            assert [name for name, _ in found] == list(each)
            for name, value in found:
                assert_near(value, each[name], places)
        else:
            inner = f"SELECT grp, {figure.sql} AS n, MAX(placed) AS latest {source} GROUP BY grp"
            outer = f"SELECT SUM(x.n) / COUNT(*) FROM ({inner}) x WHERE x.latest <= '2025-01-31'"
            ((value,),) = answer(runs, outer, dialect)
            assert_near(value, sum(each.values(), Fraction()) / len(each) if each else None, None)  # type: ignore[arg-type]


# The findings, and their neighbours


EARLY = sum(row.placed.date() <= date(2025, 1, 7) for row in ROWS)
MANY = sum(row.qty > 4 for row in ROWS)
SHARE = Fraction(MANY, len(ROWS))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SUM(CASE WHEN qty > 4 THEN 1 ELSE 0 END)::decimal / COUNT(*)", SHARE),
        ("SUM(CASE WHEN qty > 4 THEN 1 ELSE 0 END)::float / COUNT(*)", SHARE),
        ("MAX(qty) / (SELECT COUNT(*) FROM orders)", Fraction(max(row.qty for row in ROWS), len(ROWS))),
        ("COUNT(CASE WHEN placed <= DATE '2025-01-07' THEN 1 END)", Fraction(EARLY)),
        ("COUNT(CASE WHEN placed <= CURRENT_DATE THEN 1 END)", Fraction(len(ROWS))),
        ("MAX(qty / 4 * 4)", Fraction(max(row.qty for row in ROWS) // 4 * 4)),
    ],
)  # fmt: skip
def test_a_figure_has_the_intended_value(runs: dict[Dialect, Run], sql: str, value: Fraction, dialect: Dialect) -> None:
    if isinstance(checked(f"SELECT {sql} FROM orders", dialect), Refused):
        assert dialect == "sqlite", "only SQLite has no DATE '...'"
        return
    if dialect == "mysql" and "/ 4 * 4" in sql:
        return  # where a quotient has always kept its fraction
    ((found,),) = answer(runs, f"SELECT {sql} FROM orders", dialect)
    assert_near(found, value, None)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("figure", ["100 * SUM(qty) / COUNT(*)", "IF(COUNT(*) > 0, 100 * SUM(qty) / COUNT(*), 0)"])
def test_a_share_in_a_text_keeps_its_places(runs: dict[Dialect, Run], figure: str, dialect: Dialect) -> None:
    ((found,),) = answer(runs, f"SELECT CONCAT(ROUND({figure}, 1), '%') AS share FROM orders", dialect)
    assert_near(found.removesuffix("%"), Fraction(100 * sum(row.qty for row in ROWS), len(ROWS)), 1)


def test_an_interval_is_divided_as_before(runs: dict[Dialect, Run]) -> None:
    ((found,),) = answer(runs, "SELECT (MAX(placed) - MIN(placed)) / 2 FROM orders", "postgres")
    assert found == (max(row.placed for row in ROWS) - min(row.placed for row in ROWS)) / 2


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("condition", "rows"),
    [("grp || '-' || grp = 'a-a'", "a"), ("grp LIKE '%' || 'b' || '%'", "b"), ("grp = 'a' OR 'c' || grp = 'cc'", "ac")],
)
def test_bars_join_texts(runs: dict[Dialect, Run], condition: str, rows: str, dialect: Dialect) -> None:
    found = answer(runs, f"SELECT COUNT(*) FROM orders WHERE {condition}", dialect)
    assert found == [(sum(row.grp in rows for row in ROWS),)]


def test_bars_between_conditions_are_or_on_mariadb(runs: dict[Dialect, Run]) -> None:
    found = answer(runs, "SELECT COUNT(*) FROM orders WHERE grp = 'a' || (grp = 'b' || qty > 99)", "mysql")
    assert found == [(sum(row.grp in "ab" for row in ROWS),)]
    mixed = checked("SELECT grp || 'x' FROM orders WHERE grp = 'a' || grp = 'b'", "mysql")
    assert isinstance(mixed, Refused)
    assert "Write OR and CONCAT" in mixed.problems[0].message


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize(
    "expression",
    ["grp + ' ' + noted", "grp + noted", "grp & '-' & noted", "UPPER(grp) + noted", "'EUR' * qty", "grp = 'a' OR 'b'",
     "grp LIKE '%' + noted + '%'", "placed - '2025-01-01'", "placed - due", "CURRENT_DATE - 1", "(grp || noted) / 2"],
)  # fmt: skip
def test_no_text_becomes_a_number_or_a_condition(expression: str, dialect: Dialect) -> None:
    found = checked(f"SELECT {expression} FROM orders", dialect)
    assert isinstance(found, Refused)
    assert {problem.code for problem in found.problems} == {"text"}


def test_a_text_that_only_begins_with_a_day_is_not_a_date() -> None:
    found = checked("SELECT id FROM orders WHERE noted = '2025-01-07'", "sqlite")
    assert isinstance(found, Checked)
    assert "SUBSTRING(noted, 11, 1) IN ('', ' ', 'T')" in found.sql
