"""The issuer's public keys (JWKS), fetched when a token first needs one.
They are fresh for five minutes and fetched at most once a minute, even if many invented key ids arrive.
If the issuer does not answer, known keys stay valid for an hour."""

import json
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from turnkeep.errors import Unauthorized
from turnkeep.observability import logger
from turnkeep.records import JSON

FRESH_SECONDS = 300
STALE_SECONDS = 3600
PAUSE_SECONDS = 60
PAUSE_AFTER_FAULT_SECONDS = 5
TIMEOUT_SECONDS = 3
HEADERS = {"Accept": "application/json", "User-Agent": "turnkeep"}  # firewalls refuse requests without an agent
MAX_BYTES = 256 * 1024
KEY_TYPES = ("RSA", "EC", "OKP")


class JwksUnavailable(Exception):
    """The issuer's keys are unavailable, so a token can be neither accepted nor refused."""


class Jwks:
    """Keys at an https URL, or http on this machine itself. `clock` gives epoch seconds."""

    def __init__(self, url: str, *, clock: Callable[[], float]) -> None:
        self._url = check_url(url)
        self._clock = clock
        self._keys: dict[str, JSON] = {}
        self._fetched_at = self._next_try = float("-inf")
        self._is_down = False

    def find(self, key_id: str) -> JSON:
        """Return the public key of this id; raise Unauthorized if the issuer has none, or JwksUnavailable."""
        now = self._clock()
        is_fresh = key_id in self._keys and now - self._fetched_at < FRESH_SECONDS
        if not is_fresh and now >= self._next_try:
            self._refresh(now)
        if key_id in self._keys and now - self._fetched_at < STALE_SECONDS:
            return self._keys[key_id]
        if self._is_down:
            raise JwksUnavailable("the issuer's keys cannot be read")
        raise Unauthorized("The token's key id is not published by its issuer.")

    def _refresh(self, now: float) -> None:
        try:
            self._keys = read_keys(_get(self._url))
        except (OSError, HTTPException, JwksUnavailable) as error:
            logger.warning("keys of the issuer not read", error=type(error).__name__)
            self._is_down, self._next_try = True, now + PAUSE_AFTER_FAULT_SECONDS
            return
        self._is_down, self._fetched_at, self._next_try = False, now, now + PAUSE_SECONDS


def check_url(url: str) -> str:
    """Return the URL unchanged; raise ValueError if it is invalid or would let keys be swapped in transit."""
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    )
    if not is_safe or not parts.hostname or parts.username is not None or parts.port == 0:
        raise ValueError("JWT_JWKS_URL must be an https URL")
    return url


def _get(url: str) -> bytes:
    """Return the body of a 200. Redirects are not followed, so that only the configured host is asked."""
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", parts._replace(scheme="", netloc="").geturl() or "/", headers=HEADERS)
        response = connection.getresponse()
        body = response.read(MAX_BYTES + 1)
    finally:
        connection.close()
    if response.status != 200 or len(body) > MAX_BYTES:
        raise JwksUnavailable(f"answered with status {response.status} and {len(body)} bytes")
    return body


def read_keys(body: bytes) -> dict[str, JSON]:
    """Return the signing keys by id; raise JwksUnavailable if there is none."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise JwksUnavailable("the answer is not JSON") from None
    listed = document.get("keys") if isinstance(document, dict) else None
    keys = {key["kid"]: key for key in reversed(listed if isinstance(listed, list) else []) if _signs(key)}
    if not keys:
        raise JwksUnavailable("the answer contains no signing key")
    return keys


def _signs(key: object) -> bool:
    """Exclude secret keys ("oct"): with a published one, anyone could sign."""
    if not isinstance(key, dict) or not isinstance(key.get("kid"), str):
        return False
    return key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"
