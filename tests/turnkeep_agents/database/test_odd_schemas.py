"""Names as other people's databases have them: quoted, reserved, with accents, all signs, and tables without a key. A
question goes the whole way, from its reading to the rows."""

import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from turnkeep_agents.database.guard.guard import Checked, Guard
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.planning.plans import plan_joins
from turnkeep_agents.database.planning.ranking import TableRanker
from turnkeep_agents.database.reading.reader import Reader, tables_of
from turnkeep_agents.database.writing.writer import write_sql

TODAY = date(2026, 3, 4)
SCRIPT = """
CREATE TABLE "café" (id INTEGER PRIMARY KEY, "Straße" TEXT, "Größe" INTEGER);
INSERT INTO "café" VALUES (1, 'Ring', 9), (2, 'Markt', 30);
CREATE TABLE "Märchen für Kinder" (id INTEGER PRIMARY KEY, "Titel" TEXT);
INSERT INTO "Märchen für Kinder" VALUES (1, 'Rapunzel');
CREATE TABLE "order" ("key" INTEGER PRIMARY KEY, "select" TEXT, "from" TEXT);
INSERT INTO "order" VALUES (1, 'this', 'here'), (2, 'that', 'there');
CREATE TABLE task_plan (task_plan TEXT, task_plan_id INTEGER PRIMARY KEY);
INSERT INTO task_plan VALUES ('sweep', 1);
CREATE TABLE "#" (id INTEGER PRIMARY KEY, "%" INTEGER, remark TEXT);
CREATE TABLE club_day (club TEXT, day_of_week TEXT);
INSERT INTO club_day VALUES ('chess', 'Monday'), ('bridge', 'Friday'), ('chess', 'Friday');
CREATE TABLE copy (id INTEGER PRIMARY KEY, "condition" TEXT);
INSERT INTO copy SELECT value, CASE value % 3 WHEN 0 THEN 'new' WHEN 1 THEN 'worn' ELSE 'ok' END FROM
  json_each('[1,2,3,4,5,6,7,8,9,10]');
CREATE TABLE person (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
CREATE TABLE loan (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person (id), made_on DATE);
INSERT INTO person VALUES (1, 'Ada', 'Byron'), (2, 'Max', 'Frisch');
INSERT INTO loan VALUES (1, 1, '2026-01-01'), (2, 2, '2026-01-02'), (3, 1, '2026-02-01');
"""


class Library:
    def __init__(self, file: Path):
        self._connection = sqlite3.connect(file)
        self._connection.executescript(SCRIPT)
        self.graph: JoinGraph = introspect(create_engine(f"sqlite:///{file}"), with_values=True)
        self._finder = PathFinder(self.graph)
        self._reader, self._guard = Reader(self.graph, self._finder), Guard(self.graph, dialect="sqlite")

    def ask(self, question: str) -> list[tuple[object, ...]]:
        asked = self._reader.read([question], today=TODAY)
        assert asked is not None
        plan = plan_joins(self._finder, tables_of(asked), question)
        checked = self._guard.check(write_sql(asked, plan.tree, self.graph, "sqlite"))
        assert isinstance(checked, Checked), checked
        return self._connection.execute(checked.sql).fetchall()

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    library = Library(tmp_path_factory.mktemp("odd") / "library.sqlite")
    yield library
    library.close()


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many cafés are there?", [(2,)]),
        ("How many cafes are there?", [(2,)]),
        ("List the café with Größe over 20", [("Markt",), (2,)]),
        ("List the Märchen für Kinder", [("Rapunzel",)]),
        ("How many orders are there?", [(2,)]),
        ("How many task plans are there?", [(1,)]),
        ("How many copies with condition ok?", [(3,)]),
        ("How many new copies are there?", [(3,)]),
    ],
)
def test_odd_names_and_values_are_found(library: Library, question: str, rows: list[tuple[object, ...]]) -> None:
    found = library.ask(question)

    assert len(found) == 1
    assert any(value in found[0] for (value,) in rows)


def test_rows_without_a_key_are_listed_in_an_order_of_their_own(library: Library) -> None:
    assert library.ask("List the club days") == sorted(library.ask("List the club days"), key=str)
    assert len(library.ask("List the club days")) == 3


def test_rows_of_a_person_are_those_whose_link_leads_there(library: Library) -> None:
    assert [row[0] for row in library.ask("loans of Ada Byron")] == [1, 3]


def test_a_row_that_has_no_name_is_shown_with_its_key(library: Library) -> None:
    assert library.ask("List the loans")[0][0] == 1


def test_names_that_are_all_signs_do_no_harm(library: Library) -> None:
    assert [one.table for one in TableRanker(library.graph).rank("the remarks")] == ["#"]
