"""The events of one run as a stream. The run has its own task, so heartbeats and slow readers never delay it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from turnkeep.errors import TurnkeepError
from turnkeep.http.errors import as_problem
from turnkeep.observability import count, logger
from turnkeep.observability.faults import note
from turnkeep.records import JSON, Event

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn

Frame: TypeAlias = Callable[[int, str, Mapping[str, Any]], bytes]
"""Renders an event from its number, name and data; empty to hide it. `complete` has {"turn": Turn}."""

HEARTBEAT = b": heartbeat\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
TERMINAL = ("complete", "error")
TRAILERS = "http.response.trailers"  # an ASGI extension
FAILURE_TRAILER = b"x-turnkeep-failure"


class RunStream(StreamingResponse):
    """One run as frames with one terminal event, `complete` or `error`. `head` is sent first, `heartbeat` in pauses. If
    the client disconnects, the run is cancelled unless it `continues`. A trailer has the code of a failed run."""

    media_type = "text/event-stream"

    def __init__(
        self,
        running: "RunningTurn",
        frame: Frame,
        *,
        headers: Mapping[str, str],
        heartbeat_seconds: float,
        continues: bool = False,
        head: bytes = b"",
        heartbeat: bytes = HEARTBEAT,
    ) -> None:
        super().__init__(self._frames(), headers={**HEADERS, **headers})
        self._running = running
        self._frame = frame
        self._heartbeat_seconds = heartbeat_seconds
        self._continues = continues
        self._head = head
        self._heartbeat = heartbeat
        self._first: Event | None = None
        self._has_ended = False
        self._failure = ""

    async def peek(self) -> None:
        """Wait for the first event, for at most one heartbeat; raise the error of a run that ended before it."""
        with suppress(TimeoutError):
            self._first = await self._running.next(self._heartbeat_seconds)

    async def _frames(self) -> AsyncGenerator[bytes]:
        number, clock = 0, asyncio.get_running_loop().time
        sent = clock()
        if self._head:
            yield self._head
        while not self._has_ended:
            try:
                event = await self._next()
            except TimeoutError:
                sent = clock()
                yield self._heartbeat
                continue
            number += 1
            self._has_ended = event.name in TERMINAL
            frame = self._frame(number, event.name, event.data)
            if frame or clock() - sent >= self._heartbeat_seconds:
                sent = clock()
                yield frame or self._heartbeat

    async def _next(self) -> Event:
        """Return the next event; raise TimeoutError when a heartbeat is due."""
        try:
            event = self._first or await self._running.next(self._heartbeat_seconds)
        except TurnkeepError as error:
            note(error)
            self._failure = error.code
            return Event("error", as_event(error))
        self._first = None
        assert event is not None  # noqa: S101 - `complete` is the last event
        return event

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_trailers = TRAILERS in scope.get("extensions", {})

        async def announce(message: Message) -> None:
            await send({**message, "trailers": True} if message["type"] == "http.response.start" else message)

        try:
            await super().__call__(scope, receive, announce if has_trailers else send)
        except ClientDisconnect:
            logger.info("connection lost while sending")
        finally:
            await self._close()
        if has_trailers:
            failed = [(FAILURE_TRAILER, self._failure.encode())] if self._failure else []
            await send({"type": TRAILERS, "headers": failed, "more_trailers": False})

    async def _close(self) -> None:
        """Return when the run has ended. A failure after the client disconnected is only logged."""
        if not self._has_ended:
            logger.info("client disconnected from the stream")
            count("StreamLeft")
        if not self._continues:
            await self._running.close()
        elif not self._has_ended:
            try:
                await self._running.finish()
            except TurnkeepError as error:
                note(error)


async def open_stream(
    running: "RunningTurn",
    frame: Frame,
    *,
    headers: Mapping[str, str],
    heartbeat_seconds: float,
    continues: bool = False,
) -> RunStream:
    """Open the stream. Errors before the first event are raised, later ones become an event."""
    stream = RunStream(running, frame, headers=headers, heartbeat_seconds=heartbeat_seconds, continues=continues)
    async with AsyncExitStack() as closing:
        closing.push_async_callback(running.close)
        await stream.peek()
        closing.pop_all()
    return stream


def as_event(error: TurnkeepError) -> JSON:
    """Return a problem as event data, with the value of the Retry-After header."""
    return as_problem(error) | ({"retry_after": error.retry_after} if error.retry_after is not None else {})


def compact(data: Any) -> str:
    """Return JSON on one line. Values without a JSON form become text."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
