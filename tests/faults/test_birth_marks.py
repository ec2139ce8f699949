"""An id may be used again and again: whatever arrives late, twice or unanswered of a deletion or of a making, threads
made since keep every turn, exactly one is told that it made them, and of what was deleted nothing stays."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any

import pytest
from desk import ANN, HOURS, Desk, noise
from packets import Fate, Wire

from turnkeep.errors import (
    NotFound,
    StoreUnavailable,
    ThreadBusy,
    ThreadExists,
    TurnInProgress,
)
from turnkeep.records import Thread
from turnkeep.storage.items import Items
from turnkeep.storage.keys import HEAD, hour
from turnkeep.storage.plans import Begun
from turnkeep_local.objects import FolderObjects

TRIES = 3  # of the client library at the far end
CLAIM, ITEMS, LAST = "UpdateItem", "BatchWriteItem", "DeleteItem"
FATES: list[Fate] = ["held", "doubled", "slow"]
LONG, LARGE = noise(5_000), noise(900_000)
ROUNDS, CREATORS = 8, 8


@pytest.fixture(autouse=True)
def _young_table(desk: Desk) -> None:
    """Cleanup has no months to walk."""
    desk.cleanup.begin_at(hour(int(desk.clock.now * 1000)))


def use_again(desk: Desk, lives: int, turns: int) -> list[str]:
    """Makes and deletes the thread until its last life, which keeps so many turns; gives their replies."""
    for _ in range(lives - 1):
        desk.say("x")
        desk.table.delete_thread(ANN, "x")
    replies = [f"new {number}" for number in range(turns)]
    for reply in replies:
        desk.say("x", reply=reply)
    return replies


def is_whole(desk: Desk, replies: list[str]) -> None:
    """The thread is these turns, also after a cleanup, and goes on."""
    for _ in range(2):
        assert desk.texts("x") == replies
        assert [thread.thread_id for thread in desk.table.search_threads(ANN)] == ["x"]
        desk.cleanup.sweep()
    assert desk.say("x").number == len(replies) + 1


def begin_again(desk: Desk, lives: int, turns: int, ready: list[list[str]]) -> Callable[[], None]:
    return lambda: ready.append(use_again(desk, lives, turns))


@pytest.mark.parametrize("reused", [1, 5])
@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("operation", [CLAIM, ITEMS, LAST])
def test_what_arrives_late_of_a_deletion_takes_no_turn_of_the_threads_made_since(  # noqa: PLR0917
    desk: Desk, far: Desk, wire: Wire, operation: str, fate: Fate, reused: int
) -> None:
    for _ in range(reused):
        desk.say("x", reply="old")
    made: list[list[str]] = []
    again = begin_again(desk, reused, reused + 1, made)
    trap = wire.trap(operation, fate, meanwhile=again) if fate == "slow" else wire.trap(operation, fate)

    far.table.delete_thread(ANN, "x")

    if fate != "slow":
        again()
    for _ in range(2):
        trap.arrive()
        assert desk.texts("x") == made[0]
    is_whole(desk, made[0])


@pytest.mark.parametrize("reused", [1, 5])
@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("how", ["POST /threads", "its first message"])
def test_the_making_over_an_expired_thread_that_arrives_late_takes_no_turn(  # noqa: PLR0917
    desk: Desk, far: Desk, wire: Wire, how: str, fate: Fate, reused: int
) -> None:
    for _ in range(reused):
        desk.say("x", reply="old")
    desk.clock.now += 25 * HOURS
    made: list[list[str]] = []

    def again() -> None:
        desk.table.delete_thread(ANN, "x")
        made.append(use_again(desk, reused, reused))

    trap = wire.trap("PutItem", fate, where=_is_over_another, meanwhile=again if fate == "slow" else lambda: None)
    with suppress(*([ThreadBusy, ThreadExists] if fate == "slow" else [])):
        far.table.create_thread(ANN, "x") if how == "POST /threads" else far.table.release(far.begin("x"))
    if fate != "slow":
        again()
    trap.arrive()

    if fate == "slow" and how == "its first message":  # it may have come through, as any message
        desk.clock.now += 31
    is_whole(desk, made[0])


def _is_over_another(body: dict[str, Any]) -> bool:
    return "attribute_not_exists(PK)" not in body["ConditionExpression"]


@pytest.mark.parametrize("turns", [1, 3])
def test_a_whole_turn_of_a_deleted_thread_that_arrives_late_takes_no_turn(
    desk: Desk, far: Desk, wire: Wire, turns: int
) -> None:
    for _ in range(turns):
        desk.say("x", reply="old")
    begin, flip = wire.trap("UpdateItem", "doubled"), wire.trap("UpdateItem", "doubled")
    far.say("x", reply="old")
    desk.table.delete_thread(ANN, "x")
    replies = use_again(desk, 2, turns)

    begin.arrive()
    flip.arrive()

    desk.clock.now += 31
    is_whole(desk, replies)


@pytest.mark.parametrize("times", [1, TRIES - 1])
@pytest.mark.parametrize("operation", [CLAIM, ITEMS, LAST])
def test_a_deletion_knows_its_own_lost_acknowledgement(
    desk: Desk, far: Desk, wire: Wire, operation: str, times: int
) -> None:
    desk.say("x", LONG)
    wire.trap(operation, "slow", times=times)

    far.table.delete_thread(ANN, "x")

    assert desk.all_of("x") == {}
    with pytest.raises(NotFound):
        desk.table.delete_thread(ANN, "x")


@pytest.mark.parametrize("is_held", [False, True], ids=["free", "under a lease"])
@pytest.mark.parametrize("fate", ["refused", "slow"])
@pytest.mark.parametrize("operation", [CLAIM, ITEMS, LAST])
def test_a_second_deletion_settles_one_of_unknown_outcome_and_what_arrives_late_does_nothing(  # noqa: PLR0917
    desk: Desk, far: Desk, wire: Wire, operation: str, fate: Fate, is_held: bool
) -> None:
    desk.say("x", LONG)
    if is_held:
        desk.begin("x", LONG)
    trap = wire.trap(operation, fate, times=TRIES)
    is_empty = fate == "slow" and (operation == LAST or (operation == ITEMS and is_held))
    if operation == LAST and is_held:  # HEAD stays for cleanup
        far.table.delete_thread(ANN, "x")
    else:
        with pytest.raises(StoreUnavailable):
            far.table.delete_thread(ANN, "x")
        with suppress(*([NotFound] if is_empty else [])):
            desk.table.delete_thread(ANN, "x")

    assert set(desk.all_of("x")) <= ({HEAD} if is_held else set())
    with pytest.raises(NotFound):
        desk.table.delete_thread(ANN, "x")
    replies = use_again(desk, 2, 3)
    if trap.caught:
        trap.arrive()
    is_whole(desk, replies)


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
            desk.table.delete_thread(ANN, name)
        else:
            desk.table.release(held)
    desk.clock.now += 25 * HOURS if before == "expired" else 0
    return names


BEFORE = pytest.mark.parametrize("before", ["unknown", "expired", "deleted under a lease"])


@BEFORE
def test_of_all_who_create_an_id_at_once_exactly_one_is_told_that_it_did(desk: Desk, before: str) -> None:
    for name in ids(desk, before):
        told = at_once(lambda number, name=name: desk.table.create_thread(ANN, name))  # type: ignore[misc]
        assert len([each for each in told if isinstance(each, Thread)]) == 1, told


@BEFORE
def test_of_all_who_speak_first_at_once_exactly_one_is_told_that_it_made_the_thread(desk: Desk, before: str) -> None:
    for name in ids(desk, before):
        told = at_once(lambda number, name=name: desk.begin(name, f"message {number}"))  # type: ignore[misc]
        (begun,) = [each for each in told if isinstance(each, Begun)]
        assert begun.created
        desk.table.apply(desk.prepare(begun)[0])
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


@pytest.mark.parametrize("is_new", [False, True], ids=["of an earlier run", "of an earlier thread"])
def test_a_long_message_that_arrives_late_is_never_shown_for_another(
    desk: Desk, far: Desk, wire: Wire, is_new: bool
) -> None:
    traps = [wire.trap(operation, "doubled") for operation in ("PutItem", "BatchWriteItem")]
    far.table.release(far.begin("x", LONG))
    if is_new:
        desk.table.delete_thread(ANN, "x")
    desk.table.release(desk.begin("x", "other" + LONG))

    for trap in traps:
        if trap.caught:
            trap.arrive()

    shown = desk.table.read_thread(ANN, "x").pending
    assert shown is None or shown.message == "other" + LONG
    assert desk.say("x").number == 1
    desk.table.delete_thread(ANN, "x")
    assert desk.all_of("x") == {}


@pytest.mark.parametrize("fate", FATES)
def test_a_deletion_that_arrives_late_leaves_the_long_message_of_a_running_turn(
    desk: Desk, far: Desk, wire: Wire, fate: Fate
) -> None:
    desk.table.release(desk.begin("x", LONG))
    trap = wire.trap(ITEMS, fate)
    far.table.delete_thread(ANN, "x")
    begun = desk.begin("x", "other" + LONG)
    if trap.caught:
        trap.arrive()

    shown = desk.table.read_thread(ANN, "x").pending
    assert shown is not None
    assert shown.message == "other" + LONG
    assert desk.table.apply(desk.prepare(begun, "kept")[0]) is None
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
        rich.table.delete_thread(ANN, "x")
    if end == "deleted under a lease":
        assert files_of(rich.objects) == of_another
        for name in (put["object"] for put in plan.puts if "object" in put):
            rich.objects.put(name, b"late")  # of a writer that knows nothing of the deletion
        rich.clock.now += 3 * HOURS
        rich.cleanup.sweep()

    assert files_of(rich.objects) == of_another
    assert rich.all_of("x") == {}
    assert rich.texts("y") == [LARGE]


class StaleReads:
    """A client whose reads, where they do not ask for consistency, know nothing that was written since `freeze`."""

    def __init__(self, client: Any):
        self._client = client
        self._known: set[tuple[str, str]] | None = None

    def freeze(self, items: Items, *pks: str) -> None:
        self._known = {(pk, item["SK"]) for pk in pks for item in items.between(pk, " ", "~")}

    def query(self, **asked: Any) -> Any:
        answer = self._client.query(**asked)
        if self._known is not None and not asked.get("ConsistentRead") and "IndexName" not in asked:
            pk = asked["ExpressionAttributeValues"][":pk"]["S"]
            answer["Items"] = [item for item in answer["Items"] if (pk, item["SK"]["S"]) in self._known]
        return answer

    def get_item(self, **asked: Any) -> Any:
        assert asked["ConsistentRead"]
        return self._client.get_item(**asked)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


@pytest.mark.parametrize("turns", [0, 1, 30])
def test_a_deletion_right_after_a_turn_leaves_nothing_however_stale_a_listing_may_be(desk: Desk, turns: int) -> None:
    client = StaleReads(desk.items._client)
    stale = Desk(Items(client, desk.items._table), desk.objects, clock=desk.clock, count=desk.count)  # type: ignore[arg-type]
    for _ in range(turns):
        stale.say("x")
    pk = stale.begin("x", LONG, key=uuid.uuid4().hex).head.pk
    client.freeze(desk.items, pk)
    stale.clock.now += 31
    stale.say("x", LONG, details={"rows": LONG})

    stale.table.delete_thread(ANN, "x")

    assert desk.all_of("x") == {}
