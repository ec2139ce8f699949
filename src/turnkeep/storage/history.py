"""Where a thread has been: the steps that a run can go back to, of the branch that HEAD leads to and of those that were
left. The first link of a branch names the link that was the newest until then."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from turnkeep.errors import NotFound
from turnkeep.storage.attributes import Item
from turnkeep.storage.head import Head
from turnkeep.storage.items import Items
from turnkeep.storage.keys import generation_of, number_of, turn_ceiling, turn_floor
from turnkeep.storage.links import Chain
from turnkeep.storage.plans import Loaded
from turnkeep.storage.windows import Loader

PAGE_TURNS = 20


@dataclass(frozen=True)
class Step:
    """A turn or an edit, and what stood after it."""

    checkpoint_id: str
    loaded: Loaded


class History:
    def __init__(self, items: Items, chain: Chain, loader: Loader):
        self._items = items
        self._chain = chain
        self._loader = loader

    def steps(self, head: Head, window: int | None, limit: int, before: str | None) -> Iterator[Step]:
        """The newest `limit` steps older than the checkpoint `before`, newest first; those whose checkpoint is no
        longer kept are left out."""
        found: dict[str, Item] = {}
        seen: set[str] = set()
        for item in self._links(head, found):
            if limit and item["cp"] not in seen and (before is None or item["cp"] < before):
                seen.add(item["cp"])
                try:
                    loaded = self._loader.older(head, window, item["cp"], found)
                except NotFound:
                    continue
                limit -= 1
                yield Step(item["cp"], loaded)
            if not limit:
                return

    def left(self, head: Head) -> Iterator[Item]:
        """The links that HEAD does not lead to any more, the newest first."""
        found: dict[str, Item] = {}
        kept = {item["SK"] for item in self._chain.walk(head.pk, head.last, 0, found)}
        return (item for item in self._links(head, found) if item["SK"] not in kept)

    def _links(self, head: Head, found: dict[str, Item]) -> Iterator[Item]:
        """Every link that can be reached, the newest first: ids of checkpoints ascend with time."""
        seen: set[str] = set()
        waiting: list[tuple[tuple[int, ...], str]] = []

        def wait(sk: str | None) -> None:
            if sk and sk not in seen and (item := self._link(head.pk, sk, found)):
                seen.add(sk)
                heapq.heappush(waiting, (tuple(-ord(each) for each in item["cp"]), sk))

        wait(head.last)
        while waiting:
            item = found[heapq.heappop(waiting)[1]]
            yield item
            wait(item.get("prev"))
            wait(item.get("was"))

    def _link(self, pk: str, sk: str, found: dict[str, Item]) -> Item | None:
        """A branch that was left may have lost its links, when it was not HEAD that led there."""
        if sk not in found:
            low, newest = max(0, number_of(sk) - PAGE_TURNS), turn_floor(generation_of(sk), number_of(sk))
            items = self._items.between(pk, newest, turn_ceiling(generation_of(sk), low))
            found |= {each["SK"]: each for each in items}
        return found.get(sk)
