"""boto3's clients as functions hold them. Loads nothing, so that every function can afford it."""

import functools
import threading
from collections.abc import Callable
from typing import Any


class LateClient:
    """A client of boto3 that is made when it is first used: most requests need no S3, and making one takes a while.
    Made once, whatever threads meet at it, since boto3 makes clients in one thread only."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._made = functools.cache(make)
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            client = self._made()
        return getattr(client, name)
