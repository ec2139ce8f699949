"""Who asks to be erased is erased: with what was cut off, listed late or still running; what they begin then stays."""

from dataclasses import replace
from typing import Any

import pytest
from desk import ANN, HOURS, NOON, Desk, noise

from turnkeep.errors import StoreUnavailable
from turnkeep.records import Principal
from turnkeep.storage.attributes import Item
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.items import Items
from turnkeep.storage.keys import (
    BY_USER,
    ERASURE,
    HEAD,
    document_key,
    exports_of,
    hour,
    partition,
    upload_key,
    usage_of,
    user_key,
)
from turnkeep.storage.listing import Found
from turnkeep.storage.persons import Persons

BOB = Principal("acme", "bob")
LARGE = noise(700_000)


@pytest.fixture(autouse=True)
def _swept_until_noon(desk: Desk) -> None:
    desk.cleanup.begin_at(hour(int(NOON * 1000)))


def persons_of(desk: Desk, items: Items | None = None) -> Persons:
    items = items or desk.items
    return Persons(items, Eraser(items, desk.blobs, clock=desk.clock), clock=desk.clock, at_once=1)


def left(desk: Desk, *threads: str) -> dict[str, Any]:
    """Every item of these threads and of the user itself, and every object."""
    found: dict[str, Any] = {}
    for pk in (user_key(ANN), usage_of(user_key(ANN)), *(partition(ANN, thread) for thread in threads)):
        found |= {f"{pk} {item['SK']}": item for item in desk.items.between(pk, " ", "~")}
    for prefix in ("blobs/", "exports/", "uploads/"):
        found |= dict.fromkeys(objects_under(desk, prefix))
    return found


def objects_under(desk: Desk, prefix: str) -> list[str]:
    return desk.objects.left_in(prefix)


def test_everything_of_one_user_goes_and_nothing_of_another(desk: Desk) -> None:
    for number in range(3):
        desk.say(f"t{number}", "hello", LARGE if number else "short")
    desk.clock.now += 1
    other = replace(desk, who=BOB)
    other.say("t0", "mine", LARGE)
    desk.objects.put(f"{exports_of(user_key(ANN))}{int(desk.clock.now * 1000):011x}aa.request", b"x")
    desk.items.put({"PK": partition(ANN, "t0"), "SK": document_key("d")})
    desk.objects.put(upload_key(partition(ANN, "t0"), "d"), b"raw")
    for day in ("2026-01-01", "2027-01-14", "2027-01-15"):
        desk.items.put({"PK": usage_of(user_key(ANN)), "SK": day, "tokens": 5})

    receipt = persons_of(desk).erase(ANN)

    assert (receipt.complete, receipt.threads, receipt.objects) == (True, 3, 3)
    assert receipt.erased_at == int(desk.clock.now * 1000)
    with pytest.raises(KeyError):
        desk.objects.get(upload_key(partition(ANN, "t0"), "d"))
    kept = left(desk, "t0", "t1", "t2")
    assert {key.split()[-1] for key in kept if "blobs/" not in key} == {HEAD, ERASURE, "2027-01-15"}
    assert other.texts("t0") == [LARGE]
    desk.clock.now += 3 * HOURS
    desk.cleanup.sweep()
    assert {key.split()[-1] for key in left(desk, "t0", "t1", "t2") if "blobs/" not in key} == {"2027-01-15"}
    assert other.texts("t0") == [LARGE]


def test_an_erasure_without_time_says_so_and_the_next_call_or_cleanup_ends_it(desk: Desk) -> None:
    for number in range(4):
        desk.say(f"t{number}")
    looks = iter([True, True, True])
    first = persons_of(desk).erase(ANN, lambda: next(looks, False))
    assert (first.complete, first.threads) == (False, 2)
    desk.clock.now += 1
    swept = desk.cleanup.sweep()
    assert (swept.threads, swept.finished) == (2, True)
    assert set(desk.all_of("t0")) == {HEAD}
    assert persons_of(desk).erase(ANN).threads == 0


