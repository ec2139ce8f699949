"""LOAD: one Query reads the newest checkpoint and the window of turns, which are neighbours. A process that stored the
last turn can read before HEAD arrives. Written items never change, so an early or eventually consistent read is right;
what it lacks is read consistently, as is a checkpoint that may have a saver's task writes, which nothing names."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.records import JSON
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, is_of_life
from turnkeep.store.heads import Heads
from turnkeep.store.links import Chain
from turnkeep.store.plans import Loaded
from turnkeep.store.task_writes import Space, TaskWrites

KNOWN_THREADS = 1000

NO_CHECKPOINT = "00000000-0000-6000-8000-000000000000"  # before the first turn, where LangGraph has a checkpoint

Found: TypeAlias = Mapping[str, Item]  # by sort key
MISSING: Found = MappingProxyType({})


class _Place(NamedTuple):
    checkpoint: str | None
    gen: int
    n: int
    window: int | None
    tail: str | None
    has_writes: bool


class Loader:
    def __init__(self, heads: Heads, chain: Chain):
        self._heads = heads
        self._chain = chain
        self.task_writes = TaskWrites(heads)
        self._places: dict[str, _Place] = {}
        self._lock = Lock()

    def look_ahead(self, pk: str) -> Found:
        """Return the window as this process last knew the thread, or nothing. Raises StoreUnavailable."""
        place = self._places.get(pk)
        return self._window(pk, place, consistent=place.has_writes) if place and place.checkpoint else MISSING

    def has_moved(self, pk: str, changes: Mapping[str, Any]) -> None:
        place = self._places.get(pk)
        if place:
            name, tail = changes[":cp"], changes.get(":tail", place.tail)
            has_writes = _may_have_writes(name, changes[":last"], changes.get(":st") == "interrupted")
            self._keep(pk, _Place(name, changes[":gen"], changes[":n"], place.window, tail, has_writes))

    def load(self, head: Head, window: int | None, base: str | int | None, ahead: Found) -> Loaded:
        """Return the start of a run. Raises NotFound for an unknown checkpoint or turn, StateCorrupt."""
        if base in (0, NO_CHECKPOINT):
            return Loaded(is_branch=head.last is not None)
        if isinstance(base, int) and base != head.n:
            base = self._chain.turn(head, base).item["cp"]
        if isinstance(base, str) and base not in (head.checkpoint, head.checkpoint_name):
            packs = self._heads.items.below(head.pk, keys.PACKS) if head.tail and window is None else ()
            return self.older(head, window, base, {item["SK"]: item for item in packs})
        has_writes = _may_have_writes(head.checkpoint_name, head.last, head.interrupted)
        place = _Place(head.checkpoint_name, head.gen, head.n, window, head.tail, has_writes)
        self._keep(head.pk, place)
        if head.checkpoint_name is None:
            return Loaded()
        sk = keys.checkpoint_key(head.checkpoint_name)
        found = ahead
        for consistent in (has_writes, True):
            if sk not in found or head.last not in found:
                found = self._window(head.pk, place, consistent=consistent)
        at = Loaded(head.n, head.last, is_whole=window is None)
        return self._loaded(head, found, sk, at, _low(head.n, window))

    def _keep(self, pk: str, place: _Place) -> None:
        with self._lock:
            self._places.pop(pk, None)
            self._places[pk] = place
            if len(self._places) > KNOWN_THREADS:
                del self._places[next(iter(self._places))]

    def _window(self, pk: str, place: _Place, *, consistent: bool) -> Found:
        low, high = keys.checkpoint_key(str(place.checkpoint)), place.tail or keys.EVERY_TURN
        ranges = [(low, high)]
        if place.window is not None:
            high = keys.turn_ceiling(place.gen, _low(place.n, place.window))
            ranges = [(low, keys.HEAD), (keys.TURNS, high)] if place.tail else [(low, high)]
        found: dict[str, Item] = {}
        for each in ranges:
            found |= self._heads.items.between_by_key(pk, *each, consistent=consistent)
        return found

    def older(self, head: Head, window: int | None, wanted: str, found: Found) -> Loaded:
        """Return the state at a checkpoint, by id or name; reads what `found` lacks. Raises NotFound, StateCorrupt."""
        sk = keys.checkpoint_key(wanted)
        near = self._heads.items.between_by_key(head.pk, sk, f"{sk}#~")
        names = [each for each in near if not keys.is_write(each) and is_of_life(near[each], head)]
        if len(names) > 1:  # two writers stored one id; HEAD leads to one of them at most
            reached = {keys.checkpoint_key(link["cp"]) for link in self._chain.every(head, {})}
            names = [each for each in names if each in reached]
        if not names:
            raise NotFound("The thread has no such checkpoint.")
        link = near[names[-1]]["link"]
        at = Loaded(keys.number_of(link), link, is_branch=True, is_whole=window is None)
        return self._loaded(head, {**found, **near}, names[-1], at, _low(at.number, window))

    def steps(self, head: Head, window: int | None, before: str | None) -> Iterator[Loaded]:
        """Yield the states older than `before`, newest first, also of branches, if kept."""
        found, seen = dict[str, Item](), set[str]()
        for item in self._chain.every(head, found):
            checkpoint_id = keys.id_in(item["cp"])
            if checkpoint_id not in seen and (before is None or checkpoint_id < before):
                seen.add(checkpoint_id)
                with suppress(NotFound):
                    yield self.older(head, window, item["cp"], found)

    def _loaded(self, head: Head, found: Found, sk: str, at: Loaded, low: int) -> Loaded:
        packs = {} if low else self._chain.packs_in(found)
        walked = self._chain.walk(head.pk, at.last, low, dict(found), packs)
        if sk not in found or found[sk]["link"] != (walked[-1] if walked else {}).get("of", at.last):
            raise StateCorrupt
        checkpoint = self._heads.unpacked(found[sk], found[sk]["link"])
        links = tuple(packs[item["tip"]] if "tip" in item else self._chain.open(item) for item in walked)
        writes = [item for each, item in found.items() if each != keys.checkpoint_of(each) == sk]
        spaces = self._spaces(head, keys.id_in(sk.removeprefix(keys.CHECKPOINTS)), checkpoint, writes)
        written = self.task_writes.writes_in(writes)
        return replace(at, checkpoint=checkpoint, links=links, writes=written, spaces=spaces)

    def _spaces(self, head: Head, root: str, checkpoint: JSON, writes: list[Item]) -> tuple[Space, ...]:
        """Return the sub-graphs that a saver wrote: lasting ones, and those whose tasks ask a question."""
        named: dict[str, str] = checkpoint.get("spaces", {})
        asking = {name for item in writes for name in item.get("ns", ())}
        found = [self.task_writes.newest(head, name, root, named.get(name)) for name in sorted({*named, *asking})]
        return tuple(each for each in found if each)


def _low(number: int, window: int | None) -> int:
    return 0 if window is None else max(0, number - window + 1)


def _may_have_writes(name: str | None, last: str | None, is_question: bool) -> bool:
    """Return whether a saver may have stored task writes after a checkpoint: it asks a question, or no turn made it."""
    return is_question or not str(name).endswith(f"#{keys.writer_of(str(last))}")
