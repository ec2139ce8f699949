"""Bedrock over the wire: complete answers pass, and every failure becomes the right ModelFault."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import bedrock_wire as wire
import pytest
from asking import asked
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field, ValidationError
from wire import Answer, WireServer

from turnkeep.errors import ModelBusy, ModelError, ModelFault, ModelTimeout, ModelTruncated
from turnkeep.models.calls import TypedCall, ask_typed
from turnkeep.models.chat import chat_models
from turnkeep.models.reader import REASONING_TOKENS
from turnkeep.models.usage import UsageMeter
from turnkeep.settings import Settings
from turnkeep.tuning import ModelTuning

pytest.importorskip("langchain_aws", reason="needs the extra bedrock")

CLAUDE = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
AWAITED = ["ainvoke", "astream"]  # langchain-aws runs the other modes in threads
HALF = "half an answer"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    with WireServer() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.base_url)
        yield server


def model(name: str = CLAUDE, *, timeout_seconds: float = 15, max_retries: int = 0) -> Any:
    tuning = ModelTuning(timeout_seconds=timeout_seconds, max_retries=max_retries)
    return chat_models(Settings(model=f"bedrock:{name}", models=tuning), "papers").main


FAULTS: dict[str, tuple[Callable[[], Answer], type[ModelFault], str]] = {
    "throttled": (lambda: wire.fails("429 Too Many Requests", "ThrottlingException"), ModelBusy, ""),
    "throttled mid-way": (lambda: wire.fails_midway("throttlingException", "429 Too Many Requests"), ModelBusy, ""),
    "not ready": (lambda: wire.fails("429 Too Many Requests", "ModelNotReadyException"), ModelBusy, ""),
    "unavailable": (lambda: wire.fails("503 Service Unavailable", "ServiceUnavailableException"), ModelBusy, ""),
    "500": (lambda: wire.fails("500 Internal Server Error", "InternalServerException"), ModelError, ""),
    "failed mid-way": (lambda: wire.fails_midway("modelStreamErrorException", "424 Failed"), ModelError, ""),
    "no access": (lambda: wire.fails("403 Forbidden", "AccessDeniedException"), ModelError, "(AccessDeniedException)"),
    "refused": (lambda: wire.fails("400 Bad Request", "ValidationException"), ModelError, "(ValidationException)"),
    "too long": (lambda: wire.too_long, ModelError, "longer than the model can read"),
    "model's own time-out": (lambda: wire.fails("408 Request Timeout", "ModelTimeoutException"), ModelTimeout, ""),
    "stalled": (lambda: wire.stalls(4), ModelTimeout, ""),
    "reset": (lambda: wire.resets, ModelError, "call to Bedrock failed"),
    "no ending": (lambda: wire.says(HALF, None), ModelTruncated, "broke off"),
    "an unknown ending": (lambda: wire.says(HALF, "tired"), ModelTruncated, "broke off"),
    "token limit": (lambda: wire.says(HALF, "max_tokens"), ModelTruncated, "token limit"),
    "context full": (lambda: wire.says(HALF, "model_context_window_exceeded"), ModelTruncated, "longer than"),
    "guardrail": (lambda: wire.says("Blocked.", "guardrail_intervened"), ModelTruncated, "guardrail"),
    "content filter": (lambda: wire.says(HALF, "content_filtered"), ModelTruncated, "content filter"),
    "garbled": (lambda: wire.garbles, ModelError, ""),
    "JSON of another shape": (lambda: wire.sends({"delta": 7, "output": {"message": 7}}), ModelFault, ""),
}


@pytest.mark.parametrize("mode", AWAITED)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_failure_becomes_its_fault_without_upstream_text(server: WireServer, fault: str, mode: str) -> None:
    play, expected, detail = FAULTS[fault]
    server.script.append(play())
    with pytest.raises(expected) as caught:
        await asked(model(timeout_seconds=1 if fault == "stalled" else 15), mode)
    assert isinstance(caught.value, ModelFault)
    assert detail in caught.value.detail
    assert wire.SECRET not in str(caught.value)
    assert getattr(caught.value, "at_limit", False) == (fault == "token limit")
    assert caught.value.retry_after == (5 if expected is ModelBusy else None)


@pytest.mark.parametrize("mode", AWAITED)
async def test_a_busy_model_is_retried_as_configured(server: WireServer, mode: str) -> None:
    server.script += [wire.fails("429 Too Many Requests", "ThrottlingException"), wire.says("at last")]
    assert (await asked(model(max_retries=1), mode)).strip() == "at last"
    assert len(server.bodies) == 2


async def test_a_cancelled_stream_ends_with_the_next_chunk(server: WireServer) -> None:
    closed = threading.Event()
    server.script.append(wire.trickles(0.1, closed))
    bedrock = model()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await asked(bedrock, "astream")
    assert await asyncio.to_thread(closed.wait, 5)


async def test_usage_is_read_whole_and_streamed(server: WireServer) -> None:
    server.script += [wire.says("a whole answer"), wire.says("a whole answer")]
    bedrock, meter = model(), UsageMeter()
    await bedrock.ainvoke("hello", {"callbacks": [meter]})
    _ = [chunk async for chunk in bedrock.astream("hello", {"callbacks": [meter]})]
    usage = meter.usage()
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (22, 14, False)
    assert [call.model for call in meter.calls] == [CLAUDE, CLAUDE]
    assert usage.cost_usd == pytest.approx((22 * 1 + 14 * 5) / 1e6)


@pytest.mark.parametrize("mode", ["whole", "stream"])
async def test_a_message_contains_no_http_headers(server: WireServer, mode: str) -> None:
    server.script.append(wire.says("a whole answer"))
    found: Any = None
    if mode == "whole":
        found = await model().ainvoke("hello")
    else:
        async for chunk in model().astream("hello"):
            found = chunk if found is None else found + chunk
    assert "HTTPHeaders" not in str(found)
    assert found.response_metadata["model_name"] == CLAUDE


class Verdict(BaseModel):
    """A judgement."""

    score: int = Field(ge=0, le=100)


CALL = TypedCall("papers.judge", Verdict, max_tokens=300)
ASKED = [SystemMessage("Judge."), HumanMessage("Bees?")]
GOOD = wire.calls("Verdict", {"score": 95})


@pytest.mark.parametrize("answer", [GOOD, wire.says('{"score": 95}')])
async def test_a_typed_call_returns_its_result(server: WireServer, answer: Answer) -> None:
    server.script.append(answer)
    assert (await ask_typed(model(), CALL, ASKED)).score == 95
    body = server.bodies[0]
    assert body["toolConfig"]["toolChoice"] == {"tool": {"name": "Verdict"}}
    assert body["inferenceConfig"] == {"temperature": 0.0, "maxTokens": 300}
    assert "papers.judge" not in str(body)


@pytest.mark.parametrize(
    "unusable", [wire.says("It is surely relevant."), wire.fails("400 Bad Request", "ValidationException")]
)
async def test_an_unusable_result_is_retried_without_a_schema(server: WireServer, unusable: Answer) -> None:
    server.script += [unusable, GOOD]
    assert (await ask_typed(model(), CALL, ASKED)).score == 95
    again = server.bodies[1]
    assert [message["role"] for message in again["messages"]] == ["user"]
    assert "could not be used" in str(again["messages"])
    assert "outputConfig" not in again


TOOL_CHOICES = {
    CLAUDE: {"tool": {"name": "Verdict"}},
    "mistral.mistral-large-2407-v1:0": {"any": {}},
    "meta.llama3-1-70b-instruct-v1:0": {"auto": {}},
    "cohere.command-r-v1:0": None,
}


@pytest.mark.parametrize("name", TOOL_CHOICES)
async def test_the_strictest_supported_tool_choice_is_sent(server: WireServer, name: str) -> None:
    server.script.append(GOOD)
    assert (await ask_typed(model(name), CALL, ASKED)).score == 95
    assert server.bodies[0]["toolConfig"].get("toolChoice") == TOOL_CHOICES[name]


async def test_a_reasoning_model_gets_a_higher_limit(server: WireServer) -> None:
    server.script.append(GOOD)
    await ask_typed(model("openai.gpt-oss-120b-1:0"), CALL, ASKED)
    assert server.bodies[0]["inferenceConfig"]["maxTokens"] == 300 + REASONING_TOKENS


def test_without_a_region_the_error_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with pytest.raises(ModelError, match="AWS_REGION"):
        model()


async def test_without_credentials_no_request_is_sent(server: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    with pytest.raises(ModelError, match="NoCredentials"):
        await asked(model(), "ainvoke")
    assert server.bodies == []


@pytest.mark.parametrize("name", ["", "arn:aws:bedrock:eu-west-1:1:application-inference-profile/x"])
def test_an_invalid_model_name_is_rejected_at_start(name: str) -> None:
    with pytest.raises(ValidationError, match="id of a model or inference profile"):
        Settings(model=f"bedrock:{name}")
