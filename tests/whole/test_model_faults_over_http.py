"""Faults of a model on the wire, met through the whole stack: the caller is told which, the thread stays as it was, and
the same request succeeds once the model is well again."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from calls_of_papers import GRADE, LORA, READ, READING, WELL
from scripted import read_events
from whole_site import Site, Visitor
from wire import Answer, Exchange, WireServer, calls, chunk, fails, garbles, refuses, resets, says, trickles, waits

FIRST, SECOND = "What is low-rank adaptation?", LORA
USAGE_OF_A_TURN = {"input_tokens": 33, "output_tokens": 21, "cost_usd": None, "estimated": False}
DRAFT = "half of a canary"

JSON_ROUTE, STREAM_ROUTE = "/threads/t1/turns", "/threads/t1/turns/stream"
BODY = {"message": SECOND}
KEY = {"Idempotency-Key": "k-2"}
PATIENT: dict[str, Any] = {"models": {"timeout_seconds": 20, "max_retries": 0}}
HASTY: dict[str, Any] = {"models": {"timeout_seconds": 0.7, "max_retries": 0}}
SHORT: dict[str, Any] = {**PATIENT, "turn": {"seconds": 4.3, "commit_seconds": 2.8}}


@dataclass(frozen=True)
class Fault:
    """What the model does from its first call on, and what the caller is told."""

    play: Callable[[], Sequence[Answer]]
    status: int
    code: str
    retry_after: int | None = None
    settings: tuple[tuple[str, Any], ...] = tuple(PATIENT.items())


def while_answering(answer: Callable[[], Answer], status: int, code: str, **more: Any) -> Fault:
    return Fault(lambda: [READ, GRADE, answer()], status, code, **more)


def while_grading(answer: Callable[[], Answer], status: int, code: str) -> Fault:
    """Twice, because a result that cannot be used is asked for once more."""
    return Fault(lambda: [READ, answer(), answer()], status, code)


FAULTS = {
    "500": while_answering(lambda: fails("500 Internal Server Error"), 502, "model_error"),
    "429": while_answering(
        lambda: fails("429 Too Many Requests", {"Retry-After": "17"}), 503, "model_busy", retry_after=17
    ),
    "slow": while_answering(lambda: waits(3), 504, "model_timeout", settings=tuple(HASTY.items())),
    "trickling": while_answering(
        lambda: trickles(0.1, threading.Event()), 504, "model_timeout", settings=tuple(SHORT.items())
    ),
    "reset": while_answering(lambda: resets, 502, "model_error"),
    "clean early end": while_answering(lambda: says(DRAFT, None), 502, "model_truncated"),
    "length": while_answering(lambda: says(DRAFT, "length"), 502, "model_truncated"),
    "malformed JSON": while_answering(lambda: garbles, 502, "model_error"),
    "refusing to grade": while_grading(lambda: refuses("I will not."), 502, "model_error"),
    "a bad tool call": while_grading(lambda: calls("Grade", '{"relevant_ids": ['), 502, "model_error"),
    "a cut tool call": while_grading(lambda: calls("Grade", '{"relevant', "length"), 502, "model_truncated"),
}


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


async def open_with(site: Site, model: WireServer, settings: dict[str, Any]) -> Visitor:
    return await site.open(model="openai:test", openai_base_url=model.base_url, **settings)


@pytest.fixture
async def visitor(site: Site, model: WireServer) -> Visitor:
    """Talks to a model that is well, in the thread `t1` with one turn."""
    opened = await open_with(site, model, PATIENT)
    model.script += WELL
    await opened.say(FIRST, "t1")
    return opened


async def state_of(site: Site, visitor: Visitor) -> tuple[Any, ...]:
    """All of the thread but what is pending."""
    thread = await visitor.get("/threads/t1")
    kept = {name: value for name, value in thread.items() if name not in ("pending", "status")}
    return kept, await visitor.get("/threads/t1/turns"), site.lying("t1")


async def succeeds_once(visitor: Visitor, model: WireServer, route: str) -> None:
    """The same request with the same key makes the second turn, and no third however often it is sent."""
    model.script += WELL
    for is_replay in (False, True):
        answer = await visitor.http.post(route, json=BODY, headers=KEY)
        assert answer.status_code == 200, answer.text
        turn = answer.json() if route == JSON_ROUTE else read_events(answer.text)[-1][2]
        assert (turn["turn_number"], turn["persisted"], turn["reply"]) == (2, True, "Small matrices [2106.09685].")
        assert turn["usage"] == USAGE_OF_A_TURN
        assert ("idempotency-replayed" in answer.headers) == is_replay
    assert await visitor.messages("t1") == [FIRST, SECOND]
    thread = await visitor.get("/threads/t1")
    assert (thread["turn_count"], thread["status"], thread["pending"]) == (2, "idle", None)


def problem_of(fault: Fault, route: str, answer: Any) -> dict[str, Any]:
    """The problem that was told, as a status before the first byte and as the one terminal event after it."""
    if route == JSON_ROUTE:
        assert answer.status_code == fault.status
        assert answer.headers.get("retry-after") == (str(fault.retry_after) if fault.retry_after else None)
        return dict(answer.json())
    events = read_events(answer.text)
    assert answer.status_code == 200
    assert [name for name, _, _ in events if name in ("complete", "error")] == ["error"] == [events[-1][0]]
    assert events[-1][2].get("retry_after") == fault.retry_after
    return events[-1][2]


@pytest.mark.parametrize("route", [JSON_ROUTE, STREAM_ROUTE])
@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_told_and_changes_nothing_and_the_same_request_succeeds_later(
    name: str, route: str, site: Site, visitor: Visitor, model: WireServer
) -> None:
    fault, before = FAULTS[name], await state_of(site, visitor)
    troubled = await open_with(site, model, dict(fault.settings))
    model.script += fault.play()
    answer = await troubled.http.post(route, json=BODY, headers=KEY)
    problem = problem_of(fault, route, answer)
    assert (problem["status"], problem["code"]) == (fault.status, fault.code)
    assert "secret upstream text" not in answer.text
    assert answer.headers["idempotency-key"] == KEY["Idempotency-Key"]
    assert await state_of(site, visitor) == before
    assert (await visitor.get("/threads/t1"))["pending"]["message"] == SECOND
    asked = len(model.bodies)
    await succeeds_once(visitor, model, route)
    assert "canary" not in json.dumps(model.bodies[asked:])
    assert json.dumps(model.bodies[-1]["messages"]).count(FIRST) == 1


@pytest.mark.parametrize("finish", ["length", None])
async def test_the_drafts_of_a_truncated_answer_are_shown_but_never_stored(
    finish: str | None, visitor: Visitor, model: WireServer
) -> None:
    model.script += [READ, GRADE, says(f"Small matrices. And {DRAFT}", finish)]
    answer = await visitor.http.post(STREAM_ROUTE, json=BODY)
    drafts = [data["content"] for name, _, data in read_events(answer.text) if name == "token"]
    assert "".join(drafts).strip() == "Small matrices."
    assert await visitor.messages("t1") == [FIRST]
    assert "canary" not in (await visitor.http.get("/threads/t1/turns/1")).text


async def test_a_fault_of_the_first_turn_leaves_a_thread_without_turns(
    site: Site, visitor: Visitor, model: WireServer
) -> None:
    model.script += FAULTS["500"].play()
    body = {"session_id": "fresh", "message": FIRST}
    failed = await visitor.http.post("/chat", json=body, headers=KEY)
    assert failed.status_code == 502
    thread = await visitor.get("/threads/fresh")
    assert (thread["turn_count"], thread["pending"]["message"]) == (0, FIRST)
    model.script += WELL
    again = await visitor.http.post("/chat", json=body, headers=KEY)
    assert (again.status_code, again.json()["turn_number"], again.json()["usage"]) == (200, 1, USAGE_OF_A_TURN)


async def test_a_message_that_failed_makes_way_for_another(visitor: Visitor, model: WireServer) -> None:
    another = "What does LoRA freeze?"
    model.script += [*FAULTS["500"].play(), calls("Reading", {**READING, "question": another}), *WELL[1:]]
    assert (await visitor.http.post(JSON_ROUTE, json=BODY, headers=KEY)).status_code == 502
    other = await visitor.say(another, "t1")
    assert other["turn_number"] == 2
    assert await visitor.messages("t1") == [FIRST, another]
    assert (await visitor.get("/threads/t1"))["pending"] is None
    assert SECOND not in json.dumps(model.bodies[-3:])


async def test_a_refusing_answer_is_a_turn_with_a_warning(visitor: Visitor, model: WireServer) -> None:
    model.script += [READ, GRADE, refuses("I will not say.")]
    told = await visitor.say(SECOND, "t1")
    kept = await visitor.get("/threads/t1/turns/2")
    assert (told["reply"], kept["reply"], kept["persisted"]) == ("I will not say.", "I will not say.", True)
    assert "model_refused" in kept["warnings"]


async def test_a_fault_of_a_stateless_run_is_told_and_leaves_no_item(site: Site, model: WireServer) -> None:
    stateless, before = await open_with(site, model, PATIENT), site.count()
    model.script += FAULTS["length"].play()
    answer = await stateless.http.post("/chat", json=BODY)
    assert (answer.status_code, answer.json()["code"]) == (502, "model_truncated")
    assert site.count() == before


async def test_a_model_that_is_down_is_left_alone_and_the_request_succeeds_elsewhere(
    visitor: Visitor, site: Site, model: WireServer
) -> None:
    down = fails("500 Internal Server Error")
    model.script += [down] * 5
    statuses = [(await visitor.http.post(JSON_ROUTE, json=BODY, headers=KEY)).status_code for _ in range(5)]
    asked = len(model.bodies)
    refused = await visitor.http.post(JSON_ROUTE, json=BODY, headers=KEY)
    assert statuses == [502] * 5
    assert (refused.status_code, refused.json()["code"]) == (503, "model_busy")
    assert 0 < int(refused.headers["retry-after"]) <= 30
    assert len(model.bodies) == asked
    await succeeds_once(await open_with(site, model, PATIENT), model, JSON_ROUTE)


EVENTS = ["node", "route_decision", "node", "tool_start", "node", "node", "token", "token", "complete"]
"""Of a stream of SECOND. The model is asked after the first, the fifth and the sixth; a sentence is told when the next
one begins."""
SENTENCES = ["Small ", "matrices. ", "They ", "are ", "added."]


def holds(words: Sequence[str], closed: threading.Event) -> Answer:
    """Streams `words` and then says nothing more until the client has gone."""

    def play(exchange: Exchange) -> None:
        if words:
            exchange.start_stream()
        for word in words:
            exchange.send_event(chunk({"content": word}))
        exchange.connection.settimeout(10)
        try:
            is_gone = exchange.connection.recv(1) == b""
        except ConnectionResetError:
            is_gone = True
        if is_gone:
            closed.set()
        exchange.connection.shutdown(socket.SHUT_RDWR)

    return play


def held_after(events: int, closed: threading.Event) -> list[Answer]:
    """A model that holds its answer back as soon as this many events have come."""
    if events <= 1:
        return [holds([], closed)]
    if events <= 5:
        return [READ, holds([], closed)]
    return [READ, GRADE, holds(SENTENCES[: 3 * (events - 6)], closed)]


async def read_and_leave(visitor: Visitor, events: int, model: WireServer) -> list[str]:
    """Reads so many events, hangs up once the model has been asked for all that the script holds, and waits until the
    server has done with the request."""
    caller = visitor.call(STREAM_ROUTE, json.dumps(BODY).encode(), KEY)
    served, text = caller.start(), ""
    assert (await caller.answer())["status"] == 200
    while text.count("event: ") < events:
        text += (await caller.answer())["body"].decode()
    async with asyncio.timeout(5):
        while model.script:
            await asyncio.sleep(0.005)
    caller.hang_up()
    await asyncio.wait_for(served, 10)
    return [name for name, _, _ in read_events(text)]


async def test_a_whole_stream_has_these_events(visitor: Visitor, model: WireServer) -> None:
    model.script += [READ, GRADE, says("".join(SENTENCES))]
    answer = await visitor.http.post(STREAM_ROUTE, json=BODY)
    assert [name for name, _, _ in read_events(answer.text)] == EVENTS


@pytest.mark.parametrize("events", range(1, len(EVENTS) - 1))
async def test_a_client_that_leaves_mid_way_leaves_no_trace(
    events: int, site: Site, visitor: Visitor, model: WireServer
) -> None:
    before, closed = await state_of(site, visitor), threading.Event()
    model.script += held_after(events, closed)
    assert await read_and_leave(visitor, events, model) == EVENTS[:events]
    assert await asyncio.to_thread(closed.wait, 5)
    assert await state_of(site, visitor) == before
    thread = await visitor.get("/threads/t1")
    assert (thread["status"], thread["pending"]["message"]) == ("error", SECOND)
    await succeeds_once(visitor, model, STREAM_ROUTE)


async def test_a_client_that_leaves_after_complete_has_its_turn(visitor: Visitor, model: WireServer) -> None:
    model.script += [READ, GRADE, says("".join(SENTENCES))]
    assert await read_and_leave(visitor, len(EVENTS), model) == EVENTS
    assert await visitor.messages("t1") == [FIRST, SECOND]
    assert (await visitor.get("/threads/t1"))["status"] == "idle"


@pytest.mark.parametrize("steps", [0, 1, 3, 10, 30, 100])
async def test_a_client_that_leaves_early_leaves_a_free_thread(
    steps: int, site: Site, visitor: Visitor, model: WireServer
) -> None:
    before = await state_of(site, visitor)
    with WireServer([holds([], threading.Event())]) as silent:
        caller = (await open_with(site, silent, PATIENT)).call(STREAM_ROUTE, json.dumps(BODY).encode(), KEY)
        served = caller.start()
        for _ in range(steps):
            await asyncio.sleep(0)
        caller.hang_up()
        await asyncio.wait_for(served, 10)
        silent.script.clear()  # it may have been asked or not
    assert await state_of(site, visitor) == before
    await succeeds_once(visitor, model, STREAM_ROUTE)


async def test_the_deadline_closes_the_connection_to_a_trickling_model(
    site: Site, visitor: Visitor, model: WireServer
) -> None:
    closed, short = threading.Event(), await open_with(site, model, SHORT)
    model.script += [trickles(0.1, closed)]
    answer = await short.http.post(JSON_ROUTE, json=BODY)
    assert answer.status_code == 504
    assert await asyncio.to_thread(closed.wait, 5)
