"""Items that a saver stores next to the checkpoints of a thread. A sub-graph's checkpoint counts if the thread's newest
checkpoint names it or was the newest when it was written. That of a refused writer does not count.

    CP#<id>#<writer>#W#<task>#<slot>      writes of a task in an unfinished step; LOAD's Query reads them too
    ASIDE#NS#<namespace>#<id>#<writer>    a checkpoint of a sub-graph; its writes follow it in the same way"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from turnkeep.records import JSON
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, is_of_life
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused


@dataclass(frozen=True)
class TaskWrite:
    """One write of a task, serialised by LangGraph as `kind` and `data`. `index` is negative for special channels."""

    task_id: str
    path: str
    index: int
    channel: str
    kind: str
    data: bytes


@dataclass(frozen=True)
class Space:
    """A checkpoint of a sub-graph; `content` has its `state` in the format of Run."""

    namespace: str
    checkpoint_id: str
    content: JSON
    writes: tuple[TaskWrite, ...] = ()


class TaskWrites:
    def __init__(self, heads: Heads):
        self._heads = heads

    def writes_in(self, found: Iterable[Item]) -> tuple[TaskWrite, ...]:
        """Return the writes in the order in which LangGraph applies them; other items are skipped."""
        writes = (write for item in found if keys.is_write(item["SK"]) for write in self._writes(item))
        return tuple(sorted(writes, key=attrgetter("path", "task_id", "index")))

    def _writes(self, item: Item) -> list[TaskWrite]:
        return [TaskWrite(*parts) for parts in self._heads.unpacked(item)]

    def put_writes(self, pk: str, sk: str, writes: Sequence[TaskWrite], spaces: Sequence[str]) -> None:
        """Store a task's writes: the newest in special channels, else the first of each index. `spaces`: namespaces."""
        regular = [each for each in writes if each.index >= 0]
        for special in (each for each in writes if each.index < 0):
            place = keys.write_key(sk, special.task_id, str(-special.index))
            self._heads.items.put(self._item(pk, place, [special], spaces))
        if not regular:
            return
        place = keys.write_key(sk, regular[0].task_id, "regular")
        try:
            self._heads.items.put(self._item(pk, place, regular, spaces), condition="attribute_not_exists(PK)")
        except Refused as refused:
            kept = self._writes(refused.item) if refused.item else []
            if more := [each for each in regular if each.index not in {old.index for old in kept}]:
                self._heads.items.put(self._item(pk, place, [*kept, *more], spaces))

    def _item(self, pk: str, sk: str, writes: Sequence[TaskWrite], spaces: Sequence[str]) -> Item:
        plain = [[each.task_id, each.path, each.index, each.channel, each.kind, each.data] for each in writes]
        named = {"ns": list(spaces)} if spaces else {}
        return keys.new_item(pk, sk, keys.item_ttl(self._heads.now()), **self._heads.packed(plain, pk, sk), **named)

    def put_space(self, head: Head, sk: str, space: Space, root: str | None) -> None:
        """Store a sub-graph's checkpoint. `root`: id of the thread's checkpoint in whose step it was made."""
        item = keys.new_item(head.pk, sk, keys.item_ttl(head.created), born=head.incarnation, name=space.namespace)
        item |= self._heads.packed(space.content, head.pk, sk)
        self._heads.items.put(item | ({"root": root} if root else {}))

    def newest(self, head: Head, namespace: str, root: str | None, named: str | None) -> Space | None:
        """Return a namespace's newest checkpoint that counts: written under `root`, the thread's newest, or `named`."""
        low, high = keys.space_key(namespace, ""), keys.space_key(namespace, "~")
        for space, item in self._spaces(head, self._heads.items.backward(head.pk, low, high, 20)):
            if item.get("root") in (None, root) or space.checkpoint_id == named:
                return space
        return None

    def one(self, head: Head, namespace: str, checkpoint_id: str) -> Space | None:
        sk = keys.space_key(namespace, checkpoint_id)
        found = self._heads.items.between(head.pk, sk, f"{sk}#~")
        return next((space for space, _ in self._spaces(head, reversed(found))), None)

    def every(self, head: Head, namespace: str | None) -> Iterator[Space]:
        """Yield the checkpoints of a namespace, or of all; newest first within one."""
        found = list(self._heads.items.below(head.pk, keys.space_key(namespace, "") if namespace else keys.SPACES))
        return (space for space, _ in self._spaces(head, reversed(found)))

    def _spaces(self, head: Head, newest_first: Iterable[Item]) -> Iterator[tuple[Space, Item]]:
        for sk, group in groupby(newest_first, key=lambda each: keys.checkpoint_of(each["SK"])):
            *writes, item = group
            if item["SK"] == sk and is_of_life(item, head):
                checkpoint_id = keys.without_writer(sk).rpartition("#")[2]
                yield Space(item["name"], checkpoint_id, self._heads.unpacked(item), self.writes_in(writes)), item
