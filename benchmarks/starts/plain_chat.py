"""The same with a graph of one node and a model's class beside it; no model is made and nothing is run."""

from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from plain_api import handler

__all__ = ["ChatOpenAI", "handler"]


def answer(state: MessagesState) -> dict[str, list[AIMessage]]:
    return {"messages": [AIMessage("hello")]}


builder = StateGraph(MessagesState)
builder.add_node("answer", answer)
builder.add_edge(START, "answer")
builder.add_edge("answer", END)
graph = builder.compile()
