"""Writes the events of a run to its log, so that clients can join it. The turn does not need the log: if it cannot be
written, it ends early, and clients that join get only the end of the run."""

import asyncio
from dataclasses import dataclass, field

from turnkeep.errors import TurnkeepError
from turnkeep.observability import logger
from turnkeep.records import Event
from turnkeep.store.event_log import EventLog
from turnkeep.store.head import Head
from turnkeep.turns.threads import in_thread, monotonic

SOON_SECONDS, PAUSE_SECONDS = 0.25, 0.75  # between segments: in the first second, and later
LONG_RUN_SECONDS = 10.0  # from then on, a run that may lose its client is logged


@dataclass(eq=False)
class Recorder:
    """Records one run. `delay`: seconds until the first segment; a run that ends earlier has no log."""

    log: EventLog
    head: Head
    run_id: str
    delay: float
    _unwritten: list[Event] = field(default_factory=list)
    _next: int = 1
    _name: str = ""
    _is_open: bool = False
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, event: Event) -> None:
        self._unwritten.append(event)
        self._name = event.name

    async def record(self) -> None:
        """Write segments until cancelled."""
        started = monotonic()
        await asyncio.sleep(self.delay)
        self._is_open = True
        while self._is_open:
            await asyncio.sleep(SOON_SECONDS if monotonic() - started < 1 else PAUSE_SECONDS)
            if self._unwritten:
                await self._write()

    async def end(self) -> None:
        """Write the rest. It precedes COMMIT, or the release of a failed run, so who sees that finds all events."""
        last, self._name = self._name, ""
        if last and (self._is_open or not self.delay):
            await self._write(last)

    async def _write(self, last: str = "") -> None:
        async with self._writing:
            events, self._unwritten = self._unwritten, []
            start, self._next = self._next, self._next + len(events)
            try:
                await in_thread(self.log.append, self.head, self.run_id, start, events, last)
            except TurnkeepError as error:  # readers stop at the gap
                logger.warning("events not logged", code=error.code)
