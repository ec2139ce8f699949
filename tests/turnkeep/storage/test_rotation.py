"""The seal key is rotated while sandboxes write: no turn that was acknowledged is lost, no replay makes a second."""

import itertools
import random
import threading
import uuid
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from desk import Desk
from memory_items import MemoryItems, MemoryObjects

from turnkeep.errors import ThreadBusy, TurnInProgress
from turnkeep.records import Turn
from turnkeep.storage.codec import Codec
from turnkeep.storage.keyring import REREAD_SECONDS
from turnkeep.storage.store import Store

SANDBOXES, THREADS, WRITERS, TURNS = 6, 12, 4, 60


class LockedItems(MemoryItems):
    """One request at a time, as each is atomic in DynamoDB."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in ("get", "get_many", "put", "update", "delete", "between", "write_many"):
            return found

        def alone(*given: Any, **named: Any) -> Any:
            with self._lock:
                return found(*given, **named)

        return alone


class Vault:
    """Where the ring lies; a rotation is as long after the one before as a sandbox may take to learn of it."""

    def __init__(self) -> None:
        self.ring: tuple[bytes, ...] = (b"secret 0",)
        self.now, self.reads = 0.0, 0

    def read(self) -> tuple[bytes, ...]:
        self.reads += 1
        return self.ring

    def rotate(self) -> None:
        self.now += REREAD_SECONDS
        self.ring = (f"secret {len(self.ring)}".encode(), *self.ring)


class Sandbox(Desk):
    """A process of its own: a store and a ring that it has read when it started."""

    def open(self, vault: Vault, count: Any) -> "Sandbox":
        self.codec = Codec(*vault.ring, refresh=vault.read, clock=lambda: vault.now)
        self.count = count
        self.store = Store(
            self.items, self.blobs, self.codec, clock=self.clock, random_bytes=lambda size: uuid.uuid4().bytes[:size]
        )
        return self


class Load:
    def __init__(self) -> None:
        self.vault, count = Vault(), itertools.count()
        items, objects = LockedItems(), MemoryObjects()
        self.open = lambda: Sandbox(items, objects).open(self.vault, count)
        self.sandboxes = [self.open() for _ in range(SANDBOXES)]
        self.kept: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
        self.written = itertools.count(1)
        self.replays = 0

    def write(self, seed: int) -> None:
        chance = random.Random(seed)
        for number in range(TURNS):
            if next(self.written) % (WRITERS * TURNS // 3) == 0:
                self.vault.rotate()
            self._say(chance, f"t{chance.randrange(THREADS)}", f"message {seed}.{number}")
            self._replay(chance)

    def _say(self, chance: random.Random, thread: str, message: str) -> None:
        key = uuid.uuid4().hex
        while True:
            sandbox = chance.choice(self.sandboxes)
            try:
                begun = sandbox.begin(thread, message, key=key)
            except ThreadBusy:
                continue
            plan, turn = sandbox.prepare(begun)
            assert sandbox.store.turns.commit(plan) is None
            assert turn is not None
            self.kept[thread].append((key, turn.number, message))
            return

    def _replay(self, chance: random.Random) -> None:
        thread = chance.choice(list(self.kept))
        key, number, message = chance.choice(self.kept[thread][-20:])
        try:
            again = chance.choice(self.sandboxes).store.leases.begin(
                Desk.who, thread, key=key, body=message.encode(), message=message, create=True
            )
        except (ThreadBusy, TurnInProgress):
            return
        assert isinstance(again, Turn), "a replay began a second turn"
        assert (again.number, again.message) == (number, message)
        self.replays += 1


def test_no_thread_is_lost_and_no_replay_doubled_while_the_key_is_rotated_twice() -> None:
    load = Load()
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(load.write, range(WRITERS)))
    load.vault.rotate()
    late = load.open()
    for thread, kept in load.kept.items():
        read = late.store.turns.newest(late.who, thread, limit=100)
        assert [(turn.number, turn.message) for turn in read] == sorted((number, said) for _, number, said in kept)
    assert sum(map(len, load.kept.values())) == WRITERS * TURNS
    assert load.replays > TURNS
    assert len(load.vault.ring) >= 4
    assert load.vault.reads <= SANDBOXES * (len(load.vault.ring) - 1)
    for thread in load.kept:
        for stale in load.sandboxes:
            assert stale.store.turns.newest(stale.who, thread, limit=1)


def test_a_sandbox_that_does_not_know_the_new_secret_yet_replays_what_was_made_under_it() -> None:
    load = Load()
    stale, other = load.sandboxes[:2]
    stale.say("x", "first", key="k1")
    load.vault.rotate()
    fresh = load.open()
    fresh.say("x", "second", key="k2")
    for key, message, number in (("k2", "second", 2), ("k1", "first", 1)):
        for sandbox in (stale, other):
            again = sandbox.store.leases.begin(
                Desk.who, "x", key=key, body=message.encode(), message=message, create=True
            )
            assert isinstance(again, Turn)
            assert again.number == number
    assert load.vault.reads == 2


def test_a_sandbox_that_does_not_know_the_new_secret_yet_goes_on_with_the_thread() -> None:
    load = Load()
    load.vault.rotate()
    load.open().say("x", "first")
    assert load.sandboxes[0].say("x", "second").number == 2
    assert load.sandboxes[1].texts("x") == ["a reply"] * 2
