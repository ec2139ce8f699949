"""The thirty questions of `questions.py`, asked the agent with the demo model over the bundled sample: the rows beside
the answer have to be those of the SQL by hand."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlglot
from questions import QUESTIONS, TODAY, Question
from sqlglot import exp

from agent_thread import Thread
from judged_rows import hold, plain
from sample_on_servers import DAY
from turnkeep.agents import Agent
from turnkeep.records import Principal, Reply, RunContext

NAMES = [" / ".join(question.chain) for question in QUESTIONS]


async def ask(agent: Agent, *messages: str) -> Reply:
    """The reply to the last message of a thread."""
    now = datetime(TODAY.year, TODAY.month, TODAY.day, 9, tzinfo=UTC)
    context = RunContext(conversation_window=5, now=now, principal=Principal("local", "ann"))
    return (await Thread(agent.graph, context).talk(*messages))[-1]


def test_there_are_thirty_that_touch_forty_tables() -> None:
    assert len(QUESTIONS) == len({question.chain for question in QUESTIONS}) == 30
    touched = {
        table.name
        for question in QUESTIONS
        for table in sqlglot.parse_one(question.sql, read="mysql").find_all(exp.Table)
    }
    assert len(touched) >= 40


def test_all_databases_hold_the_sample_of_the_same_day() -> None:
    assert DAY == TODAY


def test_the_readme_lists_them() -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    assert [chain for question in QUESTIONS if (chain := f"- {' → '.join(question.chain)}\n") not in readme] == []


@pytest.mark.parametrize("question", QUESTIONS, ids=NAMES)
def test_the_sql_by_hand_finds_something_and_no_tie_decides(question: Question, by_hand: sqlite3.Connection) -> None:
    rows = by_hand.execute(question.sql).fetchall()
    assert rows
    assert len(rows) <= 100
    assert all(row[-1] not in (0, None) for row in rows)
    if question.is_ordered:
        before, _, limit = question.sql.rpartition("LIMIT")
        more = by_hand.execute(f"{before} LIMIT {int(limit) + 1}").fetchall()
        assert plain(more[-1][-1]) != plain(more[-2][-1])


@pytest.mark.parametrize("question", QUESTIONS, ids=NAMES)
async def test_the_rows_of_the_answer_equal_the_sql_by_hand(
    question: Question, agent_on_sqlite: Agent, by_hand: sqlite3.Connection
) -> None:
    reply = await ask(agent_on_sqlite, *question.chain)
    expected = by_hand.execute(question.sql).fetchall()
    rows = reply.details.get("rows") or []
    told = f"{reply.details.get('sql')}\n{reply.text[:600]}\nfound {rows[:5]}\nexpected {expected[:5]}"
    assert hold(rows, expected, is_ordered=question.is_ordered), told


@pytest.mark.parametrize("server", ["mariadb", "postgresql"])
@pytest.mark.parametrize("question", QUESTIONS, ids=NAMES)
async def test_servers_give_the_same_rows(
    question: Question, server: str, request: pytest.FixtureRequest, by_hand: sqlite3.Connection
) -> None:
    reply = await ask(request.getfixturevalue(f"agent_on_{server}"), *question.chain)
    expected = by_hand.execute(question.sql).fetchall()
    assert hold(reply.details["rows"], expected, is_ordered=question.is_ordered), reply.details