class DiesAt(Items):
    """Raises at the nth write of an erasure and at all after it."""

    writes = 0
    dies_at = 0

    def _call(self, operation: str, **arguments: Any) -> Item:
        if operation not in ("get_item", "batch_get_item", "query"):
            self.writes += 1
            if self.writes >= self.dies_at:
                raise StoreUnavailable
        return super()._call(operation, **arguments)


@pytest.mark.parametrize("again", ["by another call", "by cleanup"])
def test_an_erasure_that_dies_at_any_write_is_finished(desk: Desk, again: str) -> None:
    for dies_at in range(1, 12):
        desk.say("x", "hello", LARGE)
        desk.store.leases.release(desk.begin("y", LARGE[:5_000]))
        dying = DiesAt(desk.items._client, desk.items._table)
        dying.dies_at = dies_at
        try:
            persons_of(desk, dying).erase(ANN)
        except StoreUnavailable:
            if again == "by another call" or dies_at == 1:
                assert persons_of(desk).erase(ANN).complete
            else:
                assert desk.cleanup.sweep().finished
        assert {key.split()[-1] for key in left(desk, "x", "y")} <= {HEAD, ERASURE}
        desk.clock.now += 1


def test_an_erasure_asked_for_twice_and_delivered_late_harms_nobody(desk: Desk) -> None:
    desk.say("x")
    persons = persons_of(desk)
    persons.erase(ANN)
    mark = desk.items.get(user_key(ANN), ERASURE)
    assert mark is not None
    desk.clock.now += 10
    desk.say("x", "new")
    desk.items.put(mark)  # the request of before, once more
    desk.clock.now += 3 * HOURS
    desk.cleanup.sweep()
    assert desk.texts("x") == ["a reply"]
    assert desk.items.get(user_key(ANN), ERASURE) is None


class SlowItems(Items):
    """Each call takes a fifth of a second; the index of a user's threads may know nothing yet."""

    desk: Desk
    is_behind = False

    def _call(self, operation: str, **arguments: Any) -> Item:
        self.desk.clock.now += 0.2
        if self.is_behind and arguments.get("IndexName") == BY_USER:
            return {"Items": []}
        return super()._call(operation, **arguments)


@pytest.mark.parametrize(("ahead", "is_behind"), [(-4, False), (0.2, False), (4, False), (0.2, True)])
def test_a_clock_that_is_ahead_keeps_nothing_and_what_begins_after_the_answer_stays(
    desk: Desk, ahead: float, is_behind: bool
) -> None:
    desk.clock.now += ahead
    desk.say("x")
    desk.store.leases.release(desk.begin("y"))
    desk.clock.now -= ahead
    items = SlowItems(desk.items._client, desk.items._table)
    items.desk, items.is_behind = desk, is_behind
    receipt = persons_of(desk, items).erase(ANN)
    assert (receipt.complete, receipt.threads) == (True, 0 if is_behind else 2)
    desk.say("z", "new")
    mark = desk.items.get(user_key(ANN), ERASURE)
    assert mark
    assert mark["asked"] < mark["until"] < desk.head("z")["created"]
    for _ in range(2):
        desk.clock.now += 3 * HOURS
        desk.cleanup.sweep()
    assert [thread.thread_id for thread in desk.store.listing.search(ANN)] == ["z"]
    assert desk.texts("z") == ["a reply"]


def test_a_thread_that_somebody_moved_into_another_users_index_stays_its_owners(desk: Desk) -> None:
    theirs = replace(desk, who=BOB)
    theirs.say("x", "a secret")
    desk.say("y")
    desk.items.put({**theirs.head("x"), "u": user_key(ANN)})
    for found in (desk.store.listing.search(ANN), desk.store.listing.all(ANN, Found())):
        assert [thread.thread_id for thread in found] == ["y"]
    assert persons_of(desk).erase(ANN).threads == 1
    assert theirs.texts("x") == ["a reply"]
