"""Imports one thread after the other and counts the outcomes."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256

from langgraph.checkpoint.base import CheckpointTuple

from turnkeep.errors import NotFound, StoreUnavailable, Superseded, ThreadBusy, ThreadMoved, TurnkeepError
from turnkeep.records import Principal
from turnkeep.storage.keys import is_well_formed
from turnkeep_local.moving.arrivals import CHECKPOINT, SOURCE, Arrivals
from turnkeep_local.moving.savers import OldTable, OldThread, Unreadable, readable
from turnkeep_local.moving.states import moved

NAME_CHARACTERS = 100
LEFT = {
    "expired": "its TTL has passed",
    "no owner": "name it in --owner, or give the rest to --tenant and --user",
    "taken": "another thread has this id here",
    "gone on": "it changed in the old table and here: the thread here stays",
    "unreadable": "it cannot be read",
    "refused": "it cannot be stored",
    "busy": "another import or a turn writes it: import it again",
}
TRIES = 2


@dataclass
class Tally:
    """Number of threads by outcome, and the turns and messages of those that were written."""

    threads: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    messages: int = 0

    @property
    def left(self) -> int:
        return sum(self.threads[fate] for fate in LEFT if fate != "expired")


@dataclass
class Moves:
    """An import from one table. `rest` owns the threads that `owners` does not name; `clock` returns epoch seconds."""

    old: OldTable
    here: Arrivals
    owners: Mapping[str, Principal]
    rest: Principal | None
    agent: str
    tell: Callable[[str], None]
    dry_run: bool = False
    clock: Callable[[], float] = time.time

    def run(self, progress: Callable[[str], None]) -> Tally:
        """Import all. Raises StoreUnavailable, and ClientError for errors of a whole table; imported threads stay."""
        tally, threads = Tally(), self.old.threads()
        for number, thread in enumerate(threads, start=1):
            fate, why = self._fate(thread, tally)
            tally.threads[fate] += 1
            if fate in LEFT:
                self.tell(f"{thread.thread_id}: {LEFT[fate]}{why}")
            progress(f"{number} of {len(threads)} threads")
        return tally

    def _fate(self, thread: OldThread, tally: Tally) -> tuple[str, str]:
        """Return "moved", "changed" if it was written again, "here" if it is here already, or a key of LEFT."""
        owner = self.owners.get(thread.thread_id, self.rest)
        if thread.ttl <= self.clock() or owner is None:
            return "no owner" if owner is None else "expired", ""
        try:
            for _ in range(TRIES):
                with suppress(NotFound, ThreadBusy, ThreadMoved, Superseded):  # another writer came first
                    return self._move(thread, owner, tally), ""
        except Unreadable as error:
            return "unreadable", f": {error}"
        except StoreUnavailable:
            raise
        except TurnkeepError as error:
            return "refused", f": {error.detail}"
        return "busy", ""

    def _move(self, thread: OldThread, owner: Principal, tally: Tally) -> str:
        name = thread.thread_id if is_well_formed(thread.thread_id) else _derived(thread.thread_id)
        known = thread.thread_id if len(thread.thread_id.encode()) <= NAME_CHARACTERS else name
        mark = {SOURCE: f"{self.old.place.table}/{known}", CHECKPOINT: thread.newest[""]}
        standing, judged = self.here.standing(owner, name, mark)
        if standing not in ("free", "changed"):
            return standing
        with readable():
            spaces = self._spaces(thread)
            found = moved(spaces, self.old.times(thread), self.agent)
        mark[CHECKPOINT] = spaces[""].checkpoint["id"]
        if not self.dry_run:
            self.here.take_in(owner, name, found, mark, judged)
        if name != thread.thread_id:
            self.tell(f"{thread.thread_id}: not a valid id here, so it becomes {name}")
        tally.turns += len(found.turns)
        tally.messages += found.messages
        return "moved" if standing == "free" else standing

    def _spaces(self, thread: OldThread) -> dict[str, CheckpointTuple]:
        """Return the newest checkpoints by namespace, without those of finished sub-graph calls."""
        root = self.old.read(thread)
        if root is None:
            raise Unreadable("its newest checkpoint is not there as a whole")
        waiting = {task for task, *_ in root.pending_writes or ()}
        spaces = {"": root}
        for namespace, newest in thread.newest.items():
            task = namespace.split("|")[0].rpartition(":")[2]
            is_needed = ":" not in namespace or newest > root.checkpoint["id"] or task in waiting
            if namespace and is_needed and (found := self.old.read(thread, namespace)):
                spaces[namespace] = found
        return spaces


def _derived(thread_id: str) -> str:
    """Return the same id each time: "ann@example.com" becomes "moved-" and 32 digits."""
    return f"moved-{sha256(thread_id.encode()).hexdigest()[:32]}"
