"""Several figures, shares, comparisons, averages of counts, days between dates: asked the agent with the demo model
over the embedded sample, in a file and on real servers."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from forms_of_questions import FORMS
from langchain_core.messages import HumanMessage
from questions import TODAY, Question

from judged_rows import hold
from sample_on_mariadb import SampleServer
from sample_on_postgres import SampleOnPostgres
from turnkeep.agents import Agent, build_agent
from turnkeep.agents.database.sample.sample import SAMPLE_KEY, sample_file
from turnkeep.agents.database.state import LASTING
from turnkeep.agents.database.wall.ciphers import decrypt
from turnkeep.records import Principal, Reply, RunContext
from turnkeep.settings import Settings

NOW = datetime(TODAY.year, TODAY.month, TODAY.day, 9, tzinfo=UTC)
CONTEXT = RunContext(conversation_window=5, now=NOW, principal=Principal("local", "ann"))
NAMES = [" / ".join(question.chain) for question in FORMS]


@pytest.fixture(scope="module")
def by_hand() -> Iterator[sqlite3.Connection]:
    """The sample without its wall."""
    with closing(sqlite3.connect(sample_file(TODAY))) as connection:
        connection.create_function("SHOWN", 1, lambda data: decrypt(data, SAMPLE_KEY), deterministic=True)
        yield connection


@pytest.fixture(scope="module")
def on_sqlite() -> Agent:
    return build_agent("database", Settings(model="demo"))


@pytest.fixture(scope="module")
def on_mariadb(sample_server: SampleServer) -> Agent:
    return build_agent("database", Settings(model="demo", database=sample_server.tuning))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def on_postgresql(sample_on_postgres: SampleOnPostgres) -> Agent:
    return build_agent("database", Settings(model="demo", database=sample_on_postgres.tuning))  # type: ignore[arg-type]


async def ask(agent: Agent, *messages: str) -> Reply:
    """The reply to the last message of a thread."""
    state: Mapping[str, Any] = {"messages": []}
    for number, message in enumerate(messages):
        lasting = {key: value for key, value in state.items() if key in LASTING}
        said = [*state["messages"], HumanMessage(message, id=f"h{number}")]
        state = await agent.graph.ainvoke({**lasting, **agent.new_turn(), "messages": said}, context=CONTEXT)
    return agent.read_reply(state)


@pytest.mark.parametrize("question", FORMS, ids=NAMES)
def test_the_sql_by_hand_finds_something(question: Question, by_hand: sqlite3.Connection) -> None:
    rows = by_hand.execute(question.sql).fetchall()
    assert rows
    assert all(cell is not None for cell in rows[0])


@pytest.mark.parametrize("server", ["sqlite", "mariadb", "postgresql"])
@pytest.mark.parametrize("question", FORMS, ids=NAMES)
async def test_the_rows_of_the_answer_equal_the_sql_by_hand(
    question: Question, server: str, request: pytest.FixtureRequest, by_hand: sqlite3.Connection
) -> None:
    reply = await ask(request.getfixturevalue(f"on_{server}"), *question.chain)
    expected = by_hand.execute(question.sql).fetchall()
    rows = reply.details.get("rows") or []
    told = f"{reply.details.get('sql')}\n{reply.text[:600]}\nfound {rows[:5]}\nexpected {expected[:5]}"
    assert hold(rows, expected, is_ordered=False), told
