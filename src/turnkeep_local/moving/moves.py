"""Imports one thread after the other and counts the outcomes."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from langgraph.checkpoint.base import CheckpointTuple

from turnkeep.errors import NotFound, StoreUnavailable, Superseded, ThreadBusy, ThreadMoved, TurnkeepError
from turnkeep.records import Principal
from turnkeep.store.keys import is_well_formed
from turnkeep_local.moving.arrivals import CHECKPOINT, SOURCE, Arrivals
from turnkeep_local.moving.savers import OldTable, OldThread, Unreadable, readable
from turnkeep_local.moving.states import convert

NAME_CHARACTERS = 100
SKIPPED = {
    "expired": "its TTL has passed",
    "no owner": "list it in --owner, or set --tenant and --user for all other threads",
    "taken": "another thread has this id here",
    "diverged": "it changed in both tables; the thread here stays",
    "unreadable": "it cannot be read",
    "refused": "it cannot be stored",
    "busy": "another import or a turn is writing it; import it again",
}
"""Outcomes that leave a thread where it is. The others: "moved", "changed" if it was written again, "here" if it is
already here."""
TRIES = 2


@dataclass
class Tally:
    """Number of threads by outcome, and the turns and messages of those that were written."""

    threads: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    messages: int = 0

    @property
    def left(self) -> int:
        return sum(self.threads[outcome] for outcome in SKIPPED if outcome != "expired")


@dataclass
class Moves:
    """An import from one table. `rest` owns the threads that `owners` does not list; `clock` returns epoch seconds."""

    old: OldTable
    here: Arrivals
    owners: Mapping[str, Principal]
    rest: Principal | None
    agent: str
    report: Callable[[str], None]
    dry_run: bool = False
    clock: Callable[[], float] = time.time

    def run(self, progress: Callable[[str], None]) -> Tally:
        """Import all. Raise StoreUnavailable, and ClientError for errors of a whole table; imported threads stay."""
        tally, threads = Tally(), self.old.threads()
        for number, thread in enumerate(threads, start=1):
            outcome, reason = self._outcome(thread, tally)
            tally.threads[outcome] += 1
            if outcome in SKIPPED:
                self.report(f"{thread.thread_id}: {SKIPPED[outcome]}{reason}")
            progress(f"{number} of {len(threads)} threads")
        return tally

    def _outcome(self, thread: OldThread, tally: Tally) -> tuple[str, str]:
        owner = self.owners.get(thread.thread_id, self.rest)
        if thread.ttl <= self.clock() or owner is None:
            return "no owner" if owner is None else "expired", ""
        for _ in range(TRIES):
            try:
                return self._move(thread, owner, tally), ""
            except (NotFound, ThreadBusy, ThreadMoved, Superseded):
                continue  # another writer came first
            except Unreadable as error:
                return "unreadable", f": {error}"
            except StoreUnavailable:
                raise
            except TurnkeepError as error:
                return "refused", f": {error.detail}"
        return "busy", ""

    def _move(self, thread: OldThread, owner: Principal, tally: Tally) -> str:
        old_id = thread.thread_id
        name = old_id if is_well_formed(old_id) else f"moved-{sha256(old_id.encode()).hexdigest()[:32]}"
        known = old_id if len(old_id.encode()) <= NAME_CHARACTERS else name
        mark = {SOURCE: f"{self.old.table}/{known}", CHECKPOINT: thread.newest[""]}
        standing, judged = self.here.standing(owner, name, mark)
        if standing not in ("free", "changed"):
            return standing
        with readable():
            spaces = self._spaces(thread)
            converted = convert(spaces, self.agent)
        mark[CHECKPOINT] = spaces[""].checkpoint["id"]
        if not self.dry_run:
            self.here.take_in(owner, name, converted, mark, judged)
        if name != old_id:
            self.report(f"{old_id}: not a valid id here, so it becomes {name}")
        tally.turns += len(converted.turns)
        tally.messages += converted.messages
        return "moved" if standing == "free" else standing

    def _spaces(self, thread: OldThread) -> dict[str, CheckpointTuple]:
        """Return the newest checkpoints by namespace, without those of finished sub-graph calls."""
        root = self.old.read(thread)
        if root is None:
            raise Unreadable("its newest checkpoint is incomplete")
        waiting = {task for task, *_ in root.pending_writes or ()}
        spaces = {"": root}
        for namespace, newest in thread.newest.items():
            task = namespace.split("|")[0].rpartition(":")[2]
            is_needed = ":" not in namespace or newest > root.checkpoint["id"] or task in waiting
            if namespace and is_needed and (found := self.old.read(thread, namespace)):
                spaces[namespace] = found
        return spaces
