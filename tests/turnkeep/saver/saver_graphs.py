"""Small graphs for the tests of the saver: they answer without a model."""

import operator
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from turnkeep import DynamoDBSaver
from turnkeep.records import Principal

KEY = "a key of the tests"
LOCAL = Principal("local", "local")
type Open = Callable[..., DynamoDBSaver]


def echo(saver: Any, **options: Any) -> Any:
    """Says in two nodes how many messages it saw."""
    graph = StateGraph(MessagesState)
    graph.add_node("look", lambda state: {})
    graph.add_node("answer", lambda state: {"messages": [AIMessage(f"saw {len(state['messages'])}")]})
    graph.add_edge(START, "look").add_edge("look", "answer")
    return graph.compile(checkpointer=saver, **options)


def asking(saver: Any) -> Any:
    """Asks back inside a sub-graph before it answers."""
    inner = StateGraph(MessagesState)
    inner.add_node("ask", lambda state: {"messages": [AIMessage(f"{interrupt('Which city?')} it is")]})
    outer = StateGraph(MessagesState).add_node("inner", inner.add_edge(START, "ask").compile())
    return outer.add_edge(START, "inner").compile(checkpointer=saver)


def appended(notes: list[str], writes: Sequence[list[str]]) -> list[str]:
    """A reducer as a channel of deltas takes one."""
    return [*notes, *(each for write in writes for each in write)]


class Notes(TypedDict):
    notes: Annotated[list[str], operator.add]
    last: str


class Deltas(TypedDict):
    notes: Annotated[list[str], DeltaChannel(appended)]
    last: str


def noting(saver: Any, state: Any = Notes) -> Any:
    """A state without messages."""
    graph = StateGraph(state).add_node("note", lambda state: {"notes": [state["last"]], "last": state["last"]})
    return graph.add_edge(START, "note").compile(checkpointer=saver)


def remembering(saver: Any) -> Any:
    """Notes in a sub-graph with a memory of its own, which asks back before its second node where it is told "ask"."""
    inner = StateGraph(Notes)
    inner.add_node("note", lambda state: {"notes": [state["last"]]})
    inner.add_node("ask", lambda state: {"last": interrupt("Sure?") if state["last"] == "ask" else state["last"]})
    inner.add_edge(START, "note").add_edge("note", "ask")
    outer = StateGraph(Notes).add_node("inner", inner.compile(checkpointer=True))
    return outer.add_edge(START, "inner").compile(checkpointer=saver)


def on(thread: str, **more: Any) -> Any:
    return {"configurable": {"thread_id": thread, **more}}


def saying(text: str) -> Any:
    return {"messages": [HumanMessage(text)]}
