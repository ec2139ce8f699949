"""The text of a seal key: its secrets, newest first, a line for each, `2026-11-22 <secret>` with the day it was made; a
single line without a day is a ring of one. What is sealed now is sealed with the first; older ones still open."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

ID_BYTES = 2
KEPT_DAYS = 31
"""How long a secret is kept after a newer one took its place: no thread lives longer."""

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2}) +(.+)")


@dataclass(frozen=True)
class Secret:
    """One line of the text; `made` None where it says no day."""

    value: str = field(repr=False)
    made: date | None = None

    @property
    def id(self) -> str:
        """What everything that it signs or seals names it by: 4 hex digits."""
        return id_of(self.value.encode()).hex()


def read_ring(text: str) -> tuple[Secret, ...]:
    """The secrets of the text; raises ValueError, which names the line and quotes nothing."""
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
    """What a Keyring takes; raises ValueError."""
    return tuple(secret.value.encode() for secret in read_ring(text))


def _read_line(number: int, line: str) -> Secret:
    found = _DATED.fullmatch(line)
    with suppress(ValueError):
        if found:
            return Secret(found[2], date.fromisoformat(found[1]))
    raise ValueError(f'line {number} is not a day and a secret, as "2026-11-22 <secret>"')


def write_ring(ring: Iterable[Secret], today: date) -> str:
    """A secret without a day is given this one."""
    return "\n".join(f"{secret.made or today} {secret.value}" for secret in ring)


def with_new(ring: Sequence[Secret], mint: Callable[[], str], today: date) -> tuple[Secret, ...]:
    """The ring with a new secret before the others, whose id none of them has."""
    taken = {secret.id for secret in ring}
    new = next(secret for secret in iter(lambda: Secret(mint(), today), None) if secret.id not in taken)
    return (new, *(replace(secret, made=secret.made or today) for secret in ring))


def still_needed(ring: Sequence[Secret], today: date) -> tuple[Secret, ...]:
    """The ring without what was replaced too long ago for a thread to need it."""
    oldest = today - timedelta(days=KEPT_DAYS)
    replaced = (None, *(secret.made for secret in ring))
    return tuple(secret for secret, day in zip(ring, replaced, strict=False) if day is None or day >= oldest)


def told(ring: Sequence[Secret]) -> str:
    """A line for each secret, which it does not hold."""
    lines = [f"{secret.id}  {secret.made or 'day unknown'}  " for secret in ring]
    uses = ["seals", *(f"opens what it sealed, until {_end(newer)}" for newer in ring)]
    return "\n".join(line + use for line, use in zip(lines, uses, strict=False))


def _end(newer: Secret) -> str:
    return str(newer.made + timedelta(days=KEPT_DAYS)) if newer.made else "a day unknown"


def today() -> date:
    """By UTC."""
    return datetime.now(UTC).date()


def id_of(secret: bytes) -> bytes:
    """What names a secret in all that it signs or seals."""
    return sha256(b"turnkeep id " + secret).digest()[:ID_BYTES]
