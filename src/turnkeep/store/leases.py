"""BEGIN and the lease. One conditional update of HEAD leases or makes the thread, increments seq, stores the message.
If that is refused, it raises the reason or returns the turn of the key. It recognises a lease whose answer was lost.

A request without an idempotency key gets one that is derived from its body, so a retry finds the turn of its first try.
The same message sent again later makes a new turn."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from turnkeep import errors
from turnkeep.records import Principal, Turn
from turnkeep.store.attributes import Item
from turnkeep.store.head import KEPT_KEYS, Head, is_erased, key_digest, read_head
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, LAYOUT, item_ttl, message_key, new_item, partition, user_key
from turnkeep.store.links import Chain, Link, turn_of
from turnkeep.store.plans import Begun, body_digest, is_body
from turnkeep.store.vault import Vault

OWNER_BYTES = 9
PENDING_INLINE_BYTES = 1024
RETRY_MS = 15 * 60_000  # a retry without a key is compared with turns up to this age
MINE = "seq = :seq AND #lease.#o = :owner"
_LONGEST_WAIT_SECONDS = 5
_READ = "Read the thread; to add the message once more, send it as a new request."
_FREE = "(attribute_not_exists(#lease) OR #lease.#t < :now)"

Repeat: TypeAlias = Literal["exact", "first", "again"]
"""How a request without a key is distinguished from its own retry. `exact`: the body names what it comes after, so the
same body is a retry. Otherwise the client states whether this is its `first` try or one `again`."""


@dataclass(frozen=True)
class BeginRequest:
    """One run to begin. `body` distinguishes requests; if `key` is empty, it is derived from `body` and `repeat`.
    `message` is None for an edit; it is encrypted with `pii`, the values of its placeholders. `create`: the thread may
    be new. `after`: the required number of the newest turn. A thread with another `incarnation` id is not found. The
    thread is busy if its queue's mark is not `queue`; 0: while runs are queued; None: never. It is busy if its fencing
    token is not `seq`, and while it asks a question, for a run that never `answers`."""

    key: str
    body: bytes
    message: str | None
    pii: Mapping[str, str] | None = None
    agent: str | None = None
    create: bool = False
    after: int | None = None
    incarnation: bytes | None = None
    repeat: Repeat | None = None
    queue: int | None = None
    seq: int | None = None
    answers: bool = True


class Leases:
    def __init__(self, heads: Heads, chain: Chain, vault: Vault, *, lease_seconds: float = 30):
        self._heads = heads
        self._items = heads.items
        self._chain = chain
        self._vault = vault
        self.lease_ms = int(lease_seconds * 1000)

    def begin(self, principal: Principal, thread_id: str, request: BeginRequest) -> Begun | Turn:
        """Take the thread for one run, or return the stored turn of this key. Raises NotFound, ThreadBusy,
        TurnInProgress, IdempotencyKeyReused, AgentMismatch, ThreadMoved, StoreUnavailable."""
        pk, user = partition(principal, thread_id), user_key(principal)
        if request.key:
            return self._begin(pk, user, replace(request, repeat=None))
        derived = self.key_of(principal, thread_id, request.body)
        key = self._tried_key(pk, derived) if request.repeat == "again" else derived
        return self._begin(pk, user, replace(request, key=key))

    def _begin(self, pk: str, user: str, request: BeginRequest) -> Begun | Turn:
        new_head = self._heads.new_head(pk, user, {})  # whose `created` is the time of this BEGIN
        key, owner, message = key_digest(pk, request.key), self._heads.random_bytes(OWNER_BYTES), request.message
        want = Begun(read_head(new_head), key, request.body, owner, message or "", created=False, pii=request.pii)
        taken = self._taken(want, is_edit=message is None)
        try:
            begun: Begun | Turn = self._take(want, taken, new_head, request)
        except Refused as refused:
            head = self._found(want, refused, request)
            if not head.is_alive(want.head.created):
                begun = replace(want, head=self._heads.replace_dead(head, user, taken), created=True)
            elif request.repeat == "first" and head.turn_of_key(key):
                return self._begin(pk, user, replace(request, key=f"{request.key}.{head.n}", repeat=None))
            else:
                begun = self._busy(want, head, request)
        if isinstance(begun, Begun) and "m" not in taken.get("pend", {"m": None}):
            self._put_aside(begun)
        return begun

    def _found(self, want: Begun, refused: Refused, request: BeginRequest) -> Head:
        """Return HEAD that refused BEGIN, if the request is for this thread. Raises NotFound."""
        head = self._heads.trusted(refused.item) if refused.item else None
        is_other = head is not None and request.incarnation not in (None, head.incarnation)
        if head is None or is_other or not (request.create or head.is_alive(want.head.created)):
            raise errors.NotFound from refused
        return head

    def key_of(self, principal: Principal, thread_id: str, body: bytes) -> str:
        return self._heads.codec.digests(16, "key", partition(principal, thread_id), body)[0].hex()

    def _tried_key(self, pk: str, derived: str) -> str:
        """Return the key of an earlier try with this body, if that made the newest turn or failed after it; a fresh key
        if no turn of the last RETRY_MS has it. Raises ThreadMoved if one has it and another message came after it."""
        head = self._heads.living(self._heads.items.get(pk, HEAD))
        if head is None:
            return derived
        texts = [derived, *(f"{derived}.{number}" for number in range(max(0, head.n - KEPT_KEYS - 1), head.n + 1))]
        own = {key_digest(pk, text): text for text in texts}
        if head.pending and head.pending.key in own:
            return own[head.pending.key]
        number = next((head.n - place for place, key in enumerate(head.keys) if key in own), None)
        if number is None:
            return derived
        with self._heads.reading(head):
            made = turn_of(self._chain.turn(head, number), {})
        if self._heads.now() - made.created_at * 1000 - made.duration_ms > RETRY_MS:
            return f"{derived}.{head.n}"
        if number < head.n or head.pending:  # which may have replaced a failed try with this body
            raise errors.ThreadMoved(f"Turn {number} may already be this message, and others followed. {_READ}")
        return own[head.keys[0]]

    def _taken(self, want: Begun, *, is_edit: bool) -> Item:
        """Return what BEGIN adds to HEAD: the lease, and the pending message if there is one and it fits."""
        taken: Item = {"lease": {"o": want.owner, "t": want.head.created + self.lease_ms}}
        if not is_edit:
            pk = want.head.pk
            message = self._vault.close(want.message, want.pii, pk, HEAD, "message")
            body = body_digest(self._heads.codec, pk, want.body)
            taken["pend"] = {"k": want.key, "b": body, "at": want.head.created}
            taken["pend"] |= {"m": message} if len(message) <= PENDING_INLINE_BYTES else {}
        return taken

    def _take(self, want: Begun, taken: Item, new_head: Item, request: BeginRequest) -> Begun:
        """Run BEGIN, with the attributes of `new_head` if the thread may be created. Raises Refused."""
        now, pk = want.head.created, want.head.pk
        births = {name: new_head[name] for name in new_head if request.create and name not in ("PK", "SK", "seq")}
        values: Item = {":zero": 0, ":one": 1, ":now": now, ":key": want.key, ":v": LAYOUT}
        values |= {f":{name}": value for name, value in (taken | births).items()}
        held = "".join(f", #{name} = :{name}" for name in taken)
        incarnation = "".join(f", #{name} = if_not_exists(#{name}, :{name})" for name in births)
        allowed = f"v = :v AND expires > :now AND {_FREE} AND NOT contains(#keys, :key) AND NOT contains(#left, :key)"
        if request.queue is not None:
            values |= {":queue": request.queue} if request.queue else {}
            allowed += " AND q = :queue" if request.queue else " AND (attribute_not_exists(q) OR q < :zero)"
        if not request.answers:
            values[":asks"] = "interrupted"
            allowed += " AND NOT st = :asks"
        if request.agent:
            values[":agent"] = request.agent
            allowed += " AND (attribute_not_exists(#agent) OR #agent = :agent)"
        for name, value in (("n", request.after), ("born", request.incarnation), ("seq", request.seq)):
            if value is not None:
                values[f":asked_{name}"] = value
                allowed += f" AND {name} = :asked_{name}"
        allowed = f"attribute_not_exists(PK) OR ({allowed})" if births else allowed
        change = f"SET seq = if_not_exists(seq, :zero) + :one{held}{incarnation}"
        item = self._items.update(pk, HEAD, change, values, condition=allowed)
        try:
            return self._held(want, self._heads.trusted(item))
        except errors.StateCorrupt:
            self.release(replace(want, head=replace(want.head, seq=item["seq"])))
            raise

    def _held(self, want: Begun, head: Head) -> Begun:
        return replace(want, head=head, created=head.incarnation == want.head.incarnation)

    def _busy(self, want: Begun, head: Head, request: BeginRequest) -> Begun | Turn:
        now = want.head.created
        if head.lease and head.lease.owner == want.owner:
            return self._held(want, head)
        number = head.turn_of_key(want.key)
        if number is not None or want.key in head.left:
            return self._replay(head, number or want.key, want.body)
        wait = max(1, min(_LONGEST_WAIT_SECONDS, -(-(head.lease.until - now) // 1000))) if head.lease else 1
        if head.pending and head.pending.key == want.key and head.is_leased(now):
            if not is_body(self._heads.codec, head.pk, want.body, head.pending.body):
                raise errors.IdempotencyKeyReused
            raise errors.TurnInProgress(retry_after=wait)
        if request.agent and head.agent and head.agent != request.agent:
            raise errors.AgentMismatch
        if request.after not in (None, head.n):
            raise errors.ThreadMoved
        raise errors.ThreadBusy(retry_after=wait)

    def _replay(self, head: Head, by: int | bytes, body: bytes) -> Turn:
        with self._heads.reading(head):
            link = self._chain.turn(head, by) if isinstance(by, int) else self._left(head, by)
            if not is_body(self._heads.codec, head.pk, body, link.item["b"]):
                raise errors.IdempotencyKeyReused
            return turn_of(link, self._chain.details(link))

    def _left(self, head: Head, key: bytes) -> Link:
        """Return the link on an abandoned branch that this key made. Raises StateCorrupt."""
        link = next((item for item in self._chain.left(head) if item["k"] == key), None)
        if link is None:
            raise errors.StateCorrupt
        return self._chain.open(link)

    def _put_aside(self, begun: Begun) -> None:
        """Store a message that is too long for HEAD, before any model is called."""
        pk, sk = begun.head.pk, message_key(begun.head.incarnation)
        message = self._vault.close(begun.message, begun.pii, pk, sk, begun.key.hex())
        try:
            self._items.write_many(puts=[new_item(pk, sk, item_ttl(begun.head.created), data=message)])
        except errors.StoreUnavailable:
            with suppress(errors.StoreUnavailable):
                self.release(begun)
            raise

    def renew(self, begun: Begun) -> bool:
        """Renew the lease for its full time. Return whether the run is asked to stop. Raises Superseded."""
        values = {":t": self._heads.now() + self.lease_ms, ":seq": begun.head.seq, ":owner": begun.owner}
        try:
            item = self._items.update(begun.head.pk, HEAD, "SET #lease.#t = :t", values, condition=MINE)
        except Refused as refused:
            raise errors.Superseded from refused
        return "stop" in item["lease"]

    def look(self, begun: Begun) -> bool:
        """Return whether the run is asked to stop. Raises Superseded."""
        item = self._items.get(begun.head.pk, HEAD) or {}
        if item.get("seq") != begun.head.seq or item.get("lease", {}).get("o") != begun.owner:
            raise errors.Superseded
        return "stop" in item["lease"]

    def ask_to_stop(self, head: Head) -> None:
        """Ask the run that has the lease to end early. It has no effect if the run is over."""
        condition = "born = :born AND seq = :seq AND attribute_exists(#lease)"
        values = {":yes": True, ":born": head.incarnation, ":seq": head.seq}
        with suppress(Refused):
            self._items.update(head.pk, HEAD, "SET #lease.#stop = :yes", values, condition=condition)

    def release(self, begun: Begun) -> None:
        """Release the thread unchanged; the message stays pending until the next turn."""
        values = {":seq": begun.head.seq, ":owner": begun.owner}
        try:
            self._heads.freed(self._items.update(begun.head.pk, HEAD, "REMOVE #lease", values, condition=MINE))
        except Refused as refused:
            if is_erased(refused.item, begun.head.incarnation):  # and its message may have been stored after that
                self._items.write_many(deletes=[(begun.head.pk, message_key(begun.head.incarnation))])
