"""Server-sent events of one run. The run is read by a task of its own, so that a heartbeat never cuts into it; its
events wait unbounded, so that a slow reader cannot fail a turn that the model has already answered."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from turnkeep.api.errors import as_internal, as_problem
from turnkeep.errors import TurnkeepError
from turnkeep.observability import count, logger
from turnkeep.records import JSON, Event, Turn

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn

HEARTBEAT = b": heartbeat\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class RunStream:
    """One run as SSE frames with exactly one terminal event, `complete` or `error`. `render` makes a turn the data of
    `complete`. Closing it before the run is complete cancels the run."""

    def __init__(self, running: "RunningTurn", *, render: Callable[[Turn], JSON], heartbeat_seconds: float) -> None:
        self._render = render
        self._heartbeat_seconds = heartbeat_seconds
        self._waiting: asyncio.Queue[Event | None] = asyncio.Queue()
        self._is_complete = False
        self._head: list[Event | None] = []
        self._reader = asyncio.create_task(self._read(running))
        self._reader.add_done_callback(lambda _: self._waiting.put_nowait(None))

    async def _read(self, running: "RunningTurn") -> None:
        async with aclosing(cast(AsyncGenerator[Event], running.events())) as events:
            async for event in events:
                self._is_complete = self._is_complete or event.name == "complete"
                self._waiting.put_nowait(event)

    async def peek(self) -> None:
        """Waits for the first event, but no longer than a heartbeat; raises what ended the run before it."""
        try:
            first = await asyncio.wait_for(self._waiting.get(), self._heartbeat_seconds)
        except TimeoutError:
            return
        if first is None:
            raise self._fault()
        self._head.append(first)

    async def frames(self) -> AsyncGenerator[bytes]:
        number = 0
        while True:
            try:
                event = await self._next()
            except TimeoutError:
                yield HEARTBEAT
                continue
            number += 1
            name, data = self._shown(event)
            yield frame(number, name, data)
            if name in ("complete", "error"):
                return

    async def _next(self) -> Event | None:
        """The next event, None once the run has ended; raises TimeoutError when a heartbeat is due."""
        if self._head:
            return self._head.pop()
        return await asyncio.wait_for(self._waiting.get(), self._heartbeat_seconds)

    def _shown(self, event: Event | None) -> tuple[str, Mapping[str, Any]]:
        if event is None:
            return "error", _as_event(self._fault())
        if event.name == "complete":
            return "complete", self._render(event.data["turn"])
        return event.name, event.data

    def _fault(self) -> TurnkeepError:
        """Why the run ended without a `complete`."""
        error = None if self._reader.cancelled() else self._reader.exception()
        if isinstance(error, TurnkeepError):
            return error
        return as_internal(error or RuntimeError("a run ended without a result"))

    async def close(self) -> None:
        """Ends the run, unless it is complete and only has to put its things away. Returns when it has ended."""
        if not self._is_complete and self._reader.cancel():
            logger.info("stream left by its client")
            count("StreamLeft")
        await asyncio.wait({self._reader})
        if not self._reader.cancelled():
            self._reader.exception()  # asyncio would report it as never retrieved


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
            await stream.close()
    return RunStreamResponse(stream, headers)


def frame(number: int, name: str, data: Mapping[str, Any]) -> bytes:
    text = json.dumps({"event": name, **data}, ensure_ascii=False, separators=(",", ":"), default=str)
    return f"event: {name}\ndata: {text}\nid: {number}\n\n".encode(errors="replace")


def _as_event(error: TurnkeepError) -> JSON:
    """A problem as event data; what would be the Retry-After header goes along."""
    later = {"retry_after": error.retry_after} if error.retry_after is not None else {}
    return as_problem(error) | later
