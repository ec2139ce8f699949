from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult
from pydantic import SecretStr
from wire import WireServer, calls, says

from turnkeep.models.chat import chat_models
from turnkeep.models.openai_chat import REASONING_TOKENS, openai_chat
from turnkeep.models.prices import Price, price_of
from turnkeep.models.usage import UsageMeter
from turnkeep.settings import Settings
from turnkeep.tokens import estimate_tokens


def test_without_a_key_the_demo_model_answers() -> None:
    models = chat_models(Settings(), {})
    assert (models.provider, models.name) == ("demo", "demo")
    assert models.main is models.small


def test_with_a_key_alone_a_known_model_is_chosen() -> None:
    models = chat_models(Settings(openai_api_key=SecretStr("k")), {})
    assert models.provider == "openai"
    assert price_of(models.name) is not None


def test_the_small_model_may_be_another() -> None:
    models = chat_models(Settings(model="openai:big", model_small="demo", openai_api_key=SecretStr("k")), {})
    assert models.name == "big"
    assert models.small._llm_type == "demo"


def test_a_model_that_cannot_be_called_is_refused_with_what_to_set() -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        chat_models(Settings(model="openai:m"), {})


def test_the_key_is_not_in_the_text_of_the_model() -> None:
    models = chat_models(Settings(model="openai:m", openai_api_key=SecretStr("sk-hidden")), {})
    assert "sk-hidden" not in repr(models)


def payload(name: str, base_url: str | None) -> dict[str, Any]:
    model = openai_chat(name, Settings(openai_api_key=SecretStr("k"), openai_base_url=base_url))
    return model._get_request_payload([HumanMessage("hello")], temperature=0.3, max_tokens=100)


def test_openai_gets_the_new_name_of_the_limit_and_other_servers_the_old_one() -> None:
    assert payload("gpt-4.1-mini", None)["max_completion_tokens"] == 100
    assert payload("llama3", "http://localhost:11434/v1")["max_tokens"] == 100


@pytest.mark.parametrize("name", ["o4-mini", "gpt-5-mini"])
def test_a_reasoning_model_gets_no_temperature_and_room_to_think(name: str) -> None:
    found = payload(name, None)
    assert "temperature" not in found
    assert found["max_completion_tokens"] == 100 + REASONING_TOKENS


def test_a_connection_is_not_kept_for_an_event_loop_to_come() -> None:
    with WireServer([says("one")]) as server:
        chat_models(Settings(model="openai:m", openai_base_url=server.base_url), {}).main.invoke("hello")
        assert server.headers[0]["connection"] == "close"


async def test_a_tool_call_keeps_its_arguments_through_a_stream() -> None:
    with WireServer([calls("look_up", {"id": 7})]) as server:
        model = chat_models(Settings(model="openai:m", openai_base_url=server.base_url), {}).main
        whole: Any = None
        async for chunk in model.astream("hello"):
            whole = chunk if whole is None else whole + chunk
    assert whole.tool_calls[0]["args"] == {"id": 7}


def test_a_dated_release_has_the_price_of_its_model() -> None:
    assert price_of("gpt-4o-mini-2024-07-18") == price_of("gpt-4o-mini") == Price(0.15, 0.60)
    assert price_of("a-model-of-my-own") is None


def _result(text: str, model: str, **fields: Any) -> LLMResult:
    message = AIMessage(text, response_metadata={"model_name": model}, **fields)
    return LLMResult(generations=[[ChatGeneration(message=message)]])


def test_a_model_that_reports_no_usage_is_estimated_and_marked() -> None:
    meter = UsageMeter()
    meter.on_chat_model_start({}, [[HumanMessage("a question")]], run_id=UUID(int=1))
    meter.on_llm_end(_result("an answer", "gpt-4o"), run_id=UUID(int=1))
    usage = meter.usage(price_of)
    assert (usage.input_tokens, usage.output_tokens) == (estimate_tokens("a question"), estimate_tokens("an answer"))
    assert usage.estimated
    assert usage.cost_usd is not None
    assert usage.cost_usd > 0


def test_one_call_without_a_price_leaves_the_sum_without_one() -> None:
    meter = UsageMeter()
    for number, model in enumerate(["gpt-4o", "a-model-of-my-own"]):
        tokens = {"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000}
        meter.on_llm_end(_result("x", model, usage_metadata=tokens), run_id=UUID(int=number))
    assert meter.usage(price_of).input_tokens == 2_000_000
    assert meter.usage(price_of).cost_usd is None


def test_a_plain_text_model_is_counted_too() -> None:
    meter = UsageMeter()
    meter.on_llm_start({}, ["a question"], run_id=UUID(int=1))
    meter.on_llm_end(LLMResult(generations=[[Generation(text="an answer")]]), run_id=UUID(int=1))
    assert meter.usage(price_of).output_tokens == estimate_tokens("an answer")
