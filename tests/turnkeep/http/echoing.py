"""A clock, and agents without a model: `papers` repeats messages, `database` returns rows, `broken` raises."""

import time

from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph

from turnkeep.errors import UnknownAgent
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply, Source

ROWS = {"columns": ["name", "hours"], "rows": [["Ann", 7.5], ["Bo", None]]}


class Clock:
    """The real time plus `ahead` seconds."""

    ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


def echo_agent(name: str) -> Agent:
    def repeat(state: MessagesState) -> dict[str, list[AIMessage]]:
        messages = state["messages"]
        return {"messages": [AIMessage(f"{len(messages)}: {messages[-1].text}", id=f"a-{messages[-1].id}")]}

    def fail(state: MessagesState) -> dict[str, list[AIMessage]]:
        raise RuntimeError(f"message: {state['messages'][-1].text}")

    def query(state: MessagesState) -> dict[str, list[AIMessage]]:
        write = get_stream_writer()
        write({"event": "route_decision", "route": "sql"})
        write({"event": "tool_start", "tool": "sql"})
        return repeat(state)

    if name not in ("papers", "broken", "database"):
        raise UnknownAgent
    builder = StateGraph(MessagesState)
    builder.add_node("answer", {"broken": fail, "database": query}.get(name, repeat))
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    sources = (Source(id="1706.03762", title="A paper", score=0.5, cited=True),)

    def read_reply(values: object) -> Reply:
        assert isinstance(values, dict)
        details = ROWS if name == "database" else {"steps": ["repeat"]}
        return Reply(values["messages"][-1].text, route="respond", sources=sources, details=details)

    return Agent(name=name, graph=builder.compile(), read_reply=read_reply)
