from typing import Any
from uuid import UUID

import pytest
from asking import MODES, asked, model_of, settings_of
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult
from pydantic import SecretStr
from wire import WireServer, calls, fails, says

from turnkeep.errors import ModelError, ModelKeyUnavailable
from turnkeep.locations import LateSecret, SecretSource
from turnkeep.models.chat import chat_models
from turnkeep.models.openai_chat import NO_KEY, openai_chat
from turnkeep.models.prices import Price, price_of
from turnkeep.models.reader import REASONING_TOKENS
from turnkeep.models.usage import UsageMeter
from turnkeep.settings import Settings
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


def test_a_model_that_cannot_be_called_is_refused_with_what_to_set() -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        chat_models(Settings(model="openai:m"), "papers")


def test_the_key_is_not_in_the_text_of_the_model() -> None:
    models = chat_models(Settings(model="openai:m", openai_api_key=SecretStr("sk-hidden")), "papers")
    assert "sk-hidden" not in repr(models)


class Ring:
    """A key source that gives `keys` in turn, the last for ever, and the next as soon as one is refused."""

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
async def test_every_call_asks_for_the_key_of_now(mode: str) -> None:
    ring = Ring("a")
    with WireServer([says("one"), says("two")]) as server:
        model = sourced(server, ring)
        await asked(model, mode)
        ring.keys = ["b"]
        await asked(model, mode)
    assert bearers(server) == ["Bearer a", "Bearer b"]
    assert ring.refused == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_refused_key_that_was_replaced_is_tried_anew_at_once(mode: str) -> None:
    ring = Ring("a", "b")
    with WireServer([fails("401 Unauthorized"), says("well")]) as server:
        assert (await asked(sourced(server, ring), mode)).strip() == "well"
    assert (bearers(server), ring.refused) == (["Bearer a", "Bearer b"], ["a"])


@pytest.mark.parametrize("mode", MODES)
async def test_a_refused_key_that_was_not_replaced_is_not_tried_again(mode: str) -> None:
    with WireServer([fails("401 Unauthorized")]) as server:
        with pytest.raises(ModelError, match="does not accept the API key"):
            await asked(sourced(server, Ring("a")), mode)
        assert len(server.bodies) == 1


async def test_without_tries_the_next_call_has_the_new_key() -> None:
    with WireServer([fails("401 Unauthorized"), says("well")]) as server:
        model = sourced(server, Ring("a", "b"), max_retries=0)
        with pytest.raises(ModelError):
            await asked(model, "astream")
        assert (await asked(model, "astream")).strip() == "well"
    assert bearers(server) == ["Bearer a", "Bearer b"]


@pytest.mark.parametrize("mode", MODES)
async def test_a_key_that_cannot_be_had_stops_the_call(mode: str) -> None:
    def source(refused: str) -> str:
        raise ModelKeyUnavailable(retry_after=5)

    with WireServer() as server:
        with pytest.raises(ModelKeyUnavailable):
            await asked(sourced(server, source), mode)
        assert server.bodies == []


async def test_a_server_without_keys_is_sent_a_word_in_its_place() -> None:
    with WireServer([says("well")]) as server:
        await asked(model_of(server, key=""), "ainvoke")
    assert bearers(server) == [f"Bearer {NO_KEY}"]


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
        model_of(server).invoke("hello")
        assert server.headers[0]["connection"] == "close"


async def test_a_tool_call_keeps_its_arguments_through_a_stream() -> None:
    with WireServer([calls("look_up", {"id": 7})]) as server:
        whole: Any = None
        async for chunk in model_of(server).astream("hello"):
            whole = chunk if whole is None else whole + chunk
    assert whole.tool_calls[0]["args"] == {"id": 7}


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


def test_one_call_without_a_price_leaves_the_sum_without_one() -> None:
    meter = UsageMeter()
    for number, model in enumerate(["gpt-4o", "a-model-of-my-own"]):
        tokens = {"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000}
        meter.on_llm_end(_result("x", model, usage_metadata=tokens), run_id=UUID(int=number))
    assert meter.usage().input_tokens == 2_000_000
    assert meter.usage().cost_usd is None


def test_a_plain_text_model_is_counted_too() -> None:
    meter = UsageMeter()
    meter.on_llm_start({}, ["a question"], run_id=UUID(int=1))
    meter.on_llm_end(LLMResult(generations=[[Generation(text="an answer")]]), run_id=UUID(int=1))
    assert meter.usage().output_tokens == estimate_tokens("an answer")
