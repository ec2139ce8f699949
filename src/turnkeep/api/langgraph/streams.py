"""Answers that last as long as a run: its frames, or newlines until its values are there."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from turnkeep.api.langgraph.frames import FinalValues, RunFrames
from turnkeep.api.sse import HEARTBEAT, RunStream, RunStreamResponse

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn


class GraphStream(RunStream):
    """Says which run it is before anything else, so that a client whose connection is cut can ask for it."""

    head = b""

    async def frames(self) -> AsyncGenerator[bytes]:
        yield self.head
        async for frame in super().frames():
            yield frame


class WaitStream(RunStream):
    """JSON may begin with blanks: newlines keep the connection alive."""

    async def frames(self) -> AsyncGenerator[bytes]:
        async for frame in super().frames():
            yield b"\n" if frame == HEARTBEAT else frame


class JsonStreamResponse(RunStreamResponse):
    media_type = "application/json"


def run_stream(
    running: "RunningTurn",
    *,
    run_id: str,
    modes: frozenset[str],
    resumable: bool,
    heartbeat_seconds: float,
    goes_on: bool,
) -> RunStreamResponse:
    frames = RunFrames(run_id, modes, resumable=resumable)
    stream = GraphStream(
        running,
        render=lambda turn: {"turn": turn},
        heartbeat_seconds=heartbeat_seconds,
        frame=frames,
        goes_on=goes_on,
    )
    stream.head = frames.first()
    return RunStreamResponse(stream, _places(running, run_id, "stream"))


def run_wait(running: "RunningTurn", *, run_id: str, heartbeat_seconds: float, goes_on: bool) -> RunStreamResponse:
    stream = WaitStream(
        running,
        render=lambda turn: {"turn": turn},
        heartbeat_seconds=heartbeat_seconds,
        frame=FinalValues(),
        goes_on=goes_on,
    )
    return JsonStreamResponse(stream, _places(running, run_id, "join"))


def _places(running: "RunningTurn", run_id: str, again: str) -> dict[str, str]:
    """Where the run is found, without host and stage: clients put those before it. One that is not kept is found
    nowhere."""
    if running.thread_id is None:
        return {"Content-Location": f"/runs/{run_id}"}
    place = f"/threads/{running.thread_id}/runs/{run_id}"
    replayed = {"Idempotency-Replayed": "true"} if running.replayed else {}
    return {"Content-Location": place, "Location": f"{place}/{again}", **replayed}
