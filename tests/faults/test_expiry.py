"""A thread lives 24 hours after its last turn, whether or not DynamoDB's TTL has deleted its items. Nothing stops the
cleanup; tests/simulation proves that a sweep may meet any writer, and may die anywhere."""

import itertools
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from harness import ANN, HOURS, Harness
from memory_items import MemoryItems

from turnkeep.errors import StoreUnavailable
from turnkeep.store.attributes import Item
from turnkeep.store.cleanup import Cleanup, SweepResult
from turnkeep.store.erasure import Eraser
from turnkeep.store.items import Items
from turnkeep.store.keys import LAYOUT, SHARDS, WATERMARK, hour, objects_of, partition
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

START = 1_900_000_000.0  # in the middle of an hour


def open_desk(items: Items, objects: FolderObjects) -> Harness:
    harness = Harness(items, objects)
    harness.clock.now = START
    harness.cleanup.begin_at(hour(int(START * 1000)))
    return harness


@pytest.fixture
def harness(dynamodb: "DynamoDBClient", table_name: str, folder_objects: FolderObjects) -> Harness:
    return open_desk(Items(dynamodb, table_name), folder_objects)


def cleanup_of(harness: Harness, at_once: int) -> Cleanup:
    return Cleanup(Eraser(harness.items, harness.blobs, clock=harness.clock), at_once=at_once)


def mark(harness: Harness) -> Any:
    return (harness.items.get(WATERMARK["PK"], WATERMARK["SK"]) or {})["hour"]


def test_a_thread_never_outlives_thirty_days(harness: Harness) -> None:
    for _ in range(44):
        harness.take_turn("long")
        harness.clock.now += 16 * HOURS
    harness.take_turn("long", "one day before its end")
    thread = harness.store.threads.read(ANN, "long")
    assert thread.expires_at == thread.created_at + 30 * 24 * HOURS


def test_a_living_thread_moves_to_its_next_hour(harness: Harness) -> None:
    harness.take_turn("moving")
    harness.clock.now += 23 * HOURS
    harness.take_turn("moving")
    harness.clock.now += 2 * HOURS
    assert harness.cleanup.sweep().moved == 1
    harness.clock.now += 23 * HOURS
    assert harness.cleanup.sweep().threads == 1
    assert harness.all_of("moving") == {}


def test_a_sweep_without_time_continues_in_empty_hours(harness: Harness) -> None:
    harness.take_turn("far")
    harness.clock.now += 25 * HOURS
    harness.cleanup.begin_at(hour(int((START - 10 * HOURS) * 1000)))
    finished: list[bool] = []
    while not finished or (not finished[-1] and len(finished) < 10):
        looks = itertools.repeat(True, 7)
        finished.append(harness.cleanup.sweep(partial(next, looks, False)).finished)
    assert 4 < len(finished) < 8
    assert harness.all_of("far") == {}


