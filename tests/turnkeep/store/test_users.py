"""Erasing a user deletes all earlier data, even late or unlisted, and nothing begun afterwards."""

from dataclasses import replace
from typing import Any

import pytest
from harness import ANN, HOURS, NOON, Harness, noise

from turnkeep.records import Principal
from turnkeep.store.erasure import Eraser
from turnkeep.store.items import Items
from turnkeep.store.keys import (
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
from turnkeep.store.listing import Found
from turnkeep.store.users import UserEraser

BOB = Principal("acme", "bob")
LARGE = noise(700_000)


@pytest.fixture(autouse=True)
def _swept_until_noon(harness: Harness) -> None:
    harness.cleanup.begin_at(hour(int(NOON * 1000)))


def eraser_of(harness: Harness, items: Items | None = None) -> UserEraser:
    items = items or harness.items
    return UserEraser(Eraser(items, harness.blobs, clock=harness.clock), at_once=1)


def left(harness: Harness, *threads: str) -> dict[str, Any]:
    """Every item of these threads and of the user itself, and every object."""
    found: dict[str, Any] = {}
    for pk in (user_key(ANN), usage_of(user_key(ANN)), *(partition(ANN, thread) for thread in threads)):
        found |= {f"{pk} {item['SK']}": item for item in harness.items.between(pk, " ", "~")}
    for prefix in ("blobs/", "exports/", "uploads/"):
        found |= dict.fromkeys(harness.objects.left_in(prefix))
    return found


def test_erasing_a_user_deletes_all_of_its_data_and_no_one_elses(harness: Harness) -> None:
    for number in range(3):
        harness.take_turn(f"t{number}", "hello", LARGE if number else "short")
    harness.clock.now += 1
    other = replace(harness, who=BOB)
    other.take_turn("t0", "mine", LARGE)
    harness.objects.put(f"{exports_of(user_key(ANN))}{int(harness.clock.now * 1000):011x}aa.request", b"x")
    harness.items.put({"PK": partition(ANN, "t0"), "SK": document_key("d")})
    harness.objects.put(upload_key(partition(ANN, "t0"), "d"), b"raw")
    for day in ("2026-01-01", "2027-01-14", "2027-01-15"):
        harness.items.put({"PK": usage_of(user_key(ANN)), "SK": day, "tokens": 5})

    receipt = eraser_of(harness).erase(ANN)

    assert (receipt.complete, receipt.threads, receipt.objects) == (True, 3, 3)
    assert receipt.erased_at == int(harness.clock.now * 1000)
    with pytest.raises(KeyError):
        harness.objects.get(upload_key(partition(ANN, "t0"), "d"))
    kept = left(harness, "t0", "t1", "t2")
    assert {key.split()[-1] for key in kept if "blobs/" not in key} == {HEAD, ERASURE, "2027-01-15"}
    assert other.texts("t0") == [LARGE]
    harness.clock.now += 3 * HOURS
    harness.cleanup.sweep()
    assert {key.split()[-1] for key in left(harness, "t0", "t1", "t2") if "blobs/" not in key} == {"2027-01-15"}
    assert other.texts("t0") == [LARGE]


def test_an_erasure_out_of_time_is_incomplete_and_finished_by_cleanup(harness: Harness) -> None:
    for number in range(4):
        harness.take_turn(f"t{number}")
    looks = iter([True, True, True])
    first = eraser_of(harness).erase(ANN, lambda: next(looks, False))
    assert (first.complete, first.threads) == (False, 2)
    harness.clock.now += 10
    harness.take_turn("new")
    swept = harness.cleanup.sweep()
    assert (swept.threads, swept.finished) == (2, True)
    assert set(harness.all_of("t0")) == {HEAD}
    assert harness.texts("new") == ["a reply"]
    assert eraser_of(harness).erase(ANN).threads == 1


def test_a_thread_in_another_users_index_is_neither_listed_nor_erased(harness: Harness) -> None:
    theirs = replace(harness, who=BOB)
    theirs.take_turn("x", "a secret")
    harness.take_turn("y")
    harness.items.put({**theirs.head("x"), "u": user_key(ANN)})
    for found in (harness.store.listing.search(ANN), harness.store.listing.all(ANN, Found())):
        assert [thread.thread_id for thread in found] == ["y"]
    assert eraser_of(harness).erase(ANN).threads == 1
    assert theirs.texts("x") == ["a reply"]
