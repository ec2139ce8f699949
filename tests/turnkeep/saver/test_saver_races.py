"""Whatever runs between two requests of a step, a turn, a deletion or a prune: what was acknowledged is kept, what was
refused is not, and the thread can be read and gone on with. Each race is also run with a request that is sent twice."""

import threading
from typing import Any

import pytest
from desk import Desk
from langgraph.checkpoint.memory import InMemorySaver
from memory_items import MemoryItems, MemoryObjects
from races import Actor, HeldItems, Race, Side, races, started
from saver_graphs import LOCAL, echo, on, remembering, saying

from turnkeep.errors import ThreadMoved

WRITERS, CLEANERS = ("exit", "turn", "edit"), ("prune", "drop", "delete")
READERS = ("state", "history", "turns", "one_turn", "left", "fork")
PAIRS = [
    *[(held, other) for held in CLEANERS for other in (*WRITERS, *CLEANERS)],
    *[(held, other) for held in (*WRITERS, "sync") for other in ("exit", "turn", "asks", *CLEANERS)],
    ("asks", "asks"),
    ("asks", "exit"),
]


def check(race: Race, *, is_deleted: bool) -> None:
    """Of a thread that is deleted what was acknowledged goes too, but what was begun after that."""
    for side in (race.held, race.other):
        if side.answer and not (is_deleted and "one" in side.answer):
            assert side.text in race.texts
        if side.error:
            assert side.text not in race.texts


@pytest.mark.slow
@pytest.mark.parametrize("side", ["before", "after", "twice"])
@pytest.mark.parametrize(("held", "other"), PAIRS)
def test_what_was_acknowledged_is_kept_and_what_was_refused_is_not(held: str, other: str, side: Side) -> None:
    for race in races("old", held, other, side):
        check(race, is_deleted="delete" in (held, other))
        if held in WRITERS:
            assert ("one" in race.texts) == (other != "delete")


@pytest.mark.slow
@pytest.mark.parametrize("side", ["before", "after", "twice"])
@pytest.mark.parametrize("start", ["new", "empty", "claimed", "tombstone"])
@pytest.mark.parametrize("other", ["exit", "turn", "delete", "prune"])
@pytest.mark.parametrize("held", ["exit", "turn", "delete"])
def test_a_first_step_is_kept_or_refused(start: str, held: str, other: str, side: Side) -> None:
    for race in races(start, held, other, side):
        assert "one" not in race.texts
        means_this = held == "delete" and (race.at == 1 or start in ("new", "empty"))
        if other != "delete" and not means_this:
            check(race, is_deleted=False)


@pytest.mark.parametrize("held", READERS)
def test_who_reads_a_thread_that_is_deleted_meanwhile_finds_it_whole_or_not_at_all(held: str) -> None:
    for side in ("before", "after"):
        for race in races("old", held, "delete", side):  # type: ignore[arg-type]
            assert race.held.error is None
            assert len(race.held.answer or ()) in (0, 4)


@pytest.mark.parametrize("at", range(1, 9))
@pytest.mark.parametrize("looked", range(1, 6))
def test_a_deletion_that_another_finishes_meets_no_key_of_a_first_step(at: int, looked: int) -> None:
    """The other is held between its list of keys and its deletes, while the step goes on from where it was held."""
    table = started("tombstone")
    is_held, may_go_on = threading.Event(), threading.Event()

    def hold() -> None:
        is_held.set()
        may_go_on.wait(60)

    other = Actor(HeldItems(table, looked, "before", hold), name="other")
    thread = threading.Thread(target=lambda: (other.does("turn"), is_held.set()))

    def begin() -> None:
        thread.start()
        is_held.wait(60)

    mine = Actor(HeldItems(table, at, "before", begin), name="step")
    mine.does("exit")
    may_go_on.set()
    if thread.ident:
        thread.join()
    after = Actor(HeldItems(table))
    for side in (mine, other):
        assert side.answer is None or side.text in after.texts()
    after.run("at the end")


