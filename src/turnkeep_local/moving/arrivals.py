"""Writes an imported thread invisibly, under a HEAD that is already expired; one conditional update makes it visible. A
killed import leaves nothing visible. Each attempt has its own keys and is bound to the HEAD that it judged: a later
import takes over, and the earlier one is superseded."""

from dataclasses import replace
from typing import Literal

from turnkeep.errors import ThreadBusy, ThreadMoved, TurnkeepError
from turnkeep.records import JSON, Principal
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, key_digest, read_head
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, partition, user_key
from turnkeep.store.leases import OWNER_BYTES, BeginRequest
from turnkeep.store.plans import Begun, Loaded, Plan, Saved
from turnkeep.store.store import Store
from turnkeep_local.moving.states import Converted

SOURCE, CHECKPOINT = "imported_from", "imported_checkpoint"
"""Metadata of an imported thread: the old table and id, and the newest checkpoint there."""
Standing = Literal["free", "here", "changed", "diverged", "taken"]


class Arrivals:
    """The table that threads move into."""

    def __init__(self, store: Store):
        self.store = store
        self._heads = store.heads

    def standing(self, principal: Principal, thread_id: str, mark: JSON) -> tuple[Standing, Head | None]:
        """Return the state of the thread, and its HEAD. "changed": only in the old table; "diverged": here too;
        "taken": the id belongs to another thread."""
        item = self._heads.items.get(partition(principal, thread_id), HEAD)
        head = self._heads.trusted(item) if item else None
        if head is None or not head.is_alive(self._heads.now()):
            return "free", head
        known = self.store.threads.metadata_of(head)
        if known.get(SOURCE) != mark[SOURCE]:
            return "taken", head
        if known.get(CHECKPOINT, "") >= mark[CHECKPOINT]:  # ids ascend: another import may have brought a newer one
            return "here", head
        return "changed" if head.checkpoint == known.get(CHECKPOINT) else "diverged", head

    def take_in(self, principal: Principal, thread_id: str, thread: Converted, mark: JSON, judged: Head | None) -> None:
        """Write the thread over the HEAD that `standing` judged "free" or "changed". Raise ThreadBusy, ThreadMoved,
        Superseded if another writer came first, AgentFault if it is too large, StoreUnavailable."""
        if judged and judged.is_alive(self._heads.now()):
            begun = self._again(principal, judged)
        else:
            begun = self._new_thread(principal, thread_id, judged)
        try:
            plan = self._plan(replace(begun, message=thread.turns[0][0].message), thread)
            metadata = self.store.threads.packed_metadata(begun.head.pk, thread.metadata | mark)
            known: Item = {":meta": metadata, ":la": int(thread.updated * 1000)}
            self.store.turns.commit(replace(plan, changes=plan.changes | known))
        except TurnkeepError:
            self.store.leases.release(begun)
            raise

    def _again(self, principal: Principal, head: Head) -> Begun:
        """Begin to overwrite a thread that was imported before, in a new generation."""
        key = self._heads.random_bytes(OWNER_BYTES).hex()
        begun = self.store.leases.begin(principal, head.thread_id, BeginRequest(key, b"", None, after=head.n))
        assert isinstance(begun, Begun)  # noqa: S101 - no turn has a key that was generated just now
        if (begun.head.incarnation, begun.head.last) != (head.incarnation, head.last):
            self.store.leases.release(begun)
            raise ThreadMoved
        return replace(begun, head=replace(begun.head, n=0, gen=begun.head.seq, last=None, keys=()))

    def _new_thread(self, principal: Principal, thread_id: str, dead: Head | None) -> Begun:
        """Write an expired HEAD, leased by this attempt, in place of a `dead` one."""
        owner, now, user = self._heads.random_bytes(OWNER_BYTES), self._heads.now(), user_key(principal)
        more: Item = {"expires": now, "lease": {"o": owner, "t": now + self.store.leases.lease_ms}}
        if dead:
            is_import = dead.expires <= dead.created  # possibly killed: this one takes over
            head = self._heads.replace_dead(replace(dead, lease=None) if is_import else dead, user, more)
        else:
            item = self._heads.new_head(partition(principal, thread_id), user, more)
            try:
                self._heads.items.put(item, condition="attribute_not_exists(PK)")
            except Refused as refused:
                raise ThreadBusy(retry_after=1) from refused
            head = read_head(item)
        return Begun(head, b"", b"", owner, "", created=True)

    def _plan(self, begun: Begun, thread: Converted) -> Plan:
        """Write all turns but the newest; return its plan."""
        planner, last, written = self.store.turns.planner, None, list[Item]()
        *older, (newest, appended) = thread.turns
        for number, (turn, segments) in enumerate(older):
            saved = Saved(f"00000000-0000-6000-8000-{number + 1:012d}", {}, segments)  # without a state
            plan, _ = planner.plan(_named(begun, number), Loaded(number, last), saved, turn)
            written += [item for item in plan.puts if "link" not in item]
            last = plan.sk
        self._heads.items.write_many(puts=written)
        begun, saved = _named(begun, len(older)), replace(thread.saved, segments=appended)
        return planner.plan(begun, Loaded(len(older), last), saved, newest)[0]


def _named(begun: Begun, number: int) -> Begun:
    return replace(begun, key=key_digest(begun.head.pk, f"import {number}"))
