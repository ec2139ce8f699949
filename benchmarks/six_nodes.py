"""A graph of six nodes without a model, for any saver: each leaves something small, one the working state, one the
reply. Standard LangGraph only: the peers' own environments load this too."""

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from texts import JSON, Texts

STEPS = ("understand", "check_scope", "retrieve", "grade", "answer", "remember")


class SixState(TypedDict):
    """`notes` is the working state and lasts, as the messages do; the rest belongs to one turn."""

    messages: Annotated[list[AnyMessage], add_messages]
    notes: JSON
    query: str
    route: str
    score: int
    reply: str
    steps: list[str]


def new_turn() -> JSON:
    return {"query": "", "route": "", "score": 0, "reply": "", "steps": []}


def build(texts: Texts) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not yet compiled; its replies and its state come from `texts`."""
    work: dict[str, Any] = {
        "understand": lambda state: {"query": state["messages"][-1].text[:120]},
        "check_scope": lambda state: {"route": "retrieve", "score": len(state["query"]) % 100},
        "retrieve": lambda _: {"notes": texts.notes()},
        "grade": lambda state: {"score": len(state["notes"]["rows"])},
        "answer": lambda _: _said(texts.reply()),
        "remember": lambda state: {"steps": [*state["steps"], f"answered by {state['route']}"]},
    }
    graph = StateGraph(SixState)
    for name, node in work.items():
        graph.add_node(name, node)
    for one, following in zip((START, *STEPS), (*STEPS, END), strict=True):
        graph.add_edge(one, following)
    return graph


def _said(text: str) -> JSON:
    return {"messages": [AIMessage(text)], "reply": text}
