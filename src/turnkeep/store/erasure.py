"""Deletes a thread: a claim hides it and fences late writers, then each item is deleted. Only keys are read, so any
version of HEAD works. The thread stays in its user's index to the end, so erasing the user finds an interrupted one."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from turnkeep.errors import StoreUnavailable
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs
from turnkeep.store.items import Items, Refused, batched
from turnkeep.store.keys import HEAD, document_of, expiry_bucket, objects_of, upload_key

_CLAIM = (
    "SET seq = if_not_exists(seq, :zero) + :one, born = if_not_exists(born, :none),"
    " gone = if_not_exists(gone, expires), expires = :zero, xh = :bucket"
)
_CONTENT = "#lease, #pend, #meta, #title, #agent, #keys, #left, #last, cp, st, q, sig"
_SAME = "seq = :seq AND born = :born"
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
class Deleted:
    """Numbers of deleted threads, items and objects."""

    threads: int = 0
    items: int = 0
    objects: int = 0

    def add(self, other: "Deleted") -> None:
        for name in ("threads", "items", "objects"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Eraser:
    """Deletes whole threads without reading their content. `clock` returns epoch seconds, `parallel` runs calls."""

    def __init__(self, items: Items, blobs: Blobs, *, clock: Callable[[], float], parallel: InParallel = side_by_side):
        self.items = items
        self.in_parallel = parallel
        self._blobs = blobs
        self._clock = clock

    def now(self) -> int:
        return int(self._clock() * 1000)

    def erase(
        self, pk: str, *, condition: str, values: Item | None = None, due: int | None = None
    ) -> tuple[Item, Deleted]:
        """Claim the thread if `condition` (over :now and `values`) holds, then delete it. Return the claimed HEAD and
        the count of deleted items. Raises Refused, StoreUnavailable.

        The claim empties HEAD, hides the thread and fences late writers. HEAD stays in the expiry index, so cleanup
        finishes an interrupted claim. With `due` (epoch ms) it stays until then for another sweep."""
        now = self.now()
        set_due, remove_due = (", due = :due", "") if due else ("", ", due")
        claimed = self.items.update(
            pk,
            HEAD,
            f"{_CLAIM}{set_due} REMOVE {_CONTENT}{remove_due}",
            {":one": 1, ":zero": 0, ":none": b"", ":bucket": expiry_bucket(due or now, pk)}
            | ({":due": due} if due else {})
            | ({":now": now} if ":now" in condition else {})
            | (values or {}),
            condition=condition,
        )
        return claimed, self.finish(claimed)

    def finish(self, claimed: Item) -> Deleted:
        """Delete the rest of a claimed thread, but nothing that a new one writes later. Raises StoreUnavailable."""
        pk, erased = claimed["PK"], Deleted(threads=1)
        for names in batched(self._blobs.names(objects_of(pk)), DELETED_AT_ONCE):
            if not self._is_current(claimed):
                return erased
            self._blobs.delete(list(names))
            erased.objects += len(names)
        for page in self.items.pages_of(pk, "SK"):
            rest = [item["SK"] for item in page if item["SK"] != HEAD]
            if not self._is_current(claimed):
                return erased
            if uploads := [upload_key(pk, name) for name in map(document_of, rest) if name]:
                self._blobs.delete(uploads)  # first: an item is the only reference to its file
            self.items.write_many(deletes=[(pk, sk) for sk in rest])
            erased.items += len(rest)
        values = {":seq": claimed["seq"], ":born": claimed["born"]}
        if "due" not in claimed:
            with suppress(Refused):
                self.items.delete(pk, HEAD, condition=_SAME, values=values)
                erased.items += 1
        elif "u" in claimed:
            with suppress(Refused, StoreUnavailable):  # it stays in the user's index, which loses nothing
                self.items.update(pk, HEAD, "REMOVE u, la", values, condition=_SAME)
        return erased

    def delete_objects(self, prefix: str, is_wanted: Callable[[str], bool]) -> int:
        """Delete matching objects under `prefix` until none is listed. Return their number."""
        deleted = 0
        while old := [name for name in self._blobs.names(prefix) if is_wanted(name.removeprefix(prefix))]:
            self._blobs.delete(old[:DELETED_AT_ONCE])
            deleted += len(old[:DELETED_AT_ONCE])
        return deleted

    def _is_current(self, claimed: Item) -> bool:
        head = self.items.get(claimed["PK"], HEAD)
        return head is not None and (head["seq"], head["born"]) == (claimed["seq"], claimed["born"])
