"""Several processes write to one thread at the same time, and the thread is examined afterwards. A writer is a good
client: it backs off when the thread is busy, and retries with the same key until its turn is stored."""

import asyncio
import random
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count, zip_longest
from multiprocessing.connection import Connection

from fault_agents import saw
from fault_hooks import Faults, by_chance, none
from fault_site import ANNA, Site, child, messages_of, request, send, silence

from turnkeep.errors import TurnkeepError
from turnkeep.records import Turn
from turnkeep.tuning import TurnTuning
from turnkeep.turns import Turns

THREAD = "shared"
WINDOW_TURNS = 10
POLL_SECONDS = 0.02

type Kept = tuple[str, int, str]
"""An acknowledged turn: its key, number and reply."""


@dataclass(frozen=True)
class Drill:
    """How many write how much under which faults."""

    writers: int
    turns: int
    each: int
    fault_share: float = 0.0
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
    faults: int = 0
    answers: dict[str, int] = field(default_factory=dict)


def write_until_stopped(line: Connection, site: Site, drill: Drill, name: str, seed: float) -> None:
    """Runs in a child process until it gets a message, and then until nothing is open."""
    silence()
    chance = random.Random(seed)
    faults = Faults(by_chance(drill.fault_share, chance) if drill.fault_share else none)
    tuning = TurnTuning(lease_seconds=drill.lease_seconds, renew_seconds=drill.lease_seconds / 3)
    answers = asyncio.run(write(line, site.turns(faults, tuning=tuning), name, chance))
    line.send((faults.hits, answers))
    line.close()


async def write(line: Connection, turns: Turns, name: str, chance: random.Random) -> Counter[str]:
    answers: Counter[str] = Counter()
    for number in count():
        if line.poll():
            line.recv()
            break
        key = f"{name}-{number}"
        while not (turn := await try_once(turns, key, answers)):
            await asyncio.sleep(chance.uniform(POLL_SECONDS, 4 * POLL_SECONDS))
        line.send((key, turn.number, turn.reply))
        await asyncio.sleep(chance.uniform(0, POLL_SECONDS))
    return answers


async def try_once(turns: Turns, key: str, answers: Counter[str]) -> Turn | None:
    """Return the turn if it is stored."""
    try:
        turn = await send(turns, request(THREAD, key, key))
    except TurnkeepError as error:
        answers[error.code] += 1
        return None
    answers["persisted" if turn.persisted else "not_persisted"] += 1
    return turn if turn.persisted else None


def run_drill(site: Site, drill: Drill, *, seed: int) -> Report:
    """Start the writers, wait until enough is acknowledged, and examine the thread."""
    report, chance, started = Report(), random.Random(seed), time.monotonic()
    names = [f"w{number}" for number in range(drill.writers)]
    kept: dict[str, list[Kept]] = {name: [] for name in names}
    with ExitStack() as stack:
        start = partial(child, write_until_stopped, site, drill)
        crew = {name: stack.enter_context(start(name, chance.random())) for name in names}
        while sum(map(len, kept.values())) < drill.turns or min(map(len, kept.values())) < drill.each:
            assert time.monotonic() < started + drill.seconds, "too slow"
            for name, writer in crew.items():
                while writer.line.poll():
                    kept[name].append(writer.receive())
            time.sleep(POLL_SECONDS)
        for writer in crew.values():
            writer.line.send("stop")
        for name, writer in crew.items():
            *rest, (hits, answers) = writer.messages()
            kept[name] += rest
            report.faults += hits
            report.answers = dict(Counter(report.answers) + answers)
    report.seconds = round(time.monotonic() - started, 1)
    report.fewest = min(map(len, kept.values()))
    examine(site, [turn for turns in kept.values() for turn in turns], report)
    return report


def examine(site: Site, acknowledged: list[Kept], report: Report) -> None:
    """Compares the thread with what its writers know."""
    store = site.store()
    thread = store.threads.read(ANNA, THREAD)
    stored = store.turns.newest(ANNA, THREAD, limit=10**6)
    keys = [turn.message for turn in stored]
    by_key = {turn.message: turn for turn in stored}
    report.turns, report.acknowledged = len(stored), len(acknowledged)
    report.lost = sum(key not in by_key for key, *_ in acknowledged)
    report.doubled = len(keys) - len(set(keys))
    found = messages_of(store, THREAD)
    whole = [part for turn in stored for part in (("human", turn.message), ("ai", turn.reply))]
    report.half = sum(one != other for one, other in zip_longest(found, whole))
    report.wrong += [f"status {thread.status}"] if thread.status != "idle" else []
    report.wrong += [f"{thread.turn_count} turns counted"] if thread.turn_count != len(stored) else []
    for key, *told in acknowledged:
        if key in by_key and [by_key[key].number, by_key[key].reply] != told:
            report.wrong.append(f"{key} differs from its acknowledgement")
    for place, turn in enumerate(stored):
        report.wrong += [f"turn {turn.number} at place {place}"] if turn.number != place + 1 else []
        if saw(turn.reply) != keys[max(0, place - WINDOW_TURNS) : place]:
            report.wrong.append(f"turn {turn.number} saw {saw(turn.reply)}")
