import re
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp
from workshop import FINDER, GRAPH, Rows, answer, ask, filled, sql_of, tree_of

from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table
from turnkeep_agents.database.joins.trees import JoinTree
from turnkeep_agents.database.reading.asked import EARLIEST, Absence, Asked, Condition, Field, Period
from turnkeep_agents.database.writing.dialects import Dialect
from turnkeep_agents.database.writing.steps import CannotWrite
from turnkeep_agents.database.writing.writer import write_sql

DIALECTS: list[Dialect] = ["sqlite", "mysql", "postgres"]
CANCELLED = Condition(Field("workOrder", "status"), "is", ("cancelled",))
LAST = Field("employee", "lastName")


def person(key: int, last: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": key, "firstName": f"F{key}", "lastName": last or f"L{key}", **more}


def order(key: int, **more: Any) -> dict[str, Any]:
    return {"id": key, "number": f"A-{key}", **more}


SHOP: Rows = {
    "customer": [{"id": 1, "name": "Acme", "city": "Ulm"}, {"id": 2, "name": "Zeta", "city": None}],
    "employee": [
        person(1, "Lee", isActive=1, rate=30, hiredOn="2025-01-01"),
        person(2, "Poe", isActive=0, supervisorId=1, hiredOn="2026-05-04"),
        person(3, "lee", isActive=1, rate=10, supervisorId=1, hiredOn="2026-05-05"),
    ],
    "crew": [{"id": 1, "name": "North"}, {"id": 2, "name": "South"}],
    "employeeCrew": [
        {"id": 1, "employeeId": 1, "crewId": 1},
        {"id": 2, "employeeId": 1, "crewId": 1},
        {"id": 3, "employeeId": 2, "crewId": 2},
    ],
    "workOrder": [
        order(1, customerId=1, assignedTo=1, createdBy=2, status="open", total=5, due="2026-05-31 23:59:59"),
        order(2, customerId=1, assignedTo=2, createdBy=2, status="done", total=None, due="2026-06-01 00:00:00"),
        order(3, customerId=None, assignedTo=None, createdBy=1, status=None, total=9, due=None),
    ],
    "invoice": [{"id": 1, "workOrderId": 1, "amount": 4, "issuedOn": "2026-05-01"}],
}


def first_column(asked: Asked, *more: str) -> list[Any]:
    return first_column_of(SHOP, asked, *more)


def first_column_of(rows: Rows, asked: Asked, *more: str) -> list[Any]:
    return [row[0] for row in ask(rows, asked, *more).rows]


def test_the_main_columns_are_shown_with_names_in_place_of_keys_and_without_audits() -> None:
    answered = ask(SHOP, Asked("workOrder"))
    assert answered.columns == (
        "number", "customer", "assigned_to_first_name", "assigned_to_last_name", "status", "due", "total",
    )  # fmt: skip
    assert answered.rows[0] == ("A-1", "Acme", "F1", "Lee", "open", "2026-05-31 23:59:59", 5)


def test_rows_without_what_is_shown_beside_them_stay() -> None:
    assert first_column(Asked("workOrder")) == ["A-1", "A-2", "A-3"]


def test_names_of_tables_that_may_not_be_read_are_not_joined() -> None:
    asked = Asked("workOrder")
    sql = write_sql(asked, tree_of(asked), GRAPH, "sqlite", allowed={"workOrder", "customer"})
    assert "employee" not in sql
    assert "customer.name" in sql


def test_what_is_asked_for_is_shown_after_what_the_row_is_called() -> None:
    assert ask(SHOP, Asked("customer", shown=(Field("customer", "city"),))).columns == ("name", "city")
    assert ask(SHOP, Asked("customer", shown=(Field("customer", "name"),))).columns == ("name",)


def test_a_link_that_the_question_names_is_the_one_that_is_joined() -> None:
    shown = (Field("workOrder", "number"), *(replace(LAST, via=via) for via in ("assignedTo", "createdBy")))
    answered = ask(SHOP, Asked("workOrder", shown=shown))
    assert answered.columns == ("number", "assigned_to_last_name", "created_by_last_name")
    assert answered.rows == [("A-1", "Lee", "Poe"), ("A-2", "Poe", "Poe"), ("A-3", None, "Lee")]


def test_a_table_is_joined_to_itself_under_the_name_of_the_link() -> None:
    sql = sql_of(Asked("employee", shown=(LAST, replace(LAST, via="supervisorId"))))
    assert "employee AS supervisor" in sql
    assert answer(filled(SHOP), sql).rows == [("Lee", None), ("Poe", "Lee"), ("lee", "Lee")]


def test_rows_that_a_bridge_repeats_are_shown_once() -> None:
    answered = ask(SHOP, Asked("employee", shown=(LAST, Field("crew", "name"))))
    assert answered.rows == [("Lee", "North"), ("Poe", "South"), ("lee", None)]


def test_rows_of_namesakes_are_not_merged() -> None:
    rows: Rows = {"employee": [person(1, "Lee", firstName="Ann"), person(2, "Lee", firstName="Ann")]}
    assert len(ask(rows, Asked("employee", shown=(LAST,))).rows) == 2
    assert len(ask(rows, Asked("employee", shown=(LAST,), is_distinct=True)).rows) == 1


def test_rows_by_groups_are_sorted_by_them() -> None:
    answered = ask(SHOP, Asked("employee", shown=(LAST,), groups=(Field("crew", "name"),)))
    assert answered.columns == ("crew", "last_name")
    assert [row[0] for row in answered.rows] == ["North", "South", None]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("direction", ["descending", "ascending"])
def test_missing_values_come_last_whichever_way_rows_are_sorted(dialect: Dialect, direction: Any) -> None:
    asked = Asked("workOrder", order=direction, order_by=Field("workOrder", "total"), limit=3)
    sql = sql_of(asked, dialect)
    if dialect == "sqlite":
        numbers = [row[0] for row in answer(filled(SHOP), sql).rows]
        assert numbers == (["A-3", "A-1", "A-2"] if direction == "descending" else ["A-1", "A-3", "A-2"])
    else:
        says_so = "NULLS LAST" in sql or "CASE WHEN" in sql
        assert says_so == (direction == ("ascending" if dialect == "mysql" else "descending"))


def test_equals_are_sorted_by_their_key_so_that_pages_do_not_overlap() -> None:
    rows: Rows = {"workOrder": [order(key, total=1) for key in (3, 1, 2)]}
    asked = Asked("workOrder", order="descending", order_by=Field("workOrder", "total"), limit=2)
    assert [row[0] for row in ask(rows, asked).rows] == ["A-1", "A-2"]


def test_a_period_ends_with_its_last_day() -> None:
    may = Period(Field("workOrder", "due"), date(2026, 5, 1), date(2026, 5, 31), "May")
    assert first_column(Asked("workOrder", period=may)) == ["A-1"]
    assert first_column(Asked("workOrder", period=replace(may, start=EARLIEST))) == ["A-1"]


def test_rows_that_last_are_there_on_any_day_between_their_beginning_and_their_end() -> None:
    graph = JoinGraph({"job": Table("job", {name: Column(name, "date") for name in ("id", "a", "b")}, ("id",))})
    may = Period(Field("job", "a"), date(2026, 5, 1), date(2026, 5, 31), "May", until=Field("job", "b"))
    sql = write_sql(Asked("job", "count", period=may), JoinTree(("job",)), graph, "sqlite")
    connection = filled({})
    connection.execute("CREATE TABLE job (id, a, b)")
    spans = [("2026-01-01", "2026-04-30"), ("2026-01-01", "2026-05-01"), ("2026-05-31", None), ("2026-06-01", None)]
    connection.executemany("INSERT INTO job VALUES (?, ?, ?)", [(at, *span) for at, span in enumerate(spans)])
    assert answer(connection, sql).rows == [(2,)]


@pytest.mark.parametrize(
    ("test", "day", "expected"),
    [
        ("over", "2026-05-31", ["A-2"]),
        ("at_least", "2026-05-31", ["A-1", "A-2"]),
        ("under", "2026-06-01", ["A-1"]),
        ("at_most", "2026-05-31", ["A-1"]),
        ("is", "2026-05-31", ["A-1"]),
        ("is_not", "2026-05-31", ["A-2", "A-3"]),
    ],
)
def test_a_day_of_moments_is_its_24_hours(test: Any, day: str, expected: list[str]) -> None:
    condition = Condition(Field("workOrder", "due"), test, (day,))
    assert first_column(Asked("workOrder", conditions=(condition,))) == expected


def test_text_is_found_in_any_case_and_a_known_value_is_spelled_as_the_database_spells_it() -> None:
    assert first_column(Asked("employee", shown=(LAST,), conditions=(Condition(LAST, "is", ("LEE",)),))) == [
        "Lee",
        "lee",
    ]
    sql = sql_of(Asked("workOrder", conditions=(Condition(Field("workOrder", "status"), "is", ("OPEN",)),)))
    assert "status = 'open'" in sql


def test_what_is_not_something_may_be_nothing() -> None:
    condition = Condition(Field("workOrder", "status"), "is_not", ("open",))
    assert first_column(Asked("workOrder", conditions=(condition,))) == ["A-2", "A-3"]


def test_a_name_may_be_a_first_or_a_last_one() -> None:
    either = Condition(LAST, "is", ("poe", "f3"), others=(Field("employee", "firstName"),))
    assert first_column(Asked("employee", conditions=(either,))) == ["F2", "F3"]
    assert first_column(Asked("employee", conditions=(replace(either, test="is_not"),))) == ["F1"]


def test_a_column_is_compared_with_another_one() -> None:
    less = Condition(Field("invoice", "amount"), "under", (Field("workOrder", "total"),))
    assert first_column(Asked("invoice", shown=(Field("invoice", "amount"),), conditions=(less,)), "workOrder") == [4]
    among = Condition(Field("workOrder", "total"), "over", (Field("invoice", "amount"),))
    assert first_column(Asked("customer", conditions=(among,)), "invoice") == ["Acme"]


@pytest.mark.parametrize(
    ("absence", "expected"),
    [
        (Absence("workOrder"), ["Zeta"]),
        (Absence("workOrder", is_absent=False), ["Acme"]),
        (Absence("workOrder", conditions=(CANCELLED,)), ["Acme", "Zeta"]),
        (Absence("workOrder", is_absent=False, test="over", times=(1,)), ["Acme"]),
        (Absence("workOrder", is_absent=False, test="under", times=(1,)), ["Zeta"]),
        (Absence("workOrder", is_absent=False, test="between", times=(0, 1)), ["Zeta"]),
        (Absence("invoice"), ["Zeta"]),
    ],
)  # fmt: skip
def test_customers_are_known_by_what_belongs_to_them(absence: Absence, expected: list[str]) -> None:
    assert first_column(Asked("customer", absences=(absence,))) == expected


def test_what_a_bridge_repeats_belongs_once() -> None:
    several = Absence("crew", is_absent=False, test="over", times=(1,))
    assert first_column(Asked("employee", absences=(several,))) == []
    once = Absence("crew", is_absent=False, test="is", times=(1,))
    assert first_column(Asked("employee", absences=(once,))) == ["F1", "F2"]


def test_what_belongs_is_found_by_business_before_audit_unless_the_question_says_which() -> None:
    status = Condition(Field("workOrder", "status"), "is", ("open",))
    absence = Absence("workOrder", conditions=(status,))
    assert first_column(Asked("employee", absences=(absence,))) == ["F2", "F3"]
    assert first_column(Asked("employee", absences=(replace(absence, via="createdBy"),))) == ["F1", "F3"]


def test_a_condition_on_many_rows_of_a_joined_row_is_held_against_those_of_that_row() -> None:
    condition = Condition(Field("crew", "name"), "is", ("North",))
    assert first_column(Asked("workOrder", conditions=(condition,))) == ["A-1"]


def test_groups_have_only_rows_that_are_there_where_a_condition_is_on_them() -> None:
    status = Field("workOrder", "status")
    asked = Asked("customer", "count", groups=(status,), conditions=(Condition(status, "is_not", ("open",)),))
    assert ask(SHOP, asked).rows == [("done", 1)]


def test_groups_of_namesakes_that_share_a_figure_are_sorted_by_their_key() -> None:
    sql = sql_of(Asked("workOrder", "count", groups=(Field("customer", "name"),)))
    assert sql.endswith("ORDER BY work_orders DESC, customer.name ASC, customer.id ASC")


def test_sums_of_nothing_come_last_in_every_dialect() -> None:
    asked = Asked("workOrder", "sum", of=Field("workOrder", "total"), groups=(Field("workOrder", "status"),))
    assert [row[-1] for row in ask(SHOP, asked).rows] == [9, 5, None]
    assert "ORDER BY total DESC NULLS LAST" in sql_of(asked, "postgres")


def test_nobody_belongs_to_those_who_lead_no_one() -> None:
    assert first_column(Asked("employee", absences=(Absence("employee"),))) == ["F2", "F3"]


def test_a_condition_on_many_rows_repeats_none() -> None:
    condition = Condition(Field("crew", "name"), "is", ("North",))
    assert first_column(Asked("employee", conditions=(condition,))) == ["F1"]


def test_conditions_on_one_of_many_rows_are_held_against_the_same_row() -> None:
    status, total = Field("workOrder", "status"), Field("workOrder", "total")
    both = (Condition(status, "is", ("done",)), Condition(total, "is", (5,)))
    assert first_column(Asked("customer", conditions=both)) == []
    assert first_column(Asked("customer", conditions=both[:1])) == ["Acme"]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12))
