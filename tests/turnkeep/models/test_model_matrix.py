"""Failures of a model over the wire: each becomes the right ModelFault."""

import asyncio
import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from asking import MODES, asked, model_of, settings_of
from langchain_core.messages import HumanMessage
from wire import Answer, WireServer, calls, fails, garbles, refuses, resets, says, sends, trickles, waits

from turnkeep.errors import ModelBusy, ModelError, ModelFault, ModelTimeout, ModelTruncated
from turnkeep.models.usage import UsageMeter
from turnkeep.records import Principal, Reply, RunContext
from turnkeep_agents.papers.graph import build, read_reply
from turnkeep_agents.papers.state import new_turn

SECRET = "secret upstream text"
CONTEXT = RunContext(conversation_window=5, now=datetime(2026, 3, 4, tzinfo=UTC), principal=Principal("local", "ann"))


FAULTS: dict[str, tuple[Callable[[], Answer], type[ModelFault]]] = {
    "500": (lambda: fails("500 Internal Server Error"), ModelError),
    "503": (lambda: fails("503 Service Unavailable"), ModelBusy),
    "429": (lambda: fails("429 Too Many Requests"), ModelBusy),
    "429 without quota": (lambda: fails("429 Too Many Requests", code="insufficient_quota"), ModelError),
    "401": (lambda: fails("401 Unauthorized"), ModelError),
    "404": (lambda: fails("404 Not Found"), ModelError),
    "400 too long": (lambda: fails("400 Bad Request", code="context_length_exceeded"), ModelError),
    "slow": (lambda: waits(5), ModelTimeout),
    "reset": (lambda: resets, ModelError),
    "clean early end": (lambda: says("half an answer", None), ModelTruncated),
    "length": (lambda: says("half an answer", "length"), ModelTruncated),
    "content_filter": (lambda: says("half an answer", "content_filter"), ModelTruncated),
    "malformed JSON": (lambda: garbles, ModelError),
    "JSON of another shape": (lambda: sends("a string"), ModelError),
    "an error as an answer": (lambda: sends({"error": {"message": SECRET}}), ModelError),
    "a choice without a message": (lambda: sends({"choices": [{"index": 0}]}), ModelError),
    "null choices": (lambda: sends({"choices": None}), ModelFault),
    "no choices": (lambda: sends({"choices": []}), ModelFault),
}


def timeout_of(fault: str) -> float:
    """Seconds, short only for the timeout itself, so that a busy machine fails no other test."""
    return 1.5 if fault == "slow" else 15


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


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_failure_becomes_its_fault_without_upstream_text(fault: str, mode: str) -> None:
    play, expected = FAULTS[fault]
    with WireServer([play()]) as server, pytest.raises(expected) as caught:
        await asked(model_of(server, timeout_seconds=timeout_of(fault)), mode)
    assert isinstance(caught.value, ModelFault)
    assert SECRET not in str(caught.value)
    assert SECRET not in (caught.value.detail or "")


@pytest.mark.parametrize("mode", ["ainvoke", "astream"])
async def test_a_deadline_ends_a_slow_answer_and_closes_its_connection(mode: str) -> None:
    closed = threading.Event()
    with WireServer([trickles(0.1, closed)]) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await asked(model_of(server), mode)
        assert await asyncio.to_thread(closed.wait, 5)


@pytest.mark.parametrize("mode", ["ainvoke", "astream"])
async def test_a_busy_model_is_retried_after_a_short_wait(mode: str) -> None:
    with WireServer([fails("429 Too Many Requests", {"Retry-After": "1"}), says("at last")]) as server:
        assert (await asked(model_of(server, max_retries=1), mode)).strip() == "at last"
        assert len(server.bodies) == 2


@pytest.mark.parametrize("mode", MODES)
async def test_a_long_wait_is_left_to_the_client(mode: str) -> None:
    with WireServer([fails("429 Too Many Requests", {"Retry-After": "30"})]) as server:
        with pytest.raises(ModelBusy) as caught:
            await asked(model_of(server, max_retries=2), mode)
        assert caught.value.retry_after == 30
        assert len(server.bodies) == 1


async def test_usage_is_read_whole_and_streamed() -> None:
    with WireServer([says("a whole answer"), says("a whole answer")]) as server:
        model, meter = model_of(server), UsageMeter()
        await model.ainvoke("hello", {"callbacks": [meter]})
        _ = [chunk async for chunk in model.astream("hello", {"callbacks": [meter]})]
        usage = meter.usage()
        assert server.bodies[1]["stream_options"] == {"include_usage": True}
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (22, 14, False)
    assert usage.cost_usd is None


