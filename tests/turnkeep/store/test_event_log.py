"""A reader of an event log gets each event of the newest attempt once, in order, whatever writers do: cut the events
anywhere, die, are superseded, write late, or belong to an earlier thread with the same id."""

from dataclasses import replace
from typing import Any

import pytest
from harness import Harness
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_items import MemoryItems, MemoryObjects

from turnkeep.records import Event
from turnkeep.store.event_log import KEPT_MS, TTL_SECONDS, Place
from turnkeep.store.head import Head, run_id_of

WRITES = st.tuples(st.just("write"), st.integers(0, 2), st.integers(1, 4))  # the attempt, and the number of its events
STEPS = st.one_of(WRITES, st.tuples(st.just("read"), st.just(0), st.just(0)))


class Run:
    """A run with several attempts, its thread's earlier life, and a client that reads."""

    def __init__(self) -> None:
        self.harness = Harness(MemoryItems(), MemoryObjects())
        self.log = self.harness.store.events
        old = self.harness.begin("t", key="k")
        self.harness.clock.now += 25 * 3600
        self.head = self.harness.begin("t", key="k").head
        self.run_id = run_id_of(self.head.pk, b"k")
        self.log.append(old.head, self.run_id, 1, events_of(99, 1, 3), last="token")
        self.written: dict[int, int] = {}
        self.place = Place()
        self.read: list[Any] = []

    def attempt(self, number: int) -> Head:
        return replace(self.head, seq=self.head.seq + number)

    def write(self, number: int, count: int, last: str = "") -> None:
        start = self.written.get(number, 0) + 1
        events = events_of(number, start, count)
        self.log.append(self.attempt(number), self.run_id, start, events, last)
        self.written[number] = start + count - 1

    def look(self) -> bool:
        """Read as a client does. Return whether the log says that it is whole."""
        found = self.log.after(self.head, self.run_id, self.place)
        for segment in found:
            if segment.start.attempt != self.place.attempt:
                self.read = []
            self.read += [dict(event.data) for event in segment.events]
            self.place = segment.end
        return bool(found) and found[-1].last == "token"


def events_of(attempt: int, start: int, count: int) -> list[Event]:
    return [Event("token", {"content": f"{attempt}.{n}"}) for n in range(start, start + count)]


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(STEPS, max_size=20))
def test_a_reader_gets_each_event_of_the_newest_attempt_once(steps: list[tuple[str, int, int]]) -> None:
    run = Run()
    for kind, attempt, count in steps:
        if kind == "write":
            run.write(attempt, count)
        else:
            run.look()
            newest = max(run.written, default=None)
            known = 0 if newest is None else run.written[newest]
            assert run.read == [dict(each.data) for each in events_of(newest or 0, 1, known)]
    run.write(3, 2, last="token")
    assert run.look()
    assert run.read == [dict(each.data) for each in events_of(3, 1, 2)]


def test_a_reader_stops_at_a_gap() -> None:
    run = Run()
    run.write(0, 2)
    run.written[0] += 3  # a segment that could not be written
    run.write(0, 2, last="token")
    assert not run.look()
    assert run.read == [dict(each.data) for each in events_of(0, 1, 2)]


def test_a_large_event_is_stored_outside_of_the_item() -> None:
    run = Run()
    rows = {"content": [f"{n * 7919:x}" for n in range(150_000)]}
    run.log.append(run.head, run.run_id, 1, [Event("custom", rows)], last="token")
    assert run.look()
    assert run.read == [rows]


@pytest.mark.parametrize(("last", "kept"), [("token", KEPT_MS / 1000), ("", TTL_SECONDS)])
@pytest.mark.parametrize(("more", "count"), [(-1, 2), (1, 0)])
def test_a_log_ends_minutes_after_its_run_and_one_without_an_end_expires(
    last: str, kept: float, more: float, count: int
) -> None:
    run, seconds = Run(), kept + more
    run.write(0, 2, last=last)
    run.harness.clock.now += seconds
    run.look()
    assert len(run.read) == count
