"""Packs change what a read costs and never what it returns: threads read the same with packs of any size and none, on a
table whose eventually consistent reads return older states."""

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from harness import ANN, Harness
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_items import MemoryItems, MemoryObjects

from memory_table import Table
from turnkeep.errors import StateCorrupt
from turnkeep.store.attributes import Item
from turnkeep.store.codec import Codec
from turnkeep.store.keys import PACKS, TURNS
from turnkeep.store.links import Link
from turnkeep.store.plans import PACK_BYTES, Loaded

NEVER = 10**6
SIZES = [2, 3, 32, NEVER]
STEPS = st.one_of(
    st.tuples(st.just("turn"), st.integers(0, 3)),
    st.tuples(st.just("edit"), st.integers(0, 3)),
    st.tuples(st.just("branch"), st.integers(0, 40)),
    st.tuples(st.just("fork"), st.integers(0, 40)),
    st.tuples(st.just("orphan"), st.just(0)),
    st.tuples(st.just("windowed"), st.integers(1, 4)),
)


def is_pack(link: Link) -> bool:
    return "tip" in link.item


def texts_of(loaded: Loaded) -> list[str]:
    """The messages that a run starts with."""
    found: list[str] = []
    for link in loaded.links:
        for segment in link.segments:
            found = found[: segment.keep] + [each["data"]["content"] for each in segment.elements]  # type: ignore[index,call-overload]
    return found


@dataclass
class Talk:
    """Steps on one thread after another, next to a model: the messages at each checkpoint. Each step uses objects that
    remember nothing, or those of the step before."""

    harness: Harness
    chance: random.Random
    thread: str = field(default_factory=lambda: uuid.uuid4().hex)
    now: list[str] = field(default_factory=list)
    at: dict[str, list[str]] = field(default_factory=dict)
    made: int = 0

    def turn(self, dropped: int, *, older: str | None = None, **more: Any) -> None:
        self.made += 1
        before = self.at[older] if older else self.now
        message, reply = f"m{self.made}", f"r{self.made}"
        self.harness.take_turn(self.thread, message, reply, dropped=dropped, older=older, **more)
        self.now = before[: max(0, len(before) - dropped)] + ([] if more.get("edits") else [message]) + [reply]
        self.at[self.head().checkpoint or ""] = self.now

    def edit(self, dropped: int) -> None:
        self.turn(dropped, edits=True)

    def branch(self, place: int) -> None:
        if self.at:
            self.turn(0, older=[*self.at][place % len(self.at)])

    def fork(self, place: int) -> None:
        """Continue in a copy of the whole thread, which has the newest checkpoint only."""
        if self.at:
            self.harness.store.fork(ANN, self.thread, to := uuid.uuid4().hex)
            self.thread, self.at = to, {self.head(to).checkpoint or "": self.now}

    def orphan(self, _: int) -> None:
        self.harness.orphan(self.thread)

    def windowed(self, window: int) -> None:
        if self.at:
            loaded = self.harness.store.turns.load(self.head(), window)
            assert not any(map(is_pack, loaded.links))
            assert [link.item["SK"] for link in loaded.links][-1] == self.head().last

    def head(self, thread: str | None = None) -> Any:
        return self.harness.store.heads.read(ANN, thread or self.thread)

    def load(self, base: str | None = None) -> Loaded:
        return self.harness.store.turns.load(self.head(), None, base)

    def check(self) -> None:
        assert texts_of(self.load()) == self.now
        for base, texts in self.at.items():
            assert texts_of(self.load(base)) == texts


def play(talk: Talk, steps: list[tuple[str, int]], again: Callable[[], Harness]) -> None:
    for name, number in steps:
        getattr(talk, name)(number)
        if talk.chance.random() < 0.5:
            talk.harness = again()
        if talk.at:
            assert texts_of(talk.load()) == talk.now
    if talk.at:
        talk.check()


