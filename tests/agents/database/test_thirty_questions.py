"""The thirty questions of `questions.py`, asked the agent with the demo model over the embedded sample: the rows beside
the answer have to be those of the SQL by hand."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from langchain_core.messages import HumanMessage
from questions import QUESTIONS, TODAY, Question
from sqlglot import exp

from judged_rows import hold, plain
from sample_on_mariadb import DAY, SampleServer
from sample_on_postgres import DAY as DAY_ON_POSTGRESQL
from sample_on_postgres import SampleOnPostgres
from turnkeep.agents import Agent, build_agent
from turnkeep.agents.database.sample.sample import SAMPLE_KEY, sample_file
from turnkeep.agents.database.state import LASTING
from turnkeep.agents.database.wall.ciphers import decrypt
from turnkeep.records import Principal, Reply, RunContext
from turnkeep.settings import Settings

NAMES = [" / ".join(question.chain) for question in QUESTIONS]


@pytest.fixture(scope="module")
def by_hand() -> Iterator[sqlite3.Connection]:
    """The sample without its wall."""
    with closing(sqlite3.connect(sample_file(TODAY))) as connection:
        connection.create_function("SHOWN", 1, lambda data: decrypt(data, SAMPLE_KEY), deterministic=True)
        yield connection


@pytest.fixture(scope="module")
def agent() -> Agent:
    return build_agent("database", Settings(model="demo"))


@pytest.fixture(scope="module")
def agent_on_mariadb(sample_server: SampleServer) -> Agent:
    return on_server(sample_server.tuning)


@pytest.fixture(scope="module")
def agent_on_postgresql(sample_on_postgres: SampleOnPostgres) -> Agent:
    return on_server(sample_on_postgres.tuning)


def on_server(tuning: dict[str, Any]) -> Agent:
    assert DAY == DAY_ON_POSTGRESQL == TODAY
    return build_agent("database", Settings(model="demo", database=tuning))  # type: ignore[arg-type]


async def ask(agent: Agent, *messages: str, today: date = TODAY) -> Reply:
    """The reply to the last message of a thread."""
    now = datetime(today.year, today.month, today.day, 9, tzinfo=UTC)
    context = RunContext(conversation_window=5, now=now, principal=Principal("local", "ann"))
    state: dict[str, Any] = {"messages": []}
    for number, message in enumerate(messages):
        lasting = {key: value for key, value in state.items() if key in LASTING}
        said = [*state["messages"], HumanMessage(message, id=f"h{number}")]
        state = await agent.graph.ainvoke({**lasting, **agent.new_turn(), "messages": said}, context=context)
    return agent.read_reply(state)


def test_there_are_thirty_that_touch_forty_tables() -> None:
    assert len(QUESTIONS) == len({question.chain for question in QUESTIONS}) == 30
    touched = {
        table.name
        for question in QUESTIONS
        for table in sqlglot.parse_one(question.sql, read="mysql").find_all(exp.Table)
    }
    assert len(touched) >= 40


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
    question: Question, agent: Agent, by_hand: sqlite3.Connection
) -> None:
    reply = await ask(agent, *question.chain)
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


async def test_a_long_talk_keeps_what_was_said_at_its_beginning(agent: Agent) -> None:
    groups = ["by status", "by priority"] * 4
    reply = await ask(agent, "How many work orders are there?", "in 2025", *groups)

    assert "2025-01-01" in str(reply.details["sql"])
    assert "priority" in str(reply.details["columns"]).lower()
