"""A circuit breaker for one model in one process: a server that is down or overloaded is left alone for a while, and
a caller learns so at once instead of after a row of time-outs."""

import time
from collections.abc import Callable
from threading import Lock

from turnkeep.errors import ModelBusy

FAULTS = 5
SECONDS = 30.0


class Breaker:
    """Opens after FAULTS faults in a row within SECONDS; after SECONDS more it lets one call through to try.

    `clock` gives monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._lock = Lock()
        self._faults: list[float] = []
        self._open_until = 0.0

    def admit(self) -> None:
        """Raises ModelBusy while the breaker is open."""
        with self._lock:
            now = self._clock()
            if now < self._open_until:
                raise ModelBusy(retry_after=max(1, round(self._open_until - now)))
            if len(self._faults) >= FAULTS:
                self._open_until = now + SECONDS  # for everybody but the one who is let through now

    def succeeded(self) -> None:
        with self._lock:
            self._faults.clear()
            self._open_until = 0.0

    def failed(self) -> None:
        with self._lock:
            now = self._clock()
            self._faults = [*(at for at in self._faults if at > now - SECONDS), now][-FAULTS:]
            if len(self._faults) >= FAULTS:
                self._open_until = now + SECONDS