@pytest.mark.parametrize("size", SIZES)
@given(steps=st.lists(STEPS, max_size=14), seed=st.integers(0, 999))
def test_random_threads_read_the_same_with_packs_of_any_size(size: int, steps: list[Any], seed: int) -> None:
    chance = random.Random(seed)
    harness = Harness(MemoryItems(), MemoryObjects(), pack_links=size)  # type: ignore[arg-type]
    table = harness.items.table = Table(harness.clock, page=3, lag=lambda: chance.choice([0.0, 0.0, 2.0, 50.0]))  # type: ignore[attr-defined]

    def again() -> Harness:
        harness.clock.now += chance.choice([0, 1, 40])
        return replace(harness, items=MemoryItems(table))

    play(Talk(again(), chance), steps, again)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=8, max_size=14), size=st.sampled_from([2, 3]))
def test_random_threads_read_the_same_on_dynamodb_local(harness: Harness, steps: list[Any], size: int) -> None:
    packing = replace(harness, pack_links=size)
    play(Talk(packing, random.Random(0)), steps, lambda: replace(packing))


@pytest.fixture
def long(harness: Harness) -> Talk:
    """A thread of nine turns with packs of turns 1-3 and 4-6."""
    talk = Talk(replace(harness, pack_links=3), random.Random(0))
    for _ in range(9):
        talk.turn(0)
    assert [*map(is_pack, talk.load().links)] == [True, True, False, False, False]
    return talk


def packs(talk: Talk) -> list[Item]:
    return [item for sk, item in talk.harness.all_of(talk.thread).items() if sk.startswith(PACKS)]


HARMS: dict[str, Callable[[Item], Item]] = {
    "altered": lambda item: {**item, "data": bytes(item["data"])[:-1] + b"?"},
    "of another layout": lambda item: {**item, "v": 1},
    "of an unknown key": lambda item: {**item, "data": b"\x02" + b"????" + bytes(item["data"])[5:]},
    "that names another link before it": lambda item: {**item, "prev": item["tip"]},
    "that names another newest link": lambda item: {**item, "tip": item.get("prev", item["tip"][:-1])},
}


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("harm", [*HARMS, "missing"])
def test_without_a_readable_pack_its_links_are_read(long: Talk, harm: str, at: int) -> None:
    pack = packs(long)[at]
    if harm == "missing":
        long.harness.items.write_many(deletes=[(pack["PK"], pack["SK"])])
    else:
        long.harness.items.put(HARMS[harm](pack))
    long.check()
    long.turn(0)
    long.check()


def test_a_missing_link_behind_a_missing_pack_is_reported(long: Talk) -> None:
    every = long.harness.all_of(long.thread)
    first = [sk for sk in every if sk.startswith(TURNS)][-1]
    long.harness.items.write_many(deletes=[(long.head().pk, each) for each in (first, packs(long)[-1]["SK"])])
    with pytest.raises(StateCorrupt):
        long.load()


def test_packs_are_readable_after_the_signing_key_was_replaced(long: Talk) -> None:
    newer = replace(long.harness)
    newer.store.heads.codec = Codec(b"newer", b"secret")
    long.harness = newer
    for _ in range(4):
        long.turn(0)
    long.check()
    assert sum(map(is_pack, long.load().links)) == 3


def test_an_older_thread_gets_one_pack_a_turn(harness: Harness) -> None:
    talk = Talk(replace(harness, pack_links=NEVER), random.Random(0))
    for _ in range(7):
        talk.turn(0)
    talk.harness = replace(harness, pack_links=2)
    for count in (1, 2, 3, 4, 5, 5, 6):
        talk.turn(0)
        assert len(packs(talk)) == count
    talk.check()


def test_large_links_are_not_packed(harness: Harness) -> None:
    talk = Talk(replace(harness, pack_links=2), random.Random(0))
    talk.harness.take_turn(talk.thread, "large", random.Random(1).randbytes(PACK_BYTES).hex())
    for _ in range(4):
        talk.harness.take_turn(talk.thread)
    assert [*map(is_pack, talk.load().links)] == [False, True, False, False]


def test_a_graph_without_a_window_packs_and_one_with_a_window_does_not(harness: Harness) -> None:
    talk = Talk(replace(harness, pack_links=2), random.Random(0))
    for _ in range(5):
        begun = talk.harness.begin(talk.thread)
        plan, _ = talk.harness.prepare(begun, window=4)
        talk.harness.store.turns.commit(plan)
    assert not packs(talk)
