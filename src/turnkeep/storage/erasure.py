"""How a thread is deleted: claimed first, so that nobody sees it and no late writer gets in, then item by item."""

from collections.abc import Callable

from turnkeep.storage.blobs import Blobs
from turnkeep.storage.head import Head, read_head
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import HEAD, expiry_bucket


class Eraser:
    """Deletes whole threads without reading what they say. `clock` gives epoch seconds."""

    def __init__(self, items: Items, blobs: Blobs, *, clock: Callable[[], float]):
        self._items = items
        self._blobs = blobs
        self._clock = clock

    def erase(self, pk: str, *, condition: str, due: int | None = None) -> tuple[Head, int]:
        """Claims the thread where `condition` (over :now) holds, then deletes it; gives it and the items deleted.

        The claim makes the thread invisible and fences late writers; it stays in the expiry index, so that a claim
        whose owner died is finished by the next cleanup, at `due` where that is given. Raises Refused.
        """
        now = self._now()
        claimed = self._items.update(
            pk,
            HEAD,
            "SET seq = seq + :one, gone = if_not_exists(gone, expires), expires = :zero, xh = :bucket"
            " REMOVE #lease, #pend, u, la",
            {":one": 1, ":zero": 0, ":now": now, ":bucket": expiry_bucket(due or now, pk)},
            condition=condition,
        )
        seq = claimed["seq"]
        deleted = self._delete_rest(pk, seq)
        if due is None:
            deleted += self._delete_head(pk, seq)
        return read_head(claimed), deleted

    def _delete_rest(self, pk: str, seq: int) -> int:
        """All items but HEAD. What was listed while the claim stood is old, whoever makes the thread anew later."""
        deleted = 0
        for page in self._items.pages_of(pk, "SK", "object"):
            rest = [item for item in page if item["SK"] != HEAD]
            head = self._items.get(pk, HEAD)
            if head is None or head["seq"] != seq:
                return deleted
            self._blobs.discard(rest)
            self._items.write_many(deletes=[(pk, item["SK"]) for item in rest])
            deleted += len(rest)
        return deleted

    def _delete_head(self, pk: str, seq: int) -> int:
        try:
            self._items.delete(pk, HEAD, condition="seq = :seq", values={":seq": seq})
        except Refused:
            return 0
        return 1

    def _now(self) -> int:
        return int(self._clock() * 1000)
