"""The turn's way through the store: BEGIN, LOAD, COMMIT by flip, release, replay; and turns read back.

    BEGIN    one conditional update of HEAD takes the lease, counts seq and keeps the message
    LOAD     one consistent Query reads the newest checkpoint, HEAD and the window of turns
    COMMIT   link and checkpoint are written under keys that nobody reaches; one conditional update of HEAD
             (seq mine, lease mine) makes them the thread

A lost acknowledgement is no error: BEGIN knows its own lease again, the flip knows its own link. A flip of which
nothing is known is settled by a fence: the lease changes its owner, so that what is still on its way comes too late.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from turnkeep.errors import (
    AgentMismatch,
    IdempotencyKeyReused,
    InvalidId,
    NotFound,
    StateCorrupt,
    StoreUnavailable,
    Superseded,
    ThreadBusy,
    TurnInProgress,
    Unsettled,
)
from turnkeep.records import Principal, Turn
from turnkeep.storage.head import Head, key_digest, read_head
from turnkeep.storage.items import Item, Refused
from turnkeep.storage.keys import (
    HEAD,
    LAYOUT,
    item_ttl,
    message_key,
    number_of,
    partition,
    user_key,
)
from turnkeep.storage.links import Chain, turn_of
from turnkeep.storage.loading import MISSING, Found, Loader
from turnkeep.storage.plans import Begun, Loaded, Plan, Planner, Saved, body_digests
from turnkeep.storage.threads import Threads

OWNER_BYTES = 9
PENDING_INLINE_BYTES = 1024
_LONGEST_WAIT_SECONDS = 5

_FREE = "(attribute_not_exists(#lease) OR #lease.#t < :now)"
_MINE = "seq = :seq AND #lease.#o = :owner"


class Table(Threads):
    """Threads and their turns."""

    def __init__(self, *args: Any, lease_seconds: float = 30, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._lease_ms = int(lease_seconds * 1000)
        self._chain = Chain(self._items, self._blobs, self._sealer)
        self._loader = Loader(self._items, self._blobs, self._sealer, self._chain)
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
        pk, user = partition(principal, thread_id), user_key(principal)
        newborn = self._newborn(pk, user, {})
        want = self._wanted(newborn, key, body, message)
        sealed = self._sealer.seal(message, pk, HEAD, "message")
        pending = {"k": want.key, "b": body_digests(self._sealer, pk, body)[0], "at": want.head.created}
        pending |= {"m": sealed} if len(sealed) <= PENDING_INLINE_BYTES else {}
        try:
            begun = self._take(want, pending, agent, newborn if create else {})
        except Refused as refused:
            answer = self._refused(want, refused.item, agent, pending, user if create else None)
            if isinstance(answer, Turn):
                return answer
            begun = answer
        if "m" not in pending:
            self._put_aside(begun)
        return begun

    def _wanted(self, newborn: Item, key: str, body: bytes, message: str) -> Begun:
        """What BEGIN asks for; `head` is a thread born now, and its `created` the time of this BEGIN."""
        pk = newborn["PK"]
        return Begun(
            head=read_head(newborn),
            key=key_digest(pk, key),
            body=body,
            owner=self._mint(OWNER_BYTES),
            message=message,
            created=False,
        )

    def _take(self, want: Begun, pending: Item, agent: str | None, newborn: Item) -> Begun:
        """BEGIN itself, over the attributes of a `newborn` where the thread may be made; raises Refused."""
        now, pk = want.head.created, want.head.pk
        births = {name: value for name, value in newborn.items() if name not in ("PK", "SK", "seq")}
        values: Item = {":zero": 0, ":one": 1, ":now": now, ":key": want.key, ":pend": pending, ":v": LAYOUT}
        values[":lease"] = {"o": want.owner, "t": now + self._lease_ms}
        values |= {f":{name}": value for name, value in births.items()}
        born = "".join(f", #{name} = if_not_exists(#{name}, :{name})" for name in births)
        allowed = f"v = :v AND expires > :now AND {_FREE} AND NOT contains(#keys, :key)"
        if agent:
            values[":agent"] = agent
            allowed += " AND (attribute_not_exists(#agent) OR #agent = :agent)"
        item = self._items.update(
            pk,
            HEAD,
            f"SET seq = if_not_exists(seq, :zero) + :one, #lease = :lease, #pend = :pend{born}",
            values,
            condition=f"attribute_not_exists(PK) OR ({allowed})" if births else allowed,
        )
        try:
            return self._held(want, self._trusted(item))
        except StateCorrupt:
            self.release(replace(want, head=replace(want.head, seq=item["seq"])))
            raise

    def _held(self, want: Begun, head: Head) -> Begun:
        return replace(want, head=head, created=head.born == want.head.born)

    def _refused(
        self, want: Begun, stands: Item | None, agent: str | None, pending: Item, user: str | None
    ) -> Begun | Turn:
        """What BEGIN gives or raises where its condition did not hold; with `user` a dead thread makes room."""
        head = self._trusted(stands) if stands else None
        if head and head.is_alive(want.head.created):
            return self._busy(want, head, agent)
        if head is None or user is None:
            raise NotFound
        want = replace(want, head=replace(self._replace_dead(head, user, {}), created=want.head.created))
        try:
            return self._take(want, pending, agent, {})
        except Refused as refused:
            head = self._head_in(refused.item)
        if head.lease and head.lease.owner == want.owner:
            return self._held(want, head)
        raise ThreadBusy(retry_after=1)

    def _busy(self, want: Begun, head: Head, agent: str | None) -> Begun | Turn:
        now = want.head.created
        if head.lease and head.lease.owner == want.owner:
            return self._held(want, head)
        number = head.turn_of_key(want.key)
        if number is not None:
            return self._replay(head, number, want.body)
        wait = max(1, min(_LONGEST_WAIT_SECONDS, -(-(head.lease.until - now) // 1000))) if head.lease else 1
        if head.pending and head.pending.key == want.key and head.is_leased(now):
            if head.pending.body not in body_digests(self._sealer, head.pk, want.body):
                raise IdempotencyKeyReused
            raise TurnInProgress(retry_after=wait)
        if agent and head.agent and head.agent != agent:
            raise AgentMismatch
        raise ThreadBusy(retry_after=wait)

    def _replay(self, head: Head, number: int, body: bytes) -> Turn:
        link = self._chain.turn(head, number)
        if link.item["b"] not in body_digests(self._sealer, head.pk, body):
            raise IdempotencyKeyReused
        return turn_of(link, self._chain.details(link))

    def _put_aside(self, begun: Begun) -> None:
        """A message that is too long for HEAD, before any model is called."""
        pk, sk = begun.head.pk, message_key(begun.head.born)
        sealed = self._sealer.seal(begun.message, pk, sk, begun.key.hex())
        item = {"PK": pk, "SK": sk, "v": LAYOUT, "ttl": item_ttl(begun.head.created), "data": sealed}
        try:
            self._items.write_many(puts=[item])
        except StoreUnavailable:
            with suppress(StoreUnavailable):
                self.release(begun)
            raise

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

    def look_ahead(self, principal: Principal, thread_id: str) -> Found:
        """What LOAD will read, as far as this process knows the thread; asked beside BEGIN, which tells what is
        wrong."""
        with suppress(InvalidId):
            return self._loader.look_ahead(partition(principal, thread_id))
        return MISSING

    def load(
        self, head: Head, window: int | None, checkpoint_id: str | None = None, *, ahead: Found = MISSING
    ) -> Loaded:
        """The newest `window` turns (None: all) and the checkpoint they lead to; reads what `ahead` does not hold.

        An older `checkpoint_id` goes back in time: what stood then. Raises NotFound for an unknown one, StateCorrupt,
        and Superseded where the thread was deleted or taken over since `head` was read.
        """
        try:
            return self._loader.load(head, window, checkpoint_id, ahead)
        except StateCorrupt as error:
            now = self._items.get(head.pk, HEAD)
            if now is None or now.get("seq") != head.seq:
                raise Superseded from error
            raise

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
            self._items.update(plan.pk, HEAD, f"SET {changes} REMOVE #lease, #pend", plan.flip, condition=_MINE)
        except StoreUnavailable as error:
            raise Unsettled(retry_after=error.retry_after) from error
        except Refused as refused:
            if refused.item is None:
                raise Superseded from refused
            return self._settle(plan, self._trusted(refused.item))
        self._loader.has_moved(plan.pk, plan.flip[":cp"], plan.flip[":gen"], plan.flip[":n"])
        return None

    def fence(self, plan: Plan) -> Plan | None:
        """Settles a flip of which nothing is known: None where it had come through, else the plan under another owner
        of the lease, so that what is still on its way comes too late. Raises Superseded, StoreUnavailable."""
        owner = self._mint(OWNER_BYTES)
        mine = {":seq": plan.flip[":seq"], ":owner": plan.flip[":owner"]}
        try:
            self._items.update(plan.pk, HEAD, "SET #lease.#o = :new", {":new": owner, **mine}, condition=_MINE)
        except Refused as refused:
            if refused.item is None:
                raise Superseded from refused
            stands = self._trusted(refused.item)
            if stands.lease is None or stands.lease.owner != owner:
                self._settle(plan, stands)
                return None
        return replace(plan, flip={**plan.flip, ":owner": owner})

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

        HEAD is read first, so that nothing is written into a thread that has been deleted, made anew or gone on.
        """
        plan = self.plan_in(principal, thread_id, token)
        head = self.head(principal, thread_id)
        if head.born != plan.born:
            raise Superseded
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
