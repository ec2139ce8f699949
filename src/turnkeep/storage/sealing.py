"""Stored values: msgpack, compressed, and sealed to the place where they lie.

A sealed value opens only under the same secret and the same context (its key and its links), so a value that was
altered, or copied from another thread, is found out before it is decoded. It names its secret: a ring of several, the
newest first, opens what older ones sealed, and is read anew where a value names one that it does not hold.
"""

import hmac
import zlib
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import ormsgpack
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from turnkeep.errors import AgentFault, InvalidRetryToken, StateCorrupt

MAX_RAW_BYTES = 64 * 1024 * 1024
MARK_BYTES = 16
_ID_BYTES = 2
_SEAL_BYTES = 16
_NONCE_BYTES = 12
_VERSION = b"\x02"
_UNKNOWN_KEY = "It was sealed under a key that this deployment does not hold; the runbook says how to bring one back."
# Nothing is turned into something else on the way: what is no plain type is refused.
_EXACTLY = (
    ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_UUID
)


class _Key:
    """One secret of the ring. Its id is 2 bytes, which every value that it seals begins with."""

    def __init__(self, secret: bytes):
        self.id = sha256(b"turnkeep id " + secret).digest()[:_ID_BYTES]
        self.token = sha256(b"turnkeep token " + secret).digest()
        self._seal = sha256(b"turnkeep seal " + secret).digest()

    def digest(self, size: int, context: Sequence[str | bytes]) -> bytes:
        mac = hmac.new(self._seal, digestmod=sha256)
        for part in context:
            raw = part if isinstance(part, bytes) else part.encode()
            mac.update(len(raw).to_bytes(8) + raw)
        return mac.digest()[:size]


class Sealer:
    """Seals with the first of its secrets, opens with any. `refresh` gives the ring as it is now, for a value that
    another function has sealed under a secret made since."""

    def __init__(self, *secrets: bytes, refresh: Callable[[], Sequence[bytes]] | None = None):
        self._ring = [_Key(secret) for secret in secrets]
        self._refresh = refresh

    def digests(self, size: int, *context: str | bytes) -> tuple[bytes, ...]:
        """The first `size` bytes of an HMAC-SHA256 over the parts, each with its length, by every secret; the first is
        the one to keep."""
        return tuple(key.digest(size, context) for key in self._ring)

    def sign(self, *context: str | bytes) -> bytes:
        """16 bytes that nobody without a secret of the ring can make for these parts."""
        key = self._ring[0]
        return key.id + key.digest(MARK_BYTES - _ID_BYTES, context)

    def is_signed(self, mark: bytes, *context: str | bytes) -> bool:
        key = self._named(mark[:_ID_BYTES])
        return bool(key) and hmac.compare_digest(
            mark[_ID_BYTES:], key.digest(MARK_BYTES - _ID_BYTES, context) if key else b""
        )

    def seal(self, value: Any, *context: str) -> bytes:
        """Raises AgentFault for a value that is not plain."""
        packed, key = _pack(value), self._ring[0]
        return _VERSION + key.id + key.digest(_SEAL_BYTES, (packed, *context)) + packed

    def open(self, sealed: bytes, *context: str) -> Any:
        """The value that was sealed; raises StateCorrupt."""
        start = len(_VERSION) + _ID_BYTES
        version, name = sealed[:1], sealed[1:start]
        seal, packed = sealed[start : start + _SEAL_BYTES], sealed[start + _SEAL_BYTES :]
        if version != _VERSION:
            raise StateCorrupt
        key = self._named(name)
        if key is None:
            raise StateCorrupt(_UNKNOWN_KEY)
        if not hmac.compare_digest(seal, key.digest(_SEAL_BYTES, (packed, *context))):
            raise StateCorrupt
        return _unpack(packed)

    def _named(self, name: bytes) -> _Key | None:
        found = next((key for key in self._ring if key.id == name), None)
        if found is None and self._refresh:
            self._ring = [_Key(secret) for secret in self._refresh()] or self._ring
            found = next((key for key in self._ring if key.id == name), None)
        return found

    def encrypt(self, value: Any, nonce: bytes, *context: str) -> bytes:
        """The value as an opaque token; `nonce` is 12 random bytes, never used twice."""
        key, packed = self._ring[0], _pack(value)
        return key.id + nonce + AESGCM(key.token).encrypt(nonce, packed, "|".join(context).encode())

    def decrypt(self, token: bytes, *context: str) -> Any:
        """What `encrypt` took; raises InvalidRetryToken."""
        key, start = self._named(token[:_ID_BYTES]), _ID_BYTES + _NONCE_BYTES
        if key is None:
            raise InvalidRetryToken
        try:
            nonce = token[_ID_BYTES:start]
            packed = AESGCM(key.token).decrypt(nonce, token[start:], "|".join(context).encode())
        except (InvalidTag, ValueError) as error:
            raise InvalidRetryToken from error
        return _unpack(packed)


def is_plain(value: Any) -> bool:
    """Whether `value` is built of plain msgpack types alone, so that it comes back as it went in."""
    try:
        ormsgpack.packb(value, option=_EXACTLY | ormsgpack.OPT_PASSTHROUGH_TUPLE)
    except ormsgpack.MsgpackEncodeError:
        return False
    return True


def _pack(value: Any) -> bytes:
    try:
        raw = ormsgpack.packb(value, option=_EXACTLY)
    except ormsgpack.MsgpackEncodeError as error:
        raise AgentFault("The agent's reply or state holds a value that cannot be stored.") from error
    if len(raw) > MAX_RAW_BYTES:
        raise AgentFault("The agent's reply or state is too large to be stored: at most 64 MB.")
    return zlib.compress(raw, 6)


def _unpack(packed: bytes) -> Any:
    """Bounded: a value that claims to be larger than any we store is not blown up."""
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(packed, MAX_RAW_BYTES)
    except zlib.error as error:
        raise StateCorrupt from error
    if inflater.unconsumed_tail or not inflater.eof:
        raise StateCorrupt
    return ormsgpack.unpackb(raw, option=ormsgpack.OPT_NON_STR_KEYS)
