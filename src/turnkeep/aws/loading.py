"""Loading a function's code and clients. Import it first; it loads nothing itself."""

import functools
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def loading() -> Iterator[None]:
    """Pause garbage collection during imports, a quarter of a start, and exempt what they built from it for good."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class LateClient:
    """A boto3 client, made on first use because that is slow, and by one thread because boto3 requires it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._made = functools.cache(make)
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            return getattr(self._made(), name)
