"""Runs that wait for a thread, while the processes around them fail. tests/simulation kills them anywhere."""

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from fault_agents import one_node
from fault_hooks import MODEL, Faults, at_call
from fault_site import ANNA, Site, later, questions, request
from langchain_core.messages import AIMessage
from test_background_runs import BATCH, BEGIN, COMMIT, LOAD, WORKER, Queue, broken, runs_of, status_of

from turnkeep import errors
from turnkeep.store.head import run_id_of
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun
from turnkeep.turns import background
from turnkeep.turns.background import NotDone

DONE_AT = len(WORKER) - 2  # the number of the call that records it


def wanted(message: str) -> Any:
    return replace(request("t", message, message), when_busy="enqueue")


async def queued(site: Site, *names: str, **more: Any) -> tuple[list[str], list[str]]:
    """Return the ids of accepted runs, and the tokens of their workers."""
    queue = Queue()
    runs = runs_of(site, queue, **more)
    return [(await runs.enqueue(wanted(name))).run_id for name in names], queue.tokens


@pytest.mark.parametrize("is_broken", [False, True])
async def test_the_end_of_a_run_starts_the_next_without_another_request(
    site: Site, thread: str, is_broken: bool
) -> None:
    gate, faults, queue = asyncio.Event(), Faults(), Queue()

    async def node(state: Any) -> Any:
        await gate.wait()
        return broken(state) if is_broken else {"messages": [AIMessage("done")]}

    running = await runs_of(site, queue, agent=one_node(node), faults=faults).begin(wanted("direct"))
    assert not isinstance(running, background.RunRecord)
    await queued(site, "two")
    gate.set()
    with pytest.raises(errors.AgentFault) if is_broken else nullcontext():
        assert (await running.finish()).persisted
    if not is_broken:
        assert sorted(call for call in faults.calls if call != MODEL) == sorted([BEGIN, LOAD, BATCH, COMMIT])
    await site.runs().work(queue.tokens[0])
    assert questions(site) == (["one", "two"] if is_broken else ["one", "direct", "two"])


@pytest.mark.parametrize("at", [DONE_AT, DONE_AT + 1])
async def test_a_worker_that_dies_after_commit_is_not_repeated(site: Site, thread: str, at: int) -> None:
    ids, tokens = await queued(site, "two", "three")
    dying, again = Faults(at_call(at, "cut", times=9)), Faults()
    with pytest.raises(errors.StoreUnavailable):
        await site.runs(dying).work(tokens[0])
    assert questions(site) == ["one", "two"]
    await site.runs(again).work(tokens[0])
    assert questions(site) == ["one", "two", "three"]
    assert again.calls.count(MODEL) == WORKER.count(MODEL)  # of the third
    assert [(await status_of(site, thread, run_id)).turn_number for run_id in ids] == [2, 3]


async def test_a_run_whose_launch_failed_is_stored_and_started_by_its_retry(site: Site, thread: str) -> None:
    async def fail(token: str) -> None:
        raise errors.StoreUnavailable

    runs = site.runs()
    runs.launch_by(fail)
    with pytest.raises(errors.StoreUnavailable):
        await runs.enqueue(wanted("two"))
    ids, tokens = await queued(site, "three", "two")
    await site.runs().work(tokens[0])
    assert questions(site) == ["one", "two", "three"]
    assert (await status_of(site, thread, ids[1])).turn_number == 2


async def test_a_thread_is_joined_at_its_active_run_else_the_first_that_waits_else_its_newest(
    site: Site, thread: str
) -> None:
    runs = site.runs()
    newest = site.store().turns.read(ANNA, thread, 1).run_id
    assert await runs.current(ANNA, thread) == newest
    ids, tokens = await queued(site, "two", "three")
    assert await runs.current(ANNA, thread) == ids[0]
    begun = site.store().leases.begin(ANNA, thread, BeginRequest(key="active", body=b"", message="active"))
    assert isinstance(begun, Begun)
    assert await runs.current(ANNA, thread) == run_id_of(begun.head.pk, begun.key)
    site.store().leases.release(begun)
    await site.runs().work(tokens[0])
    assert await runs.current(ANNA, thread) == ids[1]


async def test_the_order_is_that_of_acceptance_whatever_clocks_show(site: Site, thread: str) -> None:
    for name, ahead in (("two", 4), ("three", 0), ("four", 2), ("five", 0)):
        _, tokens = await queued(site, name, clock=later(ahead))
    await site.runs().work(tokens[0])
    assert questions(site) == ["one", "two", "three", "four", "five"]


async def test_writers_at_one_moment_are_all_accepted(site: Site, thread: str) -> None:
    names = [f"message {number}" for number in range(12)]
    runs = [runs_of(site, queue := Queue()) for _ in names]
    await asyncio.gather(*(each.enqueue(wanted(name)) for each, name in zip(runs, names, strict=True)))
    await site.runs().work(queue.tokens[0])
    assert sorted(questions(site)[1:]) == sorted(names)


async def test_a_run_withdrawn_while_another_is_made_is_never_executed(site: Site, thread: str) -> None:
    begun, gate = asyncio.Event(), asyncio.Event()

    async def node(_: Any) -> Any:
        begun.set()
        await gate.wait()
        return {"messages": [AIMessage("done")]}

    ids, tokens = await queued(site, "two", "three", "four")
    working = asyncio.create_task(runs_of(site, Queue(), agent=one_node(node)).work(tokens[0]))
    await begun.wait()
    await site.runs().cancel(ANNA, "t", ids[1])
    gate.set()
    await working
    assert questions(site) == ["one", "two", "four"]


async def test_a_worker_hands_a_long_queue_over_in_time(site: Site, thread: str) -> None:
    _, tokens = await queued(site, "two", "three")
    queue, runs = Queue(), site.runs()
    runs.launch_by(queue)
    late = asyncio.get_running_loop().time() + 60
    with pytest.raises(NotDone):
        await runs.work(tokens[0], late)
    assert (questions(site), len(queue.tokens)) == (["one", "two"], 1)
    await site.runs().work(queue.tokens[0])
    assert questions(site) == ["one", "two", "three"]


async def test_a_mark_without_runs_is_removed_by_a_refused_request(site: Site, thread: str) -> None:
    """A worker died before it removed the mark."""
    _, tokens = await queued(site, "two")
    dying = Faults(at_call(DONE_AT + 2, "cut", times=9))
    with pytest.raises(errors.StoreUnavailable):
        await site.runs(dying).work(tokens[0])
    queue = Queue()
    rejecting = replace(wanted("three"), when_busy="reject")
    with pytest.raises(errors.ThreadBusy):
        await runs_of(site, queue).begin(rejecting)
    await site.runs().work(queue.tokens[0])
    running = await runs_of(site, queue).begin(rejecting)
    assert not isinstance(running, background.RunRecord)
    assert (await running.finish()).number == 3
