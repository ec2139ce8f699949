"""A fork copies turns into a thread of its own."""

import pytest
from harness import ANN, Harness, noise

from turnkeep.errors import NotFound, ThreadExists
from turnkeep.records import Principal

LONG = {"rows": [noise(20_000)]}


def said(harness: Harness, thread: str) -> list[tuple[int, str, str]]:
    return [(t.number, t.message, t.reply) for t in harness.store.turns.newest(ANN, thread, limit=100)]


def test_a_fork_contains_the_turns_up_to_its_origin_and_is_independent(harness: Harness) -> None:
    harness.store.threads.create(ANN, "t1", metadata={"team": "blue"})
    for number in range(1, 5):
        harness.take_turn("t1", f"m{number}", f"r{number}", details=LONG if number == 2 else {})
    forked = harness.store.fork(ANN, "t1", "t2", turn=3)
    assert (forked.thread_id, forked.turn_count, forked.agent, forked.title) == ("t2", 3, "papers", "m1")
    assert forked.metadata == {"team": "blue"}
    assert said(harness, "t2") == said(harness, "t1")[:3]
    harness.take_turn("t2", "m4", "here")
    assert harness.texts("t1") == ["r1", "r2", "r3", "r4"]
    harness.store.threads.delete(ANN, "t1")
    assert harness.texts("t2") == ["r1", "r2", "r3", "here"]
    assert harness.store.turns.read(ANN, "t2", 2).details == LONG


def test_a_fork_contains_edits_before_the_first_turn(harness: Harness) -> None:
    harness.edit("t1", "by hand")
    harness.take_turn("t1")
    harness.take_turn("t1")
    harness.store.fork(ANN, "t1", "t2", turn=1)
    links = harness.store.turns.load(harness.store.heads.read(ANN, "t2"), None).links
    assert [s.elements[-1]["data"]["content"] for link in links for s in link.segments] == ["by hand", "a reply"]  # type: ignore[index,call-overload]


def test_a_fork_restores_personal_data_for_its_owner(harness: Harness) -> None:
    mail = "[EMAIL_01234567]"
    harness.take_turn("t1", f"to {mail}", f"to {mail}", pii={mail: "ann@example.org"})
    harness.store.fork(ANN, "t1", "t2")
    harness.store.threads.delete(ANN, "t1")
    assert harness.texts("t2") == ["to ann@example.org"]


def test_a_fork_needs_ones_own_source_and_an_empty_target(harness: Harness) -> None:
    harness.take_turn("t1")
    harness.take_turn("t2", reply="mine")
    with pytest.raises(NotFound):
        harness.store.fork(Principal("acme", "bob"), "t1", "t3")
    with pytest.raises(ThreadExists):
        harness.store.fork(ANN, "t1", "t2")
    assert harness.texts("t2") == ["mine"]
    assert harness.store.fork(ANN, "t1", "t3", turn=0).turn_count == 0
