"""A key makes at most one turn for as long as it is kept."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from harness import Harness, noise

from turnkeep.errors import IdempotencyKeyReused, Superseded, ThreadBusy, TurnInProgress
from turnkeep.records import Turn
from turnkeep.store.leases import BeginRequest


def again(harness: Harness, key: str, message: str = "hello", **more: object) -> object:
    return harness.store.leases.begin(
        harness.who, "x", BeginRequest(key=key, body=message.encode(), message=message, create=True, **more)
    )  # type: ignore[arg-type]


def test_a_key_returns_its_turn_for_thirty_two_turns(harness: Harness) -> None:
    for number in range(1, 34):
        harness.take_turn("x", f"message {number}", f"reply {number}", key=f"k{number}")
    for number in range(2, 34):
        turn = again(harness, f"k{number}", f"message {number}")
        assert isinstance(turn, Turn)
        assert (turn.number, turn.reply) == (number, f"reply {number}")
    assert not isinstance(again(harness, "k1", "message 1"), Turn)


def test_a_key_serves_one_body(harness: Harness) -> None:
    harness.take_turn("x", "one", key="k")
    begun = harness.begin("x", "three", key="running")
    for key, message, raised in (
        ("k", "two", IdempotencyKeyReused),
        ("running", "four", IdempotencyKeyReused),
        ("running", "three", TurnInProgress),
        ("another", "three", ThreadBusy),
    ):
        with pytest.raises(raised) as error:
            again(harness, key, message)
        assert error.value.retry_after in ([None] if raised is IdempotencyKeyReused else range(1, 6))
    assert isinstance(again(harness, "k", "one"), Turn)  # a replay needs no lease
    harness.store.leases.release(begun)


def test_a_replay_has_details_and_survives_a_branch(harness: Harness) -> None:
    harness.take_turn("x", "one", key="k1", details={"rows": noise(9000)})
    first = harness.head("x")["cp"]
    harness.take_turn("x", "two", key="k2")
    harness.take_turn("x", "three", key="k3", older=first)
    turn = again(harness, "k1", "one")
    assert isinstance(turn, Turn)
    assert turn.details == {"rows": noise(9000)}
    assert isinstance(again(harness, "k3", "three"), Turn)
    left = again(harness, "k2", "two")
    assert isinstance(left, Turn)  # a key makes one turn, also one that a branch has left
    assert left.number == 2


@pytest.mark.parametrize(
    ("meanwhile", "raised"),
    [
        (lambda harness: harness.take_turn("x", "one", "by its key", key="k"), None),
        (lambda harness: harness.take_turn("x", "two", "of another body", key="k"), Superseded),
        (lambda harness: harness.store.threads.delete(harness.who, "x"), Superseded),
    ],
    ids=["its key made a turn", "its key served another body", "deleted"],
)
def test_a_late_commit_returns_the_turn_of_its_key_or_is_superseded(
    harness: Harness, meanwhile: Callable[[Harness], object], raised: Any
) -> None:
    plan, _ = harness.prepare(harness.begin("x", "one", key="k"), "late")
    harness.clock.now += 31
    meanwhile(harness)
    before = harness.all_of("x")
    with pytest.raises(raised) if raised else nullcontext():
        stored = harness.store.turns.commit(plan)
        assert stored
        assert stored.reply == "by its key"
    if before:
        assert "late" not in harness.texts("x")
    else:
        assert harness.all_of("x") == {}
