"""Follows a run by its log, whichever process executes it, and a thread from run to run."""

import asyncio
from contextlib import suppress

from turnkeep.errors import NotFound, TurnInProgress
from turnkeep.records import Event, Principal, Turn
from turnkeep.store.event_log import KEPT_MS, Place, Segment
from turnkeep.store.head import Head
from turnkeep.turns.background import RunRecord, Runs
from turnkeep.turns.run_lookup import end_of, held
from turnkeep.turns.stream import RunningTurn
from turnkeep.turns.threads import in_thread, monotonic

PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 0.5
LATE_SECONDS = 5.0  # a queued run on a free thread has been forgotten
MOST_EARLIER = 10  # turns made while a client was not connected
_ALIVE = {"running": 1, "pending": 2}


async def follow(runs: Runs, joined: RunningTurn, principal: Principal, seconds: float) -> tuple[Turn, str]:
    """Emit the events of a run as they are logged, and start it if it was forgotten in its queue. Return its turn and
    the name of its last event, empty if the log is incomplete. Raise the error of the run, NotFound, StateCorrupt, and
    TurnInProgress when time is up."""
    thread_id, run_id = str(joined.thread_id), str(joined.run_id)
    head = await in_thread(runs.store.heads.read, principal, thread_id)
    place, last, found = Place(), "", None
    pause, late, until = PAUSE_SECONDS, monotonic() + LATE_SECONDS, monotonic() + seconds
    while True:
        segments = await in_thread(runs.store.events.after, head, run_id, place)
        for segment in segments:
            _emit(joined, segment, place)
            place, last = segment.end, segment.last
        if isinstance(found, Turn):
            if place.attempt in (0, found.attempt):
                return found, last
            joined.emit(Event("restart", {"attempt": found.attempt}))  # its events were not logged
            return found, ""
        if last or not segments:
            found = await runs.find(principal, thread_id, run_id)
            if isinstance(found, Turn):
                continue
            if found.status not in ("pending", "running"):
                raise end_of(found)
            if monotonic() > late and found.is_due:
                await runs.launch_next(head)
                late = monotonic() + LATE_SECONDS
        pause = PAUSE_SECONDS if segments else min(pause * 1.5, LONGEST_PAUSE_SECONDS)
        if monotonic() + pause > until:
            raise TurnInProgress(retry_after=1)
        await asyncio.sleep(pause)


class NextRun:
    """Finds the runs of a thread for a client that follows it, each once: those that are over in the order of their
    ends, then the active one, then queued ones in the order of acceptance. For a client that `is_new` they begin with
    those that are not over, or the newest one: values of earlier ones would replace newer ones."""

    def __init__(self, runs: Runs, principal: Principal, thread_id: str, *, is_new: bool):
        self._is_new = is_new
        self._runs, self._named = runs, (principal, thread_id)
        self._since = runs.store.heads.now() - KEPT_MS  # what ended before is over
        self._found, self._seen = list[RunRecord](), set[str]()
        self._last: Head | None = None

    async def find(self) -> RunRecord | None:
        """Return the next run, or None if there is none yet."""
        if not self._found:
            with suppress(NotFound):
                self._found = await in_thread(self._unseen)
        return self._found.pop(0) if self._found else None

    def _unseen(self) -> list[RunRecord]:
        store, last = self._runs.store, self._last
        head = store.heads.read(*self._named)
        if last and (last.seq, last.queue) == (head.seq, head.queue):  # they change when a run begins or is queued
            return []
        queued, earlier = store.queue.all(head), 1 if self._is_new else MOST_EARLIER
        new = len(set(head.keys).difference(last.keys)) if last else earlier
        turns = store.turns.newest(*self._named, limit=new, before=head.n + 1) if new else []
        failed = None if head.is_leased(store.heads.now()) else held(head, "error")
        runs = ({failed.run_id: failed} if failed else {}) | self._runs.lookup.merged(head, queued, turns)
        unseen = [run for run_id, run in runs.items() if run_id not in self._seen]
        found = sorted(unseen, key=lambda run: (_ALIVE.get(run.status, 0), run.updated_at))
        if last is None and self._is_new:
            found = [run for run in found if run.status in _ALIVE] or found[-1:]
            self._since = 0 if head.interrupted else self._since  # clients answer what their stream asks
        self._last, self._seen = head, self._seen | runs.keys()
        return [run for run in found if run.status in _ALIVE or run.updated_at * 1000 >= self._since]


def _emit(joined: RunningTurn, segment: Segment, place: Place) -> None:
    if segment.start.attempt != place.attempt:
        joined.emit(Event("restart", {"attempt": segment.start.attempt}))
    for event in segment.events:
        joined.emit(event)