READING = {
    "question": "How does LoRA adapt a model?",
    "kind": "question",
    "searches": ["LoRA low-rank adaptation"],
    "breadth": "few",
    "years": [],
    "language": "en",
    "reason": "of the field",
    "score": 95,
}
READ = calls("Reading", READING)
GRADE = calls("Grade", {"relevant_ids": ["2106.09685"]})
NO_GRADE = calls("Grade", {"relevant_ids": []})
REWRITE = calls("Rewrite", {"query": "transformer attention"})
OTHER_GRADE = calls("Grade", {"relevant_ids": ["1706.03762"]})
ANSWER = says("It adds low-rank matrices [2106.09685].")
OTHER_ANSWER = says("It adds attention [1706.03762].")
OFF_TOPIC = calls("Reading", {**READING, "score": 3})
SMALL_TALK = calls("Reading", {**READING, "kind": "conversation"})

# For each inner call: what comes before it, its valid answer, and what comes after.
INNER_CALLS: dict[str, tuple[list[Answer], Answer, list[Answer]]] = {
    "papers.read": ([], READ, [GRADE, ANSWER]),
    "papers.grade": ([READ], GRADE, [ANSWER]),
    "papers.rewrite": ([READ, NO_GRADE], REWRITE, [OTHER_GRADE, OTHER_ANSWER]),
    "papers.answer": ([READ, GRADE], ANSWER, []),
    "papers.respond": ([SMALL_TALK], says("It adds to what I know."), []),
    "papers.refuse": ([OFF_TOPIC], says("I know papers. Ask me about one."), []),
}
RESULTS = {"papers.read": "Reading", "papers.grade": "Grade", "papers.rewrite": "Rewrite"}
TEXT = [call for call in INNER_CALLS if call not in RESULTS]


async def turn(server: WireServer, mode: str, config: Any = None, **tuning: Any) -> Reply:
    agent = build(settings_of(server, **tuning))
    state: Any = {"messages": [HumanMessage("How does LoRA adapt a model?", id="h1")], **new_turn()}
    if mode == "invoke":
        return read_reply(await agent.graph.ainvoke(state, config, context=CONTEXT))
    values: dict[str, Any] = {}
    parts: Any = agent.graph.astream(state, config, context=CONTEXT, stream_mode=["values", "messages"])
    async for kind, part in parts:
        values = part if kind == "values" else values
    return read_reply(values)


UNUSABLE: dict[str, Callable[[str], Answer]] = {
    "invalid JSON": lambda name: calls(name, '{"score": 9'),
    "invalid arguments": lambda name: calls(name, {"score": "very", "relevant_ids": 7, "query": 7}),
    "an unknown tool": lambda name: calls("DropTables", {}),
    "no tool": lambda name: says("It is surely relevant."),
    "a refusal": lambda name: refuses("I will not judge that."),
}


UNUSABLE_RESULTS = [(call, each) for call in RESULTS for each in UNUSABLE if call == "papers.read" or each == "no tool"]


@pytest.mark.parametrize("mode", ["invoke", "stream"])
@pytest.mark.parametrize(("call", "fault"), UNUSABLE_RESULTS)
async def test_an_unusable_result_is_retried_once(call: str, fault: str, mode: str) -> None:
    before, valid, after = INNER_CALLS[call]
    with WireServer([*before, UNUSABLE[fault](RESULTS[call]), valid, *after]) as server:
        assert (await turn(server, mode)).text.startswith("It adds")
        repair = server.bodies[len(before) + 1]["messages"]
    assert "could not be used" in repair[-1]["content"]


@pytest.mark.parametrize("mode", ["invoke", "stream"])
@pytest.mark.parametrize(("call", "fault"), UNUSABLE_RESULTS)
async def test_a_result_that_stays_unusable_is_a_model_error(call: str, fault: str, mode: str) -> None:
    before = INNER_CALLS[call][0]
    bad = UNUSABLE[fault](RESULTS[call])
    with WireServer([*before, bad, bad]) as server:
        with pytest.raises(ModelError):
            await turn(server, mode)
        assert len(server.bodies) == len(before) + 2


