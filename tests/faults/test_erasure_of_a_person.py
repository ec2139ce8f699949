"""An erasure wins, wherever it falls between the calls of turns, of a worker with a document and of one with an export,
however late the index of threads is, and whatever of all this arrives once more: nothing of before stays."""

import itertools
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any

import pytest
from harness import ANN, Harness, noise
from memory_items import MemoryItems, MemoryObjects

from turnkeep.errors import TurnkeepError
from turnkeep.records import Parsed, Piece
from turnkeep.store.attachments import Attachments
from turnkeep.store.attributes import Item
from turnkeep.store.erasure import Eraser
from turnkeep.store.export import Exports
from turnkeep.store.keys import BY_USER, ERASURE, HEAD, LAYOUT, hour, partition, usage_of, user_key
from turnkeep.store.uploads import KeptUploads
from turnkeep.store.usage import Usage
from turnkeep.store.users import UserEraser, UserErasure
from turnkeep.tuning import BudgetTuning

STORIES = 500
LONG = noise(5_000)
PARTY: ContextVar[str] = ContextVar("PARTY")
WRITES = {"put", "update", "delete", "write_many", "transact"}
READS = {"get", "get_many", "between", "below", "pages_of", "index", "names"}
MARKS = {"PK", "SK", "v", "n", "gen", "seq", "born", "created", "expires", "gone", "due", "xh", "ttl"}


class Stage:
    """Lets parties go one call at a time, in an order by chance. Keeps what they wrote, to be sent again."""

    def __init__(self, chance: random.Random, clock: Any):
        self._chance = chance
        self._clock = clock
        self._here: dict[str, threading.Event] = {}
        self._left: set[str] = set()
        self._changed = threading.Condition()
        self.sent: list[Callable[[], object]] = []

    def before(self, name: str, again: Callable[[], object]) -> None:
        party = PARTY.get("")
        if not party:
            return
        turn = threading.Event()
        with self._changed:
            self._here[party] = turn
            self._changed.notify()
        assert turn.wait(120)
        self._clock.now += 0.001
        if name in WRITES and party != "erasure":
            self.sent.append(again)

    def play(self, **parties: Callable[[], object]) -> None:
        threads = [threading.Thread(target=self._act, args=item, daemon=True) for item in parties.items()]
        for thread in threads:
            thread.start()
        while True:
            with self._changed:
                assert self._changed.wait_for(lambda: len(self._here) + len(self._left) == len(parties), 120)
                if not self._here:
                    break
                self._here.pop(self._chance.choice(sorted(self._here))).set()
        for thread in threads:
            thread.join()

    def _act(self, name: str, act: Callable[[], object]) -> None:
        PARTY.set(name)
        with suppress(TurnkeepError):
            act()
        with self._changed:
            self._left.add(name)
            self._changed.notify()


class Staged:
    """Stops before each of these methods."""

    stage: Stage

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in READS | WRITES:
            return found

        def stopped(*args: Any, **kwargs: Any) -> Any:
            call = partial(found, *args, **kwargs)
            self.stage.before(name, call)
            return call()

        return stopped


class StagedFiles(Staged, MemoryObjects):
    pass


class LateItems(MemoryItems):
    """The index of a user's threads may know no more than it knew when it was frozen."""

    frozen: list[Item] | None = None

    def index(self, name: str, value: str, **more: Any) -> Iterator[Item]:
        found = list(super().index(name, value, **more))
        return iter(found if name != BY_USER or self.frozen is None else self.frozen)


class StagedItems(Staged, LateItems):
    pass


