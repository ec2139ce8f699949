"""Server-sent events of one run, which goes on in its own task: a heartbeat or a slow reader never holds it up."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from turnkeep.api.errors import as_problem
from turnkeep.errors import TurnkeepError
from turnkeep.observability import count, logger
from turnkeep.observability.faults import note
from turnkeep.records import JSON, Event, Turn

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn

Frame: TypeAlias = Callable[[int, str, Mapping[str, Any]], bytes]

HEARTBEAT = b": heartbeat\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
TERMINAL = ("complete", "error")
TRAILERS = "http.response.trailers"  # an ASGI extension
FAILURE_TRAILER = b"x-turnkeep-failure"


class RunStream:
    """One run as SSE frames with exactly one terminal event, `complete` or `error`. `render` makes a turn the data of
    `complete`, `frame` the bytes of an event, none for one that is not shown. Closing it before that cancels the run,
    unless it `goes_on` without its client. `failure` is the code of what ended the run after its first event. `head` is
    sent before anything happens, `heartbeat` while nothing does."""

    def __init__(
        self,
        running: "RunningTurn",
        *,
        render: Callable[[Turn], JSON],
        heartbeat_seconds: float,
        frame: Frame,
        goes_on: bool = False,
        head: bytes = b"",
        heartbeat: bytes = HEARTBEAT,
    ) -> None:
        self.failure: str | None = None
        self._running = running
        self._render = render
        self._frame = frame
        self._heartbeat_seconds = heartbeat_seconds
        self._goes_on = goes_on
        self._head = head
        self._heartbeat = heartbeat
        self._first: Event | None = None
        self._has_ended = False

    async def peek(self) -> None:
        """Waits for the first event, but no longer than a heartbeat; raises what ended the run before it."""
        try:
            self._first = await self._running.next(self._heartbeat_seconds)
        except TimeoutError:
            return

    async def frames(self) -> AsyncGenerator[bytes]:
        number, clock = 0, asyncio.get_running_loop().time
        sent = clock()
        if self._head:
            yield self._head
        while not self._has_ended:
            try:
                name, data = await self._next()
            except TimeoutError:
                sent = clock()
                yield self._heartbeat
                continue
            number += 1
            self._has_ended = name in TERMINAL
            shown = self._frame(number, name, data)
            if shown or clock() - sent >= self._heartbeat_seconds:
                sent = clock()
                yield shown or self._heartbeat

    async def _next(self) -> tuple[str, Mapping[str, Any]]:
        """What to show next; raises TimeoutError when a heartbeat is due."""
        try:
            event = self._first or await self._running.next(self._heartbeat_seconds)
        except TurnkeepError as error:
            note(error)
            self.failure = error.code
            return "error", as_event(error)
        self._first = None
        assert event is not None  # noqa: S101 - nothing is asked for after `complete`
        return event.name, self._render(event.data["turn"]) if event.name == "complete" else event.data

    async def close(self) -> None:
        """Ends the run, unless it is complete or goes on. Returns when it has ended."""
        if not self._has_ended:
            logger.info("stream left by its client")
            count("StreamLeft")
        if not self._goes_on:
            await self._running.close()
        elif not self._has_ended:
            await self._outlive()

    async def _outlive(self) -> None:
        """A run that goes on may still fail, and then there is only the operator to tell."""
        try:
            await self._running.finish()
        except TurnkeepError as error:
            note(error)


class RunStreamResponse(StreamingResponse):
    """Sends a RunStream and closes it whatever happens: end, cut connection or cancellation. Where the server can send
    trailers, a failed run names its code there too, so that the server may count the call as failed."""

    media_type = "text/event-stream"

    def __init__(self, stream: RunStream, headers: Mapping[str, str]) -> None:
        super().__init__(stream.frames(), headers={**HEADERS, **headers})
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_trailers = TRAILERS in scope.get("extensions", {})
        try:
            await super().__call__(scope, receive, _announcing_trailers(send) if has_trailers else send)
        except ClientDisconnect:
            logger.info("connection cut while sending")
        finally:
            await self._stream.close()
        if has_trailers:
            await send({"type": TRAILERS, "headers": self._trailers(), "more_trailers": False})

    def _trailers(self) -> list[tuple[bytes, bytes]]:
        return [(FAILURE_TRAILER, self._stream.failure.encode())] if self._stream.failure else []


def _announcing_trailers(send: Send) -> Send:
    async def announce(message: Message) -> None:
        await send({**message, "trailers": True} if message["type"] == "http.response.start" else message)

    return announce


def frame(number: int, name: str, data: Mapping[str, Any]) -> bytes:
    text = json.dumps({"event": name, **data}, ensure_ascii=False, separators=(",", ":"), default=str)
    return f"event: {name}\ndata: {text}\nid: {number}\n\n".encode(errors="replace")


async def open_stream(
    running: "RunningTurn",
    *,
    render: Callable[[Turn], JSON],
    heartbeat_seconds: float,
    headers: Mapping[str, str],
    frame: Frame = frame,
    goes_on: bool = False,
) -> RunStreamResponse:
    """Raises what fails before the first event, so that it becomes a status; later faults become an event."""
    stream = RunStream(running, render=render, heartbeat_seconds=heartbeat_seconds, frame=frame, goes_on=goes_on)
    is_open = False
    try:
        await stream.peek()
        is_open = True
    finally:
        if not is_open:
            await running.close()
    return RunStreamResponse(stream, headers)


def as_event(error: TurnkeepError) -> JSON:
    """A problem as event data; what would be the Retry-After header goes along."""
    later = {"retry_after": error.retry_after} if error.retry_after is not None else {}
    return as_problem(error) | later
