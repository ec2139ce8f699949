"""Many turns of one thread: what lasts stays small, and a prompt shows no more of it than its window."""

import json
from itertools import cycle, islice
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import Field

from turnkeep.kit.memory import WINDOW_TURNS
from turnkeep.models.calls import inner_call_of
from turnkeep.models.chat import Models
from turnkeep.records import RunContext
from turnkeep.tokens import estimate_tokens
from turnkeep_agents.campaigns import prompts
from turnkeep_agents.campaigns.graph import compile_graph
from turnkeep_agents.campaigns.nodes import Nodes
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.state import LASTING, new_turn
from turnkeep_agents.campaigns.warehouse.sums import open_warehouses
from turnkeep_demo.campaigns.rules import rules
from turnkeep_demo.model import DemoChatModel, fold

STATE_BYTES = 8 * 1024
MEMORY_BYTES = 3 * 1024  # about as many tokens as a summary of all that came before may have
TALK = (
    "Show me clicks and spend of every insertion order by week for the last three months",
    "and by creative?",
    "Compare the click rate of all audiences in January with December",
    "Which budgets are overspending?",
    "123",
    "quiz performance for two weeks",
    "Yes, that is right",
    "What do you recommend for the creatives?",
)


class Recording(DemoChatModel):
    """Keeps how many tokens of conversation and memory each prompt for a reading showed."""

    shown: list[int] = Field(default_factory=list)

    def _answer(self, messages: list[BaseMessage], kwargs: Any) -> Any:
        if inner_call_of(messages) == "campaigns.read":
            said = messages[-1].additional_kwargs["parts"]
            self.shown.append(estimate_tokens(json.dumps([said["conversation"], said["memory"]])))
        return super()._answer(messages, kwargs)


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["window", "tiered"])
async def test_state_and_prompts_stay_small_however_long_a_thread_is(
    memory: Any, context: RunContext, long_thread: int
) -> None:
    model = Recording(rules={**rules(), "memory.fold": fold})
    own = CampaignsSettings(memory=memory)
    graph = compile_graph(Nodes(Models(model, model, "demo", "demo"), open_warehouses(own), own))
    state: dict[str, Any] = {"messages": []}
    largest = 0
    for turn, message in enumerate(islice(cycle(TALK), long_thread)):
        loaded = [*_newest_turns(state["messages"]), HumanMessage(message, id=f"h{turn}")]
        lasting = {key: value for key, value in state.items() if key in LASTING}
        given: Any = {**lasting, **new_turn(), "messages": loaded}
        state = await graph.ainvoke(given, context=context)
        largest = max(largest, _bytes({key: state[key] for key in LASTING - {"messages"} if key in state}))
    assert 0 < largest < STATE_BYTES
    assert len(model.shown) >= long_thread
    overhead = 1.5  # JSON's quotes and names, which the prompt spells with tags
    assert max(model.shown) < overhead * (prompts.HISTORY_TOKENS + (MEMORY_BYTES if memory == "tiered" else 0))
    assert "memory_gap" not in state["warnings"]
    assert bool(state["memory"]["older"]) is (memory == "tiered")


def _newest_turns(messages: list[BaseMessage]) -> list[BaseMessage]:
    """What LOAD gives a run: the messages of the newest turns."""
    starts = [at for at, message in enumerate(messages) if message.type == "human"]
    return messages[starts[-WINDOW_TURNS] :] if len(starts) > WINDOW_TURNS else list(messages)


def _bytes(value: object) -> int:
    return len(json.dumps(value).encode())
