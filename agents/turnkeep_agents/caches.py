"""Values that this process keeps. Keys and values must not let anyone read what another user wrote."""

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Newest(Generic[V]):
    """The `size` values that were used last. Thread-safe."""

    def __init__(self, size: int):
        self._size = size
        self._values: OrderedDict[str, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> V | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: str, value: V) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._size:
                self._values.popitem(last=False)
