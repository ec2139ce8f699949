"""A run whose values cannot be read back fails and names them. tests/differential reads back all other values."""

from dataclasses import dataclass
from typing import Any

import pytest
from as_in_langgraph import ANN, forgetful, play
from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from memory_items import MemoryItems
from pydantic import HttpUrl

from turnkeep.errors import AgentFault
from turnkeep.store.elements import freeze, thaw
from turnkeep_local.objects import FolderObjects


class State(MessagesState):
    value: Any


def local_class() -> Any:
    @dataclass
    class Local:
        x: int = 1

    return Local()


@pytest.mark.parametrize(
    ("made", "named"),
    [(local_class, "Local"), (lambda: HttpUrl("http://a.b"), "HttpUrl"), (object, "object")],
)
async def test_what_cannot_be_read_back_fails_the_turn_and_is_named(
    made: Any, named: str, folder_objects: FolderObjects
) -> None:
    builder = StateGraph(State).add_node("write", lambda _: {"value": made()}).add_edge(START, "write")
    turns = forgetful(builder.compile(), MemoryItems(), folder_objects)
    with pytest.raises(AgentFault, match=f"`value` cannot be stored: .*{named}"):
        await play(turns, {"messages": "go on"})
    assert (await turns.states.read(ANN, "t")).shown["values"] == {}


@pytest.mark.parametrize(
    "stored",
    [
        {"type": "ai", "data": {"content": {"answer": 42}}},
        {"type": "ai", "data": {"content": "x", "additional_kwargs": None}},
        {"type": "divider", "data": {"content": "---"}},
    ],
)
def test_a_message_that_an_earlier_version_stored_unread_is_read_and_marked(stored: Any) -> None:
    sound, dead = thaw([{"type": "human", "data": {"content": "hi"}}, stored])
    assert sound == HumanMessage("hi")
    assert (dead.type, dead.content) == (stored["type"], stored["data"]["content"])
    assert dead.response_metadata == {"unvalidated": True}
    assert thaw(freeze([dead])) == [dead]
