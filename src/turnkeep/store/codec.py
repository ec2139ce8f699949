"""Stored values: msgpack, compressed, signed for their place. A value opens only with its secret and context (key and
links), so tampering is detected before decoding. It begins with a version and the id of its secret."""

import hmac
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from secrets import token_bytes
from typing import Any

import ormsgpack

from turnkeep.errors import AgentFault, StateCorrupt
from turnkeep.signing import ID_BYTES
from turnkeep.store.keyring import Keyring

MAX_RAW_BYTES = 64 * 1024 * 1024
_FIELD = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NONCE_BYTES = 12
_MARK_BYTES = 16
_VERSION = b"\x02"
_UNKNOWN_KEY = "This deployment does not have the key that signed it; the runbook describes how to restore a key."
# Nothing is converted: types that are not plain are refused.
_EXACTLY = (
    ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_UUID
)


class Codec(Keyring):
    """A key ring that also signs and encrypts values with its first secret. It opens them with any."""

    def pack(self, value: Any, *context: str) -> bytes:
        """Return the packed and signed value. Raises AgentFault for a value that is not plain."""
        packed, key = _pack(value), self._newest()
        return _VERSION + key.id + key.digest(_MARK_BYTES, b"seal", (packed, *context)) + packed

    def unpack(self, stored: bytes, *context: str) -> Any:
        """Return the value that was signed. Raises StateCorrupt."""
        return self.unpack_sized(stored, *context)[0]

    def unpack_sized(self, stored: bytes, *context: str) -> tuple[Any, int]:
        """Return the value that was signed, and its unpacked size in bytes. Raises StateCorrupt."""
        start = len(_VERSION) + ID_BYTES
        mark, packed = stored[start : start + _MARK_BYTES], stored[start + _MARK_BYTES :]
        if not stored.startswith(_VERSION):
            raise StateCorrupt
        key = self._named(stored[len(_VERSION) : start])
        if key is None:
            raise StateCorrupt(_UNKNOWN_KEY)
        if not hmac.compare_digest(mark, key.digest(_MARK_BYTES, b"seal", (packed, *context))):
            raise StateCorrupt
        return _unpack(packed)

    def encrypt(self, value: Any, *context: str) -> bytes:
        """Encrypt; unlike `pack` the result differs each time. No nonce argument: reuse would reveal both values."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - hardly any start needs it

        key, packed, nonce = self._newest(), _pack(value), token_bytes(_NONCE_BYTES)
        return key.id + nonce + AESGCM(key.token).encrypt(nonce, packed, "|".join(context).encode())

    def decrypt(self, encrypted: bytes, *context: str) -> Any:
        """Return the value that `encrypt` received. Raises StateCorrupt."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        key, start = self._named(encrypted[:ID_BYTES]), ID_BYTES + _NONCE_BYTES
        if key is None:
            raise StateCorrupt(_UNKNOWN_KEY)
        try:
            nonce = encrypted[ID_BYTES:start]
            packed = AESGCM(key.token).decrypt(nonce, encrypted[start:], "|".join(context).encode())
        except (InvalidTag, ValueError) as error:
            raise StateCorrupt from error
        return _unpack(packed)[0]

    def token(self, value: Any, *context: str) -> str:
        """Return the encrypted value as text for clients and workers."""
        return urlsafe_b64encode(self.encrypt(value, *context)).decode().rstrip("=")

    def read_token(self, token: str, *context: str) -> Any:
        """Return the value that `token` received. Raises StateCorrupt."""
        try:
            return self.decrypt(urlsafe_b64decode(token + "=" * (-len(token) % 4)), *context)
        except ValueError as error:
            raise StateCorrupt from error


def is_plain(value: Any, option: int = _EXACTLY | ormsgpack.OPT_PASSTHROUGH_TUPLE) -> bool:
    """Return whether `value` has plain msgpack types only, so that it reads back unchanged."""
    try:
        ormsgpack.packb(value, option=option)
    except ormsgpack.MsgpackEncodeError:
        return False
    return True


def _pack(value: Any) -> bytes:
    try:
        raw = ormsgpack.packb(value, option=_EXACTLY)
    except ormsgpack.MsgpackEncodeError as error:
        raise AgentFault(f"The agent's reply or state cannot be stored: {_culprit(value)}.") from error
    if len(raw) > MAX_RAW_BYTES:
        raise AgentFault("The agent's reply or state is too large to be stored: at most 64 MB.")
    return zlib.compress(raw, 6)


def _culprit(value: Any, path: str = "") -> str:
    """Name the first value that is not plain: "`rows.0.price` is of type Decimal"."""
    parts = value.items() if type(value) is dict else enumerate(value) if type(value) in (list, tuple) else ()
    for name, each in parts:
        if type(name) not in (str, int) or not is_plain(each, _EXACTLY):
            shown = name if _FIELD.fullmatch(str(name)) else "?"
            return _culprit(each if type(name) in (str, int) else name, f"{path}.{shown}".lstrip("."))
    return f"`{path}` is of type {type(value).__name__}"


def _unpack(packed: bytes) -> tuple[Any, int]:
    """Unpack up to a limit: a value that claims to be larger than any we store is not expanded."""
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(packed, MAX_RAW_BYTES)
    except zlib.error as error:
        raise StateCorrupt from error
    if inflater.unconsumed_tail or not inflater.eof:
        raise StateCorrupt
    return ormsgpack.unpackb(raw, option=ormsgpack.OPT_NON_STR_KEYS), len(raw)
