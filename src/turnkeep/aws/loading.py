"""How a function loads its code and holds its clients. Import it first; it loads nothing itself."""

import functools
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def loading() -> Iterator[None]:
    """For the imports of a function and what it builds from them: nothing of that is garbage, so it is neither looked
    through while it grows, which takes a quarter of a start, nor ever again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


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
