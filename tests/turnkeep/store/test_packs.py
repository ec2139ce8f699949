"""Packs change the cost of reads and never their result. tests/simulation and test_random_turns.py draw threads."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from harness import ANN, Harness

from turnkeep.store.attributes import Item
from turnkeep.store.codec import Codec
from turnkeep.store.head import Head
from turnkeep.store.keys import PACKS
from turnkeep.store.links import Link
from turnkeep.store.plans import PACK_BYTES, Loaded

NEVER = 10**6


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
    """Turns on one thread, next to the messages at each checkpoint."""

    harness: Harness
    now: list[str] = field(default_factory=list)
    at: dict[str, list[str]] = field(default_factory=dict)

    def turn(self) -> None:
        message, reply = f"m{len(self.at)}", f"r{len(self.at)}"
        self.harness.take_turn("t", message, reply)
        self.now = [*self.now, message, reply]
        self.at[self.head().checkpoint or ""] = self.now

    def head(self) -> Head:
        return self.harness.store.heads.read(ANN, "t")

    def load(self, base: str | None = None) -> Loaded:
        return self.harness.store.turns.load(self.head(), None, base)

    def check(self) -> None:
        assert texts_of(self.load()) == self.now
        for base, texts in self.at.items():
            assert texts_of(self.load(base)) == texts


@pytest.fixture
def long(harness: Harness) -> Talk:
    """A thread of nine turns with packs of turns 1-3 and 4-6."""
    talk = Talk(replace(harness, pack_links=3))
    for _ in range(9):
        talk.turn()
    assert [*map(is_pack, talk.load().links)] == [True, True, False, False, False]
    return talk


def packs(talk: Talk) -> list[Item]:
    return [item for sk, item in talk.harness.all_of("t").items() if sk.startswith(PACKS)]


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
    long.turn()
    long.check()


@pytest.mark.parametrize("window", range(1, 6))
def test_a_window_contains_no_pack_of_a_writer_that_died(harness: Harness, window: int) -> None:
    talk = Talk(replace(harness, pack_links=NEVER))
    for _ in range(6):
        talk.turn()
    plan, _ = replace(harness, pack_links=2).prepare(harness.begin("t"))
    harness.items.write_many(puts=plan.puts)
    assert packs(talk)
    links = harness.store.turns.load(talk.head(), window).links
    assert (len(links), links[-1].item["SK"]) == (window, talk.head().last)
    assert not any(map(is_pack, links))


def test_packs_are_readable_after_the_signing_key_was_replaced(long: Talk) -> None:
    newer = replace(long.harness)
    newer.store.heads.codec = Codec(b"newer", b"secret")
    long.harness = newer
    for _ in range(4):
        long.turn()
    long.check()
    assert sum(map(is_pack, long.load().links)) == 3


def test_an_older_thread_gets_one_pack_a_turn(harness: Harness) -> None:
    talk = Talk(replace(harness, pack_links=NEVER))
    for _ in range(7):
        talk.turn()
    talk.harness = replace(harness, pack_links=2)
    for count in (1, 2, 3, 4, 5, 5, 6):
        talk.turn()
        assert len(packs(talk)) == count
    talk.check()


def test_large_links_are_not_packed(harness: Harness) -> None:
    talk = Talk(replace(harness, pack_links=2))
    talk.harness.take_turn("t", "large", random.Random(1).randbytes(PACK_BYTES).hex())
    for _ in range(4):
        talk.harness.take_turn("t")
    assert [*map(is_pack, talk.load().links)] == [False, True, False, False]


def test_a_graph_without_a_window_packs_and_one_with_a_window_does_not(harness: Harness) -> None:
    talk = Talk(replace(harness, pack_links=2))
    for _ in range(5):
        begun = talk.harness.begin("t")
        plan, _ = talk.harness.prepare(begun, window=4)
        talk.harness.store.turns.commit(plan)
    assert not packs(talk)
