"""An agent of one model call, for a server that a test starts."""

from typing import Any

from langgraph.graph import START, MessagesState, StateGraph

from turnkeep.entries import Entry
from turnkeep.graphs.agent import Agent
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply
from turnkeep.settings import Settings

ENTRY = Entry("Asks its model once", build="plain_agent:build")


def build(settings: Settings) -> Agent:
    models = chat_models(settings, "plain")

    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await models.main.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
    return Agent("plain", graph, lambda values: Reply(values["messages"][-1].text), model=models.name)
