"""States of now and days of then, averages of columns, corrections: the same rules read them in the sample and in a
library that they were not written for, whose rows are held against SQL by hand."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from asked_in_words import in_words
from lending import TODAY, write_library
from lending_questions import BY_HAND
from sqlalchemy import create_engine

from judged_rows import hold
from turnkeep_agents.database import sample
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.planning.plans import plan_joins
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.reader import Reader, tables_of
from turnkeep_agents.database.writing.telling import sentences
from turnkeep_agents.database.writing.writer import write_sql
from turnkeep.databases.results import Cell, Result

SAMPLE = load_graph(Path(sample.__file__).parent / "joins.json")
FIELD_SERVICE = Reader(SAMPLE, PathFinder(SAMPLE))


class Library:
    """Answers questions about the rows of one file."""

    def __init__(self, connection: sqlite3.Connection, graph: JoinGraph):
        self.connection, self.graph = connection, graph
        self.finder = PathFinder(graph)
        self.reader = Reader(graph, self.finder)

    def read(self, said: str) -> Asked:
        asked = self.reader.read(said.split(" // "), today=TODAY)
        assert asked is not None, said
        assert asked.unread == asked.missing == (), said
        return asked

    def ask(self, said: str) -> list[tuple[Cell, ...]]:
        asked = self.read(said)
        tree = plan_joins(self.finder, tables_of(asked), said).tree
        return self.connection.execute(write_sql(asked, tree, self.graph, "sqlite")).fetchall()

    def tell(self, said: str) -> str:
        rows = self.ask(said)
        names = tuple(f"column {at}" for at, _ in enumerate(rows[0]))
        return " ".join(sentences(self.read(said), Result(names, tuple(rows), is_cut=False), said))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    file = tmp_path_factory.mktemp("lending") / "library.sqlite"
    with closing(write_library(file)) as connection:
        yield Library(connection, introspect(create_engine(f"sqlite:///{file}"), with_values=True))


@pytest.mark.parametrize("said", BY_HAND)
def test_the_rows_are_those_of_sql_by_hand(library: Library, said: str) -> None:
    by_hand = library.connection.execute(BY_HAND[said]).fetchall()
    assert by_hand
    assert hold(library.ask(said), by_hand, is_ordered=False)


READ = {
    "How many work orders are open? // No, closed ones": "count workOrder | where workOrder.completedAt is_there",
    "How many contracts are active? // no, expired ones": "count contract | where contract.status is expired",
    "Which technicians have not completed any work order this month?": (
        "rows employee | where employee.position is technician | without workOrder in workOrder.completedAt "
        "2026-11-01 to 2026-11-30 (this month)"
    ),
    "average number of hours per time entry": "average workTime | of workTime.hours",
    "show vehicles // total": "count vehicle",
    "list performance reviews // average": "average performanceReview | of performanceReview.score",
    "When was the last inspection?": (
        "rows inspections | where inspections.inspectedOn at_most 2026-11-22 | descending inspections.inspectedOn"
        " | limit 1"
    ),
    "Which day had the most work orders last month?": (
        "count workOrder | in workOrder.requestedOn 2026-10-01 to 2026-10-31 (last month) | per day of "
        "workOrder.requestedOn | descending measure | limit 1"
    ),
    "Which vehicles are assigned to nobody?": (
        "rows vehicle | without vehicleAssignment in vehicleAssignment.assignedOn 2026-11-22 to 2026-11-22 (today) "
        "until vehicleAssignment.returnedOn"
    ),
    "How many customers are in Leeds? // and Leeds and Bristol together": (
        "count customer | where customer.billingCity is Leeds, Bristol"
    ),
    "How many work orders have been requested but not scheduled yet?": (
        "count workOrder | where workOrder.scheduledStart is_missing"
    ),
    "contracts starting from 1 January 2027": (
        "rows contract | in contract.startsOn 2027-01-01 to 2199-12-31 (1 January 2027)"
    ),
    "employees who have never reported an incident": "rows employee | without safetyIncident by reportedBy",
    "Which vehicles have no crew?": (
        "rows vehicle | without vehicleAssignment in vehicleAssignment.assignedOn 2026-11-22 to 2026-11-22 (today) "
        "until vehicleAssignment.returnedOn"
    ),
    "Which employees have no tool?": (
        "rows employee | without toolAssignment in toolAssignment.assignedOn 2026-11-22 to 2026-11-22 (today) "
        "until toolAssignment.returnedOn"
    ),
    "active crews with open work orders": (
        "rows crew | where crew.status is active | with workOrder where workOrder.status is_not cancelled, completed"
    ),
    "How many absence days per employee?": (
        "sum employeeAbsence | of employeeAbsence.days | by employee.firstName, employee.lastName"
    ),
    "How many inspectors are active?": (
        "count employee | where employee.position is inspector and employee.status is active"
    ),
}


@pytest.mark.parametrize("said", READ)
def test_the_sample_is_read_by_the_same_rules(said: str) -> None:
    asked = FIELD_SERVICE.read(said.split(" // "), today=TODAY)
    assert in_words(asked) == READ[said]


def test_an_average_of_totals_is_told_from_one_of_rows() -> None:
    asked = FIELD_SERVICE.read(["average number of hours worked per technician last month"], today=TODAY)
    assert asked is not None
    assert (asked.measure, asked.over) == ("sum", "average")
    assert "employee.position is technician" in in_words(asked)


def test_what_is_known_of_today_only_is_told(library: Library) -> None:
    left_out = library.tell("How many readers are active? // and last month?")
    assert "“active” is left out" in left_out
    kept = library.tell("How many members are resting? // and last month?")
    assert "“resting” is what holds today" in kept
    for said in (
        "How many readers are active?",
        "How many fines were paid last month?",
        "How many readers are active? // and this month?",
    ):
        assert "on record" not in library.tell(said)


def test_a_line_in_another_language_leaves_no_filter_behind(library: Library) -> None:
    chain = ["How many fines are there?", "Wo wohnen die Mitglieder in Ashby?"]
    foreign = library.reader.read(chain, today=TODAY)
    assert foreign is not None
    assert foreign.missing
    assert library.read(" // ".join([*chain, "how many are paid?"])) == library.read("how many fines are paid?")


def test_figures_of_the_rows_make_no_groups() -> None:
    asked = FIELD_SERVICE.read(["Average fuel cost per litre this year"], today=TODAY)
    assert asked is not None
    assert asked.missing
