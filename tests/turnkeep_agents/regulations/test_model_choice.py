"""Which model answers, before it is called."""

import pytest
from langchain_core.messages import BaseMessage, HumanMessage

from scripted_model import ScriptedModel
from turnkeep.models.chat import Models
from turnkeep_agents.regulations.model_choice import Choice, choose

MODELS = Models(ScriptedModel(), ScriptedModel(), "openai", "gpt-4.1", "openai", "gpt-4.1-nano")
LONG: list[BaseMessage] = [HumanMessage("parola " * 6_000)]


def chosen(domain: str = "tax", action: str = "explain", *, limit: float = 0.05, models: Models = MODELS) -> Choice:
    return choose(models, domain=domain, action=action, prompt=LONG, most_written=1_000, limit=limit)


@pytest.mark.parametrize(
    ("domain", "action", "model"),
    [
        ("tax", "explain", "gpt-4.1"),
        ("labour", "calculate", "gpt-4.1"),
        ("tax", "define", "gpt-4.1-nano"),
        ("none", "summarise", "gpt-4.1-nano"),
    ],
)
def test_the_law_is_for_the_main_model_and_small_work_for_the_small_one(domain: str, action: str, model: str) -> None:
    found = chosen(domain, action)
    assert found.model == model
    assert found.of(MODELS) is (MODELS.main if model == "gpt-4.1" else MODELS.small)


def test_what_it_will_cost_is_estimated_from_list_prices() -> None:
    found = chosen()
    assert found.prompt_tokens == 6_000
    assert found.estimated_usd == (6_000 * 2 + 1_000 * 8) / 1e6


def test_no_limit_and_no_known_price_hold_nothing_back() -> None:
    own = Models(ScriptedModel(), ScriptedModel(), "openai", "own-model", "openai", "own-model")
    assert chosen(limit=0).model == "gpt-4.1"
    assert chosen(limit=0.0001, models=own).estimated_usd is None
