"""A turn that runs in a task of its own, so that a client that goes away can neither tear COMMIT apart nor leave the
thread leased: whoever reads the events only watches."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

from turnkeep.records import Event, Turn

type Emit = Callable[[Event], None]

_tasks: set[asyncio.Task[Turn]] = set()  # the event loop itself keeps only weak references


class RunningTurn:
    """One request being answered. `replayed`: the reply was stored before and no model is called."""

    def __init__(self, *, key: str, thread_id: str | None, thread_created: bool = False, replayed: bool = False):
        self.key = key
        self.thread_id = thread_id
        self.thread_created = thread_created
        self.replayed = replayed
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._task: asyncio.Task[Turn] | None = None
        self._is_committing = False

    def run(self, work: Callable[["RunningTurn"], Coroutine[Any, Any, Turn]]) -> "RunningTurn":
        """Starts the work, which emits events and returns the turn."""
        self._task = asyncio.create_task(work(self))
        _tasks.add(self._task)
        self._task.add_done_callback(self._end)
        return self

    def emit(self, event: Event) -> None:
        self._events.put_nowait(event)

    async def commit[T](self, work: Awaitable[T]) -> T:
        """From here on the turn is no longer cancelled."""
        self._is_committing = True
        return await work

    async def events(self) -> AsyncIterator[Event]:
        """What happens, then one `complete` with the Turn; raises TurnkeepError. Closing it cancels the run."""
        try:
            while event := await self._events.get():
                yield event
            yield Event("complete", {"turn": await self._result()})
        finally:
            await self.close()

    async def finish(self) -> Turn:
        """The turn, when it is done; raises TurnkeepError."""
        return await self._result()

    async def close(self) -> None:
        """Cancels the run, unless it is being committed or over."""
        if self._task is None or self._task.done():
            return
        await asyncio.sleep(0)  # a task that is cancelled before its first step would never give the thread back
        if not self._is_committing:
            self._task.cancel()
        await asyncio.wait({self._task})

    async def _result(self) -> Turn:
        assert self._task is not None  # noqa: S101 - a programming error
        return await asyncio.shield(self._task)

    def _end(self, task: asyncio.Task[Turn]) -> None:
        _tasks.discard(task)
        if not task.cancelled():
            task.exception()  # taken note of here; whoever reads the events is told
        self._events.put_nowait(None)
