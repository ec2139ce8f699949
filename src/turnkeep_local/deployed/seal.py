"""What `turnkeep seal` does to the seal key of a deployment: shows it without its secrets, rotates it, and forgets one
that is lost."""

import secrets
import time
from collections.abc import Callable
from datetime import date

from turnkeep.aws.sealkey import mint_key, seal_key
from turnkeep.ring import Secret, read_ring, still_needed, today, told, with_new, write_ring
from turnkeep.storage.apikeys import ApiKeys
from turnkeep.storage.items import Refused
from turnkeep.storage.keyring import Keyring
from turnkeep.storage.memories import reseal
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.sealmark import Marked, SealMark
from turnkeep_local import LocalError
from turnkeep_local.deployed.account import Deployment

UNDER_WAY_SECONDS = 60
"""For so long a rotation that has not ended may still be going on."""
_UNDER_WAY = "Another rotation of this key is under way, or was broken off just now. Try again in a minute."


class SealDesk:
    """`clock` gives epoch seconds, `day` the day by UTC."""

    def __init__(
        self,
        deployment: Deployment,
        *,
        clock: Callable[[], float] = time.time,
        day: Callable[[], date] = today,
        mint: Callable[[], str] = mint_key,
    ) -> None:
        self._items = deployment.items
        self._parameter, self._mark = deployment.seal_parameter(), SealMark(deployment.items, clock=clock)
        self._clock, self._day, self._mint = clock, day, mint

    def show(self) -> str:
        return told(self._ring())

    def rotate(self, *, drop_older: bool = False) -> str:
        """A new secret first in the ring; every API key is signed under it, and what no thread needs is dropped last,
        after what is remembered was sealed anew: at no moment is there anything that counts and does not open.
        `drop_older` drops all that was there, and with it every thread and memory, because somebody has seen it."""
        old, marked = self._ring(), self._mark.read()
        self._check_alone(old, marked)
        ring = with_new(old, self._mint, self._day())
        self._store(ring, marked)
        signed, anew = self._sign_api_keys(ring), 0
        kept = ring[:1] if drop_older else still_needed(ring, self._day())
        if len(kept) < len(ring):
            anew = 0 if drop_older else reseal(self._items, Sealer(*(each.value.encode() for each in ring)))
            self._store(kept, self._mark.read())
        dropped = ", ".join(secret.id for secret in ring if secret not in kept) or "none"
        memories = f", memories: {anew}" if anew else ""
        return f"{told(kept)}\nDropped: {dropped}. API keys signed anew: {signed}{memories}."

    def forget(self) -> str:
        if self._parameter.read():
            raise LocalError(f"The seal key {self._parameter.name} is there, so nothing is to be forgotten.")
        marked = self._mark.read()
        if not marked.ids:
            raise LocalError("No seal key was made yet, so there is none to forget.")
        self._mark.forget(marked)
        lost = ", ".join(marked.ids)
        gone = "All threads, memories and API keys under it are unreadable for good"
        return f"Forgotten: {lost}. {gone}; the next function that starts makes a new one."

    def _ring(self) -> tuple[Secret, ...]:
        text = seal_key(self._parameter, self._mark, mint=self._mint)
        try:
            return read_ring(text)
        except ValueError as error:
            raise LocalError(f"The seal key {self._parameter.name} cannot be used: {error}.") from error

    def _check_alone(self, ring: tuple[Secret, ...], marked: Marked) -> None:
        """The mark is written before the parameter: while they differ, somebody is between the two."""
        is_between = marked.ids != tuple(secret.id for secret in ring)
        if is_between and self._clock() < marked.at / 1000 + UNDER_WAY_SECONDS:
            raise LocalError(_UNDER_WAY)

    def _store(self, ring: tuple[Secret, ...], since: Marked) -> None:
        try:
            self._mark.write(ring, since)
        except Refused as error:
            raise LocalError(_UNDER_WAY) from error
        self._parameter.replace(write_ring(ring, self._day()))

    def _sign_api_keys(self, ring: tuple[Secret, ...]) -> int:
        keyring = Keyring(*(secret.value.encode() for secret in ring))
        return ApiKeys(self._items, keyring, clock=self._clock, mint=secrets.token_bytes).sign_anew()
