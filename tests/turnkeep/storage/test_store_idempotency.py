"""A key makes at most one turn, as long as it is remembered."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from desk import Desk, noise

from turnkeep.errors import (
    AgentMismatch,
    IdempotencyKeyReused,
    Superseded,
    ThreadBusy,
    TurnInProgress,
)
from turnkeep.records import Turn


def again(desk: Desk, key: str, message: str = "hello", **more: object) -> object:
    return desk.store.leases.begin(desk.who, "x", key=key, body=message.encode(), message=message, create=True, **more)  # type: ignore[arg-type]


def test_a_key_gives_its_turn_again_for_thirty_two_turns(desk: Desk) -> None:
    for number in range(1, 34):
        desk.say("x", f"message {number}", f"reply {number}", key=f"k{number}")
    for number in range(2, 34):
        turn = again(desk, f"k{number}", f"message {number}")
        assert isinstance(turn, Turn)
        assert (turn.number, turn.reply) == (number, f"reply {number}")
    assert not isinstance(again(desk, "k1", "message 1"), Turn)


def test_a_key_serves_one_body(desk: Desk) -> None:
    desk.say("x", "one", key="k")
    begun = desk.begin("x", "three", key="running")
    for key, message, raised in (
        ("k", "two", IdempotencyKeyReused),
        ("running", "four", IdempotencyKeyReused),
        ("running", "three", TurnInProgress),
        ("another", "three", ThreadBusy),
    ):
        with pytest.raises(raised) as error:
            again(desk, key, message)
        assert error.value.retry_after in ([None] if raised is IdempotencyKeyReused else range(1, 6))
    assert isinstance(again(desk, "k", "one"), Turn)  # a replay needs no lease
    desk.store.leases.release(begun)


@pytest.mark.parametrize("its_writer", ["released it", "died"])
def test_a_key_that_made_no_turn_is_free_again(desk: Desk, its_writer: str) -> None:
    begun = desk.begin("x", "one", key="k")
    if its_writer == "died":
        desk.clock.now += 31
    else:
        desk.store.leases.release(begun)
    assert desk.say("x", "one", key="k").number == 1
    assert desk.say("y", "two", key="k").number == 1  # a key is of its thread


def test_a_replay_brings_the_details_and_survives_a_branch(desk: Desk) -> None:
    desk.say("x", "one", key="k1", details={"rows": noise(9000)})
    first = desk.head("x")["cp"]
    desk.say("x", "two", key="k2")
    desk.say("x", "three", key="k3", older=first)
    turn = again(desk, "k1", "one")
    assert isinstance(turn, Turn)
    assert turn.details == {"rows": noise(9000)}
    assert isinstance(again(desk, "k3", "three"), Turn)
    left = again(desk, "k2", "two")
    assert isinstance(left, Turn)  # a key makes one turn, also one that a branch has left
    assert left.number == 2


def test_a_thread_keeps_to_its_agent(desk: Desk) -> None:
    desk.say("x", agent="papers")
    with pytest.raises(AgentMismatch):
        again(desk, "k", agent="products")
    desk.store.leases.release(desk.begin("x", agent="papers"))


# a COMMIT that comes late


def make_anew(desk: Desk) -> None:
    desk.store.threads.delete(desk.who, "x")
    desk.say("x", "two", "new")


@pytest.mark.parametrize(
    ("meanwhile", "raised"),
    [
        (lambda desk: desk.say("x", "one", "by its key", key="k"), None),
        (lambda desk: desk.say("x", "two", "of another body", key="k"), Superseded),
        (lambda desk: desk.say("x", "two", "of another key"), Superseded),
        (lambda desk: desk.store.threads.delete(desk.who, "x"), Superseded),
        (make_anew, Superseded),
    ],
    ids=["its key made a turn", "its key served another body", "another turn", "deleted", "deleted and made anew"],
)
def test_a_late_commit_gives_the_turn_of_its_key_or_is_superseded(
    desk: Desk, meanwhile: Callable[[Desk], object], raised: Any
) -> None:
    plan, _ = desk.prepare(desk.begin("x", "one", key="k"), "late")
    desk.clock.now += 31
    meanwhile(desk)
    before = desk.all_of("x")
    with pytest.raises(raised) if raised else nullcontext():
        stored = desk.store.turns.commit(plan)
        assert stored
        assert stored.reply == "by its key"
    if before:
        assert "late" not in desk.texts("x")
    else:
        assert desk.all_of("x") == {}
