"""One place, up to four operations at once, in any order of their calls, with packets that are lost, late or doubled.

Each operation runs again from its start until its next call, with the answers that it got so far, so that no threads
are needed. A history must be linearizable, and no value may ever be unreadable.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from desk import ANN, Clock
from memory_items import MemoryItems, MemoryObjects

from turnkeep.errors import StateCorrupt, StoreUnavailable
from turnkeep.storage import memories
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.codec import Codec
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import memory_item, user_key
from turnkeep.storage.memories import Memories
from turnkeep.storage.persons import LAST_LOOK_MS, Persons

PLACE = ("n",), "k"
LIVES_MS = [None, 3_600_000, 36_000_000]
SKEWS = [0.0, 0.0, 5.0, -5.0]
CALLS = ("get", "get_many", "put", "update", "delete", "between", "below", "write_many")
READS = {"get", "get_many", "between", "below"}
KINDS = ["small", "large", "delete", "refresh"]
FAULTS = ["request lost", "cut", "stray", "answer lost", "answer lost", "doubled", "killed"]
PENDING = 10**9
SEEDS, STORIES = 4, 400


class Waits(BaseException):
    """The operation is at a call that has no answer yet."""


class Wire(Items):
    """The calls of one operation: answered from its record, then `Waits`."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.at = 0
        for name in CALLS:
            setattr(self, name, partial(self._call, name))

    def _call(self, name: str, *args: Any, **more: Any) -> Any:
        if self.at == len(self.answers):
            raise Waits(name, args, more)
        answer = self.answers[self.at]
        self.at += 1
        if isinstance(answer, Exception):
            raise answer
        return answer


def value_of(kind: str, number: int) -> str | None:
    """None for what puts nothing."""
    long = "".join(sha256(f"{number}.{n}".encode()).hexdigest() for n in range(4))
    return {"small": f"s{number}", "large": long}.get(kind)


@dataclass
class Operation:
    kind: str
    number: int
    life: int | None
    skew: float
    codec: Codec
    began: int = PENDING
    now: float = 0.0
    """Its clock, which stands still."""
    ended: int = PENDING
    read: str | None = None
    is_over: bool = False
    resends: bool = False
    wire: Wire = field(default_factory=Wire)

    def run(self) -> str | None:
        """Raises Waits."""
        self.wire.at = 0
        count = itertools.count()  # the same random bytes each time it runs
        store = Memories(
            self.wire, self.codec, ANN, clock=lambda: self.now, random_bytes=lambda _: bytes([self.number, next(count)])
        )
        match self.kind:
            case "small" | "large":
                store.put(*PLACE, value_of(self.kind, self.number), life=self.life, vectors={})
            case "delete":
                store.delete(*PLACE)
            case _:
                found = store.get([PLACE]).get(PLACE)
                if found and self.kind == "refresh":
                    store.refresh(found)
                return found.value if found else None
        return None


def is_linearizable(history: list[Operation], value: str | None = None) -> bool:
    """Wing and Gong's search for one register. An operation without an answer may have taken effect or not."""
    if all(each.ended == PENDING for each in history):
        return True
    first = min(each.ended for each in history)
    for each in history:
        if each.began > first:
            continue
        rest = [other for other in history if other is not each]
        if each.kind in ("get", "refresh"):
            if (each.ended == PENDING or each.read == value) and is_linearizable(rest, value):
                return True
        elif is_linearizable(rest, value_of(each.kind, each.number)):
            return True
    return False


