"""Caches answers in this process until midnight, so a warm instance answers a repeated question without a model. No
cached answer depends on a document or personal data, so none can reach a person who may not see it. The key contains
everything that an answer depends on, so no entry needs invalidation."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from turnkeep.records import JSON


class AnswerCache:
    """The newest `size` answers; none if it is 0. Thread-safe."""

    def __init__(self, size: int):
        self._size = size
        self._answers: OrderedDict[str, JSON] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> JSON | None:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def put(self, key: str, answer: JSON) -> None:
        """Store an answer; ignored for the empty key."""
        if not key or not self._size:
            return
        with self._lock:
            self._answers[key] = answer
            self._answers.move_to_end(key)
            while len(self._answers) > self._size:
                self._answers.popitem(last=False)


def key_of(parts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
