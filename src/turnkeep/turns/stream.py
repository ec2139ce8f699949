"""A turn in its own task, so that a client that disconnects can neither interrupt COMMIT nor leave a thread leased."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from turnkeep.errors import InternalError, RunCancelled, TurnkeepError
from turnkeep.observability import logger, place
from turnkeep.records import Event, Turn
from turnkeep.store.plans import Loaded
from turnkeep.turns.recording import Recorder
from turnkeep.turns.redaction import Redactor

T = TypeVar("T")


_tasks: set[asyncio.Task[Turn]] = set()  # the event loop itself keeps only weak references


@dataclass(eq=False, repr=False, kw_only=True)
class RunningTurn:
    """One request being answered. `replayed`: the reply was stored before, so no model is called. `run_id` is None if
    nothing is stored; `turn_number` is the future number, `loaded` the state to continue from, `attempt` the fencing
    token. Queued events are redacted as stored ones are; `redactor` restores them for the client."""

    thread_id: str | None
    thread_created: bool = False
    replayed: bool = False
    redactor: Redactor | None = None
    recorder: Recorder | None = None
    attempt: int = 0
    run_id: str | None = None
    turn_number: int | None = None
    loaded: Loaded | None = None

    def __post_init__(self) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self.stopping = asyncio.Event()
        self._task: asyncio.Task[Turn] | None = None
        self._recording: asyncio.Task[None] | None = None
        self._is_committing = False
        self._is_over = False

    def run(self, work: Callable[["RunningTurn"], Coroutine[Any, Any, Turn]]) -> "RunningTurn":
        """Start the work, which emits events and returns the turn."""
        self._task = asyncio.create_task(work(self))
        _tasks.add(self._task)
        self._task.add_done_callback(self._end)
        if self.recorder:
            self._recording = asyncio.create_task(self.recorder.record())
        return self

    def emit(self, event: Event) -> None:
        self._events.put_nowait(event)
        if self.recorder:
            self.recorder.add(event)

    async def commit(self, work: Awaitable[T]) -> T:
        """Await `work`; from now on the turn cannot be cancelled."""
        self._is_committing = True
        if self.recorder:
            await self.recorder.end()
        return await work

    async def next(self, seconds: float | None = None) -> Event | None:
        """Return the next event, `complete` with the Turn as the last, then None.
        Raise TimeoutError if none came in `seconds`, TurnkeepError if the run ended early."""
        if self._is_over:
            return None
        event = await asyncio.wait_for(self._events.get(), seconds)
        if event is not None:
            return await self.redactor.restore(event) if self.redactor else event
        self._is_over = True
        return Event("complete", {"turn": await self.finish()})

    def has_next(self) -> bool:
        """Return whether `next` has an event, or the end, without waiting."""
        return not self._events.empty()

    async def events(self) -> AsyncIterator[Event]:
        """Yield all events; raise TurnkeepError. Closing the iterator cancels the run."""
        try:
            while event := await self.next():
                yield event
        finally:
            await self.close()

    async def finish(self) -> Turn:
        """Await the turn; raise TurnkeepError."""
        assert self._task is not None  # noqa: S101 - a programming error
        await asyncio.wait({self._task})
        if self._task.cancelled():
            raise RunCancelled
        error = self._task.exception()
        if error is None:
            turn = self._task.result()
            return await self.redactor.restore_turn(turn) if self.redactor else turn
        if isinstance(error, TurnkeepError) or not isinstance(error, Exception):
            raise error
        logger.error("a turn ended in an unexpected exception", error=type(error).__name__, place=place(error))
        raise InternalError from error

    async def stops(self, seconds: float) -> bool:
        """Wait up to `seconds`. Return whether the run is to end early."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
        return self.stopping.is_set()

    async def stop(self) -> None:
        """End the run early and store what it has done as its turn; return when it has ended."""
        self.stopping.set()
        if self._task:
            await asyncio.wait({self._task})

    async def close(self) -> None:
        """Cancel the run, unless it is being committed or over; return when it has ended."""
        if self._task is None or self._task.done():
            return
        # Not now: a task cancelled before its first step never releases the thread. Not after an await: web frameworks
        # cancel the task that closes.
        asyncio.get_running_loop().call_soon(self._cancel)
        await asyncio.wait({self._task})

    def _cancel(self) -> None:
        if self._task and not self._is_committing:
            self._task.cancel()

    def _end(self, task: asyncio.Task[Turn]) -> None:
        _tasks.discard(task)
        if self._recording:
            self._recording.cancel()
        if not task.cancelled():
            task.exception()  # retrieved, or asyncio would report it if no one awaits the end
        self._events.put_nowait(None)
