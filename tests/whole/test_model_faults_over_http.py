"""Faults of a model on the wire, met through the whole stack: the caller is told which, the thread stays as it was, and
the same request succeeds once the model is well again."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from calls_of_papers import GRADE, LORA, READ, WELL
from scripted import read_events
from whole_site import Site, Visitor
from wire import Answer, WireServer, calls, fails, garbles, refuses, resets, says, trickles, waits

FIRST, SECOND = "What is low-rank adaptation?", LORA
USAGE_OF_A_TURN = {"input_tokens": 33, "output_tokens": 21, "cost_usd": None, "estimated": False}
DRAFT = "half of a canary"

JSON_ROUTE, STREAM_ROUTE = "/threads/t1/turns", "/threads/t1/turns/stream"
BODY = {"message": SECOND}
KEY = {"Idempotency-Key": "k-2"}
HASTY: dict[str, Any] = {"models": {"timeout_seconds": 0.7, "max_retries": 0}}
SHORT: dict[str, Any] = {"turn": {"seconds": 4.3, "commit_seconds": 2.8}}


@dataclass(frozen=True)
class Fault:
    """What the model does from its first call on, and what the caller is told."""

    play: Callable[[], Sequence[Answer]]
    status: int
    code: str
    retry_after: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)


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
    "slow": while_answering(lambda: waits(3), 504, "model_timeout", settings=HASTY),
    "trickling": while_answering(lambda: trickles(0.1, threading.Event()), 504, "model_timeout", settings=SHORT),
    "reset": while_answering(lambda: resets, 502, "model_error"),
    "clean early end": while_answering(lambda: says(DRAFT, None), 502, "model_truncated"),
    "length": while_answering(lambda: says(DRAFT, "length"), 502, "model_truncated"),
    "malformed JSON": while_answering(lambda: garbles, 502, "model_error"),
    "refusing to grade": while_grading(lambda: refuses("I will not."), 502, "model_error"),
    "a bad tool call": while_grading(lambda: calls("Grade", '{"relevant_ids": ['), 502, "model_error"),
    "a cut tool call": while_grading(lambda: calls("Grade", '{"relevant', "length"), 502, "model_truncated"),
}


@pytest.fixture
async def visitor(site: Site, model: WireServer) -> Visitor:
    """Talks to a model that is well, in the thread `t1` with one turn."""
    opened = await site.serve(model)
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
async def test_a_fault_changes_nothing_and_the_same_request_succeeds_later(
    name: str, route: str, site: Site, visitor: Visitor, model: WireServer
) -> None:
    fault, before = FAULTS[name], await state_of(site, visitor)
    troubled = await site.serve(model, **fault.settings)
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
