"""A turn's path through the store: BEGIN, LOAD, COMMIT, release, replay; and reading turns.

    BEGIN    one conditional update of HEAD takes the lease, counts seq and stores the message
    LOAD     one consistent Query reads the newest checkpoint, HEAD and the window of turns
    COMMIT   link and checkpoint are written under unreachable keys; one conditional update of HEAD
             (own seq, own lease) makes them the thread

After a lost acknowledgement BEGIN recognises its lease and COMMIT its link. If the outcome of a commit is unknown, the
lease changes its owner, so a write still on its way comes too late."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from turnkeep import errors
from turnkeep.records import JSON, Principal, Thread, Turn
from turnkeep.storage.actions import ActionLog
from turnkeep.storage.attributes import Item
from turnkeep.storage.forks import Fork
from turnkeep.storage.head import Head, is_erased, key_digest, run_id_of
from turnkeep.storage.items import Refused
from turnkeep.storage.keys import HEAD, checkpoint_key, message_key, partition
from turnkeep.storage.leases import MINE, OWNER_BYTES, Leases
from turnkeep.storage.links import Link, turn_of
from turnkeep.storage.listing import Listing
from turnkeep.storage.plans import Begun, Loaded, Plan, Planner, Saved
from turnkeep.storage.runs import RunQueue
from turnkeep.storage.windows import MISSING, Found, Loader


class Table(Leases, Listing, RunQueue, ActionLog):
    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._loader = Loader(self._items, self._blobs, self._sealer, self._chain)
        self._planner = Planner(self._blobs, self._sealer, self.vault, thread_hours=self._thread_hours)

    def run_id(self, principal: Principal, thread_id: str, key: str) -> str:
        """Of the run that this key makes, or made, on this thread; raises InvalidId."""
        pk = partition(principal, thread_id)
        return run_id_of(pk, key_digest(pk, key))

    # LOAD

    def look_ahead(self, principal: Principal, thread_id: str) -> Found:
        """Return what LOAD would read, if this process knows the thread. Runs next to BEGIN, which reports errors."""
        with suppress(errors.InvalidId):
            return self._loader.look_ahead(partition(principal, thread_id))
        return MISSING

    def load(self, head: Head, window: int | None, base: str | int | None = None, *, ahead: Found = MISSING) -> Loaded:
        """Return the newest `window` turns (None: all) and their checkpoint; reads only those missing in `ahead`.
        `base`, a checkpoint id or turn number, returns the state then; 0 is before the first turn. Raises NotFound if
        it is unknown, StateCorrupt, and Superseded if the thread was deleted or moved since `head` was read."""
        with self._reading(head, errors.Superseded):
            return self._loader.load(head, window, base, ahead)

    def read_state(self, head: Head, window: int | None, base: str | int | None) -> Loaded:
        """As `load`, outside of a run: raises NotFound where the thread was deleted."""
        with self._reading(head):
            return self._loader.load(head, window, base, MISSING)

    def history(self, head: Head, window: int | None, *, limit: int, before: str | None = None) -> Iterator[Loaded]:
        """Yield the state after each step older than `before`, newest first, also of branches. Raises StateCorrupt."""
        with self._reading(head):
            yield from self._loader.steps(head, window, limit, before)

    def checkpoint_of(self, head: Head, run_id: str | None) -> str:
        """Return the id of the checkpoint that this run stored, whatever changed the state since. Raises NotFound."""
        for item in self._chain.every(head, {}):
            if "edit" not in item and run_id_of(head.pk, item["k"]) == run_id:
                return str(item["cp"])
        raise errors.NotFound("The thread has no such run.")

    # COMMIT

    def prepare(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn | None) -> tuple[Plan, Turn | None]:
        """Return the COMMIT and the numbered turn; None is an edit. Raises StoreUnavailable, AgentFault."""
        return self._planner.plan(begun, loaded, saved, turn, self._now())

    def apply(self, plan: Plan) -> Turn | None:
        """Write the plan. Return None, or the stored turn of this key. Raises Superseded, StoreUnavailable if the turn
        is not stored, Unsettled if that is unknown."""
        self._items.write_many(puts=plan.puts)
        changes = ", ".join(f"#{name[1:]} = {name}" for name in plan.flip if name not in (":seq", ":owner"))
        try:
            return self._commit(plan, f"SET {changes} REMOVE #lease, #pend")
        except errors.StoreUnavailable as error:  # of the commit, or after one that may have succeeded
            raise errors.Unsettled(retry_after=error.retry_after) from error

    def _commit(self, plan: Plan, change: str) -> Turn | None:
        values = {**plan.flip, ":born": plan.born}
        try:
            self._items.update(plan.pk, HEAD, change, values, condition=f"{MINE} AND born = :born")
        except Refused as refused:
            return self._settle(plan, self._stands(plan, refused.item))
        self._loader.has_moved(plan.pk, plan.flip[":cp"], plan.flip[":gen"], plan.flip[":n"])
        return None

    def fence(self, plan: Plan) -> Plan | Turn | None:
        """Settle a commit of unknown outcome: None if it succeeded, the stored turn if another try of its key did, else
        the plan under a new lease owner, so a late write fails. Raises Superseded, StoreUnavailable."""
        owner = self._mint(OWNER_BYTES)
        mine = {":seq": plan.flip[":seq"], ":owner": plan.flip[":owner"]}
        try:
            self._items.update(
                plan.pk,
                HEAD,
                "SET #lease.#o = :new",
                {":new": owner, ":born": plan.born, **mine},
                condition=f"{MINE} AND born = :born",
            )
        except Refused as refused:
            stands = self._stands(plan, refused.item)
            if stands.lease is None or stands.lease.owner != owner:
                return self._settle(plan, stands)
        return replace(plan, flip={**plan.flip, ":owner": owner})

    def _stands(self, plan: Plan, item: Item | None) -> Head:
        """Return HEAD after a refused commit. If the thread was erased, delete the items and raise Superseded."""
        if item is not None and not is_erased(item, plan.born):
            return self._trusted(item)
        with suppress(errors.StoreUnavailable):  # then it waits for the sweep of what late writers left
            if objects := [put["object"] for put in plan.puts if "object" in put]:
                self._blobs.delete(objects)
            aside = message_key(plan.born)
            self._items.write_many(deletes=[(plan.pk, sk) for sk in (aside, *(put["SK"] for put in plan.puts))])
        raise errors.Superseded

    def _settle(self, plan: Plan, head: Head) -> Turn | None:
        """Settle a refused commit: if HEAD leads to its link, it succeeded. Return the turn if it is not the newest."""
        if head.last == plan.sk:
            return None
        with self._reading(head, errors.Superseded):
            item, number = self._chain.reached(head, plan.sk), head.turn_of_key(plan.key)
            if item is None and number is not None:
                item = self._chain.turn(head, number).item
            if item is None or item["b"] != plan.puts[0]["b"]:  # the key has served another message in the meantime
                raise errors.Superseded
            link = self._chain.open(item)
            return None if "edit" in item else turn_of(link, self._chain.details(link))

    def fork(
        self, principal: Principal, thread_id: str, to: str, *, turn: int | None = None, whole: bool = False
    ) -> Thread:
        """Copy turns 1 to `turn` (default: all) into the new thread `to`, with `whole` all their checkpoints, else the
        newest. Raises NotFound, ThreadExists if `to` has turns, ThreadBusy, StateCorrupt, StoreUnavailable."""
        source = self.head(principal, thread_id)
        number = source.n if turn is None else turn
        if not 0 <= number <= source.n:
            raise errors.NotFound("The thread has no turn of this number.")
        if source.last is None or turn == 0:
            return self.create_thread(principal, to, agent=source.agent, metadata=self._metadata(source))
        try:
            begun = self.begin(
                principal, to, key=self._mint(OWNER_BYTES).hex(), body=b"", message=None, create=True, after=0
            )
        except errors.ThreadMoved as error:
            raise errors.ThreadExists from error
        assert isinstance(begun, Begun)  # noqa: S101 - no turn has a key that was minted just now
        try:
            copying = Fork(self._items, self._blobs, self._sealer, self.vault, source=source, begun=begun)
            with self._reading(source):
                tip, beside = copying.copy(number, partial(self.renew, begun), whole=whole)
            more: Item = {"agent": source.agent, "title": source.title}
            more["meta"] = self._sealed_metadata(begun.head.pk, self._metadata(source))
            more["st"] = "interrupted" if copying.interrupted else "complete"
            self.apply(self._planner.fork(begun, tip, beside, more, self._now()))
        except errors.TurnkeepError:
            self.release(begun)
            raise
        return self.read_thread(principal, to)

    # reading

    def read_turns(
        self, principal: Principal, thread_id: str, *, limit: int, before: int | None = None, details: bool = False
    ) -> list[Turn]:
        """Return the newest `limit` turns (numbered under `before`), oldest first, with details only on request."""
        head = self.head(principal, thread_id)
        with self._reading(head):
            links = [self._chain.open(item) for item in self._chain.newest(head, limit, before) if "edit" not in item]
            turns = [turn_of(link, self._chain.details(link) if details else {}) for link in links]
            return self.vault.told(head, turns)

    def read_turn(self, principal: Principal, thread_id: str, number: int) -> Turn:
        """One turn with its details; raises NotFound."""
        head = self.head(principal, thread_id)
        with self._reading(head):
            link = self._chain.turn(head, number)
            return self.vault.told(head, [turn_of(link, self._chain.details(link))])[0]

    def edits(self, principal: Principal, thread_id: str) -> Iterator[tuple[Link, JSON | None]]:
        """Yield steps that are no turns, newest first, also of branches, each with its checkpoint if that is kept."""
        head = self.head(principal, thread_id)
        with self._reading(head):
            for item in self._chain.every(head, {}):
                if "edit" in item:
                    kept = self._items.get(head.pk, checkpoint_key(item["cp"]))
                    yield self._chain.open(item), kept and self.load(head, 0, item["cp"]).checkpoint

    def left_turns(self, principal: Principal, thread_id: str) -> list[Turn]:
        """The turns with their details of branches that were left, the newest first: kept as long as the thread is."""
        head = self.head(principal, thread_id)
        with self._reading(head):
            links = [self._chain.open(item) for item in self._chain.left(head) if "edit" not in item]
            return self.vault.told(head, [turn_of(link, self._chain.details(link)) for link in links])
