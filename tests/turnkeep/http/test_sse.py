"""Streams: frames, heartbeats, errors before and after the first byte, clients that disconnect."""

import asyncio
import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient, Response
from scripted import ScriptedTurns, Step, complete, read_events, token

from asgi_caller import Caller
from awaiting import until
from bare_app import bare_app
from turnkeep.errors import ModelBusy, ModelError
from turnkeep.records import Event
from turnkeep.settings import Settings

MESSAGE = b'{"message": "ping"}'
STREAM = "/threads/t1/turns/stream"


def app_of(turns: ScriptedTurns, heartbeat_seconds: float = 5) -> Any:
    settings = Settings(turn={"heartbeat_seconds": heartbeat_seconds})  # type: ignore[arg-type]
    return bare_app(turns=turns, settings=settings)


async def stream(*steps: Step, heartbeat_seconds: float = 5) -> Response:
    app = app_of(ScriptedTurns(list(steps)), heartbeat_seconds)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
        return await client.post(STREAM, content=MESSAGE, headers={"Content-Type": "application/json"})


async def test_events_are_numbered_and_repeat_their_name_in_the_data() -> None:
    last = complete(reply="pong\n\ndata: x", number=7)
    answer = await stream(Event("route_decision", {"route": "retrieve"}), token("po"), token("ng"), last)
    events = read_events(answer.text)
    assert [number for _, number, _ in events] == [1, 2, 3, 4]
    assert [name for name, _, _ in events] == ["route_decision", "token", "token", "complete"]
    assert all(data["event"] == name for name, _, data in events)
    assert events[0][2] == {"event": "route_decision", "route": "retrieve"}
    assert (events[3][2]["turn_number"], events[3][2]["reply"]) == (7, "pong\n\ndata: x")


async def test_the_headers_keep_proxies_from_buffering_a_stream() -> None:
    answer = await stream(complete())
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.headers["idempotency-key"]
    assert answer.headers["x-correlation-id"]
    assert "idempotency-replayed" not in answer.headers


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [(ModelBusy(retry_after=7), 503, "model_busy"), (RuntimeError(), 500, "internal_error")],
)
async def test_an_error_before_the_first_event_is_a_status(fault: Exception, status: int, code: str) -> None:
    answer = await stream(fault)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers.get("retry-after") == ("7" if status == 503 else None)


async def test_an_error_after_the_first_event_is_an_event() -> None:
    answer = await stream(token("po"), ModelError(retry_after=3))
    events = read_events(answer.text)
    assert answer.status_code == 200
    assert [name for name, _, _ in events] == ["token", "error"]
    problem = events[1][2]
    assert (problem["code"], problem["status"], problem["retry_after"]) == ("model_error", 502, 3)
    assert problem["correlation_id"] == answer.headers["x-correlation-id"]


async def test_an_unexpected_exception_is_an_event_without_its_text(log: StringIO) -> None:
    answer = await stream(token("po"), RuntimeError("text of the user"))
    [_, (name, _, problem)] = read_events(answer.text)
    assert (name, problem["code"], problem["status"]) == ("error", "internal_error", 500)
    assert "text of the user" not in answer.text
    assert "unexpected exception" in log.getvalue()
    assert "text of the user" not in log.getvalue()


async def test_a_quiet_stream_has_heartbeats_between_its_events() -> None:
    answer = await stream(token("po"), 0.25, complete(), heartbeat_seconds=0.1)
    assert answer.text.count(": heartbeat\n\n") == 2
    assert [name for name, _, _ in read_events(answer.text)] == ["token", "complete"]


async def test_a_slow_model_gets_headers_and_a_heartbeat_before_its_first_event() -> None:
    answer = await stream(0.25, ModelError(), heartbeat_seconds=0.1)
    assert answer.status_code == 200
    assert answer.text.startswith(": heartbeat\n\n")
    assert [name for name, _, _ in read_events(answer.text)] == ["error"]


async def leave_after_the_first_token(*later: Step, **wish: str) -> ScriptedTurns:
    turns = ScriptedTurns([token("po"), *later])
    body = json.dumps({"message": "ping", **wish}).encode()
    caller = Caller(app_of(turns), "POST", STREAM, body)
    served = caller.start()
    while b"event: token" not in (await caller.answer()).get("body", b""):
        pass
    caller.hang_up()
    await asyncio.wait_for(served, 120)
    return turns


