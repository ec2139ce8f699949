"""HEAD, the authority of a thread: data that it does not lead to does not exist. An id may be reused with new counters,
so only the incarnation id, random bytes, distinguishes threads.

Attribute names are short because every update pays for the whole item, which stays under 1 KB: v layout, born
incarnation id, n turns, gen generation, seq fencing token, last newest link, cp name of the newest checkpoint, expires,
created, la last activity (times in epoch ms), u and xh index keys, keys digests of the newest idempotency keys
(position i belongs to turn n - i), left those of abandoned branches, lease {o owner, t until}, pend {k key digest, b
body digest, m stored message, at}, meta signed metadata, agent, title, st status of the newest turn, life (ms) if its
own, tail upper bound of the links after the newest pack (unsigned: it only saves reads), q place of the newest queued
run, negative once none waits (unsigned), sig signature, ttl.

A thread in deletion keeps v, born, n, gen, seq, created, ttl, expires 0, gone (the previous expiry), xh, and due if it
stays for a while."""

from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from turnkeep.errors import StateCorrupt
from turnkeep.records import Status
from turnkeep.store.attributes import Item
from turnkeep.store.keys import CLOCK_ERROR_MS, LAYOUT, OTHER_LAYOUT, id_in, item_ttl, thread_of

KEPT_KEYS, KEPT_LEFT_KEYS = 32, 16
KEY_BYTES, INCARNATION_BYTES = 6, 6
TITLE_CHARACTERS = 60
_NUMBERS = ("n", "gen", "seq", "expires", "created")
_PLAIN = {"pk": "PK", "incarnation": "born", "checkpoint_name": "cp", "metadata": "meta"}
_PLAIN |= {"queue": "q"} | {name: name for name in (*_NUMBERS, "last", "agent", "title", "gone", "life", "tail")}
_SIGNED = ("n", "gen", "last", "cp", "expires", "created", "agent", "title", "st")


@dataclass(frozen=True)
class Lease:
    owner: bytes
    until: int


@dataclass(frozen=True)
class PendingItem:
    """`message` is None if it was too long for HEAD and is stored separately."""

    key: bytes
    body: bytes
    message: bytes | None
    at: int


@dataclass(frozen=True)
class Head:
    pk: str
    n: int
    gen: int
    seq: int
    expires: int
    created: int
    active: int
    incarnation: bytes
    last: str | None = None
    checkpoint_name: str | None = None
    keys: tuple[bytes, ...] = ()
    left: tuple[bytes, ...] = ()
    lease: Lease | None = None
    pending: PendingItem | None = None
    agent: str | None = None
    title: str | None = None
    metadata: bytes | None = None
    interrupted: bool = False
    gone: int | None = None
    life: int | None = None
    tail: str | None = None
    queue: int | None = None

    @property
    def checkpoint(self) -> str | None:
        return id_in(self.checkpoint_name) if self.checkpoint_name else None

    @property
    def thread_id(self) -> str:
        return thread_of(self.pk)

    def is_alive(self, now_ms: int) -> bool:
        return self.expires > now_ms

    def is_leased(self, now_ms: int) -> bool:
        return self.lease is not None and self.lease.until >= now_ms

    @property
    def has_queue(self) -> bool:
        """Return whether runs may wait. A worker that died may have left the mark without any."""
        return (self.queue or 0) > 0

    def status(self, now_ms: int) -> Status:
        if self.is_leased(now_ms):
            return "busy"
        if self.interrupted:
            return "interrupted"
        return "error" if self.pending else "idle"

    def turn_of_key(self, digest: bytes) -> int | None:
        """Return the number of the turn that this key made, or None if HEAD does not have the key."""
        return self.n - self.keys.index(digest) if digest in self.keys else None


def read_head(item: Item) -> Head:
    """Read a HEAD of this layout; `Heads` checks its signature. Raises StateCorrupt."""
    if item.get("v") != LAYOUT:
        raise StateCorrupt(OTHER_LAYOUT)
    lease, pending = item.get("lease"), item.get("pend")
    plain: Item = {name: item.get(attribute) for name, attribute in _PLAIN.items()}
    try:
        marks = {type(mark) for mark in (item["born"], *item.get("keys", ()))}
        if marks != {bytes} or not all(type(item[name]) is int for name in _NUMBERS):
            raise StateCorrupt
        return Head(
            **plain,
            active=item["la"] if "la" in item else item["created"],
            keys=tuple(item.get("keys", ())),
            left=tuple(item.get("left", ())),
            lease=Lease(lease["o"], lease["t"]) if lease else None,
            pending=PendingItem(pending["k"], pending["b"], pending.get("m"), pending["at"]) if pending else None,
            interrupted=item.get("st") == "interrupted",
        )
    except (KeyError, TypeError) as error:
        raise StateCorrupt from error


def is_erased(item: Item | None, incarnation: bytes) -> bool:
    """Return whether the thread with this incarnation id is gone or being erased. `item`: HEAD now."""
    return item is None or item.get("born") != incarnation or "gone" in item


def is_of_life(item: Item, head: Head) -> bool:
    """Return whether an item next to HEAD belongs to this thread, not to an earlier one with its id. A checkpoint has
    no incarnation id: its `ttl` counts from its thread's start."""
    if "born" in item:
        return bool(item["born"] == head.incarnation)
    return bool(item["ttl"] >= item_ttl(head.created - CLOCK_ERROR_MS))


def signed_parts(pk: str, attributes: Item) -> tuple[str | bytes, ...]:
    """Return the signed fields of HEAD: all that COMMIT sets. Lease, fencing token and pending message are unsigned."""
    plain = [attributes.get(name, "") for name in _SIGNED]
    life = (f"life {attributes['life']}",) if attributes.get("life") else ()
    return pk, attributes["born"], *(str(value) for value in plain), *life, *attributes.get("keys", ())


def key_digest(pk: str, key: str) -> bytes:
    """Return an idempotency key as HEAD has it: without a secret, so that it outlives the secret's rotation."""
    return sha256(f"{pk}|{key}".encode()).digest()[:KEY_BYTES]


def run_id_of(pk: str, digest: bytes) -> str:
    """Return the id (UUID) of the run that a key makes. It is known before the run begins, and costs no item."""
    rest = sha256(f"run|{pk}|".encode() + digest).digest()
    return str(UUID(bytes=(digest + rest)[:16], version=5))


def run_digest(run_id: str) -> bytes:
    """Return the digest of the key that a run id was made of. Raises ValueError if it is not a UUID."""
    return UUID(run_id).bytes[:KEY_BYTES]
