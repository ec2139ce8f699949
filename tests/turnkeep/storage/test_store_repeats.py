"""Requests without a key: which is a retry, and which says the same once more."""

from dataclasses import dataclass, field

import pytest
from desk import ANN, Desk
from hypothesis import event, given
from hypothesis import strategies as st
from memory_items import MemoryItems

from turnkeep.errors import NotFound, ThreadMoved, TurnInProgress
from turnkeep.records import Turn
from turnkeep.storage.plans import Begun
from turnkeep.storage.retries import RETRY_MS, Repeat


def ask(desk: Desk, message: str, repeat: Repeat, **more: object) -> Begun | Turn:
    return desk.store.retries.begin(
        ANN, "t1", repeat, key=None, body=message.encode(), message=message, create=True, **more
    )


def say(desk: Desk, message: str, repeat: Repeat, *, fails: bool = False) -> int | None:
    """The number of the turn that the request made, or had made before; None where it made none."""
    try:
        begun = ask(desk, message, repeat)
    except ThreadMoved:
        return None
    if isinstance(begun, Turn):
        return begun.number
    if fails:
        desk.store.leases.release(begun)
        return None
    plan, turn = desk.prepare(begun, f"to {message}")
    assert desk.store.turns.commit(plan) is None
    assert turn
    return turn.number


STORIES: dict[str, tuple[list[tuple[str, Repeat]], list[int | None]]] = {
    "a body that says after what it comes makes one turn": (
        [("a", "exact"), ("a", "exact"), ("b", "exact"), ("a", "exact")],
        [1, 1, 2, 1],
    ),
    "the second yes tried again is still the second": (
        [("yes", "first")] * 2 + [("yes", "again")] * 2,
        [1, 2, 2, 2],
    ),
    "a retry after another client's turn is refused, not repeated": (
        [("yes", "first"), ("no", "first"), ("yes", "again"), ("yes", "again"), ("yes", "first")],
        [1, 2, None, None, 3],
    ),
    "a retry is found where the first yes is just no longer remembered": (
        [("yes", "first"), *((f"m{each}", "first") for each in range(31)), ("yes", "first"), ("yes", "again")],
        [*range(1, 34), 33],
    ),
}


@pytest.mark.parametrize("story", STORIES)
def test_which_request_is_a_retry(desk: Desk, story: str) -> None:
    requests, made = STORIES[story]
    assert [say(desk, message, repeat) for message, repeat in requests] == made


def test_a_second_yes_whose_first_try_failed_is_not_taken_for_the_first(desk: Desk) -> None:
    assert say(desk, "yes", "first") == 1
    assert say(desk, "yes", "first", fails=True) is None
    assert [say(desk, "yes", "again"), say(desk, "yes", "again")] == [2, 2]


@pytest.mark.parametrize("between", [[], ["no"]])
def test_an_old_turn_of_the_same_words_is_no_first_try(desk: Desk, between: list[str]) -> None:
    made = [say(desk, message, "first") for message in ["yes", *between]]
    desk.clock.now += RETRY_MS / 1000 + 60
    assert [say(desk, "yes", "again"), say(desk, "yes", "again")] == [len(made) + 1] * 2


@dataclass
class Message:
    """One message of a client that counts its tries; `turn` is what the store made of it."""

    words: str
    tries: int = 0
    turn: int | None = None
    may_be_repeated: bool = False  # it made its turn so long ago that the retry is a message of its own


