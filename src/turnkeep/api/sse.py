"""Server-sent events of one run, which goes on in its own task: a heartbeat or a slow reader never holds it up."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from turnkeep.api.errors import as_problem
from turnkeep.errors import TurnkeepError
from turnkeep.observability import count, logger
from turnkeep.records import JSON, Event, Turn

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn

HEARTBEAT = b": heartbeat\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
TERMINAL = ("complete", "error")


class RunStream:
    """One run as SSE frames with exactly one terminal event, `complete` or `error`. `render` makes a turn the data of
    `complete`. Closing it before that cancels the run."""

    def __init__(self, running: "RunningTurn", *, render: Callable[[Turn], JSON], heartbeat_seconds: float) -> None:
        self._running = running
        self._render = render
        self._heartbeat_seconds = heartbeat_seconds
        self._first: Event | None = None
        self._has_ended = False

    async def peek(self) -> None:
        """Waits for the first event, but no longer than a heartbeat; raises what ended the run before it."""
        try:
            self._first = await self._running.next(self._heartbeat_seconds)
        except TimeoutError:
            return

    async def frames(self) -> AsyncGenerator[bytes]:
        number = 0
        while not self._has_ended:
            try:
                name, data = await self._next()
            except TimeoutError:
                yield HEARTBEAT
                continue
            number += 1
            self._has_ended = name in TERMINAL
            yield frame(number, name, data)

    async def _next(self) -> tuple[str, Mapping[str, Any]]:
        """What to show next; raises TimeoutError when a heartbeat is due."""
        try:
            event = self._first or await self._running.next(self._heartbeat_seconds)
        except TurnkeepError as error:
            return "error", _as_event(error)
        self._first = None
        assert event is not None  # noqa: S101 - nothing is asked for after `complete`
        return event.name, self._render(event.data["turn"]) if event.name == "complete" else event.data

    async def close(self) -> None:
        """Ends the run, unless it is complete. Returns when it has ended."""
        if not self._has_ended:
            logger.info("stream left by its client")
            count("StreamLeft")
        await self._running.close()


class RunStreamResponse(StreamingResponse):
    """Sends a RunStream and closes it whatever happens: end, cut connection or cancellation."""

    media_type = "text/event-stream"

    def __init__(self, stream: RunStream, headers: Mapping[str, str]) -> None:
        super().__init__(stream.frames(), headers={**HEADERS, **headers})
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except ClientDisconnect:
            logger.info("connection cut while sending")
        finally:
            await self._stream.close()


async def open_stream(
    running: "RunningTurn", *, render: Callable[[Turn], JSON], heartbeat_seconds: float, headers: Mapping[str, str]
) -> RunStreamResponse:
    """Raises what fails before the first event, so that it becomes a status; later faults become an event."""
    stream = RunStream(running, render=render, heartbeat_seconds=heartbeat_seconds)
    is_open = False
    try:
        await stream.peek()
        is_open = True
    finally:
        if not is_open:
            await running.close()
    return RunStreamResponse(stream, headers)


def frame(number: int, name: str, data: Mapping[str, Any]) -> bytes:
    text = json.dumps({"event": name, **data}, ensure_ascii=False, separators=(",", ":"), default=str)
    return f"event: {name}\ndata: {text}\nid: {number}\n\n".encode(errors="replace")


def _as_event(error: TurnkeepError) -> JSON:
    """A problem as event data; what would be the Retry-After header goes along."""
    later = {"retry_after": error.retry_after} if error.retry_after is not None else {}
    return as_problem(error) | later
