"""Answers and failures of a model over the wire of OpenAI and of Bedrock: each failure becomes the right ModelFault."""

import asyncio
import threading
from typing import Any

import bedrock_wire
import httpx
import pytest
from asking import CLAUDE, MODES, asked, bedrock, model_of
from langchain_core.exceptions import OutputParserException
from langgraph.errors import GraphRecursionError
from langgraph_sdk.errors import UnprocessableEntityError
from wire import Answer, WireServer, fails, garbles, refuses, resets, says, sends, stalls, trickles

from turnkeep.errors import ModelBusy, ModelError, ModelFault, ModelTimeout, ModelTruncated, Superseded
from turnkeep.models.faults import as_fault
from turnkeep.models.usage import UsageMeter

SECRET = "secret upstream text"
HALF = "half an answer"
AWAITED = ["ainvoke", "astream"]  # langchain-aws runs the other modes in threads

type Fault = tuple[Answer, type[ModelFault], str]


OPENAI: dict[str, Fault] = {
    "500": (fails("500 Internal Server Error"), ModelError, ""),
    "503": (fails("503 Service Unavailable"), ModelBusy, ""),
    "429": (fails("429 Too Many Requests"), ModelBusy, ""),
    "429 without quota": (fails("429 Too Many Requests", code="insufficient_quota"), ModelError, ""),
    "401": (fails("401 Unauthorized"), ModelError, ""),
    "404": (fails("404 Not Found"), ModelError, ""),
    "400 too long": (fails("400 Bad Request", code="context_length_exceeded"), ModelError, ""),
    "stalled": (stalls(4), ModelTimeout, ""),
    "reset": (resets, ModelError, ""),
    "malformed JSON": (garbles, ModelError, ""),
    "JSON of another shape": (sends("a string"), ModelError, ""),
    "an error as an answer": (sends({"error": {"message": SECRET}}), ModelError, ""),
    "a choice without a message": (sends({"choices": [{"index": 0}]}), ModelError, ""),
    "null choices": (sends({"choices": None}), ModelFault, ""),
    "no choices": (sends({"choices": []}), ModelFault, ""),
}
BEDROCK: dict[str, Fault] = {
    "throttled": (bedrock_wire.fails("429 Too Many Requests", "ThrottlingException"), ModelBusy, ""),
    "throttled mid-way": (bedrock_wire.fails_midway("throttlingException", "429 Too Many Requests"), ModelBusy, ""),
    "not ready": (bedrock_wire.fails("429 Too Many Requests", "ModelNotReadyException"), ModelBusy, ""),
    "unavailable": (bedrock_wire.fails("503 Service Unavailable", "ServiceUnavailableException"), ModelBusy, ""),
    "500": (bedrock_wire.fails("500 Internal Server Error", "InternalServerException"), ModelError, ""),
    "failed mid-way": (bedrock_wire.fails_midway("modelStreamErrorException", "424 Failed"), ModelError, ""),
    "no access": (bedrock_wire.fails("403 Forbidden", "AccessDeniedException"), ModelError, "(AccessDeniedException)"),
    "refused": (bedrock_wire.fails("400 Bad Request", "ValidationException"), ModelError, "(ValidationException)"),
    "too long": (
        bedrock_wire.fails("400 Bad Request", "ValidationException", "Input is too long for requested model."),
        ModelError,
        "longer than the model can read",
    ),
    "model's own time-out": (bedrock_wire.fails("408 Request Timeout", "ModelTimeoutException"), ModelTimeout, ""),
    "stalled": (stalls(4), ModelTimeout, ""),
    "reset": (resets, ModelError, "call to Bedrock failed"),
    "no ending": (bedrock_wire.says(HALF, None), ModelTruncated, "broke off"),
    "an unknown ending": (bedrock_wire.says(HALF, "tired"), ModelTruncated, "broke off"),
    "token limit": (bedrock_wire.says(HALF, "max_tokens"), ModelTruncated, "token limit"),
    "context full": (bedrock_wire.says(HALF, "model_context_window_exceeded"), ModelTruncated, "longer than"),
    "guardrail": (bedrock_wire.says("Blocked.", "guardrail_intervened"), ModelTruncated, "guardrail"),
    "content filter": (bedrock_wire.says(HALF, "content_filtered"), ModelTruncated, "content filter"),
    "garbled": (garbles, ModelError, ""),
    "JSON of another shape": (sends({"delta": 7, "output": {"message": 7}}), ModelFault, ""),
}
FAULTS = [("openai", fault, mode) for fault in OPENAI for mode in MODES]
FAULTS += [("bedrock", fault, mode) for fault in BEDROCK for mode in AWAITED]


