"""Requests without an idempotency key. A key is derived from the body: a retry finds the turn of its first try. The
same message sent again later makes a new turn."""

from dataclasses import replace
from typing import Literal, TypeAlias

from turnkeep import errors
from turnkeep.records import Principal, Turn
from turnkeep.store.head import KEPT_KEYS, key_digest
from turnkeep.store.heads import Heads
from turnkeep.store.keys import HEAD, partition
from turnkeep.store.leases import BeginRequest, KeyUsed, Leases
from turnkeep.store.links import Chain, turn_of
from turnkeep.store.plans import Begun

KEY_BYTES = 16
RETRY_MS = 15 * 60_000  # a retry without a key is compared with turns up to this age
_READ = "Read the thread; to add the message once more, send it as a new request."

Repeat: TypeAlias = Literal["exact", "first", "again"]
"""How a request without a key is distinguished from its own retry. `exact`: the body names what it comes after, so the
same body is a retry. Otherwise the client states whether this is its `first` try or one `again`."""


class Retries:
    def __init__(self, heads: Heads, leases: Leases, chain: Chain):
        self._heads = heads
        self._leases = leases
        self._chain = chain

    def begin(
        self, principal: Principal, thread_id: str, request: BeginRequest, repeat: Repeat | None = None
    ) -> Begun | Turn:
        """Begin as `Leases.begin` does. If `request.key` is empty, use a key derived from its body and `repeat`."""

        def begin(key: str, *, replay: bool = True) -> Begun | Turn:
            return self._leases.begin(principal, thread_id, replace(request, key=key, replay=replay))

        if request.key:
            return begin(request.key)
        derived = self.key_of(principal, thread_id, request.body)
        if repeat == "again":
            return begin(self._tried_key(partition(principal, thread_id), derived))
        try:
            return begin(derived, replay=repeat != "first")
        except KeyUsed as used:
            return begin(f"{derived}.{used.head.n}")

    def key_of(self, principal: Principal, thread_id: str, body: bytes) -> str:
        return self._heads.codec.digests(KEY_BYTES, "key", partition(principal, thread_id), body)[0].hex()

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
