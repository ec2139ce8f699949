"""The hourly sweep: walks the expiry index from its watermark to now and deletes what is expired. Never scans.

A thread found alive moves to the hour in which it will expire next; one that is claimed stays in the index until its
last item is gone, so a sweep that is killed is finished by the next.
"""

from collections.abc import Callable
from dataclasses import dataclass

from turnkeep.observability import logger, measure
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.head import Head, read_head
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import (
    BY_EXPIRY,
    HEAD,
    ITEM_DAYS,
    SHARDS,
    WATERMARK,
    begin_of,
    expiry_bucket,
    hour,
    next_hour,
)

DAY_MS = 86_400_000
_EXPIRED = "expires <= :now AND (attribute_not_exists(#lease) OR #lease.#t <= :now)"


@dataclass
class Swept:
    """What one sweep did; `finished` is False where time ran out before the work. `oldest_ms` is how long the oldest
    expired thread had been waiting for it; of what is left, only the hour in which the sweep stopped is known."""

    threads: int = 0
    items: int = 0
    moved: int = 0
    finished: bool = True
    oldest_ms: int = 0

    def met(self, waited_ms: int) -> None:
        self.oldest_ms = max(self.oldest_ms, waited_ms)


class Cleanup:
    """`clock` gives epoch seconds."""

    def __init__(self, items: Items, eraser: Eraser, *, clock: Callable[[], float]):
        self._items = items
        self._eraser = eraser
        self._clock = clock

    def sweep(self, has_time: Callable[[], bool] = lambda: True) -> Swept:
        """Deletes all expired threads, or as many as there is time for; raises StoreUnavailable.

        `has_time` says whether another thread, or another hour, may be begun.
        """
        swept = Swept()
        now = int(self._clock() * 1000)
        name = self._first_hour(now)
        while name <= hour(now) and swept.finished:
            visited = self._sweep_hour(name, now, swept, has_time)
            if name < hour(now) and not has_time():
                swept.finished = False
            if visited or not swept.finished or name == hour(now):
                self.begin_at(name)
            if not swept.finished:
                swept.met(now - begin_of(name))
            name = next_hour(name)
        _tell(swept)
        return swept

    def begin_at(self, name: str) -> None:
        """The next sweep begins with this hour, because this one ended here."""
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
            claimed, deleted = self._eraser.erase(pk, condition=_EXPIRED)
        except Refused as refused:
            if refused.item:
                self._move(read_head(refused.item), bucket, now, swept)
            return
        swept.items += deleted
        swept.threads += 1
        swept.met(now - (claimed.gone or now))

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

    def _first_hour(self, now: int) -> str:
        """The hour in which the last sweep ended, because its end was still to come. Without one, the table's first
        hour, or the first of which anything may still lie."""
        item = self._items.get(WATERMARK["PK"], WATERMARK["SK"])
        return str(item["hour"]) if item else hour(max(self._items.created(), now - ITEM_DAYS * DAY_MS))


def _tell(swept: Swept) -> None:
    measure({"CleanupDeleted": swept.threads, "OldestExpiredAge": swept.oldest_ms / 1000})
    logger.info("cleanup ended", threads=swept.threads, items=swept.items, moved=swept.moved, finished=swept.finished)
