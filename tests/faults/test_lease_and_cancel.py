"""A run that is longer than its lease keeps its thread. A run that is cancelled, late or blocking leaves the thread
unchanged and delays no other."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from fault_agents import one_node
from fault_hooks import Faults
from fault_site import ANNA, Site, messages_of, request, send
from langchain_core.messages import AIMessage
from langgraph.graph import MessagesState

from turnkeep.errors import ModelTimeout, ThreadBusy, TurnInProgress
from turnkeep.graphs.agent import Agent
from turnkeep.tuning import TurnTuning
from turnkeep.turns import RunningTurn

HOUR = 3600
SHORT_LEASE = TurnTuning(lease_seconds=1.5, renew_seconds=0.3)
ONE_SECOND = TurnTuning(seconds=4, commit_seconds=3)  # a second to run, the rest to store


def _sleeping(seconds: float) -> Agent:
    async def node(state: MessagesState) -> dict[str, Any]:
        await asyncio.sleep(seconds)
        return {"messages": [AIMessage("awake")]}

    return one_node(node)


def _blocking(until: threading.Event) -> Agent:
    def node(state: MessagesState) -> dict[str, Any]:
        assert until.wait(120)
        return {"messages": [AIMessage("unblocked")]}

    return one_node(node)


# the lease


async def test_a_run_longer_than_its_lease_keeps_its_thread(site: Site) -> None:
    faults, until = Faults(), threading.Event()
    slow = site.turns(faults, agent=_blocking(until), tuning=SHORT_LEASE)
    other = site.turns(tuning=SHORT_LEASE)
    running = await slow.start(request("t", "slow", "slow"))
    task, began = asyncio.create_task(running.finish()), time.monotonic()

    while time.monotonic() < began + 2 * SHORT_LEASE.lease_seconds:
        with pytest.raises(ThreadBusy):
            await other.start(request("t", "quick", "quick"))
        await asyncio.sleep(0.25)
    until.set()

    turn = await task
    assert (turn.number, turn.reply, turn.persisted) == (1, "unblocked", True)
    assert sum(b"SET #lease.#t = :t" in body for body in faults.bodies) >= 4


async def test_a_hanging_renewal_does_not_delay_the_reply(site: Site) -> None:
    gate = Gate("dynamodb.UpdateItem", passing=1)
    turns = site.turns(Faults(on_call=gate.pass_by), agent=_sleeping(0.5), tuning=SHORT_LEASE)

    turn = await send(turns, request("t", "one", "k"))

    assert gate.reached.is_set()
    assert turn.persisted
    gate.opened.set()
    assert site.store().threads.read(ANNA, "t").status == "idle"


# cancelling


def seen(site: Site) -> object:
    store = site.store()
    return store.threads.read(ANNA, "t").turn_count, store.turns.newest(ANNA, "t", limit=9), messages_of(store, "t")


async def test_a_run_closed_at_any_event_leaves_its_thread_unchanged(site: Site, thread: str) -> None:
    turns, before = site.turns(), seen(site)
    running = await turns.start(replace(request("clean", "two", "k2"), streamed=True))
    events = [event.name async for event in running.events()]
    assert events.count("node") == 2
    assert events.count("token") >= 2
    assert events[-1] == "complete"

    for many in range(len(events) - 1):
        running = await turns.start(replace(request(thread, "two", "k2"), streamed=True))
        await _close_after(running, many)

        assert seen(site) == before, f"closed after {events[:many]}"
        assert site.store().threads.read(ANNA, thread).status == "error"  # the message is shown as pending

    assert (await send(turns, request(thread, "two", "k2"))).number == 2


async def _close_after(running: RunningTurn, many: int) -> None:
    events = running.events()
    for _ in range(many):
        await anext(events)
    await events.aclose()
    await running.close()


@dataclass
class Gate:
    """Delays one call of the store, in the thread that makes it, until it is opened."""

    name: str
    passing: int = 0
    reached: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def pass_by(self, name: str) -> None:
        if name != self.name or self.reached.is_set():
            return
        self.passing -= 1
        if self.passing < 0:
            self.reached.set()
            assert self.opened.wait(120)

    async def arrive(self) -> None:
        assert await asyncio.to_thread(self.reached.wait, 20)


@pytest.mark.parametrize("how", ["closed", "events closed", "reader cancelled"])
async def test_a_turn_left_during_its_commit_is_stored(site: Site, how: str) -> None:
    gate = Gate("dynamodb.BatchWriteItem")
    turns = site.turns(Faults(on_call=gate.pass_by))
    running = await turns.start(request("t", "one", "k"))
    reader = asyncio.create_task(_read(running))
    await gate.arrive()

    leaving = asyncio.create_task(running.close()) if how == "closed" else None
    if how == "reader cancelled":
        reader.cancel()
    await asyncio.sleep(0.1)
    gate.opened.set()
    await asyncio.wait({reader, *([leaving] if leaving else [])})
    await running.close()

    again = await turns.start(request("t", "one", "k"))
    turn = await again.finish()
    assert again.replayed
    assert messages_of(site.store(), "t") == [("human", "one"), ("ai", turn.reply)]


async def _read(running: RunningTurn) -> None:
    async for _ in running.events():
        pass


async def test_a_client_that_leaves_during_begin_releases_its_thread(site: Site) -> None:
    gate = Gate("dynamodb.UpdateItem")
    turns = site.turns(Faults(on_call=gate.pass_by))
    starting = asyncio.create_task(turns.start(request("t", "one", "k")))
    await gate.arrive()

    starting.cancel()
    await asyncio.sleep(0.05)
    gate.opened.set()
    await asyncio.wait({starting})

    assert starting.cancelled()
    assert (await _when_free(lambda: send(turns, request("t", "one", "k")))).number == 1


async def _when_free[T](attempt: Callable[[], Awaitable[T]]) -> T:
    """Retries for twenty seconds; an abandoned lease lasts thirty."""
    until = time.monotonic() + 20
    while True:
        try:
            return await attempt()
        except (TurnInProgress, ThreadBusy):
            assert time.monotonic() < until, "the thread is still taken"
            await asyncio.sleep(0.05)


# the deadline


async def test_a_run_past_its_deadline_leaves_its_thread_unchanged(site: Site, thread: str) -> None:
    before, late = seen(site), replace(_sleeping(HOUR), name="story")
    with pytest.raises(ModelTimeout):
        await send(site.turns(agent=late, tuning=ONE_SECOND), request(thread, "two", "k2"))
    assert seen(site) == before
    assert (await send(site.turns(), request(thread, "two", "k2"))).number == 2


async def test_blocking_nodes_delay_no_other_run(site: Site) -> None:
    """More of them than the loop's own pool has threads."""
    many, until = 40, threading.Event()
    blocking = site.turns(agent=_blocking(until), tuning=ONE_SECOND)
    runs = [asyncio.create_task(send(blocking, request(f"t{n}", "one", "k"))) for n in range(many)]
    await asyncio.sleep(0.5)

    quick = await send(site.turns(), request("other", "one", "k"))
    outcomes = await asyncio.gather(*runs, return_exceptions=True)
    until.set()

    assert quick.persisted
    assert [type(outcome) for outcome in outcomes] == [ModelTimeout] * many
