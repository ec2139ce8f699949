"""The turn's way through the store: BEGIN, LOAD, COMMIT by flip, release, replay; and turns read back.

    BEGIN    one conditional update of HEAD takes the lease, counts seq and keeps the message
    LOAD     one consistent Query reads the newest checkpoint, HEAD and the window of turns
    COMMIT   link and checkpoint are written under keys that nobody reaches; one conditional update of HEAD
             (seq mine, lease mine) makes them the thread

A lost acknowledgement is no error: BEGIN knows its own lease again, the flip knows its own link.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from turnkeep.errors import (
    AgentMismatch,
    IdempotencyKeyReused,
    NotFound,
    StateCorrupt,
    Superseded,
    ThreadBusy,
    TurnInProgress,
)
from turnkeep.records import Principal, Turn
from turnkeep.storage.head import FIRST_SEQ, Head, key_digest, newborn, read_head
from turnkeep.storage.items import Item, Refused
from turnkeep.storage.keys import (
    EVERY_TURN,
    HEAD,
    checkpoint_key,
    number_of,
    partition,
    turn_ceiling,
    user_key,
)
from turnkeep.storage.links import Chain, turn_of
from turnkeep.storage.plans import Begun, Loaded, Plan, Planner, Saved
from turnkeep.storage.threads import Threads

BODY_BYTES, OWNER_BYTES = 16, 9
_LONGEST_WAIT_SECONDS = 5

_FREE = "(attribute_not_exists(#lease) OR #lease.#t < :now)"
_FLIP_EDIT = "SET n = :n, gen = :gen, #last = :last, cp = :cp, la = :la, expires = :expires, #keys = :keys, st = :st"
_FLIP_TURN = f"{_FLIP_EDIT}, #agent = if_not_exists(#agent, :agent), #title = if_not_exists(#title, :title)"
_MINE = "seq = :seq AND #lease.#o = :owner"


class Table(Threads):
    """Threads and their turns. `mint` gives n random bytes."""

    def __init__(self, *args: Any, mint: Callable[[int], bytes], lease_seconds: float = 30, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._mint = mint
        self._lease_ms = int(lease_seconds * 1000)
        self._chain = Chain(self._items, self._blobs, self._sealer)
        self._planner = Planner(self._blobs, self._sealer, thread_hours=self._thread_hours)

    # BEGIN

    def begin(
        self,
        principal: Principal,
        thread_id: str,
        *,
        key: str,
        body: bytes,
        message: str,
        agent: str | None = None,
        create: bool = False,
    ) -> Begun | Turn:
        """Takes the thread for one run, or gives the turn that this key made before.

        `body` is what tells two requests apart. Raises NotFound, ThreadBusy, TurnInProgress, IdempotencyKeyReused,
        AgentMismatch, StoreUnavailable.
        """
        user, now = user_key(principal), self._now()
        want = self._wanted(partition(principal, thread_id), user, key, body, message)
        pending = self._pending_item(want.head.pk, want.key, want.body, message, must_exist=not create)
        try:
            return self._take(want, pending, user, agent, create=create)
        except Refused as refused:
            head = read_head(refused.item) if refused.item else None
        if head and head.is_alive(now):
            return self._refused(want, head, agent, create=create)
        if head is None or not create:
            raise NotFound
        self._replace_dead(head, user, {})
        return self._take_newborn(want, pending, user, agent)

    def _wanted(self, pk: str, user: str, key: str, body: bytes, message: str) -> Begun:
        """What BEGIN asks for; `head` is a thread born now, and its `created` the time of this BEGIN."""
        return Begun(
            head=read_head({"PK": pk, **newborn(pk, user, self._now(), self._thread_hours)}),
            key=key_digest(pk, key),
            body=self._sealer.digests(BODY_BYTES, "body", pk, body)[0],
            owner=self._mint(OWNER_BYTES),
            message=message,
            created=False,
        )

    def _take_newborn(self, want: Begun, pending: Item, user: str, agent: str | None) -> Begun:
        try:
            return replace(self._take(want, pending, user, agent, create=False), created=True)
        except Refused as refused:
            head = self._head_in(refused.item)
        if head.lease and head.lease.owner == want.owner:
            return replace(want, head=head, created=True)
        raise ThreadBusy(retry_after=1)

    def _take(self, want: Begun, pending: Item, user: str, agent: str | None, *, create: bool) -> Begun:
        now, pk = want.head.created, want.head.pk
        fields = newborn(pk, user, now, self._thread_hours) if create else {}
        fields.pop("seq", None)
        values: Item = {":zero": 0, ":one": 1, ":now": now, ":key": want.key, ":pend": pending}
        values[":lease"] = {"o": want.owner, "t": now + self._lease_ms}
        values |= {f":{name}": value for name, value in fields.items()}
        births = "".join(f", #{name} = if_not_exists(#{name}, :{name})" for name in fields)
        allowed = f"expires > :now AND {_FREE} AND NOT contains(#keys, :key)"
        if agent:
            values[":agent"] = agent
            allowed += " AND (attribute_not_exists(#agent) OR #agent = :agent)"
        item = self._items.update(
            pk,
            HEAD,
            f"SET seq = if_not_exists(seq, :zero) + :one, #lease = :lease, #pend = :pend{births}",
            values,
            condition=f"attribute_not_exists(PK) OR ({allowed})" if create else allowed,
        )
        head = read_head(item)
        return replace(want, head=head, created=create and head.seq == FIRST_SEQ)

    def _refused(self, want: Begun, head: Head, agent: str | None, *, create: bool) -> Begun | Turn:
        now = want.head.created
        if head.lease and head.lease.owner == want.owner:
            return replace(want, head=head, created=create and head.seq == FIRST_SEQ)
        number = head.turn_of_key(want.key)
        if number is not None:
            return self._replay(head, number, want.body)
        wait = max(1, min(_LONGEST_WAIT_SECONDS, -(-(head.lease.until - now) // 1000))) if head.lease else 1
        if head.pending and head.pending.key == want.key and head.is_leased(now):
            if head.pending.body != want.body:
                raise IdempotencyKeyReused
            raise TurnInProgress(retry_after=wait)
        if agent and head.agent and head.agent != agent:
            raise AgentMismatch
        raise ThreadBusy(retry_after=wait)

    def _replay(self, head: Head, number: int, body: bytes) -> Turn:
        link = self._chain.turn(head, number)
        if link.item["b"] != body:
            raise IdempotencyKeyReused
        return turn_of(link, self._chain.details(link))

    # the lease

    def renew(self, begun: Begun) -> None:
        """Keeps the thread for another lease; raises Superseded."""
        until = self._now() + self._lease_ms
        values = {":t": until, ":seq": begun.head.seq, ":owner": begun.owner}
        try:
            self._items.update(begun.head.pk, HEAD, "SET #lease.#t = :t", values, condition=_MINE)
        except Refused as refused:
            raise Superseded from refused

    def release(self, begun: Begun) -> None:
        """Gives the thread back unchanged; the message stays shown as pending until the next turn."""
        values = {":seq": begun.head.seq, ":owner": begun.owner}
        try:
            self._items.update(begun.head.pk, HEAD, "REMOVE #lease", values, condition=_MINE)
        except Refused:
            return

    # LOAD

    def load(self, head: Head, window: int | None, checkpoint_id: str | None = None) -> Loaded:
        """The newest `window` turns (None: all) and the checkpoint they lead to.

        An older `checkpoint_id` goes back in time: what stood then. Raises NotFound for an unknown one, StateCorrupt,
        and Superseded where the thread was deleted or taken over since `head` was read.
        """
        try:
            return self._load(head, window, checkpoint_id)
        except StateCorrupt as error:
            now = self._items.get(head.pk, HEAD)
            if now is None or now["seq"] != head.seq:
                raise Superseded from error
            raise

    def _load(self, head: Head, window: int | None, checkpoint_id: str | None) -> Loaded:
        if checkpoint_id not in (None, head.checkpoint):
            return self._load_older(head, window, str(checkpoint_id))
        if head.checkpoint is None:
            return Loaded()
        low = 0 if window is None else max(0, head.n - window + 1)
        high = EVERY_TURN if window is None else turn_ceiling(head.gen, low)
        items = self._items.between(head.pk, checkpoint_key(head.checkpoint), high)
        found = {item["SK"]: item for item in items}
        return self._loaded(head.pk, found, head.checkpoint, Loaded(head.n, head.last), low)

    def _load_older(self, head: Head, window: int | None, checkpoint_id: str) -> Loaded:
        sk = checkpoint_key(checkpoint_id)
        item = self._items.get(head.pk, sk)
        if item is None:
            raise NotFound("The thread has no such checkpoint.")
        number = number_of(item["link"])
        low = 0 if window is None else max(0, number - window + 1)
        return self._loaded(head.pk, {sk: item}, checkpoint_id, Loaded(number, item["link"], is_branch=True), low)

    def _loaded(self, pk: str, found: dict[str, Item], checkpoint_id: str, at: Loaded, low: int) -> Loaded:
        sk = checkpoint_key(checkpoint_id)
        if sk not in found or found[sk]["link"] != at.last:
            raise StateCorrupt
        checkpoint = self._sealer.open(self._blobs.value(found[sk]), pk, sk, found[sk]["link"])
        links = tuple(self._chain.open(item) for item in self._chain.walk(pk, at.last, low, found))
        return replace(at, checkpoint=checkpoint, links=links)

    # COMMIT

    def prepare(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn | None) -> tuple[Plan, Turn | None]:
        """What COMMIT will write, and the turn with its number; `turn` is None for an edit of the state.

        Writes objects that are too large for an item; raises StoreUnavailable, AgentFault for what cannot be stored.
        """
        return self._planner.plan(begun, loaded, saved, turn, self._now())

    def apply(self, plan: Plan) -> Turn | None:
        """Writes the plan. Gives None, or the stored turn where this key had made one already.

        Raises Superseded, and StoreUnavailable when it is not known whether the flip came through.
        """
        self._items.write_many(puts=plan.puts)
        flip = _FLIP_TURN if ":agent" in plan.flip else _FLIP_EDIT
        try:
            self._items.update(plan.pk, HEAD, f"{flip} REMOVE #lease, #pend", plan.flip, condition=_MINE)
        except Refused as refused:
            if refused.item is None:
                raise Superseded from refused
            return self._settle(plan, read_head(refused.item))
        return None

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
        return self._planner.token(plan, self._now(), self._mint)

    def plan_in(self, principal: Principal, thread_id: str, token: str) -> Plan:
        """Raises InvalidRetryToken."""
        return self._planner.plan_in(partition(principal, thread_id), token, self._now())

    def commit_later(self, principal: Principal, thread_id: str, token: str) -> Turn:
        """Stores the turn of a retry token, at most once; raises InvalidRetryToken, NotFound, Superseded,
        StoreUnavailable.

        HEAD is read first, so that nothing is written into a thread that has been deleted or has gone on.
        """
        plan = self.plan_in(principal, thread_id, token)
        head = self.head(principal, thread_id)
        stored = self.apply(plan) if head.seq == plan.flip[":seq"] else self._settle(plan, head)
        if stored is not None:
            return stored
        return self.read_turn(principal, thread_id, number_of(plan.sk))

    # reading

    def read_turns(self, principal: Principal, thread_id: str, *, limit: int, before: int | None = None) -> list[Turn]:
        """The newest `limit` turns (numbered under `before`), oldest first, without details."""
        head = self.head(principal, thread_id)
        links = [self._chain.open(item) for item in self._chain.newest(head, limit, before) if "edit" not in item]
        return [turn_of(link, {}) for link in links]

    def read_turn(self, principal: Principal, thread_id: str, number: int) -> Turn:
        """One turn with its details; raises NotFound."""
        link = self._chain.turn(self.head(principal, thread_id), number)
        return turn_of(link, self._chain.details(link))
