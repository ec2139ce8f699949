"""LOAD: one Query reads the newest checkpoint and the window of turns, which are neighbours.

A process that has stored a thread's last turn knows where they will lie and can ask before HEAD is there. Items never
change once they are written, so what is read early is right wherever HEAD leads to it; the rest is read then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from threading import Lock
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from turnkeep.errors import NotFound, StateCorrupt, StoreUnavailable
from turnkeep.records import JSON
from turnkeep.storage.attributes import Item
from turnkeep.storage.beside import Beside, Space
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.head import Head
from turnkeep.storage.items import Items
from turnkeep.storage.keys import EVERY_TURN, checkpoint_key, number_of, turn_ceiling
from turnkeep.storage.links import Chain
from turnkeep.storage.plans import Loaded
from turnkeep.storage.sealing import Sealer

KNOWN_THREADS = 1000

NO_CHECKPOINT = "00000000-0000-6000-8000-000000000000"
"""The id of what every thread is before its first turn, where LangGraph has a checkpoint and we need none."""

Found: TypeAlias = Mapping[str, Item]
"""Items by sort key."""
MISSING: Found = MappingProxyType({})


class _Place(NamedTuple):
    """Where a thread's newest window lies."""

    checkpoint: str | None
    gen: int
    n: int
    window: int | None


class Loader:
    def __init__(self, items: Items, blobs: Blobs, sealer: Sealer, chain: Chain):
        self._items = items
        self._blobs = blobs
        self._sealer = sealer
        self._chain = chain
        self.beside = Beside(items, blobs, sealer)
        self._places: dict[str, _Place] = {}
        self._lock = Lock()

    def look_ahead(self, pk: str) -> Found:
        """The window as it stood when this process last heard of the thread; nothing where it cannot be had."""
        place = self._places.get(pk)
        if place is None or place.checkpoint is None:
            return MISSING
        try:
            return self._window(pk, place)
        except StoreUnavailable:
            return MISSING

    def has_moved(self, pk: str, checkpoint: str, gen: int, number: int) -> None:
        """A turn was stored."""
        place = self._places.get(pk)
        if place:
            self._keep(pk, _Place(checkpoint, gen, number, place.window))

    def load(self, head: Head, window: int | None, base: str | int | None, ahead: Found) -> Loaded:
        """Raises NotFound for an unknown checkpoint or turn, StateCorrupt."""
        if base in (0, NO_CHECKPOINT):
            return Loaded(is_branch=head.last is not None)
        if isinstance(base, int) and base != head.n:
            base = self._chain.turn(head, base).item["cp"]
        if isinstance(base, str) and base != head.checkpoint:
            return self.older(head, window, base, {})
        place = _Place(head.checkpoint, head.gen, head.n, window)
        self._keep(head.pk, place)
        if head.checkpoint is None:
            return Loaded()
        is_ahead = checkpoint_key(head.checkpoint) in ahead and head.last in ahead
        found = ahead if is_ahead else self._window(head.pk, place)
        return self._loaded(head.pk, found, head.checkpoint, Loaded(head.n, head.last), _low(head.n, window))

    def _keep(self, pk: str, place: _Place) -> None:
        with self._lock:
            self._places.pop(pk, None)
            self._places[pk] = place
            if len(self._places) > KNOWN_THREADS:
                del self._places[next(iter(self._places))]

    def _window(self, pk: str, place: _Place) -> Found:
        high = EVERY_TURN if place.window is None else turn_ceiling(place.gen, _low(place.n, place.window))
        items = self._items.between(pk, checkpoint_key(str(place.checkpoint)), high)
        return {item["SK"]: item for item in items}

    def older(self, head: Head, window: int | None, checkpoint_id: str, found: Found) -> Loaded:
        """What stood at an older checkpoint; reads what `found` does not hold. Raises NotFound, StateCorrupt."""
        sk = checkpoint_key(checkpoint_id)
        near = {each["SK"]: each for each in self._items.between(head.pk, sk, f"{sk}#~")}
        if sk not in near:
            raise NotFound("The thread has no such checkpoint.")
        number = number_of(near[sk]["link"])
        at = Loaded(number, near[sk]["link"], is_branch=True)
        return self._loaded(head.pk, {**found, **near}, checkpoint_id, at, _low(number, window))

    def steps(self, head: Head, window: int | None, limit: int, before: str | None) -> Iterator[Loaded]:
        """What stood after each of the newest `limit` steps older than the checkpoint `before`, newest first, of
        branches that were left too; those whose checkpoint is no longer kept are left out."""
        found: dict[str, Item] = {}
        seen: set[str] = set()
        for item in self._chain.every(head, found):
            if limit and item["cp"] not in seen and (before is None or item["cp"] < before):
                seen.add(item["cp"])
                try:
                    loaded = self.older(head, window, item["cp"], found)
                except NotFound:
                    continue
                limit -= 1
                yield loaded
            if not limit:
                return

    def _loaded(self, pk: str, found: Found, checkpoint_id: str, at: Loaded, low: int) -> Loaded:
        sk = checkpoint_key(checkpoint_id)
        if sk not in found or found[sk]["link"] != found.get(str(at.last), {}).get("of", at.last):
            raise StateCorrupt
        checkpoint = self._sealer.open(self._blobs.value(found[sk]), pk, sk, found[sk]["link"])
        links = tuple(self._chain.open(item) for item in self._chain.walk(pk, at.last, low, dict(found)))
        beside = [item for name, item in found.items() if name.startswith(f"{sk}#")]
        spaces = self._spaces(pk, checkpoint_id, checkpoint, beside)
        return replace(at, checkpoint=checkpoint, links=links, writes=self.beside.writes_in(beside), spaces=spaces)

    def _spaces(self, pk: str, root: str, checkpoint: JSON, writes: list[Item]) -> tuple[Space, ...]:
        """The sub-graphs that a saver wrote: those that last, and those whose tasks ask back."""
        named: dict[str, str] = checkpoint.get("spaces", {})
        asking = {name for item in writes for name in item.get("ns", ())}
        found = [self.beside.newest(pk, name, root, named.get(name)) for name in sorted({*named, *asking})]
        return tuple(each for each in found if each)


def _low(number: int, window: int | None) -> int:
    """The oldest turn of a window that ends with turn `number`."""
    return 0 if window is None else max(0, number - window + 1)
