"""A graph that acts on the first word of a message's last paragraph: it asks, waits, returns its config, or repeats the
message. `gates` end the waiting."""

import asyncio
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from turnkeep.errors import UnknownAgent
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply

gates: dict[str, asyncio.Event] = {}


def word_agent(name: str) -> Agent:
    class Notes(MessagesState):
        note: str

    async def look(state: Notes) -> dict[str, Any]:
        return {"note": f"{len(state['messages'])} messages"}

    async def serve(state: Notes, config: RunnableConfig) -> dict[str, Any]:
        last = state["messages"][-1]
        word, _, rest = last.text.rpartition("\n\n")[2].partition(" ")
        get_stream_writer()({"heard": word})
        match word:
            case "ask":
                answer = interrupt({"question": "ok?"})
                return {"messages": [AIMessage(f"answered {answer!r}", id=f"a-{last.id}")]}
            case "wait":
                await gates.setdefault(rest, asyncio.Event()).wait()
                return {"messages": [AIMessage("waited", id=f"a-{last.id}")]}
            case "config":
                sent = {key: config[key] for key in ("configurable", "metadata")}  # type: ignore[literal-required]
                own = {name: sent["configurable"].get(name) for name in ("tone", "thread_id", "assistant_id")}
                return {"messages": [AIMessage(f"{own} {sent['metadata'].get('from')}", id=f"a-{last.id}")]}
        model = GenericFakeChatModel(messages=iter([AIMessage(f"{len(state['messages'])}: {last.text}")]))
        return {"messages": [await model.ainvoke(state["messages"])]}

    if name not in ("papers", "products"):
        raise UnknownAgent
    inner = StateGraph(Notes)
    inner.add_node("look", look)
    inner.add_edge(START, "look")
    builder = StateGraph(Notes)
    builder.add_node("prepare", inner.compile())
    builder.add_node("serve", serve)
    builder.add_edge(START, "prepare")
    builder.add_edge("prepare", "serve")
    builder.add_edge("serve", END)
    return Agent(name, builder.compile(), lambda values: Reply(values["messages"][-1].text))
