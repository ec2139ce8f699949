"""How a thread is deleted: claimed first, so that nobody sees it and no late writer gets in, then item by item.

Nothing here is read but keys: a HEAD that no version understands is deleted like any other.
"""

from collections.abc import Callable

from turnkeep.storage.blobs import Blobs
from turnkeep.storage.items import Item, Items, Refused
from turnkeep.storage.keys import HEAD, expiry_bucket

_CLAIM = (
    "SET seq = if_not_exists(seq, :zero) + :one, born = if_not_exists(born, :none),"
    " gone = if_not_exists(gone, expires), expires = :zero, xh = :bucket"
)
_CONTENT = "#lease, #pend, #meta, #title, #agent, #keys, #last, cp, st, sig, u, la"
_STANDS = "seq = :seq AND born = :born"


class Eraser:
    """Deletes whole threads without reading what they say. `clock` gives epoch seconds."""

    def __init__(self, items: Items, blobs: Blobs, *, clock: Callable[[], float]):
        self._items = items
        self._blobs = blobs
        self._clock = clock

    def erase(self, pk: str, *, condition: str, values: Item | None = None, due: int | None = None) -> tuple[Item, int]:
        """Claims the thread where `condition` (over :now and `values`) holds, then deletes it; gives the HEAD that was
        claimed and how many items were deleted. Raises Refused, StoreUnavailable.

        The claim makes the thread invisible, fences late writers and leaves nothing of its content in HEAD, which stays
        in the expiry index, so that a claim whose owner died is finished by the next cleanup. With `due` (epoch ms)
        HEAD stays until then, for cleanup to look once more.
        """
        now = self._now()
        stays, goes = (", due = :due", "") if due else ("", ", due")
        claimed = self._items.update(
            pk,
            HEAD,
            f"{_CLAIM}{stays} REMOVE {_CONTENT}{goes}",
            {":one": 1, ":zero": 0, ":none": b"", ":now": now, ":bucket": expiry_bucket(due or now, pk)}
            | ({":due": due} if due else {})
            | (values or {}),
            condition=condition,
        )
        return claimed, self.finish(claimed)

    def finish(self, claimed: Item) -> int:
        """Deletes what is left of a claimed thread; gives how many items. Raises StoreUnavailable.

        What is listed while the claim stands is old, whoever makes the thread anew later.
        """
        pk, deleted = claimed["PK"], 0
        for names in self._blobs.names(pk):
            if not self._stands(claimed):
                return deleted
            self._blobs.delete(names)
        for page in self._items.pages_of(pk, "SK"):
            rest = [(pk, item["SK"]) for item in page if item["SK"] != HEAD]
            if not self._stands(claimed):
                return deleted
            self._items.write_many(deletes=rest)
            deleted += len(rest)
        return deleted + (0 if "due" in claimed else self._delete_head(claimed))

    def _stands(self, claimed: Item) -> bool:
        head = self._items.get(claimed["PK"], HEAD)
        return head is not None and (head["seq"], head["born"]) == (claimed["seq"], claimed["born"])

    def _delete_head(self, claimed: Item) -> int:
        values = {":seq": claimed["seq"], ":born": claimed["born"]}
        try:
            self._items.delete(claimed["PK"], HEAD, condition=_STANDS, values=values)
        except Refused:
            return 0
        return 1

    def _now(self) -> int:
        return int(self._clock() * 1000)
