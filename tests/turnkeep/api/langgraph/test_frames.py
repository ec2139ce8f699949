"""What stands on the wire: frames, pieces of messages, errors, and what keeps a quiet connection alive."""

import json
from typing import Any

import pytest
from desk_graph import gates
from langgraph_sdk.client import LangGraphClient
from scripted import Caller, ScriptedRun, complete, turn
from test_langgraph_runs import said
from test_run_retries import hung_up, until

from turnkeep.api.langgraph.frames import FinalValues, RunFrames
from turnkeep.api.langgraph.messages import Messages
from turnkeep.api.sse import RunStream, as_event
from turnkeep.errors import ModelTimeout, StoreUnavailable, TurnInProgress
from turnkeep.records import Event

VALUES = Event("part", {"mode": "values", "namespace": [], "data": {"note": "é\n"}})


def frames_of(*events: tuple[str, Any], modes: tuple[str, ...] = ("values",)) -> str:
    frames = RunFrames("r-1", modes, resumable=False)
    return b"".join(frames(1, name, data) for name, data in events).decode()


def test_a_frame_is_lines_that_end_as_the_standard_says() -> None:
    assert frames_of((VALUES.name, VALUES.data)) == 'event: values\r\ndata: {"note":"é\\n"}\r\n\r\n'


@pytest.mark.parametrize(
    ("persisted", "thread_id", "event", "code"),
    [
        (True, "t1", "end", None),
        (False, None, "end", None),
        (False, "t1", "error", "store_unavailable"),
        (None, "t1", "error", "unsettled"),
    ],
)
def test_the_end_says_whether_the_turn_is_kept(
    persisted: bool | None, thread_id: str | None, event: str, code: str | None
) -> None:
    done = turn(persisted=persisted, thread_id=thread_id)
    name, data = frames_of(("complete", {"turn": done})).split("\r\n")[:2]
    assert (name, json.loads(data.removeprefix("data: ")).get("code")) == (f"event: {event}", code)
    waited = json.loads(FinalValues()(1, "complete", {"turn": done}))
    assert waited.get("__error__", {}).get("code") == code


@pytest.mark.parametrize(
    ("error", "name"), [(ModelTimeout(), "ModelTimeout"), (StoreUnavailable(retry_after=2), "StoreUnavailable")]
)
def test_an_error_has_the_words_that_sdks_read(error: Any, name: str) -> None:
    told = json.loads(FinalValues()(1, "error", as_event(error)))["__error__"]
    assert (told["error"], told["message"], told.get("retry_after")) == (name, error.detail, error.retry_after)


def test_a_run_that_goes_on_ends_its_stream_without_a_word() -> None:
    assert frames_of(("error", as_event(TurnInProgress(retry_after=1)))) == ""


def pieces(*contents: Any, **more: Any) -> list[Any]:
    messages = Messages()
    told = [messages.told({"type": "AIMessageChunk", "id": "a", "content": each, **more}, {}) for each in contents]
    return [data[0] for events in told for name, data in events if name == "messages/partial"]


def test_texts_and_blocks_are_joined() -> None:
    assert [piece["content"] for piece in pieces("Hel", "lo")] == ["Hel", "Hello"]
    block = {"type": "text", "text": "lo"}
    assert pieces("Hel", [block])[-1]["content"] == [{"type": "text", "text": "Hel"}, block]
    assert pieces("", [block])[-1]["content"] == [block]


def test_the_arguments_of_a_tool_appear_when_they_are_whole() -> None:
    messages = Messages()
    first = {"name": "weather", "args": '{"city": ', "id": "c-1", "index": 0}
    last = {"name": None, "args": '"Paris"}', "id": None, "index": 0}
    told = [
        list(messages.told({"type": "AIMessageChunk", "id": "a", "content": "", "tool_call_chunks": [piece]}, {}))
        for piece in (first, last)
    ]
    calls = [events[-1][1][0]["tool_calls"] for events in told]
    call = {"name": "weather", "id": "c-1", "type": "tool_call"}
    assert calls == [[{**call, "args": {}}], [{**call, "args": {"city": "Paris"}}]]
    assert "tool_call_chunks" not in told[-1][-1][1][0]


def test_a_whole_message_is_complete_at_once() -> None:
    [(_, metadata), (event, [message])] = Messages().told({"type": "ai", "id": "a", "content": "hi"}, {"step": 1})
    assert (metadata, event, message["content"]) == ({"a": {"metadata": {"step": 1}}}, "messages/complete", "hi")


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


async def test_who_joins_may_end_the_run_with_the_connection(app: Any, sdk: LangGraphClient) -> None:
    await sdk.threads.create(thread_id="t1")
    await hung_up(app, "t1", "joined-and-left")
    [run] = await sdk.runs.list("t1")
    caller = Caller(app, "GET", f"/threads/t1/runs/{run['run_id']}/stream")
    caller._scope["query_string"] = b"cancel_on_disconnect=true"
    serving = caller.start()
    await caller.answer()
    caller.hang_up()
    await serving

    async def is_free() -> bool:
        return (await sdk.threads.get("t1"))["status"] != "busy"

    await until(is_free)
    gates["joined-and-left"].set()
    assert (await sdk.runs.wait("t1", "papers", input=said("hello")))["messages"][-1]["content"] == "1: hello"  # type: ignore[call-overload]
