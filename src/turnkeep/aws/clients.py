"""boto3's clients as functions hold them. Loads nothing, so that every function can afford it."""

import functools
from collections.abc import Callable
from typing import Any


class LateClient:
    """A client of boto3 that is made when it is first used: most requests need no S3, and making one takes a while."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._made = functools.cache(make)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made(), name)
