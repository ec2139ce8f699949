"""Checks of statements that the guard accepts, and of their results."""

import pytest
from talk import GRAPH

from turnkeep_agents.database.checks.near_misses import is_nothing, near_misses
from turnkeep_agents.database.checks.repeated_rows import repeated_rows
from turnkeep_agents.database.checks.suspicious_sql import doubts, wrong_links
from turnkeep_agents.database.guard.guard import Checked, Guard
from turnkeep_agents.database.results import Result

TARGETS = {f"{one.from_table}.{one.from_column}": (f"{one.to_table}.{one.to_column}",) for one in GRAPH.relationships}
TWICE, ONCE = Result(("all_rows", "own_rows"), ((9, 5),)), Result(("all_rows", "own_rows"), ((5, 5),))
PHOTOS = "FROM visit JOIN visitPhoto ON visitPhoto.visitId = visit.id"


def repeated(sql: str, result: Result | None = TWICE) -> list[tuple[str, bool]]:
    return [(one.table, one.is_shown) for one in repeated_rows(sql, GRAPH, "sqlite", lambda _: result)]


def test_keys_with_the_same_target_may_be_joined() -> None:
    assert list(wrong_links(["visit.crewId = crew.id", "crew.leadId = crew.plannerId"], TARGETS)) == []
    assert list(wrong_links(["visit.crewId = crew.leadId"], TARGETS)) != []
    assert list(wrong_links(["crew.name = visitPhoto.fileName"], TARGETS)) == []


@pytest.mark.parametrize(
    ("condition", "is_strange"),
    [
        ("status = 'active'", False),
        ("status = 'ACTIVE'", False),
        ("status = 'employed'", True),
        ("status IN ('active', 'gone')", True),
        ("status <> 'gone'", True),
        ("firstName = 'gone'", False),
        ("status LIKE 'gone%'", False),
        ("status = (SELECT name FROM crew WHERE name = 'gone')", False),
    ],
)
def test_only_a_value_that_no_row_has_is_refused(condition: str, is_strange: bool) -> None:
    for table in ("employee", "employee AS e"):
        found = Guard(GRAPH, dialect="sqlite").check(sql := f"SELECT id FROM {table} WHERE {condition}")
        assert isinstance(found, Checked), found
        assert bool(doubts(sql, found, GRAPH, TARGETS, "sqlite")) is is_strange, table


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        (f"SELECT SUM(visit.minutes) {PHOTOS}", ["visit"]),
        (f"SELECT AVG(visit.minutes) AS mean, COUNT(visit.id) AS n {PHOTOS}", ["visit", "visit"]),
        (f"SELECT COUNT(DISTINCT visit.id) {PHOTOS}", []),
        (f"SELECT COUNT(*) {PHOTOS}", []),
        (f"SELECT COUNT(visitPhoto.id) {PHOTOS}", []),
        (f"SELECT MAX(visit.minutes) {PHOTOS}", []),
        (f"SELECT SUM(CASE WHEN visit.minutes > 5 THEN 1 ELSE 0 END) {PHOTOS}", []),
        (f"SELECT SUM(CASE WHEN visitPhoto.fileName = 'x' THEN visit.minutes END) {PHOTOS}", ["visit"]),
        (f"SELECT SUM(visit.minutes * visitPhoto.id) {PHOTOS}", []),
        ("SELECT SUM(visit.minutes) FROM visit JOIN crew ON crew.id = visit.crewId", []),
        ("SELECT crew.name, SUM(visit.minutes) FROM visit JOIN crew ON crew.id = visit.crewId GROUP BY crew.name", []),
        ("SELECT SUM(v.minutes) FROM visit v, visitPhoto p WHERE p.visitId = v.id", ["visit"]),
        (f"SELECT SUM({' + '.join(['visit.id'] * 1_500)}) AS n {PHOTOS}", ["visit"]),
    ],
)
def test_cardinalities_show_what_a_join_repeats(sql: str, tables: list[str]) -> None:
    assert [table for table, _ in repeated(sql)] == tables


def test_rows_decide_whether_a_join_repeats() -> None:
    sql = f"SELECT visit.crewId, SUM(visit.minutes) AS minutes {PHOTOS} GROUP BY 1"
    asked: list[str] = []

    def run(probe: str) -> Result:
        asked.append(probe)
        return ONCE

    assert repeated_rows(sql, GRAPH, "sqlite", run) == []
    assert "GROUP BY visit.crewId HAVING COUNT(visit.id) > COUNT(DISTINCT visit.id)" in asked[0]
    assert repeated(sql, Result(("all_rows", "own_rows"), ())) == []
    assert repeated(sql) == [("visit", True)]
    assert repeated(sql, None) == [("visit", False)]


def test_no_rows_or_a_count_of_zero_is_nothing() -> None:
    assert all(is_nothing(Result(("n",), rows)) for rows in ((), ((0,),), ((None,),)))
    assert not is_nothing(Result(("n",), ((3,),)))


def test_each_condition_is_dropped_in_turn() -> None:
    sql = "SELECT name FROM crew WHERE name = 'Nort' AND id > 5"
    found, none = Result(("name",), (("North",), ("South",))), Result(("name",), ())
    answers = {f"SELECT {what} FROM crew WHERE id > 5": found for what in ("name", "DISTINCT name")}
    near = near_misses(sql, "sqlite", lambda asked: answers.get(asked, none))
    assert near == ["without name = 'Nort': 2 rows (nearest: North)"]
    assert near_misses("SELECT name FROM crew", "sqlite", lambda _: None) == []
    assert near_misses("SELECT 1 UNION SELECT 2", "sqlite", lambda _: None) == []
