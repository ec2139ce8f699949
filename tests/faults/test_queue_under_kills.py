"""Writers that send to one busy thread, while its workers are killed: nothing is lost, doubled or out of order.

QUEUE_WRITERS and QUEUE_MESSAGES make it larger, QUEUE_TOKENS its workers longer-lived."""

import asyncio
import os
import random
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain
from multiprocessing.connection import Connection
from typing import Any

import pytest
from fault_site import ANNA, CONTEXT, Site, request, send, silence

from awaiting import until
from turnkeep import errors
from turnkeep.tuning import TurnTuning
from turnkeep.turns.background import TRIES, NotDone
from turns_over import turn_of

WRITERS, MESSAGES = int(os.environ.get("QUEUE_WRITERS", "3")), int(os.environ.get("QUEUE_MESSAGES", "5"))
WORKERS, LONGEST_SECONDS = 3, 0.05  # from the last token of a worker to its death
MOST_TOKENS = int(os.environ.get("QUEUE_TOKENS", "3"))  # that a worker lives for
TUNING = TurnTuning(lease_seconds=2, renew_seconds=0.5)
PASSING = (errors.StoreUnavailable, errors.ThreadBusy, errors.OverLimit)


def serve(line: Connection, site: Site) -> None:
    """Work off tokens until killed."""
    silence()
    runs = site.runs(tuning=TUNING)
    line.send("ready")
    while True:
        try:
            asyncio.run(runs.work(line.recv()))
        except (NotDone, errors.StoreUnavailable):
            line.send(False)
        else:
            line.send(True)


@dataclass
class Lambda:
    """Workers of which each is killed after a while, and a queue that invokes them up to three times a token."""

    site: Site
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    tokens: asyncio.Queue[tuple[str, int]] = field(default_factory=asyncio.Queue)
    killed: int = 0

    async def launch(self, token: str) -> None:
        self.tokens.put_nowait((token, 1))

    async def slot(self) -> None:
        while True:
            line, theirs = CONTEXT.Pipe()
            process = CONTEXT.Process(target=serve, args=(theirs, self.site), daemon=True)
            process.start()
            theirs.close()
            try:
                await asyncio.to_thread(line.recv)
                for _ in range(self.chance.randrange(MOST_TOKENS) if self.killed else 0):
                    await self._invoke(line, 60)
                await self._invoke(line, LONGEST_SECONDS * self.chance.random())
            finally:
                process.kill()
                await asyncio.to_thread(process.join)
            self.killed += 1

    async def _invoke(self, line: Connection, seconds: float) -> None:
        """Send a token and wait for its answer, at most this long."""
        token, count = await self.tokens.get()
        line.send(token)
        is_answered = await asyncio.to_thread(line.poll, seconds)
        if not (is_answered and line.recv()):
            self._again(token, count)

    def _again(self, token: str, count: int) -> None:
        if count < TRIES:
            asyncio.get_running_loop().call_later(1.0 * count, self.tokens.put_nowait, (token, count + 1))


async def write(site: Site, launch: Any, name: str, strategy: Any) -> list[str]:
    """Send one message after the other, each until it is accepted. Return the ids of the runs."""
    runs, ids = site.runs(tuning=TUNING), []
    runs.launch_by(launch)
    for number in range(MESSAGES):
        wanted = replace(request("t", f"{name} {number}", f"{name}-{number}"), when_busy=strategy)
        while len(ids) == number:
            try:
                ids.append((await runs.enqueue(wanted)).run_id)
            except PASSING as error:
                await asyncio.sleep(error.retry_after or 0.2)
    assert (await turn_of(runs, ANNA, "t", ids[-1], 300)).persisted  # and so those before it, which are compared later
    return ids


@pytest.mark.parametrize("strategy", ["enqueue", "merge"])
async def test_killed_workers_lose_double_or_reorder_no_queued_message(site: Site, strategy: str) -> None:
    await send(site.turns(), request("t", "first", "first"))
    queue = Lambda(site)
    names = [f"writer{number}" for number in range(WRITERS)]
    writing = asyncio.gather(*(write(site, queue.launch, name, strategy) for name in names))
    await until(lambda: queue.tokens.qsize() > 1)  # so two messages wait, and merge
    slots = [asyncio.create_task(queue.slot()) for _ in range(WORKERS)]
    try:
        ids = await writing
    finally:
        for slot in slots:
            slot.cancel()
        await asyncio.wait(slots)
    store = site.store()
    turns = store.turns.newest(ANNA, "t", limit=WRITERS * MESSAGES + 9)
    found = defaultdict(list)
    for message in "\n\n".join(turn.message for turn in turns[1:]).split("\n\n"):
        name, _, number = message.partition(" ")
        found[name].append(int(number))
    assert found == {name: list(range(MESSAGES)) for name in names}
    assert {*chain(*ids)} == {turn.run_id for turn in turns[1:]}
    assert (len(turns) - 1 < WRITERS * MESSAGES) == (strategy == "merge")
    assert queue.killed
    print(f"{len(turns) - 1} turns, {queue.killed} workers killed")
