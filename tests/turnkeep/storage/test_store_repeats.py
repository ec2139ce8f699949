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


STORIES: dict[str, tuple[list[tuple[str, Repeat]], list[int]]] = {
    "a body that says after what it comes makes one turn": (
        [("a", "exact"), ("a", "exact"), ("b", "exact"), ("a", "exact")],
        [1, 1, 2, 1],
    ),
    "a person may say yes as often as they like": ([("yes", "first")] * 4, [1, 2, 3, 4]),
    "who says that they try again gets the newest turn where it is theirs": (
        [("yes", "first"), ("yes", "again")],
        [1, 1],
    ),
    "the second yes tried again is still the second": ([("yes", "first")] * 2 + [("yes", "again")] * 2, [1, 2, 2, 2]),
    "a try whose first never came through makes its turn": (
        [("yes", "first"), ("no", "first"), ("yes", "again"), ("yes", "again")],
        [1, 2, 3, 3],
    ),
    "it holds where the first yes is just no longer remembered": (
        [("yes", "first"), *((f"m{each}", "first") for each in range(31)), ("yes", "first"), ("yes", "again")],
        [*range(1, 34), 33],
    ),
}


@pytest.mark.parametrize("story", STORIES)
def test_which_request_is_a_retry(desk: Desk, story: str) -> None:
    requests, made = STORIES[story]
    assert [say(desk, message, repeat).number for message, repeat in requests] == made


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
