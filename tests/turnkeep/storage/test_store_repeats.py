"""Requests without a key: which is a retry, and which says the same once more."""

import pytest
from desk import ANN, Desk

from turnkeep.errors import NotFound, ThreadMoved, TurnInProgress
from turnkeep.records import Turn
from turnkeep.storage.leases import Repeat
from turnkeep.storage.plans import Begun


def ask(desk: Desk, message: str, repeat: Repeat, **more: object) -> Begun | Turn:
    return desk.table.begin(
        ANN, "t1", key=None, body=message.encode(), message=message, create=True, repeat=repeat, **more
    )


def say(desk: Desk, message: str, repeat: Repeat) -> Turn:
    """The turn that the request made, or had made before."""
    begun = ask(desk, message, repeat)
    if isinstance(begun, Turn):
        return begun
    plan, turn = desk.prepare(begun, f"to {message}")
    assert desk.table.apply(plan) is None
    assert turn
    return turn


def numbers(desk: Desk, *said: tuple[str, Repeat]) -> list[int]:
    return [say(desk, message, repeat).number for message, repeat in said]


def test_a_body_that_says_after_what_it_comes_makes_one_turn(desk: Desk) -> None:
    assert numbers(desk, ("a", "exact"), ("a", "exact"), ("b", "exact"), ("a", "exact")) == [1, 1, 2, 1]


def test_a_person_may_say_yes_as_often_as_they_like(desk: Desk) -> None:
    assert numbers(desk, *[("yes", "first")] * 4) == [1, 2, 3, 4]


def test_who_says_that_they_try_again_gets_the_newest_turn_where_it_is_theirs(desk: Desk) -> None:
    assert numbers(desk, ("yes", "first"), ("yes", "again")) == [1, 1]


def test_the_second_yes_tried_again_is_still_the_second(desk: Desk) -> None:
    assert numbers(desk, ("yes", "first"), ("yes", "first"), ("yes", "again"), ("yes", "again")) == [1, 2, 2, 2]


def test_a_try_whose_first_never_came_through_makes_its_turn(desk: Desk) -> None:
    assert numbers(desk, ("yes", "first"), ("no", "first"), ("yes", "again"), ("yes", "again")) == [1, 2, 3, 3]


def test_it_holds_where_the_first_yes_is_just_no_longer_remembered(desk: Desk) -> None:
    said: list[tuple[str, Repeat]] = [("yes", "first"), *((f"m{each}", "first") for each in range(31))]
    assert numbers(desk, *said)[-1] == 32
    assert numbers(desk, ("yes", "first"), ("yes", "again")) == [33, 33]


@pytest.mark.parametrize("repeat", ["exact", "first", "again"])
def test_while_the_first_one_runs_a_second_is_told_so(desk: Desk, repeat: Repeat) -> None:
    assert isinstance(ask(desk, "yes", "first"), Begun)
    with pytest.raises(TurnInProgress) as raised:
        ask(desk, "yes", repeat)
    assert raised.value.retry_after


def test_a_retry_gives_the_same_run(desk: Desk) -> None:
    first, again = say(desk, "a", "exact"), say(desk, "a", "exact")
    assert first.run_id == again.run_id
    assert first.run_id != say(desk, "b", "exact").run_id


def test_the_key_of_a_body_tells_nothing_of_it_without_the_secret(desk: Desk) -> None:
    say(desk, "a", "exact")
    assert desk.table.run_id(ANN, "t1", "a") != desk.table.read_turn(ANN, "t1", 1).run_id


def test_a_turn_after_another_one_than_the_newest_is_refused_and_nothing_held(desk: Desk) -> None:
    desk.say("t1")
    desk.say("t1")
    with pytest.raises(ThreadMoved):
        ask(desk, "hello", "exact", after=1)
    assert isinstance(ask(desk, "hello", "exact", after=2), Begun)


def test_a_thread_that_is_not_there_has_no_newest_turn(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.table.begin(ANN, "t2", key="k", body=b"", message="hello", after=1)
