"""A fork: the same turns in a thread of its own."""

from typing import Any

import pytest
from desk import ANN, Desk, noise

from turnkeep.errors import NotFound, StoreUnavailable, ThreadBusy, ThreadExists
from turnkeep.records import Principal

LONG = {"rows": [noise(300)] * 40}


def said(desk: Desk, thread: str) -> list[tuple[int, str, str]]:
    return [(t.number, t.message, t.reply) for t in desk.store.turns.newest(ANN, thread, limit=100)]


def test_a_fork_holds_the_turns_up_to_where_it_was_made(desk: Desk) -> None:
    desk.store.threads.create(ANN, "t1", metadata={"team": "blue"})
    for number in range(1, 5):
        desk.say("t1", f"m{number}", f"r{number}", details=LONG if number == 2 else {})
    forked = desk.store.fork(ANN, "t1", "t2", turn=3)
    assert (forked.thread_id, forked.turn_count, forked.agent, forked.title) == ("t2", 3, "papers", "m1")
    assert forked.metadata == {"team": "blue"}
    assert said(desk, "t2") == said(desk, "t1")[:3]
    assert desk.store.turns.read(ANN, "t2", 2).details == LONG


def test_both_go_on_apart_and_the_fork_outlives_the_thread_that_it_was_made_of(desk: Desk) -> None:
    desk.say("t1", "m1", "r1", details={"rows": noise(20_000)})
    desk.store.fork(ANN, "t1", "t2")
    desk.say("t1", "m2", "there")
    desk.say("t2", "m2", "here")
    assert desk.texts("t1") == ["r1", "there"]
    desk.store.threads.delete(ANN, "t1")
    assert desk.texts("t2") == ["r1", "here"]
    assert len(desk.store.turns.read(ANN, "t2", 1).details["rows"]) == 20_000


def test_what_was_edited_is_forked_as_it_is_now(desk: Desk) -> None:
    desk.say("t1")
    desk.edit("t1", "by hand")
    desk.store.fork(ANN, "t1", "t2")
    loaded = desk.store.turns.load(desk.store.heads.read(ANN, "t2"), None)
    assert [s.elements[-1]["data"]["content"] for link in loaded.links for s in link.segments] == ["a reply", "by hand"]  # type: ignore[index,call-overload]


def test_a_fork_holds_what_was_put_into_the_state_before_the_first_turn(desk: Desk) -> None:
    desk.edit("t1", "by hand")
    desk.say("t1")
    desk.say("t1")
    desk.store.fork(ANN, "t1", "t2", turn=1)
    links = desk.store.turns.load(desk.store.heads.read(ANN, "t2"), None).links
    assert [s.elements[-1]["data"]["content"] for link in links for s in link.segments] == ["by hand", "a reply"]  # type: ignore[index,call-overload]


def test_two_forks_into_one_id_share_no_key(desk: Desk) -> None:
    desk.say("t1", details=LONG)
    keys = list[set[str]]()
    for _ in range(2):
        desk.store.fork(ANN, "t1", "t2")
        keys.append(desk.all_of("t2").keys() - {"HEAD"})
        desk.store.threads.delete(ANN, "t2")
    assert not keys[0] & keys[1]


def test_personal_data_is_told_to_its_owner_in_the_fork_too(desk: Desk) -> None:
    mail = "[EMAIL_01234567]"
    desk.say("t1", f"to {mail}", f"to {mail}", pii={mail: "ann@example.org"})
    desk.store.fork(ANN, "t1", "t2")
    desk.store.threads.delete(ANN, "t1")
    assert desk.texts("t2") == ["to ann@example.org"]


@pytest.mark.parametrize("number", [-1, 3])
def test_a_turn_that_is_not_there_is_not_found(desk: Desk, number: int) -> None:
    desk.say("t1")
    with pytest.raises(NotFound):
        desk.store.fork(ANN, "t1", "t2", turn=number)
    with pytest.raises(NotFound):
        desk.store.threads.read(ANN, "t2")


def test_nobody_forks_what_is_anothers_or_writes_over_a_thread_that_has_turns(desk: Desk) -> None:
    desk.say("t1")
    desk.say("t2", reply="mine")
    with pytest.raises(NotFound):
        desk.store.fork(Principal("acme", "bob"), "t1", "t3")
    with pytest.raises(ThreadExists):
        desk.store.fork(ANN, "t1", "t2")
    assert desk.texts("t2") == ["mine"]
    assert desk.store.fork(ANN, "t1", "t3", turn=0).turn_count == 0


@pytest.mark.parametrize("call", range(1, 8))
def test_a_fork_that_is_cut_off_is_not_there_and_can_be_made_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    for number in range(1, 4):
        desk.say("t1", f"m{number}", f"r{number}")
    left = [call]

    def counted(name: str) -> None:
        real = getattr(desk.items, name)

        def answer(*args: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                raise StoreUnavailable
            return real(*args, **options)

        monkeypatch.setattr(desk.items, name, answer)

    for name in ("update", "write_many", "between", "get"):
        counted(name)
    try:
        desk.store.fork(ANN, "t1", "t2")
    except StoreUnavailable:
        left[0] = 1000
        desk.clock.now += 31
        assert desk.store.fork(ANN, "t1", "t2").turn_count == 3
    assert said(desk, "t2") == said(desk, "t1")


def test_a_fork_under_way_is_busy_for_others(desk: Desk) -> None:
    desk.say("t1")
    desk.begin("t2")
    with pytest.raises(ThreadBusy):
        desk.store.fork(ANN, "t1", "t2")
