"""Conditions that are taken back, and lines that change nothing and are forgotten."""

from datetime import date

import pytest

from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.follow_ups.removals import takes_filter_back
from turnkeep_agents.database.reading.reader import Reader
from turnkeep_agents.database.wall.database import SAMPLE_JOINS

TODAY = date(2026, 11, 22)
GRAPH = load_graph(SAMPLE_JOINS)
READER = Reader(GRAPH, PathFinder(GRAPH))
CREWS = "How many crews are there?"


def conditions(*lines: str) -> list[str]:
    asked = read(*lines)
    return [one.field.column for one in asked.conditions] + (["period"] if asked.period else [])


def read(*lines: str) -> Asked:
    asked = READER.read(lines, today=TODAY)
    assert asked is not None
    assert not asked.missing
    return asked


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        (("only active ones", "formed this year", "remove that filter"), ["status"]),
        (("only active ones", "formed this year", "forget the filter", "and without that condition"), []),
        (("only active ones", "formed this year", "drop the status filter"), ["period"]),
        (("only active ones", "formed this year", "please clear all filters"), []),
        (("only active ones", "formed this year", "show them without the filters"), []),
        (("only active ones", "by branch", "leave out that restriction"), []),
    ],
)
def test_what_is_left_when_a_condition_is_taken_back(lines: tuple[str, ...], left: list[str]) -> None:
    assert conditions(CREWS, *lines) == left


def test_all_else_stays_as_it_was_asked() -> None:
    grouped = read(CREWS, "only active ones", "by branch", "remove that filter")

    assert [field.table for field in grouped.groups] == ["branch"]
    assert grouped.conditions == ()


@pytest.mark.parametrize(
    "said",
    ["remove crew 5", "without a vehicle", "no", "forget it", "filter by status", "how do I remove a filter?", "drop",
     "without filter " * 50],
)  # fmt: skip
def test_what_takes_no_condition_back(said: str) -> None:
    assert not takes_filter_back(said)


@pytest.mark.parametrize("lost", ["blargh", "zxcv qwer", "blargh // zxcv", "why though"])
def test_a_line_that_changes_nothing_is_forgotten_by_the_next(lost: str) -> None:
    assert read(CREWS, *lost.split(" // "), "only active ones") == read(CREWS, "only active ones")


def test_what_is_said_again_asks_for_the_same_again() -> None:
    assert read(CREWS, "show them by branch", "show them by branch") == read(CREWS, "show them by branch")


def test_what_an_answer_may_do_without_is_told_with_it_and_then_forgotten() -> None:
    assert READER.read([CREWS, "blargh"], today=TODAY).missing == ("blargh",)  # type: ignore[union-attr]
    assert read(CREWS, "blargh", "leave it out").unread == ("blargh",)
    assert read(CREWS, "blargh", "leave it out", "by branch") == read(CREWS, "by branch")


@pytest.mark.timeout(20)  # a pattern that backtracks would take minutes
def test_very_long_lines_are_read_at_once() -> None:
    for said in ("please ", "ok please ", "remove the ", "without "):
        takes_filter_back(said * 10_000)
        takes_filter_back((said * 200)[:200])
