"""Several processes write to one thread at the same time, and the thread is examined afterwards.

A writer is a good client: it notes a message before it sends it, backs off when the thread is busy, and retries with
the same key until its turn is stored. Its notes survive its death; its successor continues there.
"""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fault_agents import saw
from fault_hooks import Faults, by_chance, none
from fault_site import ANNA, Child, Site, child, messages_of, request, send, silence

from turnkeep.errors import TurnkeepError
from turnkeep.records import Turn
from turnkeep.tuning import TurnTuning
from turnkeep.turns import Turns

THREAD = "shared"
WINDOW_TURNS = 10
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Drill:
    """How many write how much under which faults. `killed` writers are killed repeatedly, and replaced."""

    writers: int
    turns: int
    each: int
    fault_share: float = 0.0
    killed: int = 0
    lease_seconds: float = 2.0
    seconds: float = 600.0


@dataclass
class Report:
    """Every list and the first three counts must be empty or 0."""

    lost: int = 0
    doubled: int = 0
    half: int = 0
    wrong: list[str] = field(default_factory=list)
    turns: int = 0
    acknowledged: int = 0
    fewest: int = 0
    seconds: float = 0.0
    deaths: int = 0
    faults: int = 0
    answers: dict[str, int] = field(default_factory=dict)


class Notes:
    """A client's notes, which survive its death: one line for each sent message and each acknowledged turn."""

    def __init__(self, path: Path):
        self._path = path

    def add(self, **line: Any) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def lines(self) -> list[dict[str, Any]]:
        """Excludes a last line that is incomplete because its writer died."""
        text = self._path.read_text() if self._path.exists() else ""
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def open_key(self) -> str | None:
        """The key of a message that was sent and never acknowledged."""
        sent = [line["key"] for line in self.lines() if "number" not in line]
        kept = {line["key"] for line in self.lines() if "number" in line}
        return sent[-1] if sent and sent[-1] not in kept else None


# in the writer's process


def write_until_stopped(line: Connection, site: Site, drill: Drill, notes: Path, seed: str) -> None:
    """Runs in a child process until it gets a message, and then until nothing is open."""
    silence()
    chance = random.Random(seed)
    faults = Faults(by_chance(drill.fault_share, chance) if drill.fault_share else none)
    tuning = TurnTuning(lease_seconds=drill.lease_seconds, renew_seconds=drill.lease_seconds / 3)
    writer = Writer(line, site.turns(faults, tuning=tuning), notes.name, Notes(notes), chance)
    asyncio.run(writer.work())
    line.send(("end", faults.hits, writer.answers))
    line.close()


class Writer:
    def __init__(self, line: Connection, turns: Turns, name: str, notes: Notes, chance: random.Random):
        self._line = line
        self._turns = turns
        self._name = name
        self._notes = notes
        self._chance = chance
        self.answers: Counter[str] = Counter()

    async def work(self) -> None:
        key, count = self._notes.open_key(), len(self._notes.lines())
        while key or not self._line.poll():
            if key is None:
                count += 1
                key = f"{self._name}-{count}"
                self._notes.add(key=key)
            turn = await self._retry_until_kept(key)
            self._notes.add(key=key, number=turn.number, reply=turn.reply)
            self._line.send(("kept", self._name))
            key = None
            await asyncio.sleep(self._chance.uniform(0, POLL_SECONDS))

    async def _retry_until_kept(self, key: str) -> Turn:
        """Retry with the same key until the turn is stored."""
        while True:
            turn = await self._try(key)
            if turn and turn.persisted:
                return turn
            await asyncio.sleep(self._chance.uniform(POLL_SECONDS, 4 * POLL_SECONDS))

    async def _try(self, key: str) -> Turn | None:
        try:
            turn = await send(self._turns, request(THREAD, key, key))
        except TurnkeepError as error:
            self.answers[error.code] += 1
            return None
        self.answers["persisted" if turn.persisted else "not_persisted"] += 1
        return turn


# in the process that starts them


def run_drill(site: Site, drill: Drill, folder: Path, *, seed: int) -> Report:
    """Start the writers, wait until enough is acknowledged, and examine the thread."""
    crew = Crew(site, drill, folder, random.Random(seed))
    started = time.monotonic()
    with ExitStack() as stack:
        crew.start(stack)
        crew.watch(stack, started + drill.seconds)
        crew.stop(stack)
    report = crew.report
    report.seconds = round(time.monotonic() - started, 1)
    examine(site, crew.notes(), report)
    return report


