"""Commits of the saver: each checkpoint is stored as a link with its own update of HEAD. It is an edit during a run and
a turn at its end. It takes effect if HEAD still leads to the link that the writer read and no one else has the lease. A
run takes the lease with its first step, for a while at a time."""

from contextlib import suppress
from dataclasses import replace

from turnkeep.errors import StoreUnavailable, Superseded, ThreadBusy, ThreadMoved, Unsettled
from turnkeep.records import Turn
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.head import KEY_BYTES, Head
from turnkeep.store.items import Refused
from turnkeep.store.leases import OWNER_BYTES
from turnkeep.store.plans import Begun, Loaded, Plan, Saved
from turnkeep.store.store import Store
from turnkeep.store.task_writes import TaskWrite

_FREE = "(attribute_not_exists(#lease) OR #lease.#t < :now OR #lease.#o = :owner)"


class Steps:
    def __init__(self, store: Store):
        self._store = store
        self._heads = store.heads
        self._items = store.heads.items
        self.task_writes = store.turns.task_writes

    def peek(self, pk: str, name: str) -> tuple[Head | None, tuple[TaskWrite, ...]]:
        """Return HEAD, and the writes after the checkpoint of this name: one Query if it is the newest."""
        sk = keys.checkpoint_key(name)
        found = self._items.between(pk, f"{sk}#", keys.HEAD)
        head = self._heads.living(found[-1]) if found and found[-1]["SK"] == keys.HEAD else None
        writes = self.task_writes.writes_in(item for item in found if keys.checkpoint_of(item["SK"]) == sk)
        return head, writes

    def find(self, pk: str, sk: str) -> str | None:
        """Return the key of the stored checkpoint whose key is `sk` without its writer."""
        found = [item["SK"] for item in self._items.between(pk, sk, f"{sk}#~")]
        return next((each for each in found if not keys.is_write(each)), None)

    def step(
        self, head: Head, loaded: Loaded, saved: Saved, turn: Turn | None, owner: bytes, *, keep_lease: bool = False
    ) -> Head:
        """Store a step after the link of `head` and return the new HEAD. With `keep_lease` the lease of `owner` is
        taken or renewed, else released. Raises ThreadMoved if HEAD leads elsewhere, ThreadBusy, Superseded if the
        thread was deleted, Unsettled if the outcome is unknown, StoreUnavailable."""
        key = self._heads.random_bytes(KEY_BYTES)  # the key names the step's link
        begun = Begun(replace(head, seq=head.seq + 1), key, b"", key, turn.message if turn else "", created=False)
        plan, _ = self._store.turns.planner.plan(begun, loaded, saved, turn)
        if not turn:  # an edit is not an activity: the user's index stays unchanged
            plan = replace(plan, changes={**plan.changes, ":la": head.active})
        self._items.write_many(puts=plan.puts)
        try:
            return self._commit_head(plan, head, owner, is_turn=turn is not None, keep_lease=keep_lease)
        except StoreUnavailable as error:  # of the update, or after one that may have succeeded
            raise Unsettled(UNKNOWN, retry_after=error.retry_after) from error

    def _commit_head(self, plan: Plan, head: Head, owner: bytes, *, is_turn: bool, keep_lease: bool) -> Head:
        after = head.last
        for _ in range(3):  # tries
            try:
                return self._update(plan, replace(head, last=after), owner, is_turn=is_turn, keep_lease=keep_lease)
            except Refused as refused:
                head = self._store.turns.refused_head(plan, refused.item)
            if self._store.turns.chain.reached(head, plan.sk):  # only the acknowledgement was lost
                return replace(head, n=plan.changes[":n"], last=plan.sk, checkpoint_name=plan.changes[":cp"])
            now = self._heads.now()
            if head.last != after or not head.is_alive(now):
                raise ThreadMoved(MOVED)
            if head.lease and head.is_leased(now) and head.lease.owner != owner:
                raise ThreadBusy(BUSY, retry_after=max(1, (head.lease.until - now) // 1000))
        raise ThreadBusy(retry_after=1)

    def _update(self, plan: Plan, head: Head, owner: bytes, *, is_turn: bool, keep_lease: bool) -> Head:
        now = self._heads.now()
        new: Item = {name[1:]: value for name, value in plan.changes.items() if name != ":owner"}
        new["seq"] = head.seq + 1
        new |= {"lease": {"o": owner, "t": now + self._store.leases.lease_ms}} if keep_lease else {}
        gone = [*([] if keep_lease else ["#lease"]), *(["#pend"] if is_turn else [])]
        change = "SET " + ", ".join(f"#{name} = :{name}" for name in new)
        change += f" REMOVE {', '.join(gone)}" if gone else ""
        values = {f":{name}": value for name, value in new.items()}
        values |= {":now": now, ":owner": owner, ":was": head.seq, ":mark": head.incarnation}
        values |= {":after": head.last} if head.last else {}
        leads = "#last = :after" if head.last else "attribute_not_exists(#last)"
        condition = f"seq = :was AND born = :mark AND expires > :now AND {leads} AND {_FREE}"
        return self._heads.trusted(self._items.update(plan.pk, keys.HEAD, change, values, condition=condition))

    def release(self, head: Head, owner: bytes) -> None:
        with suppress(Refused, StoreUnavailable):
            self._items.update(head.pk, keys.HEAD, "REMOVE #lease", {":owner": owner}, condition="#lease.#o = :owner")

    def link_of(self, head: Head) -> str:
        with self._heads.reading(head, Superseded):
            link = self._store.turns.chain.walk(head.pk, head.last, head.n, {})[-1]
        return str(link.get("of", link["SK"]))

    def keep_newest(self, head: Head) -> None:
        """Delete all checkpoints but the newest of each graph, with their writes."""
        names, older, spaces = self._settled(head)
        content = (self._store.turns.load(head, 1).checkpoint or {}).get("spaces", {}) if spaces else {}
        named, kept = {keys.space_key(*each) for each in content.items()}, dict[str, str]()
        for sk in sorted(spaces, reverse=True):
            if spaces[sk] in (None, head.checkpoint) or keys.without_writer(sk) in named:
                kept.setdefault(keys.without_writer(sk).rpartition("#")[0], sk)
        past = {sk for sk, root in spaces.items() if (root or "") <= str(head.checkpoint)}  # not of a step under way
        self._delete(head.pk, names, older | past - set(kept.values()))

    def drop_checkpoints(self, head: Head, newest: str | None, dropped: set[tuple[str, str]]) -> None:
        """Delete checkpoints and their writes. If HEAD leads to one, `newest` is stored again first. Raises NotFound,
        ThreadMoved, ThreadBusy."""
        names, older, spaces = self._settled(head)
        if ("", head.checkpoint) in dropped:
            self._restore(head, str(newest))
            older.add(keys.checkpoint_key(str(head.checkpoint_name)))
        places = {keys.space_key(*each) if each[0] else keys.checkpoint_key(each[1]) for each in dropped}
        self._delete(head.pk, names, {sk for sk in older | spaces.keys() if keys.without_writer(sk) in places})

    def _restore(self, head: Head, checkpoint_id: str) -> None:
        loaded = self._store.turns.load(head, None, checkpoint_id)
        saved = RunCheckpointer(loaded, whole=True).saved(frozenset(), interrupted=True)
        assert saved  # noqa: S101 - a checkpoint was loaded
        saved.checkpoint["spaces"] = (loaded.checkpoint or {}).get("spaces", {})
        saved = replace(saved, interrupted=loaded.is_interrupted)
        self.step(head, loaded, saved, None, self._heads.random_bytes(OWNER_BYTES))

    def _settled(self, head: Head) -> tuple[list[str], set[str], dict[str, str | None]]:
        """Return the keys of all checkpoints and their writes; those of root checkpoints before HEAD's, never used
        again; and those of sub-graphs with the root's checkpoint id at that time."""
        wanted = self._items.pages_of(head.pk, "SK", "prev", "was", "cp", "root")
        items = {item["SK"]: item for page in wanted for item in page}
        names = [sk for sk in items if sk.startswith((keys.CHECKPOINTS, keys.SPACES))]
        older, waiting = set[str](), [head.last]
        while waiting:
            if link := items.pop(str(waiting.pop()), None):
                older.add(keys.checkpoint_key(link["cp"]))
                waiting += [link.get("prev"), link.get("was")]
        spaces = {sk: items[sk].get("root") for sk in names if sk.startswith(keys.SPACES) and not keys.is_write(sk)}
        return names, older - {keys.checkpoint_key(str(head.checkpoint_name))}, spaces

    def _delete(self, pk: str, names: list[str], dropped: set[str]) -> None:
        self._items.write_many(deletes=[(pk, sk) for sk in names if keys.checkpoint_of(sk) in dropped])


MOVED = "Another writer has continued this thread. Nothing of this step was stored. Invoke the graph again."
BUSY = "Another run has leased this thread. Nothing of this step was stored. Invoke the graph again when it has ended."
UNKNOWN = "It is unknown whether this step was stored. Read the thread before you invoke the graph again."
