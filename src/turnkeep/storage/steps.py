"""The way of a saver through the store: every checkpoint of a thread is a link and a flip of its own, on the same HEAD.

A step is an edit while a run goes on and a turn at its end. Its fence is what the writer read: HEAD has to lead to that
checkpoint still, and nobody else may hold the lease. A run takes the lease with its first step, for a while at a time.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

from turnkeep.errors import NotFound, StoreUnavailable, Superseded, ThreadBusy, ThreadMoved
from turnkeep.records import Principal, Turn
from turnkeep.storage.attributes import Item
from turnkeep.storage.beside import Beside, TaskWrite
from turnkeep.storage.head import Head, read_head
from turnkeep.storage.items import Refused
from turnkeep.storage.keys import (
    CHECKPOINTS,
    HEAD,
    SPACES,
    checkpoint_key,
    is_write,
    number_of,
    partition,
    space_key,
    user_key,
)
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.storage.table import Table

TRIES = 3
CHECKPOINT = CHECKPOINTS.rstrip("#")
_FREE = "(attribute_not_exists(#lease) OR #lease.#t < :now OR #lease.#o = :owner)"


@dataclass(frozen=True)
class Step:
    """What is put. `owner` names the writer's lease, which the step takes or renews where it `holds`, and else gives
    back; `after` is the checkpoint that HEAD has to lead to."""

    saved: Saved
    turn: Turn | None
    owner: bytes
    key: bytes
    holds: bool
    after: str | None


class Steps(Table):
    """Threads as a saver reads and writes them."""

    @property
    def beside(self) -> Beside:
        return self._loader.beside

    def living(self, principal: Principal, thread_id: str) -> Head | None:
        try:
            return self.head(principal, thread_id)
        except NotFound:
            return None

    def peek(self, pk: str, checkpoint_id: str) -> tuple[Head | None, tuple[TaskWrite, ...]]:
        """HEAD, and the writes after this checkpoint: one Query where it is the newest."""
        sk = checkpoint_key(checkpoint_id)
        found = self._items.between(pk, f"{sk}#", HEAD)
        head = self._trusted(found[-1]) if found and found[-1]["SK"] == HEAD else None
        writes = self.beside.writes_in(item for item in found if item["SK"].startswith(f"{sk}#"))
        return head if head and head.is_alive(self._now()) else None, writes

    def step(self, principal: Principal, thread_id: str, head: Head | None, loaded: Loaded, step: Step) -> Head:
        """HEAD as it is then. Raises ThreadMoved where another writer has gone on since `head` was read (None: there
        was nothing), ThreadBusy, Superseded where the thread was deleted, StoreUnavailable."""
        pk, births = partition(principal, thread_id), Item()
        if head is None:
            births = self._newborn(pk, user_key(principal), {})
            head = read_head(births)
        for _ in range(TRIES):
            plan = self._plan(head, loaded, step)
            try:
                return self._flip(plan, head, step, births)
            except Refused as refused:
                stands = self._refused(plan, refused.item, step, births)
            if stands.last == plan.sk:  # only the acknowledgement was lost
                return stands
            if not stands.is_alive(self._now()):
                stands = self._replace_dead(stands, user_key(principal), {})
            head, births = stands, {}
        raise ThreadBusy(retry_after=1)

    def _plan(self, head: Head, loaded: Loaded, step: Step) -> Plan:
        message = step.turn.message if step.turn else ""
        begun = Begun(replace(head, seq=head.seq + 1), step.key, b"", step.owner, message, created=False)
        plan, _ = self._planner.plan(begun, loaded, step.saved, step.turn, self._now())
        # an edit is no activity: it leaves the index of the user as it is
        return plan if step.turn else replace(plan, flip={**plan.flip, ":la": head.active})

    def _flip(self, plan: Plan, head: Head, step: Step, births: Item) -> Head:
        self._items.write_many(puts=plan.puts)
        now = self._now()
        new: Item = {name: value for name, value in births.items() if name not in ("PK", "SK")}
        new |= {name[1:]: value for name, value in plan.flip.items() if name != ":owner"}
        new |= {"lease": {"o": step.owner, "t": now + self._lease_ms}} if step.holds else {}
        gone = [*([] if step.holds else ["#lease"]), *(["#pend"] if step.turn else [])]
        values = {f":{name}": value for name, value in new.items()}
        condition = "attribute_not_exists(PK)"
        if not births:
            values |= {":now": now, ":owner": step.owner, ":was": head.seq, ":mark": head.born}
            leads = "#cp = :after" if step.after else "attribute_not_exists(cp)"
            values |= {":after": step.after} if step.after else {}
            condition = f"seq = :was AND born = :mark AND expires > :now AND {leads} AND {_FREE}"
        change = "SET " + ", ".join(f"#{name} = :{name}" for name in new)
        change += f" REMOVE {', '.join(gone)}" if gone else ""
        return self._trusted(self._items.update(plan.pk, HEAD, change, values, condition=condition))

    def _refused(self, plan: Plan, item: Item | None, step: Step, births: Item) -> Head:
        """What stands there, where the step may be tried again, or has come through."""
        stands = self._trusted(item) if item and "gone" not in item else None
        if stands and stands.last == plan.sk:
            return stands
        if births and item and (stands is None or not stands.is_alive(self._now())):
            return read_head(item)
        if stands is None or (not births and stands.born != plan.born):
            self._stands(plan, item)
            raise Superseded
        if births or stands.checkpoint != step.after:
            raise ThreadMoved(MOVED)
        now = self._now()
        if stands.lease and stands.is_leased(now) and stands.lease.owner != step.owner:
            raise ThreadBusy(BUSY, retry_after=max(1, (stands.lease.until - now) // 1000))
        return stands

    def let_go(self, head: Head, owner: bytes) -> None:
        """Gives the lease back, where it is still ours."""
        with suppress(Refused, StoreUnavailable):
            self._items.update(head.pk, HEAD, "REMOVE #lease", {":owner": owner}, condition="#lease.#o = :owner")

    def link_of(self, head: Head) -> str:
        """The link that HEAD's checkpoint was stored with."""
        link = self._chain.walk(head.pk, head.last, head.n, {})[-1]
        return str(link.get("of", link["SK"]))

    def keep_newest(self, head: Head) -> None:
        """Deletes all checkpoints but the newest of each graph, with their writes."""
        found = [sk for sk in self._names(head.pk) if not is_write(sk)]
        newest = {sk.rpartition("#")[0]: sk for sk in found} | {CHECKPOINT: checkpoint_key(str(head.checkpoint))}
        self._delete(head.pk, {sk for sk in found if newest[sk.rpartition("#")[0]] != sk})

    def drop_checkpoints(self, head: Head, keeps: str | None, goes: set[tuple[str, str]]) -> None:
        """Deletes checkpoints by namespace and id, with their writes; HEAD leads to the root's `keeps` first, where it
        leads to one that goes. Raises ThreadBusy, NotFound."""
        if ("", head.checkpoint) in goes:
            link = self._items.get(head.pk, checkpoint_key(str(keeps)))
            if link is None:
                raise NotFound
            self._lead_to(head, self._chain.walk(head.pk, link["link"], number_of(link["link"]), {})[-1])
        self._delete(head.pk, {space_key(name, each) if name else checkpoint_key(each) for name, each in goes})

    def _delete(self, pk: str, goes: set[str]) -> None:
        deletes = [(pk, sk) for sk in self._names(pk) if sk.partition("#W#")[0] in goes]
        self._items.write_many(deletes=deletes)

    def _names(self, pk: str) -> list[str]:
        names = [item["SK"] for page in self._items.pages_of(pk, "SK") for item in page]
        return sorted(sk for sk in names if sk.startswith((CHECKPOINTS, SPACES)))

    def _lead_to(self, head: Head, link: Item) -> None:
        """HEAD goes back to an older link; what comes after it is a generation of its own."""
        begun = Begun(replace(head, seq=head.seq + 1), b"", b"", b"", "", created=False)
        changed = {"n": link["n"], "gen": head.seq + 1, "last": link["SK"], "cp": link["cp"]}
        changed |= {"keys": list(head.keys[head.n - link["n"] :]), "expires": head.expires, "st": "complete"}
        changed |= {name: value for name, value in (("agent", head.agent), ("title", head.title)) if value}
        plan = self._planner.flipped(begun, (), changed, self._now())
        saved = Saved(link["cp"], {}, ())
        try:
            self._flip(plan, head, Step(saved, None, b"", b"", holds=False, after=head.checkpoint), {})
        except Refused as refused:
            raise ThreadBusy(BUSY, retry_after=1) from refused


MOVED = (
    "Another writer has gone on with this thread since it was read: nothing of this step was kept. Invoke the graph "
    "again; it begins after what the other wrote."
)
BUSY = "Another run holds this thread: nothing of this step was kept. Invoke the graph again when that one is over."
