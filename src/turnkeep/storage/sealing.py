"""Stored values: msgpack, compressed, and sealed to the place where they lie.

A sealed value opens only under the same secret and the same context (its key and its links), so a value that was
altered, or copied from another thread, is found out before it is decoded.
"""

import hmac
import zlib
from hashlib import sha256
from typing import Any

import ormsgpack
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from turnkeep.errors import AgentFault, InvalidRetryToken, StateCorrupt

MAX_RAW_BYTES = 64 * 1024 * 1024
_SEAL_BYTES = 16
_NONCE_BYTES = 12
_VERSION = b"\x01"
# Nothing is turned into something else on the way: what is no plain type is refused.
_EXACTLY = (
    ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_UUID
)


class Sealer:
    """Seals and opens values with one secret."""

    def __init__(self, secret: bytes):
        self._seal_key = sha256(b"turnkeep seal " + secret).digest()
        self._token_key = sha256(b"turnkeep token " + secret).digest()

    def digest(self, size: int, *context: str | bytes) -> bytes:
        """The first `size` bytes of an HMAC-SHA256 over the parts, each with its length."""
        mac = hmac.new(self._seal_key, digestmod=sha256)
        for part in context:
            raw = part if isinstance(part, bytes) else part.encode()
            mac.update(len(raw).to_bytes(8) + raw)
        return mac.digest()[:size]

    def seal(self, value: Any, *context: str) -> bytes:
        """Raises AgentFault for a value that is not plain."""
        packed = _pack(value)
        return _VERSION + self.digest(_SEAL_BYTES, packed, *context) + packed

    def open(self, sealed: bytes, *context: str) -> Any:
        """The value that was sealed; raises StateCorrupt."""
        version, seal, packed = sealed[:1], sealed[1 : 1 + _SEAL_BYTES], sealed[1 + _SEAL_BYTES :]
        if version != _VERSION or not hmac.compare_digest(seal, self.digest(_SEAL_BYTES, packed, *context)):
            raise StateCorrupt
        return _unpack(packed)

    def encrypt(self, value: Any, nonce: bytes, *context: str) -> bytes:
        """The value as an opaque token; `nonce` is 12 random bytes, never used twice."""
        packed = _pack(value)
        return nonce + AESGCM(self._token_key).encrypt(nonce, packed, "|".join(context).encode())

    def decrypt(self, token: bytes, *context: str) -> Any:
        """What `encrypt` took; raises InvalidRetryToken."""
        nonce, body = token[:_NONCE_BYTES], token[_NONCE_BYTES:]
        try:
            packed = AESGCM(self._token_key).decrypt(nonce, body, "|".join(context).encode())
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