def test_a_new_table_is_swept_with_few_requests(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.items.write_many(deletes=[(WATERMARK["PK"], WATERMARK["SK"])])
    harness.clock.now = harness.items.created() / 1000 + 1
    sent, call = list[str](), harness.items._call
    monkeypatch.setattr(harness.items, "_call", lambda name, **more: (sent.append(name), call(name, **more))[1])
    assert harness.cleanup.sweep().finished
    assert len(sent) <= 4 + 2 * SHARDS  # two hours, where the table was made at the very end of one
    sent.clear()
    assert harness.cleanup.sweep().finished
    assert "describe_table" not in sent


@pytest.mark.parametrize(("age_days", "looks_back_days"), [(400, 31), (5, 5), (0, 0)])
def test_without_a_mark_a_sweep_begins_at_the_oldest_possible_item(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, age_days: int, looks_back_days: int
) -> None:
    harness.items.write_many(deletes=[(WATERMARK["PK"], WATERMARK["SK"])])
    monkeypatch.setattr(harness.items, "created", lambda: int((START - age_days * 24 * HOURS) * 1000))
    swept = harness.cleanup.sweep(lambda: False)
    assert mark(harness) == hour(int((START - looks_back_days * 24 * HOURS) * 1000))
    assert swept.finished is (looks_back_days == 0)


# How late it is


def test_the_oldest_age_is_that_of_the_longest_overdue_thread(harness: Harness) -> None:
    harness.take_turn("first")
    harness.clock.now += 3 * HOURS
    harness.take_turn("second")
    harness.take_turn("alive")
    harness.clock.now += 20 * HOURS
    harness.take_turn("alive")
    harness.clock.now += 7 * HOURS
    swept = harness.cleanup.sweep()
    assert (swept.threads, swept.moved, swept.oldest_ms) == (2, 1, 6 * HOURS * 1000)
    assert harness.cleanup.sweep().oldest_ms == 0


def test_a_thread_ages_after_its_claim_died(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.take_turn("claimed")
    harness.clock.now += 25 * HOURS
    with monkeypatch.context() as patch:
        patch.setattr(harness.items, "write_many", lambda **_: sys.exit())
        with pytest.raises(SystemExit):
            harness.cleanup.sweep()
    harness.clock.now += 2 * HOURS
    swept = harness.cleanup.sweep()
    assert (swept.threads, swept.oldest_ms) == (1, 3 * HOURS * 1000)


def test_a_thread_deleted_by_its_user_is_never_overdue(harness: Harness) -> None:
    harness.begin("leased")
    harness.store.threads.delete(ANN, "leased")
    harness.clock.now += 3 * HOURS
    swept = harness.cleanup.sweep()
    assert (swept.threads, swept.oldest_ms) == (1, 0)


def test_an_unfinished_sweep_reports_the_age_of_its_hour(harness: Harness) -> None:
    harness.take_turn("left")
    harness.clock.now += 30 * HOURS
    harness.cleanup.begin_at(hour(int((START + 24 * HOURS) * 1000)))
    swept = harness.cleanup.sweep(lambda: False)
    into_the_hour = START % HOURS
    assert (swept.threads, swept.oldest_ms) == (0, (6 * HOURS + into_the_hour) * 1000)
    assert harness.cleanup.sweep().oldest_ms == 6 * HOURS * 1000


# Unreadable threads, and stores that fail

FAR = int((START + 400 * HOURS) * 1000)
UNREADABLE: list[Item] = [{"expires": None}, {"expires": "tomorrow"}, {"lease": "mine"}, {"v": LAYOUT + 1}]
UNREADABLE += [{"n": None, "expires": FAR}]
EXPIRED: list[Item] = [{name: None} for name in ("n", "seq", "born", "created", "v")]
EXPIRED += [{"n": "many"}, {"sig": b"forged"}, {"keys": "none"}, {"v": LAYOUT - 1}]


def fill(harness: Harness, count: int) -> None:
    """Creates expired threads; the first ones are corrupted in each of the ways above."""
    for number in range(count):
        harness.store.threads.create(ANN, f"t{number}")
    for number, changes in enumerate(UNREADABLE + EXPIRED):
        corrupt = harness.head(f"t{number}") | changes
        harness.items.put({name: value for name, value in corrupt.items() if value is not None})
    harness.clock.now += 25 * HOURS


def corrupt_heads(harness: Harness) -> list[Item]:
    return [harness.head(f"t{number}") for number in range(len(UNREADABLE))]


def counts(swept: SweepResult) -> tuple[int, int, int, bool]:
    return swept.threads, swept.unreadable, swept.failed, swept.finished


def test_unreadable_threads_are_reported_and_stop_no_cleanup(folder_objects: FolderObjects) -> None:
    harness = open_desk(MemoryItems(), folder_objects)
    fill(harness, 500)
    before = corrupt_heads(harness)
    assert counts(harness.cleanup.sweep()) == (495, 5, 0, True)
    assert corrupt_heads(harness) == before
    harness.clock.now += 5 * HOURS
    assert counts(harness.cleanup.sweep()) == (0, 5, 0, True)
    harness.items.put(before[0] | {"expires": 1})
    assert counts(harness.cleanup.sweep()) == (1, 4, 0, True)
    harness.clock.now = FAR / 1000 + 1
    assert counts(harness.cleanup.sweep()) == (1, 3, 0, True)
    harness.clock.now += 32 * 24 * HOURS
    assert [harness.cleanup.sweep().unreadable for _ in range(2)] == [3, 0]


def test_threads_are_deleted_in_parallel_up_to_the_limit(harness: Harness, tmp_path: Path) -> None:
    class Meeting(FolderObjects):
        """Holds each caller until eight have come."""

        door, inside, most = threading.Barrier(8, timeout=120), 0, 0

        def names(self, prefix: str) -> Iterator[str]:
            Meeting.inside += 1
            Meeting.most = max(Meeting.most, Meeting.inside)
            self.door.wait()
            Meeting.inside -= 1
            return super().names(prefix)

    harness.blobs.objects = Meeting(tmp_path)
    fill(harness, 45)
    before = corrupt_heads(harness)
    assert counts(cleanup_of(harness, 8).sweep()) == (40, 5, 0, True)
    assert (corrupt_heads(harness), Meeting.most) == (before, 8)


def refusing(method: Any, key: str) -> Any:
    """The method without an answer for the thread or the objects of this key."""

    def call(first: str, *args: Any, **more: Any) -> Any:
        if first == key:
            raise StoreUnavailable
        return method(first, *args, **more)

    return call


def test_a_failed_bucket_delays_only_its_thread(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    for thread in "abc":
        harness.take_turn(thread)
    harness.clock.now += 25 * HOURS
    with monkeypatch.context() as patch:
        patch.setattr(harness.objects, "names", refusing(harness.objects.names, objects_of(partition(ANN, "b"))))
        for late, deleted in ((1, 2), (4, 0)):
            swept = harness.cleanup.sweep()
            assert (counts(swept), swept.oldest_ms) == ((deleted, 0, 1, True), late * HOURS * 1000)
            harness.clock.now += 3 * HOURS
    assert counts(harness.cleanup.sweep()) == (1, 0, 0, True)
    assert harness.all_of("b") == {}


@pytest.mark.parametrize("at_once", [1, 4])
def test_an_unclaimed_thread_keeps_its_hour(at_once: int, harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    for thread in "abc":
        harness.take_turn(thread)
    harness.clock.now += 27 * HOURS
    with monkeypatch.context() as patch:
        patch.setattr(harness.items, "update", refusing(harness.items.update, partition(ANN, "b")))
        swept = cleanup_of(harness, at_once).sweep()
    assert (counts(swept), swept.oldest_ms) == ((2, 0, 1, True), 3 * HOURS * 1000)
    assert mark(harness) == hour(int((START + 24 * HOURS) * 1000))
    assert counts(harness.cleanup.sweep()) == (1, 0, 0, True)