@pytest.mark.parametrize("durability", ["exit", "sync"])
def test_a_first_step_whose_requests_arrive_again_after_a_deletion_leaves_nothing_that_can_be_read(
    durability: str,
) -> None:
    for at in range(12):
        items = HeldItems()
        actor = Actor(items)
        actor.does(durability)
        late = items.calls[:]
        actor.delete()
        if at < len(late):
            try:
                late[at]()
            except Exception as error:  # noqa: BLE001 - refused, as it should be
                assert type(error).__name__ in ("Refused", "StopIteration")  # noqa: PT017
        assert actor.texts() == []
        actor.run("anew")
        assert actor.texts() == ["anew", "saw 1"]


@pytest.mark.parametrize("durability", ["sync", "exit"])
def test_a_sub_graph_keeps_its_memory_beside_a_prune(durability: Any) -> None:
    items, known = MemoryItems(), remembering(InMemorySaver())
    for at in range(1, 9):
        pruned = Actor(items, remembering)
        held = Actor(HeldItems(items.table, at, "before", pruned.prune), remembering)
        for graph in (remembering(held.saver), known):
            graph.invoke({"last": str(at)}, on("t"), durability=durability)
        assert remembering(Actor(items).saver).get_state(on("t")).values == known.get_state(on("t")).values


@pytest.mark.parametrize("durability", ["exit", "sync", "async"])
def test_of_two_runs_of_one_saver_on_a_new_thread_none_loses_what_the_other_was_answered(durability: Any) -> None:
    items = MemoryItems()
    saver = Actor(items).saver
    answers: dict[str, list[str]] = {}

    def run(text: str) -> None:
        try:
            answers[text] = [
                each.text for each in graph.invoke(saying(text), on("t"), durability=durability)["messages"]
            ]
        except ThreadMoved:
            answers[text] = []

    def within(state: Any) -> Any:
        if state["messages"][-1].text == "slow":
            other = threading.Thread(target=run, args=("quick",))
            other.start()
            other.join()
        return {}

    graph = echo(saver)
    graph.nodes["look"].bound.func = within
    run("slow")
    assert len(answers) == 2
    assert [] in answers.values()
    (kept,) = [answer for answer in answers.values() if answer]
    assert Actor(items).texts() == kept


def test_a_key_whose_turn_a_branch_left_makes_no_second_turn() -> None:
    desk = Desk(MemoryItems(), MemoryObjects())
    for number in range(3):
        desk.say("x", f"m{number}", f"r{number}", key=f"k{number}")
    first = desk.store.turns.load(desk.store.heads.read(desk.who, "x"), None, 1)
    assert first.checkpoint
    desk.say(
        "x", "else", "there", older=desk.store.turns.chain.turn(desk.store.heads.read(desk.who, "x"), 1).item["cp"]
    )
    desk.say("x", "more", "too")
    for number in range(3):
        again = desk.store.leases.begin(
            desk.who, "x", key=f"k{number}", body=f"m{number}".encode(), message=f"m{number}"
        )
        assert again.reply == f"r{number}"  # type: ignore[union-attr]
    assert desk.texts("x") == ["r0", "there", "too"]


def test_checkpoints_that_an_older_version_named_by_their_ids_are_gone_on_with_and_pruned() -> None:
    items = MemoryItems()
    actor = Actor(items)
    for text in ("one", "two"):
        actor.commit(text, edits=False, is_older=True)
    assert (
        Actor(items).store.heads.read(LOCAL, "t").checkpoint
        == Actor(items).store.heads.read(LOCAL, "t").checkpoint_name
    )
    for durability in ("sync", "exit"):
        Actor(items).run(durability, durability=durability)
    Actor(items).commit("three", edits=False)
    told = ["one", "said", "two", "said", "sync", "saw 5", "exit", "saw 7", "three", "said"]
    assert Actor(items).texts() == told
    history = list(echo(Actor(items).saver).get_state_history(on("t")))
    assert [len(each.values["messages"]) for each in history if each.values] == [10, 8, 6, 5, 5, 4, 4, 2]
    other = Actor(items)
    echo(other.saver).invoke(saying("else"), history[-1].config)
    assert other.texts() == ["one", "said", "else", "saw 3"]
    Actor(items).prune()
    assert Actor(items).texts() == other.texts()
    assert [sk for _, sk in items.stored if sk.startswith("CP#") and "#W#" not in sk] == [
        f"CP#{other.store.heads.read(LOCAL, 't').checkpoint_name}"
    ]
