"""The keys that an issuer publishes (JWKS), fetched when a token first needs one.

They are fresh for five minutes and fetched again at most once a minute, however many made-up key ids are asked for.
While the issuer does not answer, keys that it published are good for an hour; of others nobody can tell.
"""

import json
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from urllib.parse import urlsplit

from turnkeep.errors import Unauthorized
from turnkeep.observability import logger
from turnkeep.records import JSON

FRESH_SECONDS = 300
STALE_SECONDS = 3600
PAUSE_SECONDS = 60
PAUSE_AFTER_FAULT_SECONDS = 5
TIMEOUT_SECONDS = 3
MAX_BYTES = 256 * 1024
KEY_TYPES = ("RSA", "EC", "OKP")


class JwksUnavailable(Exception):
    """The issuer's keys cannot be had, so no token can be judged: neither accepted nor refused."""


class Jwks:
    """Takes an https URL, or http on this machine itself. `clock` gives epoch seconds."""

    def __init__(self, url: str, *, clock: Callable[[], float]) -> None:
        self._url = check_url(url)
        self._clock = clock
        self._keys: dict[str, JSON] = {}
        self._fetched_at = self._next_try = float("-inf")
        self._is_down = False

    def find(self, key_id: str) -> JSON:
        """The public key of this id; raises Unauthorized where the issuer has none, and JwksUnavailable."""
        now = self._clock()
        is_fresh = key_id in self._keys and now - self._fetched_at < FRESH_SECONDS
        if not is_fresh and now >= self._next_try:
            self._refresh(now)
        if key_id in self._keys and now - self._fetched_at < STALE_SECONDS:
            return self._keys[key_id]
        if self._is_down:
            raise JwksUnavailable("the issuer's keys cannot be read")
        raise Unauthorized("The token names a key that its issuer does not publish.")

    def _refresh(self, now: float) -> None:
        try:
            self._keys = read_keys(_get(self._url))
        except (OSError, HTTPException, JwksUnavailable) as error:
            logger.warning("keys of the issuer not read", error=type(error).__name__)
            self._is_down, self._next_try = True, now + PAUSE_AFTER_FAULT_SECONDS
            return
        self._is_down, self._fetched_at, self._next_try = False, now, now + PAUSE_SECONDS


def check_url(url: str) -> str:
    """The URL as it is; raises ValueError where it is none, or keys could be swapped on their way."""
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname or ""))
    if not is_safe or not parts.hostname or parts.username is not None or parts.port == 0:
        raise ValueError("JWT_JWKS_URL has to be an https URL")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _get(url: str) -> bytes:
    """The body of a 200; redirects are not followed, so that nobody is asked but the one who was named."""
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}")
        response = connection.getresponse()
        body = response.read(MAX_BYTES + 1)
    finally:
        connection.close()
    if response.status != 200 or len(body) > MAX_BYTES:
        raise JwksUnavailable(f"answered with status {response.status} and {len(body)} bytes")
    return body


def read_keys(body: bytes) -> dict[str, JSON]:
    """The keys that sign, by id; raises JwksUnavailable where there is not one."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise JwksUnavailable("the answer is not JSON") from None
    listed = document.get("keys") if isinstance(document, dict) else None
    keys = {key["kid"]: key for key in reversed(listed if isinstance(listed, list) else []) if _signs(key)}
    if not keys:
        raise JwksUnavailable("the answer holds no key that signs")
    return keys


def _signs(key: object) -> bool:
    """A secret key ("oct") has no business in a published set: were it taken, anyone could sign with it."""
    return (
        isinstance(key, dict)
        and isinstance(key.get("kid"), str)
        and key.get("kty") in KEY_TYPES
        and key.get("use", "sig") == "sig"
    )
