"""A value that a run was acknowledged for is read back as LangGraph's in-memory saver reads it; else the run fails."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import pytest
from as_in_langgraph import ANN, CONFIG, forgetful, play
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from memory_items import MemoryItems
from pydantic import BaseModel, HttpUrl, SecretBytes, SecretStr

from turnkeep.errors import AgentFault
from turnkeep.store.elements import freeze, thaw
from turnkeep.turns.calls import plain
from turnkeep_local.objects import FolderObjects


class Divider(BaseMessage):
    type: Literal["divider"] = "divider"


class Loud(AIMessage):
    volume: int = 3

    def shout(self) -> str:
        return self.text.upper()


class Color(Enum):
    RED = "red"


class Point(NamedTuple):
    x: int


@dataclass
class Box:
    inner: Any


class Model(BaseModel):
    token: SecretStr


class State(MessagesState):
    value: Any
    seen: Annotated[list[str], operator.add]


def changed(message: BaseMessage, **attributes: Any) -> BaseMessage:
    """LangChain does not validate an assignment."""
    for name, value in attributes.items():
        setattr(message, name, value)
    return message


OPENAI_CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
MESSAGES = {
    "content is an object": lambda: changed(AIMessage("x"), content={"answer": 42}),
    "content is a number": lambda: changed(AIMessage("x"), content=7),
    "content is None": lambda: changed(AIMessage("x"), content=None),
    "name is a number": lambda: changed(HumanMessage("x"), name=5),
    "unknown status": lambda: changed(ToolMessage("x", tool_call_id="c"), status="failed"),
    "usage without a total": lambda: changed(AIMessage("x"), usage_metadata={"input_tokens": 1}),
    "calls as OpenAI has them": lambda: changed(AIMessage("x"), tool_calls=[OPENAI_CALL]),
    "no additional_kwargs": lambda: changed(AIMessage("x"), additional_kwargs=None),
    "no response_metadata": lambda: changed(AIMessage("x"), response_metadata=None),
    "a type of its own": lambda: Divider(content="---"),
    "a plain BaseMessage": lambda: BaseMessage(content="x", type="note"),
    "a subclass": lambda: Loud("x", volume=4),
    "an ordinary one": lambda: AIMessage("x", tool_calls=[{"name": "look", "args": {}, "id": "c"}]),
}
VALUES = {
    "secret": lambda: SecretStr("hunter2"),
    "secret bytes in a list": lambda: [SecretBytes(b"hunter2")],
    "secret in a model": lambda: Model(token="hunter2"),  # type: ignore[arg-type]
    "secret in a data class": lambda: Box(SecretStr("hunter2")),
    "enum, named tuple, set": lambda: [Color.RED, Point(1), {"a"}, frozenset({"b"})],
    "path, id, decimal": lambda: [Path("a/b"), UUID(int=1), Decimal("1.10")],
    "half an emoji": lambda: ["a", {"b": "c \ud83d"}],
}


def graph_of(made: Callable[[], Any], channel: str) -> Any:
    """Its first turn writes what `made` gives; every later one notes what it reads."""

    def write(state: State) -> Any:
        if state.get("seen"):
            return {"seen": [described(state["messages"][1:2]) + described(state.get("value"))]}
        return {"seen": ["begun"], channel: [made()] if channel == "messages" else made()}

    return StateGraph(State).add_node("write", write).add_edge(START, "write").compile()


def described(value: Any) -> str:
    """What tells two values apart, secrets and classes included."""
    if isinstance(value, list | tuple):
        return ",".join(map(described, value))
    if isinstance(value, SecretStr | SecretBytes):
        return f"secret {value.get_secret_value()!r}"
    inner = vars(value) if isinstance(value, Box | Model) else {}
    shown = getattr(value, "content", value)
    return f"{type(value).__name__} {shown!r} {described([*inner.values()]) if inner else ''}"


def asked(words: str, message_id: str) -> Any:
    return {"messages": [{"role": "user", "content": words, "id": message_id}]}


@pytest.mark.parametrize(
    ("made", "channel"),
    [pytest.param(each, "messages", id=name) for name, each in MESSAGES.items()]
    + [pytest.param(each, "value", id=name) for name, each in VALUES.items()],
)
async def test_what_a_node_left_is_read_back(made: Any, channel: str, folder_objects: FolderObjects) -> None:
    items, graph = MemoryItems(), graph_of(made, channel)
    theirs = graph.copy({"checkpointer": InMemorySaver()})
    for number in range(3):
        given = asked("go on", f"m{number}")
        await theirs.ainvoke(given, CONFIG)
        await play(forgetful(graph, items, folder_objects), given)
        state = await forgetful(graph, items, folder_objects).states.read(ANN, "t")
        expected = plain(theirs.get_state(CONFIG).values)
        assert unnamed(state.values) == unnamed(expected)
    assert [*forgetful(graph, items, folder_objects).states.history(ANN, "t")]


def unnamed(values: Any) -> Any:
    """Without the id that LangGraph gives the message of a node."""
    messages = [{**each, "id": None} for each in values["messages"]]
    return {**values, "messages": messages}


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
    graph, items = graph_of(made, "value"), MemoryItems()
    turns = forgetful(graph, items, folder_objects)
    with pytest.raises(AgentFault, match=f"`value` cannot be stored: .*{named}"):
        await play(turns, asked("go on", "m1"))
    assert (await turns.states.read(ANN, "t")).values == {}


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
