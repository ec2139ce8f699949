"""A thread of messages put to the agent over the embedded sample, as of the day of the questions."""

from datetime import UTC, date, datetime
from typing import Any

from langchain_core.messages import HumanMessage
from questions import TODAY

from turnkeep.agents import Agent
from turnkeep_agents.database.state import LASTING
from turnkeep.records import Principal, Reply, RunContext


async def ask(agent: Agent, *messages: str, today: date = TODAY) -> Reply:
    """The reply to the last message of a thread."""
    now = datetime(today.year, today.month, today.day, 9, tzinfo=UTC)
    context = RunContext(conversation_window=5, now=now, principal=Principal("local", "ann"))
    state: dict[str, Any] = {"messages": []}
    for number, message in enumerate(messages):
        lasting = {key: value for key, value in state.items() if key in LASTING}
        said = [*state["messages"], HumanMessage(message, id=f"h{number}")]
        state = await agent.graph.ainvoke({**lasting, **agent.new_turn(), "messages": said}, context=context)
    return agent.read_reply(state)
