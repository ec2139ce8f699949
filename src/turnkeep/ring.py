"""The key ring's text: one secret a line, newest first, as `2026-11-22 <secret>` with the day it was made, or one
secret alone. The first signs and encrypts; older ones only verify and decrypt."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

ID_BYTES = 2
KEPT_DAYS = 31  # of a replaced secret: no thread lives longer

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2}) +(.+)")


@dataclass(frozen=True)
class Secret:
    """One line of the text; `made` is None without a day."""

    value: str = field(repr=False)
    made: date | None = None

    @property
    def id(self) -> str:
        """Its id in everything that it signs or encrypts: 4 hex digits."""
        return id_of(self.value.encode()).hex()


def read_ring(text: str) -> tuple[Secret, ...]:
    """Return the secrets; raise ValueError, which names the line and quotes nothing."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines:
        return ()
    if len(lines) == 1 and not _DATED.fullmatch(lines[0]):
        return (Secret(lines[0]),)
    ring = tuple(_read_line(number, line) for number, line in enumerate(lines, 1))
    if len({secret.id for secret in ring}) < len(ring):
        raise ValueError("two lines hold one secret, or secrets of one id: take one of them away")
    return ring


def secrets_of(text: str) -> tuple[bytes, ...]:
    """Return the secrets for a Keyring; raise ValueError."""
    return tuple(secret.value.encode() for secret in read_ring(text))


def _read_line(number: int, line: str) -> Secret:
    found = _DATED.fullmatch(line)
    with suppress(ValueError):
        if found:
            return Secret(found[2], date.fromisoformat(found[1]))
    raise ValueError(f'line {number} is not a day and a secret, as "2026-11-22 <secret>"')


def write_ring(ring: Iterable[Secret], today: date) -> str:
    """Return the text; a secret without a day gets `today`."""
    return "\n".join(f"{secret.made or today} {secret.value}" for secret in ring)


def with_new(ring: Sequence[Secret], mint: Callable[[], str], today: date) -> tuple[Secret, ...]:
    """Return the ring with a new secret first, whose id is unique."""
    taken = {secret.id for secret in ring}
    new = next(secret for secret in iter(lambda: Secret(mint(), today), None) if secret.id not in taken)
    return (new, *(replace(secret, made=secret.made or today) for secret in ring))


def still_needed(ring: Sequence[Secret], today: date) -> tuple[Secret, ...]:
    """Return the ring without secrets that no thread can need any more."""
    oldest = today - timedelta(days=KEPT_DAYS)
    replaced = (None, *(secret.made for secret in ring))
    return tuple(secret for secret, day in zip(ring, replaced, strict=False) if day is None or day >= oldest)


def told(ring: Sequence[Secret]) -> str:
    """Describe each secret in a line that does not contain it."""
    lines = [f"{secret.id}  {secret.made or 'day unknown'}  " for secret in ring]
    uses = ["seals", *(f"opens what it sealed, until {_end(newer)}" for newer in ring)]
    return "\n".join(line + use for line, use in zip(lines, uses, strict=False))


def _end(newer: Secret) -> str:
    return str(newer.made + timedelta(days=KEPT_DAYS)) if newer.made else "a day unknown"


def today() -> date:
    """By UTC."""
    return datetime.now(UTC).date()


def id_of(secret: bytes) -> bytes:
    """Return the id of a secret."""
    return sha256(b"turnkeep id " + secret).digest()[:ID_BYTES]
