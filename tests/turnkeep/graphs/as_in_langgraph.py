"""Turns of any graph that are played as LangGraph would play them, to be compared with what it leaves."""

from collections.abc import Sequence
from typing import Any

from langgraph.types import Command
from memory_items import MemoryItems

from turnkeep.graphfile import GraphSpec
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.own import as_agent
from turnkeep.records import Principal
from turnkeep.turns import TurnRequest, Turns
from turnkeep.turns.request import GraphCall
from turnkeep_local.objects import FolderObjects
from turns_over import table_over, turns_over

ANN = Principal("acme", "ann")
CONFIG: Any = {"configurable": {"thread_id": "t"}}


def joined(state: list[Any], writes: Sequence[list[Any]]) -> list[Any]:
    """A reducer as a channel of deltas takes one."""
    return [*state, *(each for write in writes for each in write)]


def agent_of(graph: Any, window: int | None = None) -> Agent:
    return as_agent(graph, GraphSpec("own", "./own.py", "graph", "langgraph.json:1", window=window))


def forgetful(graph: Any, items: MemoryItems, objects: FolderObjects) -> Turns:
    """Turns that know nothing but the table."""
    return turns_over(table_over(items, objects), agent_of(graph))


async def play(turns: Turns, given: Any, **more: Any) -> None:
    call = GraphCall(command={"resume": given.resume}) if isinstance(given, Command) else GraphCall(input=given)
    running = await turns.start(TurnRequest(ANN, "said", thread_id="t", create=True, call=call, **more))
    turn = await running.finish()
    await running.close()
    assert turn.persisted


def nameless(values: Any) -> Any:
    """Without the ids of messages, which each saver's run makes anew."""
    if isinstance(values, dict):
        return {name: nameless(each) for name, each in values.items() if name != "id" or "type" not in values}
    return [nameless(each) for each in values] if isinstance(values, list) else values
