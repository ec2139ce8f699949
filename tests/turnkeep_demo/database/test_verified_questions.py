"""The verified questions of the sample: each is understood as itself, its statement passes the guard in every dialect
and gives the same rows on every database."""

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any

import pytest
from opened_sample import SAMPLE_DAY

from turnkeep.records import Principal
from turnkeep_agents.database.guard.guard import Checked, Guard
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.security.database import open_databases
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.verified import dated
from turnkeep_demo.database.counts import counts
from turnkeep_demo.database.field_service import FOLDER, access
from turnkeep_demo.database.questions import MARK, verified
from turnkeep_demo.database.rules import understand

US = Principal("acme", "ann")
DAYS = [SAMPLE_DAY, date(2026, 11, 22), date(2027, 1, 1), date(2028, 2, 29)]
type Run = Callable[[str], list[tuple[Any, ...]]]


@pytest.mark.parametrize("today", DAYS, ids=str)
def test_every_phrasing_is_understood_as_its_own_question(today: date) -> None:
    for known in verified():
        understood = understand(known.text, today)
        assert understood, known.text
        assert understood.known.sql == known.sql, known.text
        assert understood.sql == re.sub(MARK, lambda mark: dated(mark[0], today), known.sql), known.text


GRAPH = load_graph(FOLDER / "joins.json")


@cache
def _guard(dialect: Any) -> Guard:
    return Guard(GRAPH, dialect=dialect, views=access().view_of)


def _checked(sql: str, dialect: Any) -> str:
    """As the agent runs it: a statement that the guard refuses is mended once."""
    guard = _guard(dialect)
    found = guard.check(sql)
    if not isinstance(found, Checked) and (mended := repair(sql, found, GRAPH, dialect)):
        found = guard.check(mended)
    assert isinstance(found, Checked), (sql, found)
    return found.sql


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_every_statement_passes_the_guard(dialect: str) -> None:
    for sql in {known.sql: None for known in (*verified(), *counts()[::4])}:
        assert _checked(dated(sql, SAMPLE_DAY), dialect)


def test_every_statement_gives_the_same_on_every_database(request: pytest.FixtureRequest) -> None:
    here = _rows_of()
    there = [_rows_of(**request.getfixturevalue(name).tuning) for name in ("sample_server", "sample_on_postgres")]
    empty = []
    for sql in dict.fromkeys(known.sql for known in (*verified(), *counts()[::25])):
        rows = here(dated(sql, SAMPLE_DAY))
        assert [run(dated(sql, SAMPLE_DAY)) for run in there] == [rows] * len(there), sql
        empty += [sql] if rows in ([], [("0.00",)], [("None",)]) else []
    assert len(empty) < 20, empty


def _rows_of(**tuning: Any) -> Run:
    database = open_databases(DatabaseSettings(**tuning))(SAMPLE_DAY)

    def run(sql: str) -> list[tuple[Any, ...]]:
        rows = database.run(_checked(sql, database.dialect), US).rows
        return sorted(tuple(_plain(cell) for cell in row) for row in rows)

    return run


def _plain(cell: Any) -> str:
    try:
        return f"{round(float(cell), 2):.2f}"
    except (TypeError, ValueError):
        return re.sub(r"(?<=\d)T(?=\d)", " ", str(cell)).removesuffix(" 00:00:00")


def test_counts_have_one_meaning_each_or_none() -> None:
    by_text: dict[str, set[str]] = {}
    for known in counts():
        by_text.setdefault(known.text, set()).add(known.sql)
    assert len(by_text) > 300
    for text in (text for text, found in by_text.items() if len(found) > 1):
        assert understand(text, SAMPLE_DAY) is None
