"""Starts from a snapshot: what is loaded before it is taken, and what must not outlive it."""

import random
from collections.abc import Callable, Iterable
from typing import Any

from snapshot_restore_py import register_after_restore, register_before_snapshot


def prepare(*, warm: Callable[[], None], clients: Iterable[Any], renew: Callable[[], None]) -> None:
    """Puts what `warm` loads into the snapshot. Afterwards the connections of `clients` are gone, every sandbox would
    otherwise draw the same random numbers, and `renew` reads the seal key, which may have been replaced since."""
    register_before_snapshot(warm)
    for client in clients:
        register_after_restore(client.close)
    register_after_restore(random.seed)
    register_after_restore(renew)