@dataclass
class Clients:
    """Clients of one thread, each of whose tries is refused before BEGIN, fails after it, is kept without an answer, or
    answered; a message stays open until it was answered or told to read the thread."""

    desk: Desk
    open: list[Message] = field(default_factory=list)
    made: list[Message] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)  # words of which a try failed since the newest turn

    def attempt(self, message: Message, fate: str) -> None:
        repeat: Repeat = "again" if message.tries else "first"
        message.tries += 1
        if fate == "refused":
            return
        newest = self.made[-1] if self.made else None
        is_failed = message.words in self.failed
        try:
            begun = ask(self.desk, message.words, repeat)
        except ThreadMoved:
            event("refused as ambiguous")
            assert newest
            assert repeat == "again"
            assert message.words in {each.words for each in self.made[:-1]}
            assert newest.words != message.words
            self.open.remove(message)
            return
        if isinstance(begun, Turn):
            self._replayed(message, begun)
        elif fate == "failed":
            self.desk.store.leases.release(begun)
            self.failed.add(message.words)
            return
        else:
            assert message.turn is None or message.may_be_repeated or is_failed
            plan, _ = self.desk.prepare(begun)
            self.desk.store.turns.commit(plan)
            self.made.append(message)
            message.turn = len(self.made)
            self.failed.clear()
        if fate == "answered":
            self.open.remove(message)

    def _replayed(self, message: Message, turn: Turn) -> None:
        """Gets its own turn; one that left no trace may get the newest, where that has the same words."""
        assert message.tries > 1
        assert turn.message == message.words
        if message.turn is None:
            event("taken for the newest turn")
            assert turn.number == len(self.made)
            assert message.words not in self.failed
        else:
            assert self.made[turn.number - 1].words == message.words

    def wait(self, seconds: int) -> None:
        self.desk.clock.now += seconds
        for message in self.made if seconds * 1000 > RETRY_MS else ():
            message.may_be_repeated = True


WORDS, FATES = st.sampled_from(["yes", "no"]), st.sampled_from(["refused", "failed", "lost", "answered"])
STEPS = st.one_of(
    st.tuples(st.just("new"), WORDS, FATES),
    st.tuples(st.just("retry"), st.integers(0, 5), FATES),
    st.tuples(st.just("wait"), st.sampled_from([5, 1000]), st.none()),
)


@given(st.lists(STEPS, max_size=12))
def test_no_message_is_kept_twice_and_none_is_taken_for_another_that_it_follows(
    steps: list[tuple[str, object, str]],
) -> None:
    clients = Clients(Desk(MemoryItems(), {}))  # type: ignore[arg-type]
    clients.desk.store.threads.create(ANN, "t1")
    for kind, what, fate in steps:
        match what:
            case str():
                clients.open.append(Message(what))
                clients.attempt(clients.open[-1], fate)
            case int() if kind == "retry" and clients.open:
                clients.attempt(clients.open[what % len(clients.open)], fate)
            case int() if kind == "wait":
                clients.wait(what)
    stored = clients.desk.store.turns.newest(ANN, "t1", limit=100)
    assert [turn.message for turn in stored] == [message.words for message in clients.made]


@pytest.mark.parametrize("repeat", ["exact", "first", "again"])
def test_while_the_first_one_runs_a_second_is_told_so(desk: Desk, repeat: Repeat) -> None:
    assert isinstance(ask(desk, "yes", "first"), Begun)
    with pytest.raises(TurnInProgress) as raised:
        ask(desk, "yes", repeat)
    assert raised.value.retry_after


def test_a_retry_gives_the_same_run(desk: Desk) -> None:
    runs = []
    for message in ("a", "a", "b"):
        say(desk, message, "exact")
        begun = ask(desk, message, "exact")
        assert isinstance(begun, Turn)
        runs.append(begun.run_id)
    assert runs[0] == runs[1] != runs[2]


def test_the_key_of_a_body_tells_nothing_of_it_without_the_secret(desk: Desk) -> None:
    say(desk, "a", "exact")
    assert desk.store.turns.run_id(ANN, "t1", "a") != desk.store.turns.read(ANN, "t1", 1).run_id


def test_a_turn_after_another_one_than_the_newest_is_refused_and_nothing_held(desk: Desk) -> None:
    desk.say("t1")
    desk.say("t1")
    with pytest.raises(ThreadMoved):
        ask(desk, "hello", "exact", after=1)
    assert isinstance(ask(desk, "hello", "exact", after=2), Begun)


def test_a_thread_that_is_not_there_has_no_newest_turn(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.store.leases.begin(ANN, "t2", key="k", body=b"", message="hello", after=1)