class World:
    def __init__(self, chance: Random):
        self.chance = chance
        self.table, self.clock = MemoryItems(), Clock()
        self.old, self.newer = Codec(b"old"), Codec(b"old")
        self.newer.renew([b"newer", b"old"])
        self.history: list[Operation] = []
        self.mail: list[Callable[[], Any]] = []
        self.steps = 0
        self.ends: dict[int, int] = {}
        self.is_erased = False
        """Then the item of a large put that was on its way may arrive without its parts."""
        self.lives, self.pace = chance.sample(LIVES_MS, 2), chance.choice([0.001, 1.0])

    def operation(self, kind: str, skew: float = 0.0, codec: Codec | None = None) -> Operation:
        self.history.append(
            Operation(kind, len(self.history), self.chance.choice(self.lives), skew, codec or self.newer)
        )
        return self.history[-1]

    def tick(self) -> int:
        self.steps += 1
        self.clock.now += self.pace
        return self.steps

    def whole(self, kind: str, **more: Any) -> str | None:
        """One operation without faults, while nothing else happens."""
        operation = self.operation(kind, **more)
        while not operation.is_over:
            self.step(operation, "none")
        return operation.read

    def step(self, operation: Operation, fault: str) -> None:
        if operation.began == PENDING:
            operation.began, operation.now = self.tick(), self.clock.now + operation.skew
        try:
            operation.read = operation.run()
        except Waits as waits:
            self.answer(operation, *waits.args, fault)
        except StoreUnavailable:
            operation.is_over = True
        except StateCorrupt:
            assert self.is_erased
            operation.is_over = True
        else:
            operation.is_over, operation.ended = True, self.tick()

    def answer(self, operation: Operation, name: str, args: Any, more: Any, fault: str) -> None:
        self.tick()
        send = partial(self.send, name, args, more)
        if name in READS:
            operation.wire.answers.append(send() if fault != "request lost" else StoreUnavailable())
        elif fault == "killed":
            send()
            operation.is_over = True
        elif fault == "answer lost" and not operation.resends:
            send()
            operation.resends = True  # the same packet goes out at its next step
            return
        elif fault in ("request lost", "cut", "stray"):
            if fault == "cut":
                send()
            if fault == "stray":
                self.mail.append(send)
            operation.wire.answers.append(StoreUnavailable())
        else:
            if fault == "doubled":
                self.mail.append(send)
            operation.wire.answers.append(send())
        operation.resends = False

    def send(self, name: str, args: Any, more: Any) -> Any:
        try:
            found = getattr(self.table, name)(*args, **more)
        except Refused as refused:
            return refused
        finally:
            self.check()
        return list(found) if name in READS - {"get"} else found

    def play(self, operations: list[Operation]) -> None:
        """A story has two kinds of faults, and more or less often a change of who is next."""
        chance, faults = self.chance, self.chance.sample(FAULTS, 2)
        restless, chosen = chance.choice([0.1, 0.5, 1.0]), operations[0]
        while left := [each for each in operations if not each.is_over]:
            if self.mail and chance.random() < 0.1:
                self.mail.pop(chance.randrange(len(self.mail)))()
            elif chance.random() < 0.3:
                self.whole(chance.choice(["get", "refresh"]))
            if chosen.is_over or chance.random() < restless:
                chosen = chance.choice(left)
            self.step(chosen, chance.choice(faults) if chance.random() < 0.3 else "none")

    def check(self) -> None:
        """A value that lives can be read, its end only moves away and not too far, and its parts live as long."""
        store = Memories(self.table, self.newer, ANN, clock=self.clock, random_bytes=bytes)
        for memory in store.get([PLACE]).values() if not self.is_erased else ():
            item = self.table.get(store._pk, memory_item(*PLACE))
            assert item
            before, self.ends[memory.updated] = self.ends.get(memory.updated, 0), item.get("expires", 0)
            assert before <= item.get("expires", 0) <= (self.clock.now + max(SKEWS)) * 1000 + (memory.life or 0)
            for part in self.table.below(store._pk, f"PART#{memory.part}#"):
                assert part.get("ttl", PENDING) >= item.get("ttl", PENDING) >= item.get("expires", 0) // 1000

    def unnamed(self) -> list[str]:
        """The keys of parts that no item names."""
        names = [item["part"] for item in self.table.stored.values() if "part" in item]
        return [sk for _, sk in self.table.stored if sk.startswith("PART#") and sk[5:-5] not in names]


def story(chance: Random) -> None:
    world = World(chance)
    for kind in chance.choices(["small", "large", "delete"], k=chance.randrange(3)):
        world.whole(kind, codec=world.old)
    kinds = chance.choices(KINDS, k=chance.randint(2, 4))
    world.play([world.operation(kind, chance.choice(SKEWS)) for kind in kinds])
    world.whole(chance.choice(["get", "refresh"]))
    for packet in chance.sample(world.mail, len(world.mail) // 2):
        packet()  # and once more below
    world.whole("get")
    eraser = Eraser(world.table, Blobs(MemoryObjects()), clock=world.clock)
    persons = Persons(world.table, eraser, clock=world.clock) if chance.random() < 0.5 else None
    last = world.operation("delete")
    if persons:
        last.began = world.tick()
        world.clock.now += 10  # past the clocks of all
        assert persons.erase(ANN).complete
        world.is_erased = True
        last.ended = world.tick()
    else:
        while not last.is_over:
            world.step(last, "none")
    while world.mail:
        world.mail.pop()()
    world.whole("get")
    assert is_linearizable(world.history), world.history
    if persons:
        world.clock.now += LAST_LOOK_MS / 1000
        persons.finish(user_key(ANN), lambda: True)
        assert not [pk for pk, _ in world.table.stored if pk.startswith("STORE#")]
    else:
        world.whole(chance.choice(["delete", "large"]))
        assert world.unnamed() == []


@pytest.mark.parametrize("seed", range(SEEDS))
def test_an_acknowledged_effect_is_never_lost(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "INLINE_BYTES", 100)
    for number in range(STORIES):
        story(Random(seed * STORIES + number))


@pytest.mark.parametrize("kind", ["small", "large", "delete"])
def test_a_write_that_was_seen_and_overwritten_is_not_repeated(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "INLINE_BYTES", 100)
    world = World(Random(0))
    world.whole("small")
    first = world.operation(kind)
    while not (first.resends and world.whole("get") == value_of(kind, first.number)):
        world.step(first, "answer lost")
    world.whole("small")
    while not first.is_over:
        world.step(first, "none")
    world.whole("get")
    assert is_linearizable(world.history)
