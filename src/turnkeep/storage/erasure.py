"""Deletes a thread: a claim hides it and fences late writers, then each item is deleted. Only keys are read, so any
version of HEAD works. The thread stays in its user's index to the end, so erasing the user finds an interrupted one."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from turnkeep.errors import StoreUnavailable
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.items import Items, Refused, batched
from turnkeep.storage.keys import HEAD, document_of, expiry_bucket, objects_of, upload_key

_CLAIM = (
    "SET seq = if_not_exists(seq, :zero) + :one, born = if_not_exists(born, :none),"
    " gone = if_not_exists(gone, expires), expires = :zero, xh = :bucket"
)
_CONTENT = "#lease, #pend, #meta, #title, #agent, #keys, #left, #last, cp, st, sig"
_STANDS = "seq = :seq AND born = :born"
DELETED_AT_ONCE = 1_000
InParallel: TypeAlias = Callable[[Iterable[Callable[[], Any]], int], Iterator[Any]]
T = TypeVar("T")


def side_by_side(calls: Iterable[Callable[[], T]], at_once: int) -> Iterator[T]:
    """Yield the results of the calls as they end. At most `at_once` run; the next is requested when one ends."""
    running: set[Future[T]] = set()
    with ThreadPoolExecutor(at_once) as pool:
        for call in calls:
            running.add(pool.submit(copy_context().run, call))
            if len(running) == at_once:
                over, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in over)
        yield from (each.result() for each in wait(running).done)


@dataclass
class Erased:
    threads: int = 0
    items: int = 0
    objects: int = 0

    def add(self, other: "Erased") -> None:
        self.threads += other.threads
        self.items += other.items
        self.objects += other.objects


class Eraser:
    """Deletes whole threads without reading their content. `clock` returns epoch seconds, `parallel` runs calls."""

    def __init__(self, items: Items, blobs: Blobs, *, clock: Callable[[], float], parallel: InParallel = side_by_side):
        self.in_parallel = parallel
        self._items = items
        self._blobs = blobs
        self._clock = clock

    def erase(
        self, pk: str, *, condition: str, values: Item | None = None, due: int | None = None
    ) -> tuple[Item, Erased]:
        """Claim the thread if `condition` (over :now and `values`) holds, then delete it. Return the claimed HEAD and
        the count of deleted items. Raises Refused, StoreUnavailable.

        The claim empties HEAD, hides the thread and fences late writers. HEAD stays in the expiry index, so cleanup
        finishes an interrupted claim. With `due` (epoch ms) it stays until then for another sweep."""
        now = self._now()
        stays, goes = (", due = :due", "") if due else ("", ", due")
        claimed = self._items.update(
            pk,
            HEAD,
            f"{_CLAIM}{stays} REMOVE {_CONTENT}{goes}",
            {":one": 1, ":zero": 0, ":none": b"", ":bucket": expiry_bucket(due or now, pk)}
            | ({":due": due} if due else {})
            | ({":now": now} if ":now" in condition else {})
            | (values or {}),
            condition=condition,
        )
        return claimed, self.finish(claimed)

    def finish(self, claimed: Item) -> Erased:
        """Delete the rest of a claimed thread, but nothing that a new one writes later. Raises StoreUnavailable."""
        pk, erased = claimed["PK"], Erased(threads=1)
        for names in batched(self._blobs.names(objects_of(pk)), DELETED_AT_ONCE):
            if not self._stands(claimed):
                return erased
            self._blobs.delete(list(names))
            erased.objects += len(names)
        for page in self._items.pages_of(pk, "SK"):
            rest = [item["SK"] for item in page if item["SK"] != HEAD]
            if not self._stands(claimed):
                return erased
            self._delete(pk, rest)
            erased.items += len(rest)
        erased.items += self._hide_head(claimed) if "due" in claimed else self._delete_head(claimed)
        return erased

    def _delete(self, pk: str, sks: list[str]) -> None:
        """Delete the file of a document before its item, which is the only reference to it."""
        if uploads := [upload_key(pk, name) for name in map(document_of, sks) if name]:
            self._blobs.delete(uploads)
        self._items.write_many(deletes=[(pk, sk) for sk in sks])

    def delete_objects(self, prefix: str, goes: Callable[[str], bool]) -> int:
        """Delete matching objects under `prefix` until none is listed. Return their number."""
        deleted = 0
        while old := [name for name in self._blobs.names(prefix) if goes(name.removeprefix(prefix))][:DELETED_AT_ONCE]:
            self._blobs.delete(old)
            deleted += len(old)
        return deleted

    def _stands(self, claimed: Item) -> bool:
        head = self._items.get(claimed["PK"], HEAD)
        return head is not None and (head["seq"], head["born"]) == (claimed["seq"], claimed["born"])

    def _hide_head(self, claimed: Item) -> int:
        """Remove a HEAD that stays for a while from its user's index; a failure loses nothing."""
        if "u" in claimed:
            values = {":seq": claimed["seq"], ":born": claimed["born"]}
            with suppress(Refused, StoreUnavailable):
                self._items.update(claimed["PK"], HEAD, "REMOVE u, la", values, condition=_STANDS)
        return 0

    def _delete_head(self, claimed: Item) -> int:
        values = {":seq": claimed["seq"], ":born": claimed["born"]}
        try:
            self._items.delete(claimed["PK"], HEAD, condition=_STANDS, values=values)
        except Refused:
            return 0
        return 1

    def _now(self) -> int:
        return int(self._clock() * 1000)
