"""Events of a run for clients that join it, in encrypted segments that expire soon. They are written without a
condition: a key names incarnation, fencing token and position, so a superseded writer writes where no reader looks.

    ASIDE#LOG#<run id>#<incarnation>.<fencing token>.<position of the first event>   end: name of the last event"""

from collections.abc import Sequence
from dataclasses import dataclass

from turnkeep.records import Event
from turnkeep.store.head import Head
from turnkeep.store.heads import Heads
from turnkeep.store.keys import log_key, new_item

KEPT_MS = 120_000  # after the end of the run
TTL_SECONDS = 3600


@dataclass(frozen=True)
class Place:
    """Position of an event in a run: its attempt, which is the fencing token, and its number from 1."""

    attempt: int = 0
    event: int = 1


@dataclass(frozen=True)
class Segment:
    """`last`: name of the run's last event in its last segment, else empty."""

    start: Place
    events: tuple[Event, ...]
    last: str

    @property
    def end(self) -> Place:
        return Place(self.start.attempt, self.start.event + len(self.events))


class EventLog:
    def __init__(self, heads: Heads):
        self._heads = heads

    def append(self, head: Head, run_id: str, start: int, events: Sequence[Event], last: str = "") -> None:
        """Store the next events of the run that leased `head`. Raises StoreUnavailable, AgentFault."""
        pk, sk, now = head.pk, log_key(run_id, head.incarnation, head.seq, start), self._heads.now()
        item = new_item(pk, sk, now // 1000 + TTL_SECONDS, at=now, end=last)
        sealed = self._heads.codec.encrypt([[event.name, dict(event.data)] for event in events], pk, sk)
        item |= self._heads.blobs.attributes(pk, sk, sealed)
        self._heads.items.write_many(puts=[item])

    def after(self, head: Head, run_id: str, place: Place) -> list[Segment]:
        """Return the segments from `place` on, or from the start of a newer attempt. Raises StateCorrupt."""
        low = log_key(run_id, head.incarnation, place.attempt, place.event)
        items = self._heads.items.between(head.pk, low, f"{log_key(run_id, head.incarnation)}.~")
        starts = [Place(*map(int, item["SK"].split(".")[-2:])) for item in items]
        kept = KEPT_MS if items and items[-1]["end"] else TTL_SECONDS * 1000
        if not items or items[-1]["at"] + kept < self._heads.now():
            return []
        found, wanted = list[Segment](), place if starts[-1].attempt == place.attempt else Place(starts[-1].attempt)
        for item, start in zip(items, starts, strict=True):
            if start == wanted:  # after a gap there are none
                stored = self._heads.codec.decrypt(self._heads.blobs.value(item), item["PK"], item["SK"])
                events = tuple(Event(name, data) for name, data in stored)
                found.append(Segment(start, events, item["end"]))
                wanted = found[-1].end
        return found
