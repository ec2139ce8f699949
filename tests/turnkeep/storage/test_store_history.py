"""History is what the chain reaches from HEAD: oldest first, without gaps, or told to be corrupt."""

from contextlib import nullcontext

import pytest
from desk import NOON, Desk, flipped

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.records import Principal
from turnkeep.storage.attributes import Item
from turnkeep.storage.keys import HEAD


def pages(desk: Desk, limit: int) -> list[int]:
    """All turns, read from the newest page to the oldest."""
    found: list[int] = []
    before: int | None = None
    while page := desk.numbers("x", limit, before):
        assert page == list(range(page[0], page[0] + len(page)))
        found, before = page + found, page[0]
    return found


def test_the_newest_turns_come_oldest_first(desk: Desk) -> None:
    for number in range(7):
        desk.say("x", f"message {number + 1}", f"reply {number + 1}")
    turns = desk.store.turns.newest(desk.who, "x", limit=3)
    assert [(t.number, t.message, t.reply) for t in turns] == [(n, f"message {n}", f"reply {n}") for n in (5, 6, 7)]
    assert desk.numbers("x", 3, 5) == [2, 3, 4]
    assert desk.numbers("x", 3, 2) == [1]
    assert desk.numbers("x", 3, 1) == desk.numbers("x", 3, 0) == []
    assert desk.numbers("x", 100, 100) == list(range(1, 8))
    assert pages(desk, 2) == list(range(1, 8))


def test_a_turn_keeps_its_whole_ledger(desk: Desk) -> None:
    told = desk.say("x", "hello", "good day", details={"steps": ["one"]})
    assert desk.store.turns.read(desk.who, "x", 1) == told
    assert (told.created_at, told.usage.output_tokens, told.thread_id) == (NOON, 2, "x")


@pytest.mark.parametrize("number", [0, -1, 3, 10**9])
def test_a_turn_that_is_not_there_is_unknown(desk: Desk, number: int) -> None:
    desk.say("x")
    desk.say("x")
    with pytest.raises(NotFound):
        desk.store.turns.read(desk.who, "x", number)


def test_what_dead_writers_edits_and_branches_left_is_on_no_page(desk: Desk) -> None:
    checkpoints = []
    for number in range(1, 6):
        desk.orphan("x")
        desk.say("x", reply=f"old {number}")
        checkpoints.append(desk.head("x")["cp"])
        desk.edit("x")
        desk.edit("x")
    assert pages(desk, 1) == pages(desk, 2) == [1, 2, 3, 4, 5]
    desk.say("x", reply="new 3", older=checkpoints[1])
    desk.say("x", reply="new 4")
    desk.orphan("x")
    assert desk.texts("x") == ["old 1", "old 2", "new 3", "new 4"]
    assert pages(desk, 1) == pages(desk, 3) == [1, 2, 3, 4]
    assert desk.store.threads.read(desk.who, "x").turn_count == 4
    assert [desk.store.turns.read(desk.who, "x", n).reply for n in (1, 3)] == ["old 1", "new 3"]


def test_a_dead_writer_of_a_dead_branch_is_on_no_page(desk: Desk) -> None:
    """It stands where the living branch has no turn of its own generation."""
    old, new = [], []
    for number in range(5):
        desk.say("x", reply=f"old {number + 1}")
        old.append(desk.head("x")["cp"])
    for number in range(4):
        desk.say("x", reply=f"new {number + 2}", older=None if number else old[0])
        new.append(desk.head("x")["cp"])
    desk.orphan("x", older=old[2])  # a fourth turn, after "old 3"
    desk.say("x", reply="newer 5", older=new[2])
    whole = ["old 1", "new 2", "new 3", "new 4", "newer 5"]
    assert desk.texts("x") == whole
    for before in range(1, 6):
        page = desk.store.turns.newest(desk.who, "x", limit=10, before=before)
        assert [turn.reply for turn in page] == whole[: before - 1]


def test_going_back_to_a_checkpoint_that_is_not_there_is_not_found(desk: Desk) -> None:
    desk.say("x")
    with pytest.raises(NotFound):
        desk.store.turns.load(desk.store.heads.read(desk.who, "x"), 10, "00000099")


def harmed(desk: Desk, kind: str) -> None:
    """One harm each to a thread of four turns."""
    every = desk.all_of("x")
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
        desk.items.write_many(deletes=[(gone[kind]["PK"], gone[kind]["SK"])])
    else:
        desk.items.put(changed[kind])


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
def test_a_harmed_thread_is_not_read_and_not_changed(desk: Desk, harm: str) -> None:
    for _ in range(4):
        desk.say("x")
    harmed(desk, harm)
    begun = desk.begin("x")
    before = desk.all_of("x")
    with pytest.raises(StateCorrupt):
        desk.store.turns.load(begun.head, None)
    with pytest.raises(StateCorrupt) if harm in HARMS else nullcontext():  # never a shorter history
        desk.store.turns.newest(desk.who, "x", limit=10)
    assert desk.all_of("x") == before
    desk.store.leases.release(begun)
    assert desk.store.threads.read(desk.who, "x").turn_count == 4


def test_a_harm_outside_of_the_window_does_not_stop_a_turn(desk: Desk) -> None:
    for _ in range(4):
        desk.say("x")
    harmed(desk, "the first turn is gone")
    assert len(desk.store.turns.load(desk.store.heads.read(desk.who, "x"), 2).links) == 2


def test_missing_details_are_told_with_their_turn_alone(desk: Desk) -> None:
    desk.say("x", details={"rows": "r" * 9000})
    aside = next(item for sk, item in desk.all_of("x").items() if sk.startswith("ASIDE#"))
    desk.items.write_many(deletes=[(aside["PK"], aside["SK"])])
    assert desk.numbers("x") == [1]
    with pytest.raises(StateCorrupt):
        desk.store.turns.read(desk.who, "x", 1)


def test_every_route_of_a_foreign_thread_is_unknown(desk: Desk) -> None:
    desk.say("x")
    for stranger in (Principal("acme", "bob"), Principal("other", "ann")):
        for call in (
            lambda who: desk.store.threads.read(who, "x"),
            lambda who: desk.store.turns.newest(who, "x", limit=1),
            lambda who: desk.store.turns.read(who, "x", 1),
            lambda who: desk.store.threads.update(who, "x", {"a": 1}),
            lambda who: desk.store.threads.delete(who, "x"),
            lambda who: desk.store.leases.begin(who, "x", key="k", body=b"", message="m"),
        ):
            with pytest.raises(NotFound):
                call(stranger)
        assert desk.store.listing.search(stranger) == []
    assert desk.numbers("x") == [1]
    assert HEAD in desk.all_of("x")
