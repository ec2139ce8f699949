"""Threads: a small HEAD, long messages, metadata, and searches."""

import json
from base64 import b64encode

import pytest
from harness import HOURS, Harness, noise

from capacity_rules import item_bytes
from turnkeep.errors import InvalidRequest, NotFound, ThreadBusy
from turnkeep.store.attributes import Item, encode
from turnkeep.store.keys import HEAD

KILOBYTE = 1024
THREAD = "0a1b2c3d-4e5f-6789-abcd-ef0123456789"


def size_of(item: Item) -> int:
    return item_bytes(json.loads(json.dumps(encode(item), default=lambda raw: b64encode(raw).decode())))


def test_a_typical_head_is_under_a_kilobyte_with_all_its_keys(harness: Harness) -> None:
    harness.who = type(harness.who)("3f1c2d4e-tenant", "auth0|64b7f0a1c2d3e4f5a6b7c8d9")
    for number in range(33):
        harness.take_turn(THREAD, f"A question of usual length, the {number}th of its kind?")
    harness.begin(THREAD, "And another question of usual length?")
    head = harness.head(THREAD)
    assert len(head["keys"]) == 32
    assert "pend" in head
    assert size_of(head) <= KILOBYTE


@pytest.mark.parametrize("size", [1, 500, 1024, 2048, 65_536])
def test_a_message_of_any_length_is_durable_before_its_run(harness: Harness, size: int) -> None:
    message = noise(size)
    begun = harness.begin("x", message)
    head = harness.head("x")
    assert size_of(head) <= 2 * KILOBYTE
    assert ("m" in head["pend"]) is (size <= 1024)
    shown = harness.store.threads.read(harness.who, "x")
    assert shown.pending is not None
    assert shown.pending.message == message
    plan, _ = harness.prepare(begun)
    harness.store.turns.commit(plan)
    assert harness.store.threads.read(harness.who, "x").pending is None
    assert harness.store.turns.read(harness.who, "x", 1).message == message


def test_metadata_is_merged_key_by_key(harness: Harness) -> None:
    harness.store.threads.create(harness.who, "x", metadata={"a": 1, "b": "two"})
    merged = harness.store.threads.update(harness.who, "x", {"b": 3, "c": [1, {"d": None}]}).metadata
    assert merged == {"a": 1, "b": 3, "c": [1, {"d": None}]}
    assert harness.store.threads.update(harness.who, "x", {"a": None}).metadata == {"b": 3, "c": [1, {"d": None}]}
    assert harness.store.threads.read(harness.who, "x").metadata == {"b": 3, "c": [1, {"d": None}]}


def test_metadata_has_a_limit_and_a_refusal_changes_nothing(harness: Harness) -> None:
    harness.store.threads.create(harness.who, "x", metadata={"a": 1})
    with pytest.raises(InvalidRequest):
        harness.store.threads.update(harness.who, "x", {"long": noise(2000)})
    with pytest.raises(InvalidRequest):
        harness.store.threads.create(harness.who, "y", metadata={"long": noise(2000)})
    assert harness.store.threads.read(harness.who, "x").metadata == {"a": 1}
    with pytest.raises(NotFound):
        harness.store.threads.read(harness.who, "y")


def test_a_concurrent_metadata_change_is_refused(harness: Harness) -> None:
    harness.store.threads.create(harness.who, "x", metadata={"a": 1})
    stale = harness.store.heads.read(harness.who, "x")
    harness.store.threads.update(harness.who, "x", {"a": 2})
    harness.store.heads.read = lambda *_: stale  # type: ignore[method-assign]
    with pytest.raises(ThreadBusy):
        harness.store.threads.update(harness.who, "x", {"b": 1})
    del harness.store.heads.read
    assert harness.store.threads.read(harness.who, "x").metadata == {"a": 2}


def test_a_search_finds_by_metadata_status_and_agent_newest_activity_first(harness: Harness) -> None:
    for number in range(6):
        harness.clock.now += 1
        harness.store.threads.create(harness.who, f"t{number}", metadata={"even": number % 2 == 0, "n": number})
    for number in (2, 0, 5):
        harness.clock.now += 1
        harness.take_turn(f"t{number}", agent="papers" if number else "products")
    assert _ids(harness) == ["t5", "t0", "t2", "t4", "t3", "t1"]
    assert _ids(harness, metadata={"even": True, "n": 4}) == ["t4"]
    assert _ids(harness, metadata={"missing": None}) == []
    assert _ids(harness, agent="papers") == ["t5", "t2"]
    assert _ids(harness, limit=2, offset=1, metadata={"even": True}) == ["t2", "t4"]
    held = harness.begin("t1")
    assert _ids(harness, status="busy") == ["t1"]
    harness.store.leases.release(held)
    assert _ids(harness, status="error") == ["t1"]
    assert _ids(harness, status="idle") == ["t5", "t0", "t2", "t4", "t3"]
    harness.store.threads.delete(harness.who, "t5")
    assert _ids(harness, agent="papers") == ["t2"]
    harness.clock.now += 24 * HOURS
    assert (_ids(harness), HEAD in harness.all_of("t2")) == ([], True)


def _ids(harness: Harness, **given: object) -> list[str]:
    return [thread.thread_id for thread in harness.store.listing.search(harness.who, **given)]  # type: ignore[arg-type]
