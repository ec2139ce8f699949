"""Models of the settings, their keys, prices and usage; in a run with redaction all text of a request is redacted."""

import json
from typing import Any
from uuid import UUID

import bedrock_wire
import pytest
from asking import MODES, asked, bedrock, model_of, settings_of
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult
from pydantic import SecretStr
from wire import WireServer, fails, says

from turnkeep.errors import ModelError, ModelKeyUnavailable
from turnkeep.models.answer_reader import REASONING_TOKENS
from turnkeep.models.chat import chat_models
from turnkeep.models.openai_chat import NO_KEY, openai_chat
from turnkeep.models.outgoing import redacting
from turnkeep.models.prices import Price, price_of
from turnkeep.models.usage import UsageMeter
from turnkeep.settings import LateSecret, SecretSource, Settings
from turnkeep.tokens import estimate_tokens


def test_the_models_are_those_of_the_settings() -> None:
    key = SecretStr("sk-hidden")
    models = chat_models(Settings(), "papers")
    assert (models.provider, models.name, models.main is models.small) == ("demo", "demo", True)
    models = chat_models(Settings(openai_api_key=key), "papers")
    assert (models.provider, price_of(models.name) is None) == ("openai", False)
    models = chat_models(Settings(model="openai:big", model_small="demo", openai_api_key=key), "papers")
    assert (models.name, models.small._llm_type, "sk-hidden" in repr(models)) == ("big", "demo", False)
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        chat_models(Settings(model="openai:m"), "papers")


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
async def test_every_call_uses_the_current_key_and_a_rejected_one_is_retried_if_it_was_replaced(mode: str) -> None:
    ring = Ring("a", "b")
    with WireServer([says("one"), fails("401 Unauthorized"), says("two"), fails("401 Unauthorized")]) as server:
        model = sourced(server, ring)
        assert [(await asked(model, mode)).strip() for _ in range(2)] == ["one", "two"]
        with pytest.raises(ModelError, match="does not accept the API key"):
            await asked(model, mode)
    assert bearers(server) == ["Bearer a", "Bearer a", "Bearer b", "Bearer b"]
    assert ring.refused == ["a", "b"]


@pytest.mark.parametrize("mode", MODES)
async def test_without_an_available_key_no_request_is_sent(mode: str) -> None:
    def source(refused: str) -> str:
        raise ModelKeyUnavailable(retry_after=5)

    with WireServer() as server:
        with pytest.raises(ModelKeyUnavailable):
            await asked(sourced(server, source), mode)
        assert server.bodies == []


async def test_without_a_key_a_placeholder_is_sent_and_no_connection_is_kept_open() -> None:
    with WireServer([says("well")]) as server:
        await asked(model_of(server, key=""), "ainvoke")
    assert (bearers(server), server.headers[0]["connection"]) == ([f"Bearer {NO_KEY}"], "close")


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


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("gpt-4o-mini", Price(0.15, 0.60)),
        ("gpt-4o-mini-2024-07-18", Price(0.15, 0.60)),
        ("a-model-of-my-own", None),
        ("amazon.nova-lite-v1:0", Price(0.06, 0.24)),
        ("apac.amazon.nova-lite-v1:0", Price(0.06, 0.24)),
        ("us-gov.anthropic.claude-haiku-4-5-20251001-v1:0", Price(1, 5)),
        ("amazon.nova-lite-2-v1:0", None),
    ],
)
def test_a_release_or_profile_has_the_price_of_its_model(name: str, price: Price | None) -> None:
    assert price_of(name) == price


def _result(text: str, model: str, **fields: Any) -> LLMResult:
    message = AIMessage(text, response_metadata={"model_name": model}, **fields)
    return LLMResult(generations=[[ChatGeneration(message=message)]])


def test_a_model_that_reports_no_usage_is_estimated_and_marked() -> None:
    meter, completed = UsageMeter(), UsageMeter()
    meter.on_chat_model_start({}, [[HumanMessage("a question")]], run_id=UUID(int=1))
    meter.on_llm_end(_result("an answer", "gpt-4o"), run_id=UUID(int=1))
    completed.on_llm_start({}, ["a question"], run_id=UUID(int=1))
    completed.on_llm_end(LLMResult(generations=[[Generation(text="an answer")]]), run_id=UUID(int=1))
    for usage in (meter.usage(), completed.usage()):
        assert usage.input_tokens == estimate_tokens("a question")
        assert (usage.output_tokens, usage.estimated) == (estimate_tokens("an answer"), True)
    assert (meter.usage().cost_usd or 0) > 0


def test_the_sum_has_no_cost_if_a_call_has_no_price() -> None:
    meter = UsageMeter()
    for number, model in enumerate(["gpt-4o", "a-model-of-my-own"]):
        tokens = {"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000}
        meter.on_llm_end(_result("x", model, usage_metadata=tokens), run_id=UUID(int=number))
    assert meter.usage().input_tokens == 2_000_000
    assert meter.usage().cost_usd is None


CALL = {"name": "look_up", "args": {"who": "Ann"}, "id": "call-Ann", "type": "tool_call"}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QW5uAnn="}}
SENT = [
    SystemMessage("You serve Ann."),
    HumanMessage([{"type": "text", "text": "I am Ann."}]),
    AIMessage("Ann?", tool_calls=[CALL]),
    ToolMessage("Found Ann.", tool_call_id="call-Ann"),
    HumanMessage("Ann, yes."),
]


def redact(text: str) -> str:
    return text.replace("Ann", "[PERSON]")


@pytest.mark.parametrize("mode", MODES)
async def test_openai_requests_are_redacted(mode: str) -> None:
    with WireServer([says("Hello."), says("Hello.")]) as server:
        model = model_of(server)
        with redacting(redact):
            await asked(model, mode, [*SENT, HumanMessage([PICTURE])])
        await asked(model, mode, SENT)
    hidden, plain = (body["messages"] for body in server.bodies)
    assert [each["role"] for each in plain] == [each["role"] for each in hidden][:-1]
    assert json.dumps(hidden).count("Ann") == 3  # two ids of a call and the picture
    assert json.dumps(hidden[:-1]).replace("[PERSON]", "Ann") == json.dumps(plain)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore:Tool messages were passed without toolConfig")
async def test_bedrock_requests_are_redacted(mode: str, bedrock_server: WireServer) -> None:
    bedrock_server.script.append(bedrock_wire.says("Hello."))
    with redacting(redact):
        assert (await asked(bedrock(), mode, SENT)).strip() == "Hello."
    (body,) = bedrock_server.bodies
    assert json.dumps(body).count("[PERSON]") == 6
    assert "Ann" not in json.dumps(body)
