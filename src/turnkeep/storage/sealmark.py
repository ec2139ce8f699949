"""Marks in the table that a seal key exists: a lost key is not replaced, and two rotations exclude each other."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from turnkeep.ring import Secret
from turnkeep.storage.attributes import Item
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import LAYOUT, SEAL_MARK


@dataclass(frozen=True)
class Marked:
    """Ids of the secrets, newest first, none where nothing was ever sealed; `at` in epoch milliseconds."""

    ids: tuple[str, ...] = ()
    at: int = 0


class SealMark:
    """`clock` gives epoch seconds."""

    def __init__(self, items: Items, *, clock: Callable[[], float]) -> None:
        self._items = items
        self._clock = clock

    def read(self) -> Marked:
        found = self._items.get(SEAL_MARK["PK"], SEAL_MARK["SK"])
        return Marked(tuple(found["ids"]), found["marked"]) if found else Marked()

    def write(self, ring: Iterable[Secret], since: Marked) -> None:
        """Raises Refused where there is another mark than `since` by now."""
        ids = [secret.id for secret in ring]
        item: Item = {**SEAL_MARK, "v": LAYOUT, "ids": ids, "marked": int(self._clock() * 1000)}
        self._items.put(item, **_unchanged(since))

    def forget(self, since: Marked) -> None:
        """`since` is a mark that was read. Raises Refused as `write` does."""
        try:
            self._items.delete(SEAL_MARK["PK"], SEAL_MARK["SK"], **_unchanged(since))
        except Refused as refused:
            if refused.item:
                raise


def _unchanged(since: Marked) -> Item:
    if not since.ids:
        return {"condition": "attribute_not_exists(PK)", "values": {}}
    values = {":ids": list(since.ids), ":marked": since.at}
    return {"condition": "ids = :ids AND marked = :marked", "values": values}
