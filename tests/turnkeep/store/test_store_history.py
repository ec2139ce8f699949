"""History follows the chain from HEAD, without gaps, or is reported as corrupt."""

from contextlib import nullcontext

import pytest
from harness import Harness, flipped

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.store.attributes import Item


@pytest.mark.parametrize("number", [0, -1, 3, 10**9])
def test_an_unknown_turn_number_is_not_found(harness: Harness, number: int) -> None:
    harness.take_turn("x")
    harness.take_turn("x")
    with pytest.raises(NotFound):
        harness.store.turns.read(harness.who, "x", number)
    with pytest.raises(NotFound):
        harness.store.turns.load(harness.store.heads.read(harness.who, "x"), 10, "00000099")


def harmed(harness: Harness, kind: str) -> None:
    """One harm each to a thread of four turns."""
    every = harness.all_of("x")
    newest, third, second, first = (item for sk, item in every.items() if sk.startswith("TURN#"))
    checkpoint: Item = [item for sk, item in every.items() if sk.startswith("CP#")][-1]
    harms: dict[str, Item | tuple[str, str]] = {
        "a turn is gone": key_of(third),
        "the newest turn is gone": key_of(newest),
        "the first turn is gone": key_of(first),
        "the checkpoint is gone": key_of(checkpoint),
        "a turn is altered": {**third, "data": flipped(third["data"])},
        "a turn forgets the one before": {name: value for name, value in third.items() if name != "prev"},
        "a turn names another before it": {**newest, "prev": second["SK"]},
        "a turn stands where another stood": {**second, "SK": third["SK"]},
        "the checkpoint is altered": {**checkpoint, "data": flipped(checkpoint["data"])},
        "the checkpoint belongs to another turn": {**checkpoint, "link": second["SK"]},
    }
    match harms[kind]:
        case tuple(key):
            harness.items.write_many(deletes=[key])
        case item:
            harness.items.put(item)


def key_of(item: Item) -> tuple[str, str]:
    return item["PK"], item["SK"]


HARMS = ["a turn is gone", "the newest turn is gone", "the first turn is gone", "a turn is altered"]
HARMS += ["a turn forgets the one before", "a turn names another before it", "a turn stands where another stood"]
CHECKPOINT_HARMS = ["the checkpoint is gone", "the checkpoint is altered", "the checkpoint belongs to another turn"]


@pytest.mark.parametrize("harm", [*HARMS, *CHECKPOINT_HARMS])
def test_a_damaged_thread_raises_state_corrupt_and_is_left_unchanged(harness: Harness, harm: str) -> None:
    for _ in range(4):
        harness.take_turn("x")
    harmed(harness, harm)
    begun = harness.begin("x")
    before = harness.all_of("x")
    with pytest.raises(StateCorrupt):
        harness.store.turns.load(begun.head, None)
    with pytest.raises(StateCorrupt) if harm in HARMS else nullcontext():  # never a shorter history
        harness.store.turns.newest(harness.who, "x", limit=10)
    assert harness.all_of("x") == before
    harness.store.leases.release(begun)
    assert harness.store.threads.read(harness.who, "x").turn_count == 4


def test_damage_outside_the_window_does_not_stop_a_turn(harness: Harness) -> None:
    for _ in range(4):
        harness.take_turn("x")
    harmed(harness, "the first turn is gone")
    assert len(harness.store.turns.load(harness.store.heads.read(harness.who, "x"), 2).links) == 2


def test_missing_details_affect_only_their_turn(harness: Harness) -> None:
    harness.take_turn("x", details={"rows": "r" * 9000})
    aside = next(item for sk, item in harness.all_of("x").items() if sk.startswith("ASIDE#"))
    harness.items.write_many(deletes=[(aside["PK"], aside["SK"])])
    assert harness.texts("x") == ["a reply"]
    with pytest.raises(StateCorrupt):
        harness.store.turns.read(harness.who, "x", 1)
