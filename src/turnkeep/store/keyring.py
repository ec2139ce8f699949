"""The signing keys of a deployment. The first one signs; signatures of the others stay valid."""

import hmac
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from threading import Lock
from time import time

from turnkeep.errors import StoreUnavailable
from turnkeep.signing import ID_BYTES, id_of

MARK_BYTES = 16
REREAD_SECONDS = 10


class Key:
    def __init__(self, secret: bytes):
        self.id = id_of(secret)
        self.token = sha256(b"turnkeep token " + secret).digest()
        self._mac = hmac.new(sha256(b"turnkeep seal " + secret).digest(), digestmod=sha256)

    def digest(self, size: int, purpose: bytes, context: Iterable[str | bytes]) -> bytes:
        """Return an HMAC-SHA256 over the purpose and the parts, each with its length, cut to `size`."""
        mac = self._mac.copy()
        for part in (purpose, *context):
            raw = part if isinstance(part, bytes) else part.encode()
            mac.update(len(raw).to_bytes(8) + raw)
        return mac.digest()[:size]


class Keyring:
    """Signs with its first secret and verifies with all. If a secret is unknown or there is none, it calls `refresh`,
    at most once in 10 s. `refresh` returns the current secrets, or none if they cannot be read: an unknown secret then
    raises StoreUnavailable. It is thread-safe. `clock`: epoch seconds, which pass in a frozen sandbox."""

    def __init__(
        self, *secrets: bytes, refresh: Callable[[], Sequence[bytes]] | None = None, clock: Callable[[], float] = time
    ):
        self._refresh = refresh
        self._clock = clock
        self._lock = Lock()
        self._tried_at = float("-inf")
        self._has_failed = False
        self.renew(secrets)

    def renew(self, secrets: Iterable[bytes]) -> None:
        self._keys = {key.id: key for key in map(Key, secrets)}

    def digests(self, size: int, *context: str | bytes) -> tuple[bytes, ...]:
        """Return the first `size` bytes of an HMAC-SHA256 over the parts by every secret; store the first of them."""
        self._newest()  # reads the ring again if it is empty
        return tuple(key.digest(size, b"digest", context) for key in self._keys.values())

    def is_digest(self, digest: bytes, *context: str | bytes) -> bool:
        """Return whether a secret of the ring made this digest. A digest does not name its secret, so the ring is read
        again if none did. Raise StoreUnavailable if that fails."""
        if digest not in self.digests(len(digest), *context):
            self._reread()
        is_ours = digest in self.digests(len(digest), *context)
        if not is_ours and self._has_failed:
            raise StoreUnavailable(retry_after=REREAD_SECONDS)
        return is_ours

    def sign(self, *context: str | bytes) -> bytes:
        key = self._newest()
        return key.id + key.digest(MARK_BYTES - ID_BYTES, b"sign", context)

    def is_signed(self, mark: object, *context: str | bytes) -> bool:
        if not isinstance(mark, bytes) or len(mark) != MARK_BYTES:
            return False
        key = self._named(mark[:ID_BYTES])
        size = MARK_BYTES - ID_BYTES
        return key is not None and hmac.compare_digest(mark[ID_BYTES:], key.digest(size, b"sign", context))

    def knows(self, mark: bytes) -> bool:
        return self._named(mark[:ID_BYTES]) is not None

    def _newest(self) -> Key:
        if not self._keys:
            self._reread()
        if not self._keys:
            raise LookupError("there is no secret to sign with")
        return next(iter(self._keys.values()))

    def _named(self, name: bytes) -> Key | None:
        if name not in self._keys:
            self._reread()
        if name not in self._keys and self._has_failed:
            raise StoreUnavailable(retry_after=REREAD_SECONDS)
        return self._keys.get(name)

    def _reread(self) -> None:
        """Refresh in one thread; others wait for it. A clock that was set back does not prevent it."""
        with self._lock:
            if self._refresh is None or 0 <= self._clock() - self._tried_at < REREAD_SECONDS:
                return
            try:
                secrets = self._refresh()
                self._has_failed = not secrets
                if secrets:
                    self.renew(secrets)
            finally:
                self._tried_at = self._clock()
