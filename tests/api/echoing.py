"""A clock, and agents that need no model: one repeats and counts what it is told, one has a node that raises."""

import time

from turnkeep.agents import Agent
from turnkeep.errors import UnknownAgent
from turnkeep.records import Reply, Source


class Clock:
    """Seconds since the epoch, moved by hand on top of the real ones."""

    ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


def echo_agent(name: str) -> Agent:
    from langchain_core.messages import AIMessage
    from langgraph.graph import END, START, MessagesState, StateGraph

    def repeat(state: MessagesState) -> dict[str, list[AIMessage]]:
        messages = state["messages"]
        return {"messages": [AIMessage(f"{len(messages)}: {messages[-1].text}", id=f"a-{messages[-1].id}")]}

    def fail(state: MessagesState) -> dict[str, list[AIMessage]]:
        raise RuntimeError(f"said: {state['messages'][-1].text}")

    if name not in ("papers", "broken"):
        raise UnknownAgent
    builder = StateGraph(MessagesState)
    builder.add_node("answer", fail if name == "broken" else repeat)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    sources = (Source(id="1706.03762", title="A paper", score=0.5, cited=True),)

    def read_reply(values: object) -> Reply:
        assert isinstance(values, dict)
        return Reply(values["messages"][-1].text, route="respond", sources=sources, details={"steps": ["repeat"]})

    return Agent(name=name, graph=builder.compile(), read_reply=read_reply)