def test_whatever_a_value_holds_it_is_compared_as_it_is(value: str) -> None:
    rows: Rows = {
        "customer": [{"id": 1, "name": "Acme", "city": value}, {"id": 2, "name": "Zeta", "city": value + "x"}]
    }
    as_pattern = re.sub("([!%_])", r"!\1", value)
    expected = {"is": (["Acme"], value), "contains": (["Acme", "Zeta"], f"%{as_pattern}%")}
    for test, (names, literal) in expected.items():
        condition = Condition(Field("customer", "city"), test, (value,))  # type: ignore[arg-type]
        asked = Asked("customer", conditions=(condition,))
        assert first_column_of(rows, asked) == names
        for dialect in DIALECTS:
            [parsed] = sqlglot.parse(sql_of(asked, dialect), read=dialect)
            assert parsed
            assert literal in [each.this for each in parsed.find_all(exp.Literal)]


NAMES = ["order", "group", "select", "key", "to", "index", "from", "naïve café", 'quo"te', "back`tick", "a.b", "date"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_name_of_a_table_or_column_is_put_in_quotes_where_it_needs_them(name: str, dialect: Dialect) -> None:
    table = Table(name, {"id": Column("id", "integer"), name: Column(name, "text")}, ("id",))
    asked = Asked(name, shown=(Field(name, name),), conditions=(Condition(Field(name, name), "is_there"),))
    sql = write_sql(asked, JoinTree((name,)), JoinGraph({name: table}), dialect)
    [parsed] = sqlglot.parse(sql, read=dialect)
    assert parsed
    assert [each.name for each in parsed.find_all(exp.Table)] == [name]
    assert name in [each.name for each in parsed.find_all(exp.Column)]
    if dialect == "sqlite":
        connection = filled({})
        quoted = name.replace('"', '""')
        connection.execute(f'CREATE TABLE "{quoted}" (id, "{quoted}")')
        connection.execute(f"INSERT INTO \"{quoted}\" VALUES (1, 'x')")
        assert answer(connection, sql).rows == [("x",)]


def test_a_table_that_no_join_reaches_is_refused_by_name() -> None:
    lonely = JoinGraph({"a": Table("a", {"id": Column("id")}), "b": Table("b", {"x": Column("x")})})
    asked = Asked("a", conditions=(Condition(Field("b", "x"), "is", (1,)),))
    with pytest.raises(CannotWrite, match="from a to b"):
        write_sql(asked, JoinTree(("a",), unreachable=("b",)), lonely, "sqlite")


@pytest.mark.parametrize(
    "asked",
    [
        Asked("nothing"),
        Asked("customer", shown=(Field("customer", "nothing"),)),
        Asked("customer", "sum"),
        Asked("customer", conditions=(Condition(Field("customer", "city"), "over"),)),
        Asked("employee", "count", grain="month"),
    ],
)
def test_what_the_schema_does_not_hold_is_refused(asked: Asked) -> None:
    with pytest.raises(CannotWrite):
        write_sql(asked, FINDER.connect(["customer"]), GRAPH, "sqlite")


def test_links_of_several_columns_are_joined_by_all_of_them() -> None:
    columns = {name: Column(name, "integer") for name in ("a", "b", "n")}
    graph = JoinGraph(
        {
            "parent": Table("parent", {**columns, "name": Column("name", "text")}, ("a", "b")),
            "child": Table("child", columns),
        },
        (Relationship("child", "a", "parent", "a", others=(("b", "b"),)),),
    )
    asked = Asked("child", "sum", of=Field("child", "n"), groups=(Field("parent", "name"),))
    sql = write_sql(asked, JoinTree(("child", "parent"), graph.relationships), graph, "sqlite")
    assert "child.a = parent.a AND child.b = parent.b" in sql
    assert "DISTINCT" not in sql


def test_what_was_paid_is_taken_from_what_is_summed_even_where_nothing_was() -> None:
    rows: Rows = {"workOrder": [order(1)], "invoice": []}
    rows["invoice"] = [{"id": 1, "workOrderId": 1, "amount": 10}, {"id": 2, "workOrderId": None, "amount": 5}]
    owed = Asked("invoice", "sum", Field("invoice", "amount"), less=Field("invoice", "workOrderId"))
    found = ask(rows, owed)
    assert found.rows == [(14,)]
    assert found.columns == ("total_amount_less_work_order_id",)
