"""BEGIN and the lease. One conditional update of HEAD takes or makes the thread, counts seq and stores the message.
Else it reports why not, or returns the turn of the key. It recognises its own lease after a lost acknowledgement."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from turnkeep import errors
from turnkeep.records import Principal, Turn
from turnkeep.storage.attributes import Item
from turnkeep.storage.head import KEPT_KEYS, Head, is_erased, key_digest, read_head
from turnkeep.storage.items import Refused
from turnkeep.storage.keys import HEAD, LAYOUT, item_ttl, message_key, partition, user_key
from turnkeep.storage.links import Chain, turn_of
from turnkeep.storage.plans import Begun, body_digest, is_body
from turnkeep.storage.threads import Threads

OWNER_BYTES = 9
PENDING_INLINE_BYTES = 1024
MINE = "seq = :seq AND #lease.#o = :owner"
_LONGEST_WAIT_SECONDS = 5
SAID_BYTES = 16
_FREE = "(attribute_not_exists(#lease) OR #lease.#t < :now)"
_READ = "Read the thread; to add the message once more, send it as a new request."
RETRY_MS = 15 * 60_000  # a retry without a key is compared with turns up to this age


Repeat: TypeAlias = Literal["exact", "first", "again"]
"""How a request without a key is distinguished from its own retry. `exact`: the body names what it comes after, so the
same body is a retry. Otherwise the client states whether this is its `first` try or one `again`."""


class Leases(Threads):
    def __init__(self, *args: Any, lease_seconds: float = 30, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._lease_ms = int(lease_seconds * 1000)
        self._chain = Chain(self._items, self._blobs, self._sealer)

    def begin(
        self,
        principal: Principal,
        thread_id: str,
        *,
        key: str | None,
        body: bytes,
        message: str | None,
        pii: Mapping[str, str] | None = None,
        agent: str | None = None,
        create: bool = False,
        after: int | None = None,
        repeat: Repeat | None = None,
        incarnation: bytes | None = None,
    ) -> Begun | Turn:
        """Take the thread for one run, or return the stored turn of this key.

        `body` distinguishes requests; it is encrypted with `pii`, the values of the placeholders. Without a key one is
        derived from body and `repeat`. `after`: the required number of the newest turn. `message` is None for an edit.
        A thread with another `incarnation` id is not found. Raises NotFound, ThreadBusy, TurnInProgress,
        IdempotencyKeyReused, AgentMismatch, ThreadMoved, StoreUnavailable."""
        pk, user = partition(principal, thread_id), user_key(principal)
        asked = {name: value for name, value in (("n", after), ("born", incarnation)) if value is not None}
        said = key or self.said_key(principal, thread_id, body)
        said = self._tried_key(pk, said) if repeat == "again" and not key else said
        newborn = self._newborn(pk, user, {})  # whose `created` is the time of this BEGIN
        owner = self._mint(OWNER_BYTES)
        want = Begun(read_head(newborn), key_digest(pk, said), body, owner, message or "", created=False, pii=pii)
        hold = self._holding(want, None if message is None else self.vault.closed(message, pii, pk, HEAD, "message"))
        try:
            begun: Begun | Turn = self._take(want, hold, agent, newborn if create else {}, asked)
        except Refused as refused:
            stands = self._trusted(refused.item) if refused.item else None
            is_there = stands and incarnation in (None, stands.born) and (create or stands.is_alive(want.head.created))
            if stands is None or not is_there:
                raise errors.NotFound from refused
            if not stands.is_alive(want.head.created):
                begun = replace(want, head=self._replace_dead(stands, user, hold), created=True)
            elif repeat == "first" and not key and stands.turn_of_key(want.key):
                given: Any = {"body": body, "message": message, "pii": pii, "agent": agent, "create": create}
                return self.begin(principal, thread_id, key=f"{said}.{stands.n}", after=after, **given)
            else:
                begun = self._busy(want, stands, agent, after)
        if isinstance(begun, Begun) and "m" not in hold.get("pend", {"m": None}):
            self._put_aside(begun)
        return begun

    def _holding(self, want: Begun, sealed: bytes | None) -> Item:
        """What BEGIN puts into HEAD: the lease, and the message that waits, where there is one and it fits."""
        hold: Item = {"lease": {"o": want.owner, "t": want.head.created + self._lease_ms}}
        if sealed is not None:
            body = body_digest(self._sealer, want.head.pk, want.body)
            hold["pend"] = {"k": want.key, "b": body, "at": want.head.created}
            hold["pend"] |= {"m": sealed} if len(sealed) <= PENDING_INLINE_BYTES else {}
        return hold

    def said_key(self, principal: Principal, thread_id: str, body: bytes) -> str:
        """The key of a request that has none, by its body."""
        return self._sealer.digests(SAID_BYTES, "key", partition(principal, thread_id), body)[0].hex()

    def _tried_key(self, pk: str, said: str) -> str:
        """Return the key of an earlier try with this body, failed since the newest turn or the newest turn's; a fresh
        key if no turn of the last RETRY_MS has it. Raises ThreadMoved if an older turn does, as it may be a retry."""
        item = self._items.get(pk, HEAD)
        head = self._trusted(item) if item else None
        if head is None or not head.is_alive(self._now()):
            return said
        texts = [said, *(f"{said}.{number}" for number in range(max(0, head.n - KEPT_KEYS - 1), head.n + 1))]
        own = {key_digest(pk, text): text for text in texts}
        if head.pending and head.pending.key in own:
            return own[head.pending.key]
        number = next((head.n - place for place, key in enumerate(head.keys) if key in own), None)
        if number is None:
            return said
        with self._reading(head):
            made = turn_of(self._chain.turn(head, number), {})
        if self._now() - made.created_at * 1000 - made.duration_ms > RETRY_MS:
            return f"{said}.{head.n}"
        if number < head.n:
            raise errors.ThreadMoved(f"Turn {number} may already be this message, and other turns followed. {_READ}")
        return own[head.keys[0]]

    def _take(self, want: Begun, hold: Item, agent: str | None, newborn: Item, asked: Item) -> Begun:
        """Run BEGIN, over a `newborn` if the thread may be made. `asked`: required values of HEAD. Raises Refused."""
        now, pk = want.head.created, want.head.pk
        births = {name: value for name, value in newborn.items() if name not in ("PK", "SK", "seq")}
        values: Item = {":zero": 0, ":one": 1, ":now": now, ":key": want.key, ":v": LAYOUT}
        values |= {f":{name}": value for name, value in (hold | births).items()}
        held = "".join(f", #{name} = :{name}" for name in hold)
        born = "".join(f", #{name} = if_not_exists(#{name}, :{name})" for name in births)
        allowed = f"v = :v AND expires > :now AND {_FREE} AND NOT contains(#keys, :key) AND NOT contains(#left, :key)"
        if agent:
            values[":agent"] = agent
            allowed += " AND (attribute_not_exists(#agent) OR #agent = :agent)"
        values |= {f":asked_{name}": value for name, value in asked.items()}
        allowed += "".join(f" AND {name} = :asked_{name}" for name in asked)
        allowed = f"attribute_not_exists(PK) OR ({allowed})" if births else allowed
        change = f"SET seq = if_not_exists(seq, :zero) + :one{held}{born}"
        item = self._items.update(pk, HEAD, change, values, condition=allowed)
        try:
            return self._held(want, self._trusted(item))
        except errors.StateCorrupt:
            self.release(replace(want, head=replace(want.head, seq=item["seq"])))
            raise

    def _held(self, want: Begun, head: Head) -> Begun:
        return replace(want, head=head, created=head.born == want.head.born)

    def _busy(self, want: Begun, head: Head, agent: str | None, after: int | None) -> Begun | Turn:
        now = want.head.created
        if head.lease and head.lease.owner == want.owner:
            return self._held(want, head)
        number = head.turn_of_key(want.key)
        if number is not None or want.key in head.left:
            return self._replay(head, number or want.key, want.body)
        wait = max(1, min(_LONGEST_WAIT_SECONDS, -(-(head.lease.until - now) // 1000))) if head.lease else 1
        if head.pending and head.pending.key == want.key and head.is_leased(now):
            if not is_body(self._sealer, head.pk, want.body, head.pending.body):
                raise errors.IdempotencyKeyReused
            raise errors.TurnInProgress(retry_after=wait)
        if agent and head.agent and head.agent != agent:
            raise errors.AgentMismatch
        if after not in (None, head.n):
            raise errors.ThreadMoved
        raise errors.ThreadBusy(retry_after=wait)

    def _replay(self, head: Head, by: int | bytes, body: bytes) -> Turn:
        """The turn of this number, or on a branch that was left that of this key."""
        with self._reading(head):
            link = self._chain.turn(head, by) if isinstance(by, int) else self._chain.left_by(head, by)
            if not is_body(self._sealer, head.pk, body, link.item["b"]):
                raise errors.IdempotencyKeyReused
            return turn_of(link, self._chain.details(link))

    def _put_aside(self, begun: Begun) -> None:
        """A message that is too long for HEAD, before any model is called."""
        pk, sk = begun.head.pk, message_key(begun.head.born)
        sealed = self.vault.closed(begun.message, begun.pii, pk, sk, begun.key.hex())
        item = {"PK": pk, "SK": sk, "v": LAYOUT, "ttl": item_ttl(begun.head.created), "data": sealed}
        try:
            self._items.write_many(puts=[item])
        except errors.StoreUnavailable:
            with suppress(errors.StoreUnavailable):
                self.release(begun)
            raise

    def renew(self, begun: Begun) -> None:
        """Keeps the thread for another lease; raises Superseded."""
        until = self._now() + self._lease_ms
        values = {":t": until, ":seq": begun.head.seq, ":owner": begun.owner}
        try:
            self._items.update(begun.head.pk, HEAD, "SET #lease.#t = :t", values, condition=MINE)
        except Refused as refused:
            raise errors.Superseded from refused

    def release(self, begun: Begun) -> None:
        """Gives the thread back unchanged; the message stays shown as pending until the next turn."""
        values = {":seq": begun.head.seq, ":owner": begun.owner}
        try:
            self._items.update(begun.head.pk, HEAD, "REMOVE #lease", values, condition=MINE)
        except Refused as refused:
            if is_erased(refused.item, begun.head.born):  # and its message may have been put aside after that
                self._items.write_many(deletes=[(begun.head.pk, message_key(begun.head.born))])