class Crew:
    def __init__(self, site: Site, drill: Drill, folder: Path, chance: random.Random):
        self._site = site
        self._drill = drill
        self._folder = folder
        self._chance = chance
        self._children: dict[str, Child] = {}
        self._kept: Counter[str] = Counter()
        self.report = Report()

    def notes(self) -> list[Notes]:
        return [Notes(self._folder / name) for name in self._names()]

    def _names(self) -> list[str]:
        return [f"w{number}" for number in range(self._drill.writers)]

    def start(self, stack: ExitStack) -> None:
        for name in self._names():
            self._start(stack, name)

    def _start(self, stack: ExitStack, name: str) -> None:
        seed = f"{self._chance.random()}"
        args = (self._site, self._drill, self._folder / name, seed)
        self._children[name] = stack.enter_context(child(write_until_stopped, *args))

    def watch(self, stack: ExitStack, until: float) -> None:
        """Counts acknowledged turns and kills the writers that the drill names."""
        next_death = time.monotonic() + self._pause()
        while not self._is_enough():
            assert time.monotonic() < until, f"too slow: {sum(self._kept.values())} turns, {dict(self._kept)}"
            for name, each in self._children.items():
                while each.line.poll():
                    self._note(name, each.line.recv())
            time.sleep(POLL_SECONDS)
            if self._drill.killed and time.monotonic() > next_death:
                self._kill(stack)
                next_death = time.monotonic() + self._pause()

    def _pause(self) -> float:
        return self._chance.uniform(0.5, 1.5)

    def _is_enough(self) -> bool:
        kept = [self._kept[name] for name in self._names()]
        return sum(kept) >= self._drill.turns and min(kept) >= self._drill.each

    def _note(self, name: str, message: tuple[Any, ...]) -> None:
        if message[0] == "kept":
            self._kept[name] += 1
        else:
            self.report.faults += message[1]
            self.report.answers = dict(Counter(self.report.answers) + message[2])

    def _kill(self, stack: ExitStack) -> None:
        name = self._chance.choice(self._names()[: self._drill.killed])
        victim = self._children[name]
        victim.process.kill()
        self._receive_all(name, victim)
        self.report.deaths += 1
        self._start(stack, name)

    def _receive_all(self, name: str, each: Child) -> None:
        for message in _messages(each):
            self._note(name, message)

    def stop(self, stack: ExitStack) -> None:
        for each in self._children.values():
            each.line.send("stop")
        for name, each in self._children.items():
            self._receive_all(name, each)
            assert each.process.exitcode == 0, name
        self.report.fewest = min(self._kept[name] for name in self._names())


def _messages(each: Child) -> Iterator[Any]:
    """All messages of a child until its end. A child killed while it sends leaves an incomplete one."""
    while True:
        try:
            message = each.receive()
        except OSError:
            break
        if message is None:
            break
        yield message
    each.process.join(10)


def examine(site: Site, notes: list[Notes], report: Report) -> None:
    """Compares the thread with what its writers know."""
    store = site.store()
    thread = store.threads.read(ANNA, THREAD)
    stored = store.turns.newest(ANNA, THREAD, limit=10**6)
    keys = [turn.message for turn in stored]
    acknowledged = [line for each in notes for line in each.lines() if "number" in line]
    by_key = {turn.message: turn for turn in stored}
    report.turns, report.acknowledged = len(stored), len(acknowledged)
    report.lost = sum(1 for line in acknowledged if line["key"] not in by_key)
    report.doubled = len(keys) - len(set(keys))
    found = messages_of(store, THREAD)
    whole = [part for turn in stored for part in (("human", turn.message), ("ai", turn.reply))]
    report.half = sum(1 for one, other in zip(found, whole, strict=False) if one != other) + abs(
        len(found) - len(whole)
    )
    report.wrong += [f"status {thread.status}"] if thread.status != "idle" else []
    report.wrong += [f"{thread.turn_count} turns counted"] if thread.turn_count != len(stored) else []
    report.wrong += [f"turn {t.number} at place {n}" for n, t in enumerate(stored, 1) if t.number != n]
    for line in acknowledged:
        turn = by_key.get(line["key"])
        if turn and (turn.number, turn.reply) != (line["number"], line["reply"]):
            report.wrong.append(f"{line['key']} differs from its acknowledgement")
    for place, turn in enumerate(stored):
        if saw(turn.reply) != keys[max(0, place - WINDOW_TURNS) : place]:
            report.wrong.append(f"turn {turn.number} saw {saw(turn.reply)}")