class Office:
    """A user with two threads, an upload and an export that are awaited, and everybody who works for them."""

    def __init__(self, items: Any, objects: Any, seed: int):
        self.chance = random.Random(seed)
        self.items, self.objects = items, objects
        self.harness = harness = Harness(items, objects)
        self.stage = items.stage = objects.stage = Stage(self.chance, harness.clock)
        self.documents = Attachments(harness.store.heads, harness.store.vault, KeptUploads(objects))
        usage = Usage(harness.store.heads, BudgetTuning(tokens_a_day=10))
        self.exports = Exports(harness.store, self.documents, usage, objects, memories=harness.memories, facts={})
        eraser = Eraser(items, harness.blobs, clock=harness.clock)
        self.user_eraser = UserEraser(eraser, at_once=1)
        harness.cleanup.begin_at(hour(int(harness.clock.now * 1000)))
        self.receipts: list[UserErasure] = []
        self.key = ""

    def open(self) -> None:
        self.harness.take_turn("old", LONG, details={"rows": LONG * 4})
        self.harness.take_turn("other", "hello", details={"rows": LONG * 4})
        self.documents.add(ANN, "old", "d1", name="canary.txt", size=5, content_type=None)
        self.key, owner = self.documents.place(partition(ANN, "old"), "d1")
        KeptUploads(self.objects).put(self.key, owner, b"canary")
        self.exports.on_request = lambda key: setattr(self, "asked", key)
        self.exports.begin(ANN)
        for key in ("one", "late"):
            self.harness.memories(ANN).put(("a",), key, "a tea drinker", life=None, vectors={})
        self.items.put({"PK": usage_of(user_key(ANN)), "SK": "2026-01-01", "v": LAYOUT, "tokens": 7})
        self.harness.clock.now += self.chance.choice([1, 60])
        if self.chance.random() < 0.4:
            found = list(self.items.index(BY_USER, user_key(ANN)))
            self.items.frozen = found[: self.chance.randint(0, len(found))]

    def turn(self, thread: str, ends: str) -> None:
        begun = self.harness.begin(thread, LONG)
        if ends == "fails":
            self.harness.store.leases.release(begun)
            return
        plan, _ = self.harness.prepare(begun, LONG, details={"rows": LONG * 4})
        self.harness.store.turns.commit(plan)

    def document(self) -> None:
        claimed = self.documents.claim(self.key)
        if claimed:
            values = {"[EMAIL_00000000]": "canary@example.org"}
            self.documents.finish(claimed, Parsed("text", (Piece(LONG),)), name="canary.txt", values=values)
        self.documents.drop(self.key)

    def remember(self, began: int) -> None:
        """By a run that began then, and looks for a while first."""
        memories = self.harness.memories(ANN, began=began)
        for _ in range(self.chance.randrange(40)):
            memories.get([(("a",), "late")])
        memories.put(("a",), "late", "a tea drinker", life=None, vectors={})

    def erase(self) -> None:
        self.receipts.append(self.user_eraser.erase(ANN))

    def alive(self) -> dict[str, int]:
        """When the threads that are there were born."""
        heads = {thread: self.items.get(partition(ANN, thread), HEAD) for thread in ("old", "other", "new")}
        return {thread: head["created"] for thread, head in heads.items() if head and "gone" not in head}

    def left(self) -> dict[str, Any]:
        """All that is stored, but for what the cleanup notes of itself and the marks, which hold nothing."""
        items = {f"{pk} {sk}": item for (pk, sk), item in self.items.stored.items() if pk != "CLEANUP"}
        return {key: item for key, item in items.items() if not is_mark(item)} | dict(self.objects.stored)


def was_put_later(item: Any, asked: int) -> bool:
    return isinstance(item, dict) and item["PK"].startswith("STORE#") and item["began"] > asked


def is_mark(item: Item) -> bool:
    return item["SK"] == ERASURE or (item["SK"] == HEAD and "gone" in item and item.keys() <= MARKS)


@pytest.mark.parametrize("part", range(5))
def test_no_interleaving_leaves_anything_of_before(part: int) -> None:
    """What is new was born after the erasure was asked for: it stays whole. All else is gone at once where nobody was
    late, and after the last look whatever was."""
    clean_at_once = 0
    for seed in range(part * STORIES // 5, (part + 1) * STORIES // 5):
        office = Office(StagedItems(), StagedFiles(), seed)
        office.open()
        chance, stage = office.chance, office.stage
        ends = itertools.cycle(chance.sample(["kept", "fails"], 2))
        began = int(office.harness.clock.now * 1000) + chance.choice([0, 3_600_000])
        stage.play(
            erasure=office.erase,
            turn=partial(office.turn, chance.choice(["old", "new"]), next(ends)),
            another=partial(office.turn, chance.choice(["other", "new"]), next(ends)),
            document=office.document,
            memory=partial(office.remember, began),
            export=partial(office.exports.work, office.asked),
        )
        [receipt] = office.receipts
        new = {thread for thread, incarnation in office.alive().items() if incarnation > receipt.erased_at}
        rest = {key for key in office.left() if not key.startswith("STORE#")}  # a run that goes on may still put
        is_clean = not rest or bool(office.alive())
        assert is_clean or office.items.frozen is not None, (seed, list(office.left()))
        clean_at_once += is_clean
        if late := chance.sample(stage.sent, min(len(stage.sent), chance.choice([0, 0, 1, 4]))):
            for packet in late:
                with suppress(Exception):
                    packet()
        office.items.frozen = None
        office.harness.clock.now += 2 * 3600
        office.harness.cleanup.sweep()
        kept = {key: item for key, item in office.left().items() if not was_put_later(item, receipt.erased_at)}
        assert {key.split()[0] for key in kept if key.startswith("T#")} <= {partition(ANN, each) for each in new}, seed
        assert new or not kept, (seed, list(kept))
        assert (len(kept) < len(office.left())) == (began > receipt.erased_at), seed
        assert office.items.get(user_key(ANN), ERASURE) is None
        for thread in new & office.alive().keys():
            office.harness.store.turns.newest(ANN, thread, limit=10)
    assert clean_at_once > STORIES / 5 / 2
