"""An id may be used again and again: exactly one caller makes a thread, and of what was deleted nothing stays.
tests/simulation proves that late packets of a deletion take no turn of a later thread."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any

import pytest
from desk import ANN, HOURS, Desk, noise

from packets import Fate, Wire
from turnkeep.errors import (
    StoreUnavailable,
    ThreadBusy,
    ThreadExists,
    TurnInProgress,
)
from turnkeep.records import Thread
from turnkeep.storage.keys import hour
from turnkeep.storage.plans import Begun
from turnkeep_local.objects import FolderObjects

TRIES = 3  # of the client library at the far end
ITEMS = "BatchWriteItem"
FATES: list[Fate] = ["held", "doubled", "slow"]
LONG, LARGE = noise(5_000), noise(900_000)
ROUNDS, CREATORS = 8, 8


@pytest.fixture(autouse=True)
def _young_table(desk: Desk) -> None:
    """Cleanup has no months to walk."""
    desk.cleanup.begin_at(hour(int(desk.clock.now * 1000)))


def at_once(call: Callable[[int], object]) -> list[object]:
    """What each of so many callers hears, who all call in the same moment."""
    gate = Barrier(CREATORS)

    def one(number: int) -> object:
        gate.wait(10)
        try:
            return call(number)
        except (ThreadBusy, ThreadExists) as error:
            return error

    with ThreadPoolExecutor(CREATORS) as callers:
        return list(callers.map(one, range(CREATORS)))


def ids(desk: Desk, before: str) -> list[str]:
    names = [f"x-{number}" for number in range(ROUNDS)]
    for name in names if before != "unknown" else ():
        held = desk.begin(name)
        if before == "deleted under a lease":
            desk.store.threads.delete(ANN, name)
        else:
            desk.store.leases.release(held)
    desk.clock.now += 25 * HOURS if before == "expired" else 0
    return names


BEFORE = pytest.mark.parametrize("before", ["unknown", "expired", "deleted under a lease"])


@BEFORE
def test_of_all_who_create_an_id_at_once_exactly_one_is_told_that_it_did(desk: Desk, before: str) -> None:
    for name in ids(desk, before):
        told = at_once(lambda number, name=name: desk.store.threads.create(ANN, name))  # type: ignore[misc]
        assert len([each for each in told if isinstance(each, Thread)]) == 1, told


@BEFORE
def test_of_all_who_speak_first_at_once_exactly_one_is_told_that_it_made_the_thread(desk: Desk, before: str) -> None:
    for name in ids(desk, before):
        told = at_once(lambda number, name=name: desk.begin(name, f"message {number}"))  # type: ignore[misc]
        (begun,) = [each for each in told if isinstance(each, Begun)]
        assert begun.created
        desk.store.turns.commit(desk.prepare(begun)[0])
        assert not desk.begin(name).created


def files_of(objects: Any) -> set[str]:
    if isinstance(objects, FolderObjects):
        return {str(file) for file in objects._folder.rglob("*") if file.is_file()}
    listed = objects._client.list_objects_v2(Bucket=objects._bucket)
    return {each["Key"] for each in listed.get("Contents", ())}


def test_a_long_message_whose_begin_fails_for_good_leaves_nothing(desk: Desk, far: Desk, wire: Wire) -> None:
    wire.trap("UpdateItem", "refused", times=TRIES)
    with pytest.raises(StoreUnavailable):
        far.begin("x", LONG)
    assert desk.all_of("x") == {}
    assert files_of(desk.objects) == set()


@pytest.mark.parametrize("fate", ["refused", "slow"])
def test_a_long_message_that_could_not_be_put_aside_is_told_and_its_key_makes_one_turn(
    desk: Desk, far: Desk, wire: Wire, fate: Fate
) -> None:
    desk.say("x", LONG, "first")
    for operation in ("PutItem", "BatchWriteItem"):
        wire.trap(operation, fate, times=TRIES)
    with pytest.raises(StoreUnavailable):
        far.begin("x", LONG + "!", key="k")
    assert desk.texts("x") == ["first"]
    with suppress(TurnInProgress):
        desk.begin("x", LONG + "!", key="k")
    desk.clock.now += 31
    assert desk.say("x", LONG + "!", "second", key="k").number == 2
    assert desk.texts("x") == ["first", "second"]


@pytest.mark.parametrize("fate", FATES)
def test_a_deletion_that_arrives_late_leaves_the_long_message_of_a_running_turn(
    desk: Desk, far: Desk, wire: Wire, fate: Fate
) -> None:
    desk.store.leases.release(desk.begin("x", LONG))
    trap = wire.trap(ITEMS, fate)
    far.store.threads.delete(ANN, "x")
    begun = desk.begin("x", "other" + LONG)
    if trap.caught:
        trap.arrive()

    shown = desk.store.threads.read(ANN, "x").pending
    assert shown is not None
    assert shown.message == "other" + LONG
    assert desk.store.turns.commit(desk.prepare(begun, "kept")[0]) is None
    assert desk.texts("x") == ["kept"]


@pytest.fixture(params=["folder", "s3"])
def rich(request: pytest.FixtureRequest, desk: Desk) -> Desk:
    """A store with its objects in a folder, or in a bucket."""
    if request.param == "folder":
        return desk
    return Desk(desk.items, request.getfixturevalue("objects"), clock=desk.clock)


@pytest.mark.parametrize("end", ["deleted", "deleted under a lease", "expired"])
def test_no_object_outlives_its_thread_though_its_run_never_committed(rich: Desk, end: str) -> None:
    rich.say("y", reply=LARGE)
    of_another = files_of(rich.objects)
    rich.say("x", reply=LARGE, details={"rows": LONG * 4})
    rich.prepare(rich.begin("x"), LARGE[1:])
    rich.clock.now += 31
    plan, _ = rich.prepare(rich.begin("x"), LARGE[2:])
    assert len(files_of(rich.objects)) >= len(of_another) + 3

    rich.clock.now += 0 if end == "deleted under a lease" else 23 * HOURS
    rich.edit("y")
    if end == "expired":
        rich.clock.now += 2 * HOURS
        rich.cleanup.sweep()
    else:
        rich.store.threads.delete(ANN, "x")
    if end == "deleted under a lease":
        assert files_of(rich.objects) == of_another
        for name in (put["object"] for put in plan.puts if "object" in put):
            rich.objects.put(name, b"late")  # of a writer that knows nothing of the deletion
        rich.clock.now += 3 * HOURS
        rich.cleanup.sweep()

    assert files_of(rich.objects) == of_another
    assert rich.all_of("x") == {}
    assert rich.texts("y") == [LARGE]
