"""An assistant with one tool and the memory of its thread. It is plain LangGraph: Turnkeep serves `graph` and stores
its turns, so it needs no checkpointer here."""

import os
from datetime import UTC, datetime

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

INSTRUCTIONS = "You are a helpful assistant. Call a tool where it knows better than you."


@tool
def current_time() -> str:
    """The date and time now, in UTC."""
    return datetime.now(UTC).strftime("%A, %d %B %Y, %H:%M")


def respond(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Return the model's next message: an answer, or a call of a tool."""
    messages = state["messages"]
    if not os.environ.get("OPENAI_API_KEY"):
        return {"messages": [without_model(messages)]}
    model = ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")).bind_tools([current_time])
    return {"messages": [model.invoke([SystemMessage(INSTRUCTIONS), *messages])]}


def without_model(messages: list[AnyMessage]) -> AIMessage:
    """Answer without a model, so that a first run needs no key: with the tool's result and the user's messages."""
    if isinstance(messages[-1], HumanMessage):
        return AIMessage("", tool_calls=[{"name": current_time.name, "args": {}, "id": f"call-{len(messages)}"}])
    said = [f'"{message.text}"' for message in messages if isinstance(message, HumanMessage)]
    return AIMessage(
        f"OPENAI_API_KEY is not set, so no model answers. What I know without one: it is {messages[-1].text}, "
        f"and in this thread you said {', then '.join(said)}."
    )


builder = StateGraph(MessagesState)
builder.add_node("respond", respond)
builder.add_node("tools", ToolNode([current_time]))
builder.add_edge(START, "respond")
builder.add_conditional_edges("respond", tools_condition)
builder.add_edge("tools", "respond")
graph = builder.compile()
