"""The turn's way through the store: BEGIN, LOAD, COMMIT by flip, release, replay; and turns read back.

    BEGIN    one conditional update of HEAD takes the lease, counts seq and keeps the message
    LOAD     one consistent Query reads the newest checkpoint, HEAD and the window of turns
    COMMIT   link and checkpoint are written under keys that nobody reaches; one conditional update of HEAD
             (seq mine, lease mine) makes them the thread

A lost acknowledgement is no error: BEGIN knows its own lease again, the flip knows its own link. A flip of which
nothing is known is settled by a fence: the lease changes its owner, so that what is still on its way comes too late.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from turnkeep.errors import (
    InvalidId,
    NotFound,
    StateCorrupt,
    StoreUnavailable,
    Superseded,
    ThreadExists,
    ThreadMoved,
    TurnkeepError,
    Unsettled,
)
from turnkeep.records import JSON, Principal, Thread, Turn
from turnkeep.storage.actions import ActionLog
from turnkeep.storage.attributes import Item
from turnkeep.storage.forks import Fork
from turnkeep.storage.head import Head, is_erased, key_digest, run_id_of
from turnkeep.storage.items import Refused
from turnkeep.storage.keys import HEAD, checkpoint_key, message_key, number_of, partition
from turnkeep.storage.leases import MINE, OWNER_BYTES, Leases
from turnkeep.storage.links import Link, turn_of
from turnkeep.storage.listing import Listing
from turnkeep.storage.plans import Begun, Loaded, Plan, Planner, Saved
from turnkeep.storage.runs import RunQueue
from turnkeep.storage.windows import MISSING, Found, Loader


class Table(Leases, Listing, RunQueue, ActionLog):
    """Threads and their turns."""

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
        """What LOAD will read, as far as this process knows the thread; asked beside BEGIN, which tells what is
        wrong."""
        with suppress(InvalidId):
            return self._loader.look_ahead(partition(principal, thread_id))
        return MISSING

    def load(self, head: Head, window: int | None, base: str | int | None = None, *, ahead: Found = MISSING) -> Loaded:
        """The newest `window` turns (None: all) and the checkpoint they lead to; reads what `ahead` does not hold.

        `base`, the id of an older checkpoint or the number of a turn, goes back in time: what stood then, 0 before the
        first turn. Raises NotFound for an unknown one, StateCorrupt, and Superseded where the thread was deleted or
        taken over since `head` was read.
        """
        try:
            return self._loader.load(head, window, base, ahead)
        except StateCorrupt as error:
            now = self._items.get(head.pk, HEAD)
            if now is None or now.get("seq") != head.seq:
                raise Superseded from error
            raise

    def history(self, head: Head, window: int | None, *, limit: int, before: str | None = None) -> Iterator[Loaded]:
        """What stood after each step of the thread, the newest first, and of branches that were left; older than the
        checkpoint `before`. Raises StateCorrupt."""
        return self._loader.steps(head, window, limit, before)

    def checkpoint_of(self, head: Head, run_id: str | None) -> str:
        """Return the id of the checkpoint that this run stored, whatever changed the state since. Raises NotFound."""
        for item in self._chain.every(head, {}):
            if "edit" not in item and run_id_of(head.pk, item["k"]) == run_id:
                return str(item["cp"])
        raise NotFound("The thread has no such run.")

    # COMMIT

    def prepare(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn | None) -> tuple[Plan, Turn | None]:
        """What COMMIT will write, and the turn with its number; `turn` is None for an edit of the state.

        Writes objects that are too large for an item; raises StoreUnavailable, AgentFault for what cannot be stored.
        """
        return self._planner.plan(begun, loaded, saved, turn, self._now())

    def apply(self, plan: Plan) -> Turn | None:
        """Writes the plan. Gives None, or the stored turn where this key had made one already.

        Raises Superseded, StoreUnavailable where the turn is not kept, and Unsettled where that is not known.
        """
        self._items.write_many(puts=plan.puts)
        changes = ", ".join(f"#{name[1:]} = {name}" for name in plan.flip if name not in (":seq", ":owner"))
        try:
            self._items.update(
                plan.pk,
                HEAD,
                f"SET {changes} REMOVE #lease, #pend",
                {**plan.flip, ":born": plan.born},
                condition=f"{MINE} AND born = :born",
            )
        except StoreUnavailable as error:
            raise Unsettled(retry_after=error.retry_after) from error
        except Refused as refused:
            return self._settle(plan, self._stands(plan, refused.item))
        self._loader.has_moved(plan.pk, plan.flip[":cp"], plan.flip[":gen"], plan.flip[":n"])
        return None

    def fence(self, plan: Plan) -> Plan | None:
        """Settles a flip of which nothing is known: None where it had come through, else the plan under another owner
        of the lease, so that what is still on its way comes too late. Raises Superseded, StoreUnavailable."""
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
                self._settle(plan, stands)
                return None
        return replace(plan, flip={**plan.flip, ":owner": owner})

    def _stands(self, plan: Plan, item: Item | None) -> Head:
        """What refused a flip. Where the thread was erased meanwhile, nothing stays of what was written for it, and
        Superseded is raised."""
        if item is not None and not is_erased(item, plan.born):
            return self._trusted(item)
        with suppress(StoreUnavailable):  # then it waits for the sweep of what late writers left
            if objects := [put["object"] for put in plan.puts if "object" in put]:
                self._blobs.delete(objects)
            aside = message_key(plan.born)
            self._items.write_many(deletes=[(plan.pk, sk) for sk in (aside, *(put["SK"] for put in plan.puts))])
        raise Superseded

    def _settle(self, plan: Plan, head: Head) -> Turn | None:
        """A refused flip whose link is `last` had come through before: only its acknowledgement was lost."""
        if head.last == plan.sk:
            return None
        number = head.turn_of_key(plan.key)
        if number is None:
            raise Superseded
        link = self._chain.turn(head, number)
        if link.item["b"] != plan.puts[0]["b"]:  # the key has served another message in the meantime
            raise Superseded
        return turn_of(link, self._chain.details(link))

    # a turn that could not be stored

    def retry_token(self, plan: Plan) -> str:
        """The plan for 15 minutes, encrypted for its thread; raises StoreUnavailable for one that needs an object."""
        return self._planner.token(plan, self._now())

    def plan_in(self, principal: Principal, thread_id: str, token: str) -> Plan:
        """Raises InvalidRetryToken."""
        return self._planner.plan_in(partition(principal, thread_id), token, self._now())

    def commit_later(self, principal: Principal, thread_id: str, token: str) -> Turn:
        """Stores the turn of a retry token, at most once; raises InvalidRetryToken, NotFound, Superseded,
        StoreUnavailable.

        HEAD is read first, so that nothing is written into a thread that has been deleted, made anew or gone on.
        """
        plan = self.plan_in(principal, thread_id, token)
        head = self.head(principal, thread_id)
        if head.born != plan.born:
            raise Superseded
        stored = self.apply(plan) if head.seq == plan.flip[":seq"] else self._settle(plan, head)
        if stored is not None:
            return self.vault.told(plan.pk, [stored])[0]
        return self.read_turn(principal, thread_id, number_of(plan.sk))

    def fork(
        self, principal: Principal, thread_id: str, to: str, *, turn: int | None = None, whole: bool = False
    ) -> Thread:
        """A new thread `to` that holds turns 1 to `turn` of this one, by default all of them; `whole` with
        all their checkpoints, not the newest alone. Raises NotFound,
        ThreadExists where `to` has turns, ThreadBusy, StateCorrupt, StoreUnavailable."""
        source = self.head(principal, thread_id)
        number = source.n if turn is None else turn
        if not 0 <= number <= source.n:
            raise NotFound("The thread has no turn of this number.")
        if source.last is None or turn == 0:
            return self.create_thread(principal, to, agent=source.agent, metadata=self._metadata(source))
        try:
            begun = self.begin(
                principal, to, key=self._mint(OWNER_BYTES).hex(), body=b"", message=None, create=True, after=0
            )
        except ThreadMoved as error:
            raise ThreadExists from error
        assert isinstance(begun, Begun)  # noqa: S101 - no turn has a key that was minted just now
        try:
            copying = Fork(self._items, self._blobs, self._sealer, self.vault, source=source, begun=begun)
            tip, beside = copying.copy(number, partial(self.renew, begun), whole=whole)
            more: Item = {"agent": source.agent, "title": source.title}
            more["meta"] = self._sealed_metadata(begun.head.pk, self._metadata(source))
            more["st"] = "interrupted" if copying.interrupted else "complete"
            self.apply(self._planner.fork(begun, tip, beside, more, self._now()))
        except TurnkeepError:
            self.release(begun)
            raise
        return self.read_thread(principal, to)

    # reading

    def read_turns(
        self, principal: Principal, thread_id: str, *, limit: int, before: int | None = None, details: bool = False
    ) -> list[Turn]:
        """The newest `limit` turns (numbered under `before`), oldest first, without details unless they are asked
        for."""
        head = self.head(principal, thread_id)
        links = [self._chain.open(item) for item in self._chain.newest(head, limit, before) if "edit" not in item]
        turns = [turn_of(link, self._chain.details(link) if details else {}) for link in links]
        return self.vault.told(head.pk, turns)

    def read_turn(self, principal: Principal, thread_id: str, number: int) -> Turn:
        """One turn with its details; raises NotFound."""
        head = self.head(principal, thread_id)
        link = self._chain.turn(head, number)
        return self.vault.told(head.pk, [turn_of(link, self._chain.details(link))])[0]

    def edits(self, principal: Principal, thread_id: str) -> Iterator[tuple[Link, JSON | None]]:
        """The steps that are no turns, newest first, also of branches that were left; each with its checkpoint, if that
        is still kept."""
        head = self.head(principal, thread_id)
        for item in self._chain.every(head, {}):
            if "edit" in item:
                kept = self._items.get(head.pk, checkpoint_key(item["cp"]))
                yield self._chain.open(item), kept and self.load(head, 0, item["cp"]).checkpoint

    def left_turns(self, principal: Principal, thread_id: str) -> list[Turn]:
        """The turns with their details of branches that were left, the newest first: kept as long as the thread is."""
        head = self.head(principal, thread_id)
        links = [self._chain.open(item) for item in self._chain.left(head) if "edit" not in item]
        return self.vault.told(head.pk, [turn_of(link, self._chain.details(link)) for link in links])
