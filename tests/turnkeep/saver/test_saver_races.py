"""A run of a saver that is pruned. The `saver` family of tests/simulation draws all other meetings on one thread."""

import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from memory_items import MemoryItems
from saver_graphs import KEY, on, remembering

from turnkeep import DynamoDBSaver
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items
from turnkeep.store.saver_commits import Steps
from turnkeep.store.store import Store

REQUESTS = ("get", "put", "update", "delete", "between", "backward", "below", "write_many", "pages_of")


class MeetingItems(MemoryItems):
    """Calls `other` before request number `at`."""

    def __init__(self, table: Any, at: int, other: Callable[[], None]):
        super().__init__(table)
        self.left, self.other = at, other

    def __getattribute__(self, name: str) -> Any:
        if name in REQUESTS:
            self.left -= 1
            if self.left == 0:
                self.other()
        return super().__getattribute__(name)


def saver_over(items: Items) -> DynamoDBSaver:
    saver = DynamoDBSaver(client=object(), seal_key=KEY)  # type: ignore[arg-type]
    codec = Codec(KEY.encode())
    saver._store = Store(items, Blobs(None, items), codec, clock=time.time, random_bytes=secrets.token_bytes)
    saver._steps = Steps(saver._store)
    return saver


@pytest.mark.parametrize("durability", ["sync", "exit"])
def test_a_sub_graph_keeps_its_memory_when_the_thread_is_pruned(durability: Any) -> None:
    items, known = MemoryItems(), remembering(InMemorySaver())
    for at in range(1, 9):
        meeting = MeetingItems(items.table, at, partial(saver_over(items).prune, ["t"]))
        for graph in (remembering(saver_over(meeting)), known):
            graph.invoke({"last": str(at)}, on("t"), durability=durability)
        assert remembering(saver_over(items)).get_state(on("t")).values == known.get_state(on("t")).values
