"""Tests of the agent, without a key and without a server."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent import builder


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_it_calls_its_tool_and_remembers_what_was_said() -> None:
    graph = builder.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "first"}}
    graph.invoke({"messages": [("user", "My name is Ada.")]}, thread)
    messages = graph.invoke({"messages": [("user", "What is my name?")]}, thread)["messages"]

    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"] * 2
    assert "Ada" in messages[-1].text