@pytest.fixture
def server(provider: str, request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{provider}_server")


@pytest.fixture
def openai_server() -> Any:
    with WireServer() as server:
        yield server


def model(provider: str, server: WireServer, **more: Any) -> Any:
    return bedrock(**more) if provider == "bedrock" else model_of(server, **more)


@pytest.mark.parametrize(("provider", "fault", "mode"), FAULTS)
async def test_a_failure_becomes_its_fault_without_upstream_text(provider, fault, mode, server):
    play, expected, detail = (OPENAI if provider == "openai" else BEDROCK)[fault]
    server.script.append(play)
    with pytest.raises(expected) as caught:
        # Seconds, short only for the timeout itself, so that a busy machine fails no other test.
        await asked(model(provider, server, timeout_seconds=1.5 if fault == "stalled" else 15), mode)
    assert isinstance(caught.value, ModelFault)
    assert detail in (caught.value.detail or "")
    assert SECRET not in f"{caught.value}{caught.value.detail}"
    assert caught.value.at_limit == (fault == "token limit")
    assert caught.value.retry_after == (5 if expected is ModelBusy else None)


BUSY = {
    "openai": fails("429 Too Many Requests", {"Retry-After": "1"}),
    "bedrock": bedrock_wire.fails("429 Too Many Requests", "ThrottlingException"),
}
SAYS = {"openai": says, "bedrock": bedrock_wire.says}


@pytest.mark.parametrize("mode", AWAITED)
@pytest.mark.parametrize("provider", SAYS)
async def test_a_busy_model_is_retried_as_configured(provider: str, mode: str, server: WireServer) -> None:
    server.script += [BUSY[provider], SAYS[provider]("at last")]
    assert (await asked(model(provider, server, max_retries=1), mode)).strip() == "at last"
    assert len(server.bodies) == 2


@pytest.mark.parametrize("mode", MODES)
async def test_a_long_wait_is_left_to_the_client(mode: str) -> None:
    with WireServer([fails("429 Too Many Requests", {"Retry-After": "30"})]) as server:
        with pytest.raises(ModelBusy) as caught:
            await asked(model_of(server, max_retries=2), mode)
        assert caught.value.retry_after == 30
        assert len(server.bodies) == 1


@pytest.mark.parametrize(("provider", "mode"), [("openai", "ainvoke"), ("openai", "astream"), ("bedrock", "astream")])
async def test_a_deadline_ends_a_slow_answer_and_closes_its_connection(provider, mode, server):
    closed = threading.Event()
    server.script.append(trickles(0.1, closed))
    made = model(provider, server)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await asked(made, mode)
    assert await asyncio.to_thread(closed.wait, 5)


@pytest.mark.parametrize(
    ("provider", "name", "cost"), [("openai", "m", None), ("bedrock", CLAUDE, pytest.approx((22 * 1 + 14 * 5) / 1e6))]
)
async def test_usage_is_read_whole_and_streamed_and_no_http_headers_are(provider, name, cost, server):
    server.script += [SAYS[provider]("a whole answer")] * 2
    made, meter = model(provider, server), UsageMeter()
    found: list[Any] = [await made.ainvoke("hello", {"callbacks": [meter]})]
    found += [chunk async for chunk in made.astream("hello", {"callbacks": [meter]})]
    usage = meter.usage()
    assert (usage.input_tokens, usage.output_tokens, usage.estimated, usage.cost_usd) == (22, 14, False, cost)
    assert [call.model for call in meter.calls] == [name] * 2
    assert "HTTPHeaders" not in str(found)
    assert provider == "bedrock" or server.bodies[1]["stream_options"] == {"include_usage": True}


WHOLE = {
    "in words": (says("a whole answer"), "a whole answer"),
    "with what no store keeps and what steers a terminal": (
        says("a\ud800b \x1b]52;c;eA==\x07\0 \N{PILE OF POO}"),
        "a\ufffdb  ]52;c;eA==   \N{PILE OF POO}",
    ),
    "a refusal": (refuses("I will not."), "I will not."),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("answer", WHOLE)
async def test_an_answer_is_storable_text(answer: str, mode: str) -> None:
    play, text = WHOLE[answer]
    with WireServer([play]) as server:
        assert (await asked(model_of(server), mode)).rstrip() == text


# Errors of libraries that need not be installed


def library_error(module: str, name: str, **fields: Any) -> Exception:
    """An exception of a library that need not be installed."""
    error: Exception = type(name, (Exception,), {"__module__": module, **fields})("secret upstream text")
    return error


TOO_LONG = library_error("openai", "BadRequestError", status_code=400, type="exceed_context_size_error")  # llama.cpp's
KNOWN = [
    (library_error("anthropic", "RateLimitError"), ModelBusy, ""),
    (library_error("openai", "APIStatusError", status_code=503), ModelBusy, ""),
    (library_error("anthropic", "APIStatusError", status_code=529), ModelBusy, ""),
    (library_error("langchain_openai.chat_models", "StreamChunkTimeoutError"), ModelTimeout, ""),
    (library_error("openai", "LengthFinishReasonError"), ModelTruncated, ""),
    (OutputParserException("secret upstream text"), ModelError, ""),
    (GraphRecursionError("secret upstream text"), ModelError, "did not come to an end"),
    (ValueError("No generation chunks were returned"), ModelError, ""),
    (TOO_LONG, ModelError, "longer than the model can read"),
]


@pytest.mark.parametrize(("error", "expected", "detail"), KNOWN)
def test_a_library_error_becomes_its_fault_without_its_text(error, expected, detail):
    fault = as_fault(error)
    assert isinstance(fault, ModelFault)
    assert type(fault) is expected
    assert fault.at_limit == (type(error).__name__ == "LengthFinishReasonError")
    assert detail in (fault.detail or "")
    assert "secret" not in f"{fault} {fault.detail}"


UNKNOWN = [library_error("redis.exceptions", "AuthenticationError"), library_error("httpx", "ReadTimeout")]
ASKED_IN_A_NODE = httpx.Response(422, request=httpx.Request("POST", "http://api/runs"))
UNKNOWN += [UnprocessableEntityError("secret", response=ASKED_IN_A_NODE, body=None)]


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), TimeoutError(), RuntimeError("x"), *UNKNOWN])
def test_errors_of_the_graph_and_of_other_libraries_are_not_model_faults(error: Exception) -> None:
    assert as_fault(error) is None
    ours = Superseded()
    assert as_fault(ours) is ours
