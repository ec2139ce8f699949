"""An agent that shows its model the documents of the thread and does what the model calls, as far as it may."""

import asyncio
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from turnkeep.entries import Entry
from turnkeep.graphs.agent import Agent
from turnkeep.models.chat import chat_models
from turnkeep.records import Documents, Reply, RunContext
from turnkeep.settings import Settings

ENTRY = Entry("Does what its model says", build="assistant:build")
STEPS = 8


@tool
def read_document(document_id: str) -> str:
    """The text of a document."""
    raise NotImplementedError


def text_of(documents: Documents, document_id: Any) -> str:
    return "\n".join(piece.text for piece in documents.read(str(document_id))) or "There is nothing."


def build(settings: Settings) -> Agent:
    model = chat_models(settings, "assistant").main.bind_tools([read_document])

    async def answer(state: MessagesState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        documents = runtime.context.documents
        known = await asyncio.to_thread(documents.all)
        texts = [f"{one.name}:\n{await asyncio.to_thread(text_of, documents, one.id)}" for one in known]
        prompt: list[BaseMessage] = [SystemMessage("Documents:\n" + "\n".join(texts)), *state["messages"]]
        for _ in range(STEPS):
            said = await model.ainvoke(prompt)
            prompt.append(said)
            if not said.tool_calls:
                break
            for call in said.tool_calls:
                is_ours = call["name"] == "read_document"
                told = text_of(documents, call["args"].get("document_id")) if is_ours else "There is no such tool."
                prompt.append(ToolMessage(told, tool_call_id=str(call["id"])))
        return {"messages": [AIMessage(said.text)]}

    graph = StateGraph(MessagesState, context_schema=RunContext).add_node("answer", answer).add_edge(START, "answer")
    return Agent("assistant", graph.compile(), lambda values: Reply(values["messages"][-1].text))
