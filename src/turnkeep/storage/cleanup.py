"""The hourly sweep: walks the expiry index from its watermark to now and deletes what is expired. Never scans.

A thread found alive moves to the hour in which it will expire next; one that is claimed stays in the index until its
last item is gone, so a sweep that is killed is finished by the next.
"""

from collections.abc import Callable
from dataclasses import dataclass

from turnkeep.storage.head import Head, read_head
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import BY_EXPIRY, HEAD, ITEM_DAYS, SHARDS, WATERMARK, expiry_bucket, hour, next_hour
from turnkeep.storage.threads import Threads

DAY_MS = 86_400_000
_EXPIRED = "expires <= :now AND (attribute_not_exists(#lease) OR #lease.#t <= :now)"


@dataclass
class Swept:
    """What one sweep did; `finished` is False where time ran out before the work."""

    threads: int = 0
    items: int = 0
    moved: int = 0
    finished: bool = True


class Cleanup:
    """`clock` gives epoch seconds; `has_time` says whether another thread may be begun."""

    def __init__(self, items: Items, threads: Threads, *, clock: Callable[[], float]):
        self._items = items
        self._threads = threads
        self._clock = clock

    def sweep(self, has_time: Callable[[], bool] = lambda: True) -> Swept:
        """Deletes all expired threads, or as many as there is time for; raises StoreUnavailable."""
        swept = Swept()
        now = int(self._clock() * 1000)
        name = self._watermark(now)
        while name <= hour(now) and swept.finished:
            visited = self._sweep_hour(name, now, swept, has_time)
            if visited or name == hour(now):
                self.begin_at(name)
            name = next_hour(name)
        return swept

    def begin_at(self, name: str) -> None:
        """The next sweep begins with this hour: it ended here, or the table is new and nothing lies before."""
        self._items.put({**WATERMARK, "hour": name})

    def _sweep_hour(self, name: str, now: int, swept: Swept, has_time: Callable[[], bool]) -> int:
        visited = 0
        for shard in range(SHARDS):
            for entry in self._items.index(BY_EXPIRY, "xh", f"{name}#{shard:02d}"):
                if not has_time():
                    swept.finished = False
                    return visited
                self._visit(entry["PK"], f"{name}#{shard:02d}", now, swept)
                visited += 1
        return visited

    def _visit(self, pk: str, bucket: str, now: int, swept: Swept) -> None:
        try:
            _, deleted = self._threads.erase(pk, condition=_EXPIRED)
        except Refused as refused:
            if refused.item:
                self._move(read_head(refused.item), bucket, now, swept)
            return
        swept.items += deleted
        swept.threads += 1

    def _move(self, head: Head, bucket: str, now: int, swept: Swept) -> None:
        """To the hour in which it expires next; COMMIT leaves the index alone, which saves two writes a turn."""
        due = expiry_bucket(max(head.expires, now), head.pk)
        if due == bucket:
            return
        try:
            self._items.update(
                head.pk, HEAD, "SET xh = :due", {":due": due, ":bucket": bucket}, condition="xh = :bucket"
            )
        except Refused:  # another sweep has moved it, or the thread is gone
            return
        swept.moved += 1

    def _watermark(self, now: int) -> str:
        """The hour in which the last sweep ended; its end was still to come. Without one, all that may still lie."""
        item = self._items.get(WATERMARK["PK"], WATERMARK["SK"])
        return str(item["hour"]) if item else hour(now - ITEM_DAYS * DAY_MS)
