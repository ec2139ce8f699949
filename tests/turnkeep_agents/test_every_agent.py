"""What holds for every agent that is installed: a new one is tested here without a line of its own."""

import sys
from collections.abc import Mapping
from typing import Any, get_type_hints

import pytest
from langchain_core.messages import HumanMessage

from turnkeep.entries import entries
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent
from turnkeep.records import RunContext
from turnkeep.settings import Settings
from turnkeep.store.codec import is_plain
from turnkeep.turns.drawing import Drawing


@pytest.fixture(params=sorted(entries()))
def agent(request: pytest.FixtureRequest) -> Agent:
    return build_agent(request.param, Settings(model="demo"))


@pytest.fixture
async def values(agent: Agent, context: RunContext) -> Mapping[str, Any]:
    """The state after one turn with the demo model."""
    asked = HumanMessage("Hello there", id="h")
    found: Mapping[str, Any] = await agent.graph.ainvoke({**agent.new_turn(), "messages": [asked]}, context=context)
    return found


def test_an_agent_is_called_what_its_entry_point_is(request: pytest.FixtureRequest, agent: Agent) -> None:
    assert f"[{agent.name}]" in request.node.name
    assert entries()[agent.name].description


def test_every_key_is_set_by_new_turn_or_declared_lasting(agent: Agent) -> None:
    state: Any = agent.graph.builder.state_schema
    lasting = sys.modules[state.__module__].LASTING
    assert "messages" in lasting
    assert set(get_type_hints(state)) == set(agent.new_turn()) | lasting
    assert not set(agent.new_turn()) & lasting


def test_each_turn_begins_with_values_of_its_own(agent: Agent) -> None:
    first, second = agent.new_turn(), agent.new_turn()
    assert first == second
    assert not [key for key in first if first[key] is second[key] and isinstance(first[key], list | dict)]


def test_the_state_is_plain_data(agent: Agent, values: Mapping[str, Any]) -> None:
    assert {key for key, value in values.items() if key != "messages" and not is_plain(value)} == set()


def test_its_schemas_and_its_graph_are_shown_as_json(agent: Agent) -> None:
    told = Drawing(agent.graph).schemas()
    assert {name for name in ("input_schema", "state_schema") if "messages" not in told[name]["properties"]} == set()
    for xray in (False, True):
        drawn = Drawing(agent.graph).as_json(xray=xray)
        assert is_plain(drawn)
        assert len(drawn["nodes"]) > 2
    assert is_plain(Drawing(agent.graph).subgraphs(recurse=True))


def test_the_reply_is_the_last_message(agent: Agent, values: Mapping[str, Any]) -> None:
    reply = agent.read_reply(values)
    assert reply.text
    assert reply.text == values["messages"][-1].text
    assert values["messages"][-1].type == "ai"
    assert (agent.provider, agent.model) == ("demo", "demo")
    assert is_plain(reply.details)
