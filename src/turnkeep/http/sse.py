"""The events of one run as a stream. The run has its own task, so heartbeats and slow readers never delay it."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any, NamedTuple, Self, TypeAlias

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from turnkeep.errors import TurnkeepError
from turnkeep.http.errors import as_problem
from turnkeep.observability import count, logger, note
from turnkeep.records import JSON, Event
from turnkeep.turns import RunningTurn


class EventId(NamedTuple):
    """Id of a frame, such as 12.3.0: attempt at the run (fencing token), event from 1, frame of the event. It is the
    same on every connection."""

    attempt: int
    event: int
    frame: int = 0

    @classmethod
    def read(cls, text: str | None) -> "EventId":
        """Return the id in a `Last-Event-ID`, that of no event if it is something else, such as -1."""
        found = _ID.fullmatch(text or "")
        return cls(*map(int, found.groups())) if found else NO_EVENT

    def follows(self, last: "EventId") -> bool:
        """Return whether a client that has received everything up to `last` still needs this frame."""
        return self.attempt != last.attempt or self > last

    def __str__(self) -> str:
        return ".".join(map(str, self))


NO_EVENT = EventId(-1, 0)
_ID = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,4})", re.ASCII)
Frame: TypeAlias = Callable[[EventId, str, Mapping[str, Any]], bytes]
"""Renders an event from its id, name and data; empty to hide it. `complete` has {"turn": Turn}."""

HEARTBEAT = b": heartbeat\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
TERMINAL = ("complete", "error")
TRAILERS = "http.response.trailers"  # an ASGI extension
FAILURE_TRAILER = b"x-turnkeep-failure"


class RunStream(StreamingResponse):
    """One run as frames with one terminal event, `complete` or `error`. `head` is sent first, `heartbeat` in pauses.
    The client has all frames up to `after`. If it disconnects, the run is cancelled unless it `continues`. A trailer
    has the code of a failed run."""

    media_type = "text/event-stream"

    def __init__(
        self,
        running: RunningTurn,
        frame: Frame,
        *,
        headers: Mapping[str, str],
        heartbeat_seconds: float,
        continues: bool = False,
        after: EventId = NO_EVENT,
        head: bytes = b"",
        heartbeat: bytes = HEARTBEAT,
    ) -> None:
        super().__init__(self._frames(), headers={**HEADERS, **headers})
        self._running = running
        self._frame = frame
        self._heartbeat_seconds = heartbeat_seconds
        self._continues = continues
        self._after = after
        self._head = head
        self._heartbeat = heartbeat
        self._first: Event | None = None
        self._has_ended = False
        self._failure = ""

    async def opened(self) -> Self:
        """Return the stream after its first event, or after one heartbeat. Errors before that are raised, later ones
        become an event."""
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self._running.close)
            with suppress(TimeoutError):
                self._first = await self._running.next(self._heartbeat_seconds)
            closing.pop_all()
        return self

    async def _frames(self) -> AsyncGenerator[bytes]:
        seen, clock = self._running.attempt or self._after.attempt, asyncio.get_running_loop().time
        ready, sent = b"", clock()
        if self._head:
            yield self._head
        async for at, event in numbered(self._running, self._heartbeat_seconds, self._first):
            is_hidden = event is None or (event.name == "restart" and not 0 < seen != at.attempt)  # the first seen
            seen = at.attempt or seen
            if event and not is_hidden:
                ready += self._frame(at, event.name, event.data)
            if event and event.name in TERMINAL:
                self._has_ended, self._failure = True, event.data.get("code", "")
            if self._running.has_next():  # sent together: each chunk passes all layers of the server
                continue
            if ready or event is None or clock() - sent >= self._heartbeat_seconds:
                sent = clock()
                yield ready or self._heartbeat
                ready = b""

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


async def numbered(
    running: RunningTurn, pause: float, first: Event | None = None
) -> AsyncGenerator[tuple[EventId, Event | None]]:
    """Yield the events of a run from the `first` one on, with their ids, and None in pauses of that many seconds. The
    last one is `complete` or `error`."""
    at, name = EventId(running.attempt, 0), ""
    while name not in TERMINAL:
        try:
            event = first or await running.next(pause)
        except TimeoutError:
            yield at, None
            continue
        except TurnkeepError as error:
            note(error)
            event = Event("error", as_event(error))
        assert event is not None  # noqa: S101 - `complete` is the last event
        first, name, at = None, event.name, at._replace(event=at.event + 1)
        if name == "restart":
            at = EventId(event.data["attempt"], 0)
        yield at, event


def as_event(error: TurnkeepError) -> JSON:
    """Return a problem as event data, with the value of the Retry-After header."""
    return as_problem(error) | ({"retry_after": error.retry_after} if error.retry_after is not None else {})


def compact(data: Any) -> str:
    """Return JSON on one line. Values without a JSON form become text."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
