"""The turns of threads: LOAD (windows.py), COMMIT, and reading. COMMIT writes link and checkpoint under unreachable
keys, then one conditional update of HEAD (own seq, own lease) makes them the thread. It recognises its link if only the
answer was lost. If its outcome is unknown, the lease changes its owner, so a write still on its way comes too late."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from turnkeep import errors
from turnkeep.records import JSON, Principal, Turn
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, is_erased, key_digest, run_id_of
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, checkpoint_key, message_key, partition
from turnkeep.store.leases import MINE, OWNER_BYTES
from turnkeep.store.links import Chain, Link, turn_of
from turnkeep.store.plans import PACK_LINKS, Begun, Loaded, Plan, Planner, Saved
from turnkeep.store.vault import Vault
from turnkeep.store.windows import MISSING, Found, Loader


class TurnLog:
    def __init__(self, heads: Heads, chain: Chain, vault: Vault, *, pack_links: int = PACK_LINKS):
        self._heads = heads
        self._items = heads.items
        self.chain = chain
        self._vault = vault
        self.loader = Loader(heads, chain)
        self.planner = Planner(heads, vault, pack_links)

    def run_id(self, principal: Principal, thread_id: str, key: str) -> str:
        """Return the id of the run that this key makes, or made, on this thread. Raises InvalidId."""
        pk = partition(principal, thread_id)
        return run_id_of(pk, key_digest(pk, key))

    def look_ahead(self, principal: Principal, thread_id: str) -> Found:
        """Return what LOAD would read, if this process knows the thread. Runs next to BEGIN, which reports errors."""
        with suppress(errors.InvalidId, errors.StoreUnavailable):
            return self.loader.look_ahead(partition(principal, thread_id))
        return MISSING

    def load(self, head: Head, window: int | None, base: str | int | None = None, *, ahead: Found = MISSING) -> Loaded:
        """Return the newest `window` turns (None: all) and their checkpoint; reads only those missing in `ahead`.
        `base`, a checkpoint id or turn number, returns the state then; 0 is before the first turn. Raises NotFound if
        it is unknown, StateCorrupt, and Superseded if the thread was deleted or moved since `head` was read."""
        with self._heads.reading(head, errors.Superseded):
            return self.loader.load(head, window, base, ahead)

    def read_state(self, head: Head, window: int | None, base: str | int | None) -> Loaded:
        """Read a state outside of a run: as `load`, but raises NotFound if the thread was deleted."""
        with self._heads.reading(head):
            return self.loader.load(head, window, base, MISSING)

    def history(
        self, head: Head, window: int | None, *, limit: int | None, before: str | None = None
    ) -> Iterator[Loaded]:
        """Yield the state after each step older than `before`, newest first, also of branches. Raises StateCorrupt."""
        with self._heads.reading(head):
            yield from islice(self.loader.steps(head, window, before), limit)

    def checkpoint_of(self, head: Head, run_id: str | None) -> str:
        """Return the id of the checkpoint that this run stored, whatever changed the state since. Raises NotFound."""
        for item in self.chain.every(head, {}):
            if "edit" not in item and run_id_of(head.pk, item["k"]) == run_id:
                return str(item["cp"])
        raise errors.NotFound("The thread has no such run.")

    def prepare(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn | None) -> tuple[Plan, Turn | None]:
        """Return the COMMIT and the numbered turn; None is an edit. Raises StoreUnavailable, AgentFault."""
        return self.planner.plan(begun, loaded, saved, turn)

    def commit(self, plan: Plan) -> Turn | None:
        """Write the plan. Return None, or the stored turn of this key. Raises Superseded, StoreUnavailable if the turn
        is not stored, Unsettled if that is unknown."""
        self._items.write_many(puts=plan.puts)
        changes = ", ".join(f"#{name[1:]} = {name}" for name in plan.changes if name not in (":seq", ":owner"))
        try:
            return self._commit_head(plan, f"SET {changes} REMOVE #lease, #pend")
        except errors.StoreUnavailable as error:  # of the commit, or after one that may have succeeded
            raise errors.Unsettled(retry_after=error.retry_after) from error

    def _commit_head(self, plan: Plan, change: str) -> Turn | None:
        values = {**plan.changes, ":born": plan.incarnation}
        try:
            self._items.update(plan.pk, HEAD, change, values, condition=f"{MINE} AND born = :born")
        except Refused as refused:
            return self._outcome(plan, self.refused_head(plan, refused.item))
        self.loader.has_moved(plan.pk, plan.changes)
        return None

    def settle(self, plan: Plan) -> Plan | Turn | None:
        """Settle a commit of unknown outcome: None if it succeeded, the stored turn if another try of its key did, else
        the plan under a new lease owner, so a late write fails. Raises Superseded, StoreUnavailable."""
        owner = self._heads.random_bytes(OWNER_BYTES)
        values = {":new": owner, ":born": plan.incarnation} | {name: plan.changes[name] for name in (":seq", ":owner")}
        try:
            self._items.update(plan.pk, HEAD, "SET #lease.#o = :new", values, condition=f"{MINE} AND born = :born")
        except Refused as refused:
            head = self.refused_head(plan, refused.item)
            if head.lease is None or head.lease.owner != owner:
                return self._outcome(plan, head)
        return replace(plan, changes={**plan.changes, ":owner": owner})

    def refused_head(self, plan: Plan, item: Item | None) -> Head:
        """Return HEAD after a refused commit. If the thread was erased, delete the items and raise Superseded."""
        if item is not None and not is_erased(item, plan.incarnation):
            return self._heads.trusted(item)
        with suppress(errors.StoreUnavailable):  # then the sweep after late writers deletes them
            if objects := [put["object"] for put in plan.puts if "object" in put]:
                self._heads.blobs.delete(objects)
            aside = message_key(plan.incarnation)
            self._items.write_many(deletes=[(plan.pk, sk) for sk in (aside, *(put["SK"] for put in plan.puts))])
        raise errors.Superseded

    def _outcome(self, plan: Plan, head: Head) -> Turn | None:
        """Settle a refused commit: if HEAD leads to its link, it succeeded. Return the turn if it is not the newest."""
        if head.last == plan.sk:
            return None
        with self._heads.reading(head, errors.Superseded):
            item, number = self.chain.reached(head, plan.sk), head.turn_of_key(plan.key)
            if item is None and number is not None:
                item = self.chain.turn(head, number).item
            if item is None or item["b"] != plan.puts[0]["b"]:  # the key has served another message in the meantime
                raise errors.Superseded
            link = self.chain.open(item)
            return None if "edit" in item else turn_of(link, self.chain.details(link))

    def newest(
        self, principal: Principal, thread_id: str, *, limit: int, before: int | None = None, details: bool = False
    ) -> list[Turn]:
        """Return the newest `limit` turns (numbered under `before`), oldest first, with details only on request."""
        head = self._heads.read(principal, thread_id)
        with self._heads.reading(head):
            links = [self.chain.open(item) for item in self.chain.newest(head, limit, before) if "edit" not in item]
            turns = [turn_of(link, self.chain.details(link) if details else {}) for link in links]
            return self._vault.restore(head, turns)

    def read(self, principal: Principal, thread_id: str, number: int) -> Turn:
        """Return one turn with its details. Raises NotFound."""
        head = self._heads.read(principal, thread_id)
        with self._heads.reading(head):
            link = self.chain.turn(head, number)
            return self._vault.restore(head, [turn_of(link, self.chain.details(link))])[0]

    def edits(self, principal: Principal, thread_id: str) -> Iterator[tuple[Link, JSON | None]]:
        """Yield steps that are not turns, newest first, also of branches, each with its checkpoint if kept."""
        head = self._heads.read(principal, thread_id)
        with self._heads.reading(head):
            for item in self.chain.every(head, {}):
                if "edit" in item:
                    kept = self._items.get(head.pk, checkpoint_key(item["cp"]))
                    yield self.chain.open(item), kept and self.load(head, 0, item["cp"]).checkpoint

    def abandoned(self, principal: Principal, thread_id: str) -> list[Turn]:
        """Return the turns of abandoned branches with their details, newest first: kept as long as the thread is."""
        head = self._heads.read(principal, thread_id)
        with self._heads.reading(head):
            links = [self.chain.open(item) for item in self.chain.left(head) if "edit" not in item]
            return self._vault.restore(head, [turn_of(link, self.chain.details(link)) for link in links])
