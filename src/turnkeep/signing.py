"""Signing keys as text: one secret, or several lines of a day and a secret, as `2026-11-22 <secret>`. The first one
signs and encrypts, all of them verify and decrypt. The days are for people."""

import re
import secrets
from datetime import UTC, datetime
from hashlib import sha256

ID_BYTES = 2
_DATED = re.compile(r"\d{4}-\d{2}-\d{2} +(.+)")


def new_key() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d} {secrets.token_urlsafe(48)}"


def secrets_of(text: str) -> tuple[bytes, ...]:
    """Return the secrets for a Keyring; raise ValueError, which names the line and quotes nothing."""
    lines = [line.strip() for line in text.strip().splitlines()]
    dated = [_DATED.fullmatch(line) for line in lines]
    if len(lines) > 1 and None in dated:
        raise ValueError(f'line {dated.index(None) + 1} is not a day and a secret, as "2026-11-22 <secret>"')
    found = tuple((day[1] if day else line).encode() for day, line in zip(dated, lines, strict=True))
    if len(set(map(id_of, found))) < len(found):
        raise ValueError("two lines hold one secret, or secrets with the same id: remove one of them")
    return found


def id_of(secret: bytes) -> bytes:
    """Return the id that begins all that a secret signs or encrypts."""
    return sha256(b"turnkeep id " + secret).digest()[:ID_BYTES]