@pytest.mark.parametrize(
    ("wish", "ending"),
    [({}, "cancelled"), ({"on_disconnect": "cancel"}, "cancelled"), ({"on_disconnect": "continue"}, "played")],
)
async def test_a_run_ends_with_its_client_unless_it_should_continue(
    wish: dict[str, str], ending: str, output: Callable[[], list[dict[str, Any]]]
) -> None:
    turns = await leave_after_the_first_token(0.1, complete(), **wish)
    assert turns.runs[0].ending == ending
    assert [line["StreamLeft"] for line in output() if "_aws" in line] == [[1]]


async def test_a_run_without_a_stream_does_not_end_with_its_client() -> None:
    turns = ScriptedTurns([0.05, complete()])
    caller = Caller(app_of(turns), "POST", "/chat", MESSAGE)
    served = caller.start()
    await until(lambda: turns.runs)
    caller.hang_up()
    await asyncio.wait_for(served, 120)
    assert turns.runs[0].ending == "played"


async def test_a_run_may_fail_without_its_client() -> None:
    turns = await leave_after_the_first_token(0.01, ModelError(), on_disconnect="continue")
    assert turns.runs[0].ending == "left"


async def stream_messages(*steps: Step, extensions: dict[str, Any]) -> list[Any]:
    """Return the ASGI messages of a stream on a server with these extensions."""
    caller = Caller(app_of(ScriptedTurns(list(steps))), "POST", STREAM, MESSAGE)
    caller._scope["extensions"] = extensions
    await asyncio.wait_for(caller.start(), 120)
    return list(caller.received())


@pytest.mark.parametrize(
    ("last", "trailers"), [(ModelError(), [(b"x-turnkeep-failure", b"model_error")]), (complete(), [])]
)
async def test_a_trailer_has_the_code_of_a_failed_run(last: Step, trailers: list[Any]) -> None:
    messages = await stream_messages(token("po"), last, extensions={"http.response.trailers": {}})
    assert messages[0]["trailers"] is True
    assert messages[-1] == {"type": "http.response.trailers", "headers": trailers, "more_trailers": False}
    assert messages[-2]["more_body"] is False


async def test_a_server_without_trailers_gets_none() -> None:
    messages = await stream_messages(token("po"), ModelError(), extensions={})
    assert "trailers" not in messages[0]
    assert messages[-1]["type"] == "http.response.body"


async def test_a_server_that_stops_cancels_the_run() -> None:
    turns = ScriptedTurns([60.0, complete()])
    caller = Caller(app_of(turns), "POST", STREAM, MESSAGE)
    served = caller.start()
    await until(lambda: turns.runs and turns.runs[0].ending)
    served.cancel()
    await asyncio.wait({served}, timeout=120)
    assert turns.runs[0].ending == "cancelled"


async def test_a_broken_pipe_ends_the_run_quietly() -> None:
    turns = ScriptedTurns([token("po"), 60.0, complete()])
    caller = Caller(app_of(turns, 0.05), "POST", STREAM, MESSAGE)
    caller._scope["asgi"] = {"version": "3.0", "spec_version": "2.4"}

    async def broken(message: Any) -> None:
        raise OSError("broken pipe")

    caller.answers.put = broken  # type: ignore[method-assign]
    await asyncio.wait_for(caller.start(), 120)
    assert turns.runs[0].ending == "cancelled"


async def test_a_slow_reader_does_not_delay_the_run() -> None:
    turns = ScriptedTurns([token(str(n)) for n in range(1000)] + [complete()])
    caller = Caller(app_of(turns), "POST", STREAM, MESSAGE)
    gate = asyncio.Event()
    put = caller.answers.put

    async def slow(message: Any) -> None:
        await gate.wait()
        await put(message)

    caller.answers.put = slow  # type: ignore[method-assign]
    served = caller.start()
    await until(lambda: turns.runs and turns.runs[0].ending == "played")
    gate.set()
    await asyncio.wait_for(served, 120)


async def test_an_event_without_a_json_form_does_not_break_the_stream() -> None:
    answer = await stream(Event("node", {"at": object(), "half": "\ud83d"}), complete())
    assert [name for name, _, _ in read_events(answer.text)] == ["node", "complete"]
