"""Names that stand in a linked table, roles, keys of several columns and later lines, asked the agent with the demo
model over a small database of its own and over the sample: the rows have to be those of SQL by hand."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from harbour import IN_ORDER, QUESTIONS, SCRIPT
from langchain_core.messages import HumanMessage
from sqlalchemy import create_engine

from judged_rows import hold
from turnkeep.agents import Agent, build_agent
from turnkeep_agents.database.joins.files import save_graph
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.records import Column
from turnkeep_agents.database.state import LASTING
from turnkeep.records import Principal, Reply, RunContext
from turnkeep.settings import Settings

CONTEXT = RunContext(5, datetime(2026, 11, 22, 9, tzinfo=UTC), Principal("local", "ann"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("harbour") / "harbour.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    return file


@pytest.fixture(scope="module")
def by_hand(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file)) as connection:
        yield connection


@pytest.fixture(scope="module")
def harbour(file: Path) -> Agent:
    """Of the values only states are known, as in a database with more rows than these."""
    graph = introspect(create_engine(f"sqlite:///{file}"), with_values=True)
    tables = {
        name: replace(table, columns={key: _known(column) for key, column in table.columns.items()})
        for name, table in graph.tables.items()
    }
    save_graph(replace(graph, tables=tables), file.with_suffix(".json"))
    database = {"url": f"sqlite:///{file}", "joins": str(file.with_suffix(".json"))}
    return build_agent("database", Settings(model="demo", database=database))


def _known(column: Column) -> Column:
    return column if column.name in ("status", "city") else replace(column, values=())


@pytest.fixture(scope="module")
def sample() -> Agent:
    return build_agent("database", Settings(model="demo"))


async def ask(agent: Agent, chain: str) -> Reply:
    state: Mapping[str, Any] = {}
    for number, message in enumerate(chain.split(" // ")):
        said = [*state.get("messages", []), HumanMessage(message, id=f"h{number}")]
        kept = {key: value for key, value in state.items() if key in LASTING}
        state = await agent.graph.ainvoke({**kept, **agent.new_turn(), "messages": said}, context=CONTEXT)
    return agent.read_reply(state)


@pytest.mark.parametrize("chain", [*QUESTIONS, *IN_ORDER])
async def test_the_rows_are_those_of_the_sql_by_hand(chain: str, harbour: Agent, by_hand: sqlite3.Connection) -> None:
    reply = await ask(harbour, chain)

    expected = by_hand.execute({**QUESTIONS, **IN_ORDER}[chain]).fetchall()
    assert hold(reply.details["rows"], expected, is_ordered=chain in IN_ORDER), (reply.details["sql"], reply.text)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Show the moorings of Bright Lines", "called “Bright Lines”"),
        ("moorings for Nobody Inc", "There are no moorings with ship containing"),
        ("How many moorings does Zed Nobody have?", "There are no moorings"),
        ("List the Straße", "There are 2 Straße."),
        ("average Größe of the Straße", "The average Größe of Straße is 15."),
        ("dockers without a boss", "dockers without boss"),
    ],
)
async def test_what_was_looked_for_is_told(question: str, told: str, harbour: Agent) -> None:
    assert told in (await ask(harbour, question)).text


async def test_what_rows_before_cannot_be_held_to_is_told(harbour: Agent) -> None:
    reply = await ask(harbour, "firms without ships // show their ships")

    assert "“without ships”" in reply.text


@pytest.mark.parametrize(
    ("chain", "held"),
    [
        ("Show the jobs of Elmfield Hotel // only the completed ones", "customer.name"),
        ("visits of Ilse Müller next week", "employee.lastName"),
        ("Which team is Ilse Müller in?", "employeeCrew"),
        ("Which colleagues have no manager?", "supervisorId IS NULL"),
        ("List workers without a van", "vehicle"),
        ("technicians that are active // by crew // sorted by crew", "employeeCrew"),
        ("agreements that start in October 2026", "startsOn >= '2026-10-01'"),
        ("List workers // reverse the order", "ORDER BY employee.id DESC"),
        ("Which team is Ilse Müller in? // Who is his manager?", "supervisorId"),
        ("How many lorries run on diesel? // start over", "COUNT(*) AS vehicles FROM secure_vehicle AS vehicle LIMIT"),
    ],
)
async def test_the_sample_is_read_alike(chain: str, held: str, sample: Agent) -> None:
    assert held in str((await ask(sample, chain)).details["sql"])