@pytest.mark.parametrize("mode", ["invoke", "stream"])
@pytest.mark.parametrize("call", INNER_CALLS)
async def test_an_inner_call_that_stays_truncated_ends_the_run(call: str, mode: str) -> None:
    cut = [says("It adds low-rank", "length")]
    if call in RESULTS:
        cut = [calls(RESULTS[call], '{"score": 9', "length"), says('{"score": 9', "length")]
    with WireServer([*INNER_CALLS[call][0], *cut]) as server:
        with pytest.raises(ModelTruncated) as caught:
            await turn(server, mode)
        assert caught.value.detail == "The answer ran into its token limit."


@pytest.mark.parametrize("mode", ["invoke", "stream"])
@pytest.mark.parametrize("call", TEXT)
async def test_a_refusal_is_the_reply_with_a_warning(call: str, mode: str) -> None:
    with WireServer([*INNER_CALLS[call][0], refuses("I will not.")]) as server:
        reply = await turn(server, mode)
    assert reply.text == "I will not."
    assert "model_refused" in reply.warnings


@pytest.mark.parametrize("mode", ["invoke", "stream"])
@pytest.mark.parametrize("call", TEXT)
async def test_an_empty_text_is_a_model_error(call: str, mode: str) -> None:
    with WireServer([*INNER_CALLS[call][0], says("")]) as server, pytest.raises(ModelError):
        await turn(server, mode)


ANYWHERE = ["500", "reset", "clean early end", "malformed JSON"]
CALLS_AND_FAULTS = [
    (call, fault) for call in INNER_CALLS for fault in FAULTS if fault in ANYWHERE or call == "papers.answer"
]


@pytest.mark.parametrize("mode", ["invoke", "stream"])
@pytest.mark.parametrize(("call", "fault"), CALLS_AND_FAULTS)
async def test_a_fault_of_any_inner_call_ends_the_run(call: str, fault: str, mode: str) -> None:
    play, expected = FAULTS[fault]
    with WireServer([*INNER_CALLS[call][0], play()]) as server, pytest.raises(expected):
        await turn(server, mode, timeout_seconds=timeout_of(fault))


WRITTEN = json.dumps(READING)

WITHOUT_TOOLS: dict[str, Callable[[], Answer]] = {
    "prose": lambda: says("It is surely relevant."),
    "prose without end": lambda: says("It is surely relevant, and", "length"),
    "400": lambda: fails("400 Bad Request"),
    "422": lambda: fails("422 Unprocessable Entity"),
}


@pytest.mark.parametrize("mode", ["invoke", "stream"])
@pytest.mark.parametrize("answer", WITHOUT_TOOLS)
async def test_a_server_without_tools_is_asked_for_json_by_schema(answer: str, mode: str) -> None:
    with WireServer([WITHOUT_TOOLS[answer](), says(WRITTEN), GRADE, ANSWER]) as server:
        assert (await turn(server, mode)).details["guardrail_score"] == 95
        again = server.bodies[1]
    schema = again["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["kind"]["enum"] == ["question", "conversation"]
    assert json.dumps(schema) in again["messages"][-1]["content"]
    assert (again["temperature"], again["max_tokens"]) == (0.0, 500)
    assert "tools" not in again


@pytest.mark.parametrize("status", ["500 Internal Server Error", "401 Unauthorized", "404 Not Found"])
async def test_a_failing_server_is_not_asked_without_tools(status: str) -> None:
    with WireServer([fails(status)]) as server:
        with pytest.raises(ModelError):
            await turn(server, "invoke")
        assert len(server.bodies) == 1


async def test_usage_of_a_call_at_its_limit_is_estimated() -> None:
    meter = UsageMeter()
    with WireServer([says("It is surely", "length"), READ, GRADE, ANSWER]) as server:
        await turn(server, "invoke", {"callbacks": [meter]})
    usage = meter.usage()
    assert len(meter.calls) == 4
    assert usage.input_tokens > 33
    assert usage.estimated
    assert usage.cost_usd is None


async def test_requests_contain_limits_and_no_parts() -> None:
    with WireServer([READ, GRADE, ANSWER]) as server:
        await turn(server, "invoke")
        bodies = server.bodies
    assert [(body["temperature"], body["max_tokens"]) for body in bodies] == [(0.0, 500), (0.0, 500), (0.3, 1000)]
    for body in bodies:
        assert all(set(message) == {"role", "content"} for message in body["messages"])
        assert "parts" not in body
    assert bodies[0]["tool_choice"]["function"]["name"] == "Reading"
    assert "tools" not in bodies[2]
    with WireServer([OFF_TOPIC, says("I know papers.")]) as server:
        await turn(server, "invoke")
    assert (server.bodies[1]["temperature"], server.bodies[1]["max_tokens"]) == (0.7, 300)
