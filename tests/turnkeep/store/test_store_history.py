"""History follows the chain from HEAD, without gaps, or is reported as corrupt."""

from contextlib import nullcontext

import pytest
from harness import NOON, Harness, flipped

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.store.attributes import Item


def pages(harness: Harness, limit: int) -> list[int]:
    """All turns, read from the newest page to the oldest."""
    found: list[int] = []
    before: int | None = None
    while page := harness.numbers("x", limit, before):
        assert page == list(range(page[0], page[0] + len(page)))
        found, before = page + found, page[0]
    return found


def test_the_newest_turns_come_oldest_first(harness: Harness) -> None:
    for number in range(7):
        harness.take_turn("x", f"message {number + 1}", f"reply {number + 1}")
    turns = harness.store.turns.newest(harness.who, "x", limit=3)
    assert [(t.number, t.message, t.reply) for t in turns] == [(n, f"message {n}", f"reply {n}") for n in (5, 6, 7)]
    assert harness.numbers("x", 3, 5) == [2, 3, 4]
    assert harness.numbers("x", 3, 2) == [1]
    assert harness.numbers("x", 3, 1) == harness.numbers("x", 3, 0) == []
    assert harness.numbers("x", 100, 100) == list(range(1, 8))
    assert pages(harness, 2) == list(range(1, 8))


def test_a_turn_is_read_back_with_all_fields(harness: Harness) -> None:
    told = harness.take_turn("x", "hello", "good day", details={"steps": ["one"]})
    assert harness.store.turns.read(harness.who, "x", 1) == told
    assert (told.created_at, told.usage.output_tokens, told.thread_id) == (NOON, 2, "x")


@pytest.mark.parametrize("number", [0, -1, 3, 10**9])
def test_an_unknown_turn_number_is_not_found(harness: Harness, number: int) -> None:
    harness.take_turn("x")
    harness.take_turn("x")
    with pytest.raises(NotFound):
        harness.store.turns.read(harness.who, "x", number)


def test_a_dead_writer_of_an_abandoned_branch_is_on_no_page(harness: Harness) -> None:
    """It stands where the living branch has no turn of its own generation."""
    old, new = [], []
    for number in range(5):
        harness.take_turn("x", reply=f"old {number + 1}")
        old.append(harness.head("x")["cp"])
    for number in range(4):
        harness.take_turn("x", reply=f"new {number + 2}", older=None if number else old[0])
        new.append(harness.head("x")["cp"])
    harness.orphan("x", older=old[2])  # a fourth turn, after "old 3"
    harness.take_turn("x", reply="newer 5", older=new[2])
    whole = ["old 1", "new 2", "new 3", "new 4", "newer 5"]
    assert harness.texts("x") == whole
    for before in range(1, 6):
        page = harness.store.turns.newest(harness.who, "x", limit=10, before=before)
        assert [turn.reply for turn in page] == whole[: before - 1]


def test_an_unknown_checkpoint_is_not_found(harness: Harness) -> None:
    harness.take_turn("x")
    with pytest.raises(NotFound):
        harness.store.turns.load(harness.store.heads.read(harness.who, "x"), 10, "00000099")


def harmed(harness: Harness, kind: str) -> None:
    """One harm each to a thread of four turns."""
    every = harness.all_of("x")
    newest, third, second, first = (item for sk, item in every.items() if sk.startswith("TURN#"))
    checkpoint: Item = [item for sk, item in every.items() if sk.startswith("CP#")][-1]
    gone = {
        "a turn is gone": third,
        "the newest turn is gone": newest,
        "the first turn is gone": first,
        "the checkpoint is gone": checkpoint,
    }
    changed = {
        "a turn is altered": {**third, "data": flipped(third["data"])},
        "a turn forgets the one before": {name: value for name, value in third.items() if name != "prev"},
        "a turn names another before it": {**newest, "prev": second["SK"]},
        "a turn stands where another stood": {**second, "SK": third["SK"]},
        "the checkpoint is altered": {**checkpoint, "data": flipped(checkpoint["data"])},
        "the checkpoint belongs to another turn": {**checkpoint, "link": second["SK"]},
    }
    if kind in gone:
        harness.items.write_many(deletes=[(gone[kind]["PK"], gone[kind]["SK"])])
    else:
        harness.items.put(changed[kind])


HARMS = [
    "a turn is gone",
    "the newest turn is gone",
    "the first turn is gone",
    "a turn is altered",
    "a turn forgets the one before",
    "a turn names another before it",
    "a turn stands where another stood",
]
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
    assert harness.numbers("x") == [1]
    with pytest.raises(StateCorrupt):
        harness.store.turns.read(harness.who, "x", 1)
