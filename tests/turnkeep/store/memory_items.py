"""`Items` over the table in memory that the simulation uses; test_memory_table.py compares it with DynamoDB Local."""

import time
from collections.abc import Iterator
from typing import Any

from memory_table import Table
from turnkeep.store.attributes import Item, decode
from turnkeep.store.items import Items

PAGE = 3
"""Pages are short, so that readers that lose their place are found."""


class MemoryItems(Items):
    """The items of one table, by default a new one."""

    def __init__(self, table: Any = None) -> None:
        self.table = table or Table(time.time, page=PAGE)
        super().__init__(self.table, "table")

    @property
    def stored(self) -> dict[tuple[str, str], Item]:
        """All items, as they were put."""
        return {(pk, sk): decode(item) for pk, part in self.table.parts.items() for sk, item in part.items()}


class MemoryObjects:
    """Large values in a dict."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def put(self, key: str, body: bytes) -> None:
        self.stored[key] = body

    def get(self, key: str) -> bytes:
        return self.stored[key]

    def names(self, prefix: str) -> Iterator[str]:
        return iter([key for key in self.stored if key.startswith(prefix)])

    def delete(self, keys: list[str]) -> None:
        for key in keys:
            self.stored.pop(key, None)
