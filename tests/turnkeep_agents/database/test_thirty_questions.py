"""The thirty questions of `questions.py`, answered by the demo model over the bundled sample: the rows must equal those
of the SQL by hand."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from questions import QUESTIONS, TODAY

from agent_thread import Thread
from judged_rows import hold, plain
from turnkeep.graphs.agent import Agent
from turnkeep.records import Principal, Reply, RunContext

ALL = pytest.mark.parametrize(("chain", "sql"), QUESTIONS.items(), ids=map(" / ".join, QUESTIONS))


async def ask(agent: Agent, *messages: str) -> Reply:
    """Return the reply to the last message of a thread."""
    now = datetime(TODAY.year, TODAY.month, TODAY.day, 9, tzinfo=UTC)
    context = RunContext(conversation_window=5, now=now, principal=Principal("local", "ann"))
    return (await Thread(agent.graph, context).talk(*messages))[-1]


def test_the_docs_list_the_questions() -> None:
    page = (Path(__file__).parents[3] / "docs" / "database.md").read_text()
    assert [line for chain in QUESTIONS if (line := f"- {' → '.join(chain)}\n") not in page] == []


@ALL
def test_the_reference_sql_finds_rows_without_ties(
    chain: tuple[str, ...], sql: str, by_hand: sqlite3.Connection
) -> None:
    rows = by_hand.execute(sql).fetchall()
    assert rows
    assert len(rows) <= 100
    assert all(row[-1] not in (0, None) for row in rows)
    if "ORDER BY" in sql:
        before, _, limit = sql.rpartition("LIMIT")
        more = by_hand.execute(f"{before} LIMIT {int(limit) + 1}").fetchall()
        assert plain(more[-1][-1]) != plain(more[-2][-1])


@ALL
async def test_the_rows_of_the_answer_equal_the_reference_sql(
    chain: tuple[str, ...], sql: str, agent: Agent, by_hand: sqlite3.Connection
) -> None:
    reply = await ask(agent, *chain)
    expected = by_hand.execute(sql).fetchall()
    rows = reply.details.get("rows") or []
    details = f"{reply.details.get('sql')}\n{reply.text[:600]}\nfound {rows[:5]}\nexpected {expected[:5]}"
    assert hold(rows, expected, is_ordered="ORDER BY" in sql), details
