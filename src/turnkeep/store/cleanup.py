"""The hourly sweep: walks the expiry index from its watermark to now and deletes expired threads. Never scans. A living
thread moves to the hour of its next expiry. A claimed one stays indexed until its last item is gone, so the next sweep
finishes an interrupted one. A failure does not stop other threads; the next sweep begins at its hour."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import zip_longest

from botocore.exceptions import ClientError

from turnkeep.errors import StateCorrupt, StoreUnavailable
from turnkeep.observability import logger, measure, place
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.erasure import Eraser
from turnkeep.store.head import read_head
from turnkeep.store.items import Refused
from turnkeep.store.users import UserEraser

_EXPIRED = (
    "(attribute_not_exists(v) OR v <= :layout) AND expires <= :now"
    " AND (attribute_not_exists(#lease) OR #lease.#t <= :now)"
)
_NOT_OURS = (StateCorrupt, LookupError, TypeError, ValueError, AttributeError)  # from foreign items


@dataclass
class SweepResult:
    """Result of one sweep. `finished` is False if time ran out. `oldest_ms` is the longest wait of an expired thread;
    of those left, only the hour in which the sweep stopped is known. `failed`: expired, but a store refused the
    deletion. `unreadable`: a HEAD with no readable expiry, or of a newer version. An expired one is deleted unread."""

    threads: int = 0
    items: int = 0
    moved: int = 0
    unreadable: int = 0
    failed: int = 0
    finished: bool = True
    oldest_ms: int = 0

    def add(self, other: "SweepResult") -> None:
        for name in ("threads", "items", "moved", "unreadable", "failed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.finished = self.finished and other.finished
        self.oldest_ms = max(self.oldest_ms, other.oldest_ms)


class Cleanup:
    """Deletes expired threads, `at_once` in parallel. Run one sweep at a time."""

    def __init__(self, eraser: Eraser, *, at_once: int = 1):
        self._items = eraser.items
        self._eraser = eraser
        self._at_once = at_once
        self._user_eraser = UserEraser(eraser)
        self._failed: set[str] = set()

    def sweep(self, has_time: Callable[[], bool] = lambda: True) -> SweepResult:
        """Delete expired threads while `has_time` allows another thread or hour. Raises StoreUnavailable."""
        self._failed.clear()
        swept = self._walk(self._eraser.now(), has_time)
        counts = asdict(swept)
        waited = counts.pop("oldest_ms") / 1000
        measure({"CleanupDeleted": swept.threads, "CleanupUnreadable": swept.unreadable, "OldestExpiredAge": waited})
        logger.info("cleanup ended", **counts)
        return swept

    def begin_at(self, name: str) -> None:
        """Begin the next sweep with this hour, where this one ended or left something."""
        self._items.put({**keys.WATERMARK, "hour": name})

    def _walk(self, now: int, has_time: Callable[[], bool]) -> SweepResult:
        swept, kept = SweepResult(), ""
        watermark = self._items.get(keys.WATERMARK["PK"], keys.WATERMARK["SK"])
        last, oldest_ms = keys.hour(now), now - keys.ITEM_DAYS * 86_400_000
        name = str(watermark["hour"]) if watermark else keys.hour(max(self._items.created(), oldest_ms))
        while name <= last and swept.finished:
            done = self._sweep_hour(name, now, has_time)
            if (done.unreadable or done.failed) and name >= keys.hour(oldest_ms):
                kept = kept or name
            if name < last and not has_time():
                done.finished = False
            if not done.finished:
                done.oldest_ms = max(done.oldest_ms, now - keys.begin_of(name))
            if done != SweepResult() or name == last:
                self.begin_at(kept or name)
            swept.add(done)
            name = keys.hour(keys.begin_of(name) + 3_600_000)
        return swept

    def _sweep_hour(self, name: str, now: int, has_time: Callable[[], bool]) -> SweepResult:
        swept = SweepResult()

        def visits() -> Iterator[Callable[[], SweepResult]]:
            for entry in self._entries(name):
                if not has_time():
                    swept.finished = False
                    return
                yield partial(self._visit, *entry, now, has_time)

        for done in self._eraser.in_parallel(visits(), self._at_once):
            swept.add(done)
        return swept

    def _entries(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Yield keys of an hour with their bucket, shards in turn, except those that failed in this sweep."""
        buckets = [f"{name}#{shard:02d}" for shard in range(keys.SHARDS)]
        for row in zip_longest(*(self._items.index(keys.BY_EXPIRY, bucket) for bucket in buckets)):
            for entry, bucket in zip(row, buckets, strict=True):
                if entry and entry["PK"] not in self._failed:
                    yield entry["PK"], entry["SK"], bucket

    def _visit(self, pk: str, sk: str, bucket: str, now: int, has_time: Callable[[], bool]) -> SweepResult:
        """Return the outcome for one thread, whatever is wrong with it. Raises StoreUnavailable."""
        try:
            if sk != keys.ERASURE:
                return self._delete_or_move(pk, bucket, now)
            erased = self._user_eraser.finish(pk, has_time)
            return SweepResult(threads=erased.threads, items=erased.items, finished=erased.complete)
        except _NOT_OURS as error:
            return _passed_over(error, bucket)
        except (ClientError, StoreUnavailable) as error:
            if isinstance(error, ClientError) and error.response["Error"]["Code"] == "ValidationException":
                return _passed_over(error, bucket)  # an attribute has another type than ours
            return self._left(pk, now, error, bucket)

    def _delete_or_move(self, pk: str, bucket: str, now: int) -> SweepResult:
        try:
            claimed, deleted = self._eraser.erase(pk, condition=_EXPIRED, values={":layout": keys.LAYOUT})
        except Refused as refused:
            return self._move(refused.item, bucket, now) if refused.item else SweepResult()
        return SweepResult(threads=1, items=deleted.items, oldest_ms=_age(claimed, now))

    def _move(self, item: Item, bucket: str, now: int) -> SweepResult:
        """Move a thread to the hour of its next expiry. COMMIT skips the index, which saves two writes a turn."""
        head = read_head(item)
        if not head.is_alive(now) and not head.is_leased(now):
            raise StateCorrupt  # its readable fields do not explain the refusal
        due = keys.expiry_bucket(max(head.expires, now), head.pk)
        if due == bucket:
            return SweepResult()
        values = {":due": due, ":bucket": bucket}
        with suppress(Refused):  # another sweep has moved it, or the thread is gone
            self._items.update(head.pk, keys.HEAD, "SET xh = :due", values, condition="xh = :bucket")
            return SweepResult(moved=1)
        return SweepResult()

    def _left(self, pk: str, now: int, error: Exception, bucket: str) -> SweepResult:
        """Count a thread that a store did not delete; its claim stays. A HEAD that cannot be read ends the sweep."""
        head = self._items.get(pk, keys.HEAD)
        self._failed.add(pk)
        logger.warning(
            "thread left for the next cleanup", bucket=bucket, error=type(error).__name__, place=place(error)
        )
        return SweepResult(failed=1, oldest_ms=_age(head or {}, now))


def _age(head: Item, now: int) -> int:
    expired = head.get("gone") or head.get("expires")
    return max(0, now - expired) if isinstance(expired, int) else 0


def _passed_over(error: Exception, bucket: str) -> SweepResult:
    logger.error("thread passed over, unreadable", bucket=bucket, error=type(error).__name__, place=place(error))
    return SweepResult(unreadable=1)
