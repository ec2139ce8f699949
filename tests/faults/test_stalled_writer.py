"""A writer that stood still longer than its lease, or whose clock is hours off, changes nothing that was kept."""

import asyncio
import os
import random
import signal
import time

import pytest
from fault_agents import saw
from fault_hooks import Faults, Kind
from fault_site import ANNA, Child, Doom, Site, answer_once, child, later, messages_of, request, send

from turnkeep.errors import Conflict, Superseded
from turnkeep.records import Turn
from turnkeep.storage.table import Table
from turnkeep.tuning import TurnTuning

LEASE_SECONDS = 1
TWO_HOURS = 7200
REPETITIONS = 80
# The calls of a turn with history: BEGIN, LOAD, model, model, BatchWrite, flip.
PLACES: dict[str, tuple[int, Kind]] = {
    "while its model thinks": (3, "stall_before"),
    "before it writes": (5, "stall_before"),
    "between writing and the flip": (6, "stall_before"),
}


@pytest.mark.parametrize("place", PLACES)
async def test_a_writer_that_stood_still_past_its_lease_is_superseded_and_leaves_nothing(
    site: Site, place: str
) -> None:
    tuning = TurnTuning(lease_seconds=LEASE_SECONDS, renew_seconds=10)
    turns = site.turns(tuning=tuning)
    first = await send(turns, request("t", "one", "k1"))
    at, kind = PLACES[place]

    with child(answer_once, site, "story", request("t", "slow", "slow"), Doom(at, kind, LEASE_SECONDS)) as slow:
        await asyncio.to_thread(_hear_until_stalled, slow)
        await asyncio.sleep(LEASE_SECONDS + 0.2)
        second = await send(turns, request("t", "quick", "quick"))
        os.kill(slow.process.pid or 0, signal.SIGCONT)
        said = await asyncio.to_thread(slow.last_words)

    assert second.number == 2
    assert isinstance(said[-1], Superseded)
    _check(site.table(), [first, second])
    third = await send(turns, request("t", "slow", "slow"))
    assert third.number == 3
    _check(site.table(), [first, second, third])


async def test_a_writer_that_stood_still_but_was_not_missed_keeps_its_turn(site: Site) -> None:
    tuning = TurnTuning(lease_seconds=LEASE_SECONDS, renew_seconds=10)
    first = await send(site.turns(tuning=tuning), request("t", "one", "k1"))

    with child(
        answer_once, site, "story", request("t", "slow", "slow"), Doom(6, "stall_before", LEASE_SECONDS)
    ) as slow:
        await asyncio.to_thread(_hear_until_stalled, slow)
        await asyncio.sleep(LEASE_SECONDS + 0.2)
        os.kill(slow.process.pid or 0, signal.SIGCONT)
        said = await asyncio.to_thread(slow.last_words)

    assert isinstance(said[-1], Turn)
    _check(site.table(), [first, said[-1]])


def _hear_until_stalled(slow: Child) -> None:
    """Stopped, not only about to be: the kernel says so."""
    while slow.hear() != "stalled":
        pass
    until = time.monotonic() + 120
    while _state(slow.process.pid or 0) != "T":
        assert time.monotonic() < until
        time.sleep(0.01)


def _state(pid: int) -> str:
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def _check(table: Table, turns: list[Turn]) -> None:
    """The thread is these turns and nothing else."""
    stored = table.read_turns(ANNA, "t", limit=10**6)
    assert [(turn.number, turn.reply) for turn in stored] == [(n, turn.reply) for n, turn in enumerate(turns, 1)]
    assert [saw(turn.reply) for turn in turns] == [[turn.message for turn in turns[:n]] for n in range(len(turns))]
    said = messages_of(table, "t")
    assert said == [part for turn in turns for part in (("human", turn.message), ("ai", turn.reply))]


@pytest.mark.slow
async def test_writers_whose_clocks_are_two_hours_apart_change_nothing_that_was_kept(site: Site) -> None:
    chance = random.Random(5)
    kept: list[Turn] = []
    superseded = 0
    writers = [_SkewedWriter(site, skew) for skew in (-TWO_HOURS, 0, TWO_HOURS)]

    for number in range(REPETITIONS):
        slow, quick = chance.sample(writers, 2)
        late = asyncio.create_task(slow.write_slowly(f"slow-{number}"))
        await slow.is_held.wait()
        early = await quick.write(f"quick-{number}")
        slow.go_on.set()
        outcome = await late
        kept += [turn for turn in (early, outcome) if turn]
        superseded += early is not None and outcome is None
        assert early or outcome

    stored = site.table().read_turns(ANNA, "t", limit=10**6)
    assert [(turn.number, turn.reply) for turn in stored] == [(n, turn.reply) for n, turn in enumerate(kept, 1)]
    assert all(
        saw(turn.reply) == [turn.message for turn in kept[max(0, place - 10) : place]]
        for place, turn in enumerate(kept)
    )
    assert superseded > REPETITIONS / 10
    assert len(kept) < 2 * REPETITIONS


class _SkewedWriter:
    """Its slow turns stop before the flip until they may go on."""

    def __init__(self, site: Site, skew: float):
        self.is_held = asyncio.Event()
        self.go_on = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._faults = Faults(told=self._hold)
        self._is_slow = False
        self._turns = site.turns(self._faults, clock=later(skew))

    def _hold(self, name: str) -> None:
        """Called in a thread of the store, before the call."""
        if self._is_slow and self._faults.calls[-2:] == ["dynamodb.BatchWriteItem", "dynamodb.UpdateItem"]:
            self._is_slow = False
            asyncio.run_coroutine_threadsafe(self._wait(), self._loop).result(30)

    async def _wait(self) -> None:
        self.is_held.set()
        await self.go_on.wait()

    async def write_slowly(self, key: str) -> Turn | None:
        self._is_slow = True
        self.is_held.clear()
        self.go_on.clear()
        try:
            return await self.write(key)
        finally:
            self.is_held.set()

    async def write(self, key: str) -> Turn | None:
        try:
            return await send(self._turns, request("t", key, key))
        except Conflict:
            return None
