"""Imports one thread after the other and counts the outcomes. A thread is written invisibly, under a HEAD that is
already expired; one conditional update makes it visible. A killed import leaves nothing visible. A later import takes
over its HEAD, and the earlier one is superseded. A living thread is never overwritten."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from langgraph.checkpoint.base import CheckpointTuple

from turnkeep.errors import NotFound, StoreUnavailable, Superseded, ThreadBusy, TurnkeepError
from turnkeep.records import JSON, Principal
from turnkeep.store.attributes import Item
from turnkeep.store.head import key_digest
from turnkeep.store.keys import is_well_formed
from turnkeep.store.leases import OWNER_BYTES
from turnkeep.store.plans import Begun, Loaded, Plan, Saved
from turnkeep.store.store import Store
from turnkeep_local.moving.savers import OldTable, OldThread, Unreadable, readable
from turnkeep_local.moving.states import Converted, convert

NAME_CHARACTERS = 100
SOURCE, CHECKPOINT = "imported_from", "imported_checkpoint"
"""Metadata of an imported thread: the old table and id, and the newest checkpoint there."""
SKIPPED = {
    "expired": "its TTL has passed",
    "no owner": "list it in --owner, or set --tenant and --user for all other threads",
    "taken": "another thread has this id here",
    "changed": "it changed in the old table after it was imported; delete the thread here to import it again",
    "unreadable": "it cannot be read",
    "refused": "it cannot be stored",
    "busy": "another import or a turn is writing it; import it again",
}
"""Outcomes that leave a thread where it is. The others: "moved", and "here" if it is already here."""


@dataclass
class Tally:
    """Number of threads by outcome, and the turns of those that were written."""

    threads: Counter[str] = field(default_factory=Counter)
    turns: int = 0

    @property
    def left(self) -> int:
        return sum(self.threads[outcome] for outcome in SKIPPED if outcome != "expired")


@dataclass
class Moves:
    """An import from one table. `rest` owns the threads that `owners` does not list."""

    old: OldTable
    store: Store
    owners: Mapping[str, Principal]
    rest: Principal | None
    agent: str
    report: Callable[[str], None]
    dry_run: bool = False

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
        if thread.ttl <= self.store.heads.clock() or owner is None:
            return "no owner" if owner is None else "expired", ""
        try:
            return self._move(thread, owner, tally), ""
        except (NotFound, ThreadBusy, Superseded):  # another writer came first
            return "busy", ""
        except Unreadable as error:
            return "unreadable", f": {error}"
        except StoreUnavailable:
            raise
        except TurnkeepError as error:
            return "refused", f": {error.detail}"

    def _move(self, thread: OldThread, owner: Principal, tally: Tally) -> str:
        old_id = thread.thread_id
        name = old_id if is_well_formed(old_id) else f"moved-{sha256(old_id.encode()).hexdigest()[:32]}"
        mark = {SOURCE: f"{self.old.table}/{old_id[:NAME_CHARACTERS]}", CHECKPOINT: thread.newest[""]}
        if head := self.store.heads.find(owner, name):
            given = self.store.threads.metadata_of(head)
            if given.get(SOURCE) != mark[SOURCE]:
                return "taken"
            # ids ascend: another import may have read the table later
            return "here" if given.get(CHECKPOINT, "") >= mark[CHECKPOINT] else "changed"
        with readable():
            converted = convert(self._spaces(thread), self.agent)
        if not self.dry_run:
            self._take_in(owner, name, converted, mark)
        if name != old_id:
            self.report(f"{old_id}: not a valid id here, so it becomes {name}")
        tally.turns += len(converted.turns)
        return "moved"

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

    def _take_in(self, owner: Principal, name: str, thread: Converted, mark: JSON) -> None:
        """Raise ThreadBusy, Superseded, NotFound if another writer came first, AgentFault if it is too large."""
        writer, now = self.store.heads.random_bytes(OWNER_BYTES), self.store.heads.now()
        more: Item = {"expires": now, "lease": {"o": writer, "t": now}}  # a later import need not wait
        head, is_new = self.store.heads.make(owner, name, more)
        if not is_new:
            raise ThreadBusy(retry_after=1)
        begun = Begun(head, b"", b"", writer, thread.turns[0][0].message, created=True)
        try:
            plan = self._plan(begun, thread)
            metadata = self.store.threads.packed_metadata(head.pk, thread.metadata | mark)
            known: Item = {":meta": metadata, ":la": int(thread.updated * 1000)}
            self.store.turns.commit(replace(plan, changes=plan.changes | known))
        except TurnkeepError:
            self.store.leases.release(begun)
            raise

    def _plan(self, begun: Begun, thread: Converted) -> Plan:
        """Write all turns but the newest; return its plan."""
        plans = list[Plan]()
        for number, (turn, segments) in enumerate(thread.turns):
            is_newest = number + 1 == len(thread.turns)
            without_state = Saved(f"00000000-0000-6000-8000-{number + 1:012d}", {}, ())
            saved = replace(thread.saved if is_newest else without_state, segments=segments)
            named = replace(begun, key=key_digest(begun.head.pk, f"import {number}"))
            loaded = Loaded(number, plans[-1].sk if plans else None)
            plan, _ = self.store.turns.planner.plan(named, loaded, saved, turn)
            plans.append(plan)
        *older, newest = plans
        self.store.heads.items.write_many(item for plan in older for item in plan.puts if "link" not in item)
        return newest
