"""API keys: `tk_<key id>_<secret>`. The table stores a digest of the secret and signs each record, so access to the
table neither reveals nor forges a key. Keys have their own partition, which no index, cleanup or thread route reaches.
Reads are consistent: a revoked key fails immediately. Only a writer of the table with an earlier copy can undo that."""

import re
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from hashlib import sha256
from hmac import compare_digest

from turnkeep.errors import NotFound, Unauthorized
from turnkeep.records import Principal
from turnkeep.store.attributes import Item
from turnkeep.store.items import Items, Refused
from turnkeep.store.keyring import Keyring
from turnkeep.store.keys import API_KEYS, LAYOUT, is_storable

ID_BYTES, SECRET_BYTES = 8, 32
LABEL_CHARACTERS = 100
_KEY = re.compile(r"tk_([0-9a-f]{16})_([0-9a-f]{64})")


class Forged(Exception):
    """The stored item of a key has no valid signature of this deployment."""


@dataclass(frozen=True)
class ApiKey:
    """A stored API key. Times are epoch seconds; without `expires_at` it never expires."""

    key_id: str
    principal: Principal
    label: str
    created_at: float
    expires_at: float | None
    revoked_at: float | None

    def is_expired(self, now: float) -> bool:
        return self.expires_at is not None and self.expires_at <= now


@dataclass(eq=False)
class ApiKeys:
    """Creates, finds, lists and revokes keys. `clock` returns epoch seconds, `random_bytes` n random bytes."""

    items: Items
    keyring: Keyring
    _: KW_ONLY
    clock: Callable[[], float]
    random_bytes: Callable[[int], bytes]

    def create(self, principal: Principal, *, label: str = "", expires_at: float | None = None) -> tuple[ApiKey, str]:
        """Create a key; return record and key, shown only once. Raises ValueError for an unusable tenant or user."""
        if not is_storable(principal):
            raise ValueError("tenant or user is empty or too long")
        key_id, secret = self.random_bytes(ID_BYTES).hex(), self.random_bytes(SECRET_BYTES).hex()
        item: Item = {"PK": API_KEYS, "SK": key_id, "v": LAYOUT, "digest": _digest(secret), **vars(principal)}
        item |= {"label": label, "created": int(self.clock() * 1000)}
        item |= {} if expires_at is None else {"expires": int(expires_at * 1000)}
        item = self._signed(item)
        self.items.put(item, condition="attribute_not_exists(PK)")
        return _read(item), f"tk_{key_id}_{secret}"

    def find(self, presented: str) -> ApiKey:
        """Return the key of a request. Raises Unauthorized (before any read if it is malformed), Forged."""
        key_id, secret = split_key(presented)
        item = self.items.get(API_KEYS, key_id)
        if item is None:
            raise Unauthorized("The key is unknown.")
        if not self._is_genuine(item):
            raise Forged
        if not compare_digest(item["digest"], _digest(secret)):
            raise Unauthorized("The key is unknown.")
        key = _read(item)
        if key.revoked_at is not None:
            raise Unauthorized("The key is revoked.")
        if key.is_expired(self.clock()):
            raise Unauthorized("The key is expired.")
        return key

    def list(self) -> tuple[list[ApiKey], list[str]]:
        """Return all keys, oldest first, including expired and revoked ones; then the ids of items that lack a valid
        signature and so grant no access."""
        stored = self.items.between(API_KEYS, "0", "g")  # ids are hex digits
        keys = [_read(item) for item in stored if self._is_genuine(item)]
        forged = [str(item["SK"]) for item in stored if not self._is_genuine(item)]
        return sorted(keys, key=lambda key: (key.created_at, key.key_id)), forged

    def revoke(self, key_id: str) -> ApiKey:
        """Revoke a key permanently; repeating it changes nothing. Raises NotFound, Forged."""
        revoked, item = int(self.clock() * 1000), self.items.get(API_KEYS, key_id)
        while item is not None:
            if not self._is_genuine(item):
                raise Forged
            changed = self._signed({"revoked": revoked, **item})
            try:
                if changed != item:
                    self.items.put(changed, condition="sig = :sig", values={":sig": item["sig"]})
            except Refused as refused:
                item = refused.item
            else:
                return _read(changed)
        raise NotFound("No key has this id.")

    def _signed(self, item: Item) -> Item:
        return {**item, "sig": self.keyring.sign(*_parts(item))}

    def _is_genuine(self, item: Item) -> bool:
        return self.keyring.is_signed(item.get("sig"), *_parts(item))


def split_key(presented: str) -> tuple[str, str]:
    """Return id and secret. Raises Unauthorized if the key is malformed."""
    found = _KEY.fullmatch(presented)
    if found is None:
        raise Unauthorized("The key is malformed.")
    return found[1], found[2]


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()  # plain: 256 random bits cannot be guessed


def _parts(item: Item) -> Iterator[str | bytes]:
    """Yield all fields of an item except its signature, each value with its type."""
    yield "api key"
    for name in sorted(item.keys() - {"sig"}):
        value = item[name]
        yield from (name, type(value).__name__, value if isinstance(value, bytes) else str(value))


def _read(item: Item) -> ApiKey:
    return ApiKey(
        key_id=item["SK"],
        principal=Principal(item["tenant"], item["user"], acts_for=item["acts_for"]),
        label=item["label"],
        created_at=item["created"] / 1000,
        expires_at=item["expires"] / 1000 if "expires" in item else None,
        revoked_at=item["revoked"] / 1000 if "revoked" in item else None,
    )
