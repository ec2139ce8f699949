"""`Items` over the table in memory that the simulation uses; test_memory_table.py compares it with DynamoDB Local."""

import time
from collections import Counter
from typing import Any

from memory_bucket import MemoryBucket
from memory_table import Table
from turnkeep.store.attributes import Item, decode
from turnkeep.store.blobs import S3Objects
from turnkeep.store.items import Items

PAGE = 3
"""Pages are short, so that readers that lose their place are found."""


class MemoryItems(Items):
    """The items of one table, by default a new one. Counts the calls by their operation."""

    def __init__(self, table: Any = None) -> None:
        self.table = table or Table(time.time, page=PAGE)
        self.calls: Counter[str] = Counter()
        super().__init__(self.table, "table")

    def _call(self, operation: str, **arguments: Any) -> Item:
        self.calls[operation] += 1
        return super()._call(operation, **arguments)

    @property
    def stored(self) -> dict[tuple[str, str], Item]:
        """All items, as they were put."""
        return {(pk, sk): decode(item) for pk, part in self.table.parts.items() for sk, item in part.items()}


class MemoryObjects(S3Objects):
    """Large values in a bucket in memory."""

    def __init__(self) -> None:
        bucket: Any = MemoryBucket()
        super().__init__(bucket, "bucket")
        self.stored: dict[str, bytes] = bucket.objects
