"""Requests without a key: which is a retry, and which says the same once more."""

from dataclasses import dataclass, field

import pytest
from harness import ANN, Harness
from hypothesis import event, example, given
from hypothesis import strategies as st
from memory_items import MemoryItems

from turnkeep.errors import NotFound, ThreadMoved, TurnInProgress
from turnkeep.records import Turn
from turnkeep.store.leases import RETRY_MS, BeginRequest, Repeat
from turnkeep.store.plans import Begun


def ask(harness: Harness, message: str, repeat: Repeat, **more: object) -> Begun | Turn:
    asked = BeginRequest(key="", body=message.encode(), message=message, create=True, repeat=repeat, **more)
    return harness.store.leases.begin(ANN, "t1", asked)


def take_turn(harness: Harness, message: str, repeat: Repeat) -> int | None:
    """The number of the turn that the request made, or had made before; None where it made none."""
    try:
        begun = ask(harness, message, repeat)
    except ThreadMoved:
        return None
    if isinstance(begun, Turn):
        return begun.number
    plan, turn = harness.prepare(begun, f"to {message}")
    assert harness.store.turns.commit(plan) is None
    assert turn
    return turn.number


def test_a_retry_is_found_where_the_first_try_of_the_same_words_is_no_longer_remembered(harness: Harness) -> None:
    others: list[tuple[str, Repeat]] = [(f"m{each}", "first") for each in range(31)]
    requests: list[tuple[str, Repeat]] = [("yes", "first"), *others, ("yes", "first"), ("yes", "again")]
    assert [take_turn(harness, message, repeat) for message, repeat in requests] == [*range(1, 34), 33]


@pytest.mark.parametrize("between", [[], ["no"]])
def test_an_old_turn_with_the_same_words_is_not_the_first_try(harness: Harness, between: list[str]) -> None:
    made = [take_turn(harness, message, "first") for message in ["yes", *between]]
    harness.clock.now += RETRY_MS / 1000 + 60
    assert [take_turn(harness, "yes", "again"), take_turn(harness, "yes", "again")] == [len(made) + 1] * 2


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

    harness: Harness
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
            begun = ask(self.harness, message.words, repeat)
        except ThreadMoved:
            event("refused as ambiguous")
            assert newest
            assert repeat == "again"
            if newest.words == message.words:
                assert self.failed - {message.words}
            else:
                assert message.words in {each.words for each in self.made[:-1]}
            self.open.remove(message)
            return
        if isinstance(begun, Turn):
            self._replayed(message, begun)
        elif fate == "failed":
            self.harness.store.leases.release(begun)
            self.failed.add(message.words)
            return
        else:
            assert message.turn is None or message.may_be_repeated or is_failed
            plan, _ = self.harness.prepare(begun)
            self.harness.store.turns.commit(plan)
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
        self.harness.clock.now += seconds
        for message in self.made if seconds * 1000 > RETRY_MS else ():
            message.may_be_repeated = True


WORDS, FATES = st.sampled_from(["yes", "no"]), st.sampled_from(["refused", "failed", "lost", "answered"])
STEPS = st.one_of(
    st.tuples(st.just("new"), WORDS, FATES),
    st.tuples(st.just("retry"), st.integers(0, 5), FATES),
    st.tuples(st.just("wait"), st.sampled_from([5, 1000]), st.none()),
)


@given(st.lists(STEPS, max_size=12))
@example([("new", "yes", "answered"), ("new", "yes", "failed"), ("new", "no", "failed"), ("retry", 0, "answered")])
def test_each_message_is_stored_once_and_never_mistaken_for_an_earlier_one(
    steps: list[tuple[str, object, str]],
) -> None:
    clients = Clients(Harness(MemoryItems(), {}))  # type: ignore[arg-type]
    clients.harness.store.threads.create(ANN, "t1")
    for kind, what, fate in steps:
        match what:
            case str():
                clients.open.append(Message(what))
                clients.attempt(clients.open[-1], fate)
            case int() if kind == "retry" and clients.open:
                clients.attempt(clients.open[what % len(clients.open)], fate)
            case int() if kind == "wait":
                clients.wait(what)
    stored = clients.harness.store.turns.newest(ANN, "t1", limit=100)
    assert [turn.message for turn in stored] == [message.words for message in clients.made]


@pytest.mark.parametrize("repeat", ["exact", "first", "again"])
def test_a_retry_of_a_running_request_raises_turn_in_progress(harness: Harness, repeat: Repeat) -> None:
    assert isinstance(ask(harness, "yes", "first"), Begun)
    with pytest.raises(TurnInProgress) as raised:
        ask(harness, "yes", repeat)
    assert raised.value.retry_after


def test_a_derived_key_needs_the_secret(harness: Harness) -> None:
    take_turn(harness, "a", "exact")
    assert harness.store.turns.run_id(ANN, "t1", "a") != harness.store.turns.read(ANN, "t1", 1).run_id


def test_a_turn_after_an_older_one_is_refused_without_a_lease(harness: Harness) -> None:
    harness.take_turn("t1")
    harness.take_turn("t1")
    with pytest.raises(ThreadMoved):
        ask(harness, "hello", "exact", after=1)
    assert isinstance(ask(harness, "hello", "exact", after=2), Begun)


def test_a_turn_after_one_of_an_unknown_thread_is_not_found(harness: Harness) -> None:
    with pytest.raises(NotFound):
        harness.store.leases.begin(ANN, "t2", BeginRequest(key="k", body=b"", message="hello", after=1))
