"""LangGraph's formats: frames, pieces of messages, errors, heartbeats."""

import json
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from scripted import ScriptedRun, complete, turn
from test_langgraph_runs import human
from test_run_retries import hung_up
from word_graph import gates

from asgi_caller import Caller
from awaiting import until
from turnkeep.errors import ModelTimeout, StoreUnavailable, TurnInProgress
from turnkeep.http.langgraph.frames import FinalValues, RunFrames
from turnkeep.http.sse import EventId, RunStream, as_event
from turnkeep.records import Event

VALUES = Event("part", {"mode": "values", "namespace": [], "data": {"note": "é\n"}})


def frames_of(*events: tuple[str, Any], modes: tuple[str, ...] = ("values",)) -> str:
    frames = RunFrames("r-1", modes, resumable=False)
    return b"".join(frames(EventId(1, 1), name, data) for name, data in events).decode()


@pytest.mark.parametrize(
    ("persisted", "thread_id", "event", "code"),
    [
        (True, "t1", "end", None),
        (False, None, "end", None),
        (False, "t1", "error", "store_unavailable"),
        (None, "t1", "error", "unsettled"),
    ],
)
def test_end_is_sent_only_if_the_turn_is_stored(
    persisted: bool | None, thread_id: str | None, event: str, code: str | None
) -> None:
    done = turn(persisted=persisted, thread_id=thread_id)
    name, data = frames_of(("complete", {"turn": done})).split("\r\n")[:2]
    assert (name, json.loads(data.removeprefix("data: ")).get("code")) == (f"event: {event}", code)
    waited = json.loads(FinalValues()(EventId(1, 1), "complete", {"turn": done}))
    assert waited.get("__error__", {}).get("code") == code


@pytest.mark.parametrize(
    ("error", "name"), [(ModelTimeout(), "ModelTimeout"), (StoreUnavailable(retry_after=2), "StoreUnavailable")]
)
def test_an_error_has_the_fields_that_sdks_read(error: Any, name: str) -> None:
    sent = json.loads(FinalValues()(EventId(1, 1), "error", as_event(error)))["__error__"]
    assert (sent["error"], sent["message"], sent.get("retry_after")) == (name, error.detail, error.retry_after)


def test_the_stream_of_a_run_in_progress_ends_without_an_event() -> None:
    assert frames_of(("error", as_event(TurnInProgress(retry_after=1)))) == ""


def messages_of(*messages: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return name and data of the events in the stream mode `messages`."""
    parts = [("part", {"mode": "messages-tuple", "namespace": [], "data": [each, {"step": 1}]}) for each in messages]
    events = frames_of(*parts, modes=("messages",)).split("\r\n\r\n")[:-1]
    pairs = (event.split("\r\n") for event in events)
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in pairs]


def partial_messages(*pieces: dict[str, Any]) -> list[Any]:
    events = messages_of(*({"type": "AIMessageChunk", "id": "a", "content": "", **piece} for piece in pieces))
    return [data[0] for name, data in events if name == "messages/partial"]


def test_texts_and_blocks_are_joined() -> None:
    def contents(*pieces: Any) -> list[Any]:
        return [message["content"] for message in partial_messages(*({"content": piece} for piece in pieces))]

    block = {"type": "text", "text": "lo"}
    assert contents("Hel", "lo") == ["Hel", "Hello"]
    assert contents("Hel", [block])[-1] == ["Hel", block]


def test_tool_arguments_appear_when_they_are_complete() -> None:
    first = {"name": "weather", "args": '{"city": ', "id": "c-1", "index": 0}
    last = {"name": None, "args": '"Paris"}', "id": None, "index": 0}
    messages = partial_messages({"tool_call_chunks": [first]}, {"tool_call_chunks": [last]})
    call = {"name": "weather", "id": "c-1", "type": "tool_call"}
    assert [message["tool_calls"] for message in messages] == [
        [{**call, "args": {}}],
        [{**call, "args": {"city": "Paris"}}],
    ]
    assert "tool_call_chunks" not in messages[-1]


@pytest.mark.parametrize(
    ("shown", "quiet"), [(FinalValues(), b"\n"), (RunFrames("r-1", ("values",), resumable=False), b": heartbeat\n\n")]
)
async def test_a_quiet_run_keeps_its_connection(shown: Any, quiet: bytes) -> None:
    end = Event("end", {"values": {"note": "é\n"}, "interrupts": []})
    running = ScriptedRun([VALUES, 0.2, end, complete()])
    response = RunStream(running, shown, headers={}, heartbeat_seconds=0.05, heartbeat=shown.heartbeat)
    chunks = [chunk async for chunk in response.body_iterator]
    assert quiet in chunks
    if isinstance(shown, FinalValues):
        assert json.loads(b"".join(chunks)) == {"note": "é\n"}  # type: ignore[arg-type]


async def test_a_joined_run_can_be_cancelled_by_disconnecting(app: Any, sdk: LangGraphClient) -> None:
    await sdk.threads.create(thread_id="t1")
    await hung_up(app, "t1", "joined-and-left")
    [run] = await sdk.runs.list("t1")
    caller = Caller(app, "GET", f"/threads/t1/runs/{run['run_id']}/stream?cancel_on_disconnect=true")
    serving = caller.start()
    await caller.answer()
    caller.hang_up()
    await serving

    async def is_free() -> bool:
        return (await sdk.threads.get("t1"))["status"] != "busy"

    await until(is_free)
    gates["joined-and-left"].set()
    assert (await sdk.runs.wait("t1", "papers", input=human("hello")))["messages"][-1]["content"] == "2: hello"  # type: ignore[call-overload]
