from typing import Any
from uuid import UUID

import pytest
from asking import MODES, asked, model_of, settings_of
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult
from pydantic import SecretStr
from wire import WireServer, fails, says

from turnkeep.errors import ModelError, ModelKeyUnavailable
from turnkeep.models.chat import chat_models
from turnkeep.models.openai_chat import NO_KEY, openai_chat
from turnkeep.models.prices import Price, price_of
from turnkeep.models.reader import REASONING_TOKENS
from turnkeep.models.usage import UsageMeter
from turnkeep.settings import LateSecret, SecretSource, Settings
from turnkeep.tokens import estimate_tokens


def test_without_a_key_the_demo_model_answers() -> None:
    models = chat_models(Settings(), "papers")
    assert (models.provider, models.name) == ("demo", "demo")
    assert models.main is models.small


def test_with_a_key_alone_a_known_model_is_chosen() -> None:
    models = chat_models(Settings(openai_api_key=SecretStr("k")), "papers")
    assert models.provider == "openai"
    assert price_of(models.name) is not None


def test_the_small_model_may_be_another() -> None:
    models = chat_models(Settings(model="openai:big", model_small="demo", openai_api_key=SecretStr("k")), "papers")
    assert models.name == "big"
    assert models.small._llm_type == "demo"


def test_a_missing_key_is_an_error_that_names_the_setting() -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        chat_models(Settings(model="openai:m"), "papers")


def test_the_key_is_not_in_the_repr_of_a_model() -> None:
    models = chat_models(Settings(model="openai:m", openai_api_key=SecretStr("sk-hidden")), "papers")
    assert "sk-hidden" not in repr(models)


class Ring:
    """A key source that returns the first key, and moves to the next one when it is rejected."""

    def __init__(self, *keys: str) -> None:
        self.keys = list(keys)
        self.refused: list[str] = []

    def __call__(self, refused: str) -> str:
        if refused:
            self.refused.append(refused)
            self.keys = self.keys[1:] or self.keys
        return self.keys[0]


def sourced(server: WireServer, source: SecretSource, max_retries: int = 1) -> Any:
    settings = settings_of(server, max_retries=max_retries, key="")
    return chat_models(settings.model_copy(update={"openai_api_key": LateSecret(source)}), "papers").main


def bearers(server: WireServer) -> list[str]:
    return [headers["authorization"] for headers in server.headers]


@pytest.mark.parametrize("mode", MODES)
async def test_every_call_uses_the_current_key(mode: str) -> None:
    ring = Ring("a")
    with WireServer([says("one"), says("two")]) as server:
        model = sourced(server, ring)
        await asked(model, mode)
        ring.keys = ["b"]
        await asked(model, mode)
    assert bearers(server) == ["Bearer a", "Bearer b"]
    assert ring.refused == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_rejected_key_that_was_replaced_is_retried(mode: str) -> None:
    ring = Ring("a", "b")
    with WireServer([fails("401 Unauthorized"), says("well")]) as server:
        assert (await asked(sourced(server, ring), mode)).strip() == "well"
    assert (bearers(server), ring.refused) == (["Bearer a", "Bearer b"], ["a"])


@pytest.mark.parametrize("mode", MODES)
async def test_a_rejected_key_that_was_not_replaced_is_not_retried(mode: str) -> None:
    with WireServer([fails("401 Unauthorized")]) as server:
        with pytest.raises(ModelError, match="does not accept the API key"):
            await asked(sourced(server, Ring("a")), mode)
        assert len(server.bodies) == 1


@pytest.mark.parametrize("mode", MODES)
async def test_without_an_available_key_no_request_is_sent(mode: str) -> None:
    def source(refused: str) -> str:
        raise ModelKeyUnavailable(retry_after=5)

    with WireServer() as server:
        with pytest.raises(ModelKeyUnavailable):
            await asked(sourced(server, source), mode)
        assert server.bodies == []


async def test_without_a_key_a_placeholder_is_sent() -> None:
    with WireServer([says("well")]) as server:
        await asked(model_of(server, key=""), "ainvoke")
    assert bearers(server) == [f"Bearer {NO_KEY}"]


def payload(name: str, base_url: str | None) -> dict[str, Any]:
    model = openai_chat(name, Settings(openai_api_key=SecretStr("k"), openai_base_url=base_url))
    return model._get_request_payload([HumanMessage("hello")], temperature=0.3, max_tokens=100)


def test_openai_gets_the_new_name_of_the_limit_and_others_the_old() -> None:
    assert payload("gpt-4.1-mini", None)["max_completion_tokens"] == 100
    assert payload("llama3", "http://localhost:11434/v1")["max_tokens"] == 100


@pytest.mark.parametrize("name", ["o4-mini", "gpt-5-mini"])
def test_a_reasoning_model_gets_no_temperature_and_a_higher_limit(name: str) -> None:
    found = payload(name, None)
    assert "temperature" not in found
    assert found["max_completion_tokens"] == 100 + REASONING_TOKENS


def test_connections_are_not_kept_open() -> None:
    with WireServer([says("one")]) as server:
        model_of(server).invoke("hello")
        assert server.headers[0]["connection"] == "close"


def test_a_dated_release_has_the_price_of_its_model() -> None:
    assert price_of("gpt-4o-mini-2024-07-18") == price_of("gpt-4o-mini") == Price(0.15, 0.60)
    assert price_of("a-model-of-my-own") is None


@pytest.mark.parametrize("name", ["amazon.nova-lite-v1:0", "us.amazon.nova-lite-v1:0", "apac.amazon.nova-lite-v1:0"])
def test_a_profile_of_bedrock_has_the_price_of_its_model(name: str) -> None:
    assert price_of(name) == Price(0.06, 0.24)
    assert price_of("us-gov.anthropic.claude-haiku-4-5-20251001-v1:0") == Price(1, 5)
    assert price_of("amazon.nova-lite-2-v1:0") is None


def _result(text: str, model: str, **fields: Any) -> LLMResult:
    message = AIMessage(text, response_metadata={"model_name": model}, **fields)
    return LLMResult(generations=[[ChatGeneration(message=message)]])


def test_a_model_that_reports_no_usage_is_estimated_and_marked() -> None:
    meter = UsageMeter()
    meter.on_chat_model_start({}, [[HumanMessage("a question")]], run_id=UUID(int=1))
    meter.on_llm_end(_result("an answer", "gpt-4o"), run_id=UUID(int=1))
    usage = meter.usage()
    assert (usage.input_tokens, usage.output_tokens) == (estimate_tokens("a question"), estimate_tokens("an answer"))
    assert usage.estimated
    assert usage.cost_usd is not None
    assert usage.cost_usd > 0


def test_the_sum_has_no_cost_if_a_call_has_no_price() -> None:
    meter = UsageMeter()
    for number, model in enumerate(["gpt-4o", "a-model-of-my-own"]):
        tokens = {"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000}
        meter.on_llm_end(_result("x", model, usage_metadata=tokens), run_id=UUID(int=number))
    assert meter.usage().input_tokens == 2_000_000
    assert meter.usage().cost_usd is None


def test_a_text_completion_model_is_counted() -> None:
    meter = UsageMeter()
    meter.on_llm_start({}, ["a question"], run_id=UUID(int=1))
    meter.on_llm_end(LLMResult(generations=[[Generation(text="an answer")]]), run_id=UUID(int=1))
    assert meter.usage().output_tokens == estimate_tokens("an answer")
