"""Answers that were given before, in this process and until midnight: an instance that is warm answers the same
question without a model. It holds nothing that rests on a document or on personal data, so that no answer can reach
anybody who should not see it; all that an answer depends on is in its key, so that nothing has to be thrown away."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from turnkeep.records import JSON


class AnswerCache:
    """The newest `size` answers; none where it is 0. Safe in threads."""

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
        """Nothing under the empty key."""
        if not key or not self._size:
            return
        with self._lock:
            self._answers[key] = answer
            self._answers.move_to_end(key)
            while len(self._answers) > self._size:
                self._answers.popitem(last=False)


def key_of(parts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
