"""A background run is accepted once, made once and told truly, whatever becomes of its workers."""

import asyncio
import signal
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Literal

import pytest
from fault_hooks import Faults, Kind, at_call, none, outage
from fault_site import ANNA, Doom, Site, be_quiet, child, later, messages_of, request, send
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from turnkeep import errors
from turnkeep.agents import Agent
from turnkeep.records import Principal, Reply
from turnkeep.storage.keys import HEAD, LAYOUT, partition
from turnkeep.tuning import TurnTuning
from turnkeep.turns.background import NotDone, Runs
from turnkeep.turns.lookup import RunRecord
from turnkeep.turns.request import GraphCall

ACCEPT = CANCEL = "dynamodb.TransactWriteItems"
READ, LOAD = "dynamodb.GetItem", "dynamodb.Query"
BEGIN = FLIP = "dynamodb.UpdateItem"
BATCH, MODEL = "dynamodb.BatchWriteItem", "model"
WORKER = [READ, BEGIN, LOAD, MODEL, MODEL, BATCH, FLIP]
LEASE_SECONDS, HOUR = 30, 3600
BEN = Principal("acme", "ben")


class Queue:
    """What Lambda keeps of invocations."""

    def __init__(self) -> None:
        self.tokens: list[str] = []

    async def __call__(self, token: str) -> None:
        self.tokens.append(token)


def runs_of(site: Site, queue: Queue, **more: Any) -> Runs:
    runs = site.runs(**more)
    runs.launch_by(queue)
    return runs


async def accepted(site: Site, thread_id: str, message: str = "two", key: str = "k", **more: Any) -> tuple[str, str]:
    """The id of a run, and the token that its worker is given."""
    queue = Queue()
    record = await runs_of(site, queue, **more).enqueue(request(thread_id, message, key))
    assert record.status == "pending"
    return record.run_id, queue.tokens[0]


async def told(site: Site, thread_id: str, run_id: str, **more: Any) -> RunRecord:
    return await site.runs(**more).read(ANNA, thread_id, run_id)


@pytest.fixture
async def thread(site: Site) -> str:
    await send(site.turns(), request("t", "one", "before"))
    return "t"


# a worker


def work_once(line: Connection, site: Site, token: str, doom: Doom | None) -> None:
    """One invocation in a process of its own; says each call before it is made."""
    be_quiet()
    faults = Faults(at_call(doom.at, doom.kind) if doom else none, told=line.send)
    asyncio.run(site.runs(faults).work(token))
    line.close()


def invoke(site: Site, token: str, doom: Doom | None = None) -> list[str]:
    """The calls that the invocation made."""
    with child(work_once, site, token, doom) as sandbox:
        made = sandbox.last_words()
        assert sandbox.process.exitcode == (-signal.SIGKILL if doom else 0)
    return made


@pytest.mark.slow
async def test_a_worker_that_dies_at_any_call_and_is_invoked_again_makes_exactly_one_turn(site: Site) -> None:
    kinds: tuple[Kind, ...] = ("kill_before", "kill_after")
    for at, kind in [(at, kind) for at in range(1, len(WORKER) + 1) for kind in kinds]:
        thread_id = f"t-{at}-{kind}"
        before = await send(site.turns(), request(thread_id, "one", "before"))
        run_id, token = await accepted(site, thread_id)

        made = await asyncio.to_thread(invoke, site, token, Doom(at, kind))
        assert made == WORKER[:at]
        await _invoked_again(site, token)

        turn = await site.runs().join(ANNA, thread_id, run_id, 1)
        stored = site.store().turns.newest(ANNA, thread_id, limit=9)
        assert [(each.number, each.reply) for each in stored] == [(1, before.reply), (2, turn.reply)]
        assert (turn.run_id, turn.message) == (run_id, "two")
        assert [message for kind, message in messages_of(site.store(), thread_id) if kind == "human"] == ["one", "two"]
        again = await site.runs().enqueue(request(thread_id, "two", "k"))
        assert (again.run_id, again.status, again.turn_number) == (run_id, "success", 2)


async def _invoked_again(site: Site, token: str) -> None:
    """As Lambda does, a minute later; a lease of the dead worker may stand in the way until then."""
    try:
        await site.runs().work(token)
    except NotDone:
        await site.runs(clock=later(LEASE_SECONDS + 1)).work(token)


async def test_a_run_that_succeeds_costs_seven_requests(site: Site, thread: str) -> None:
    accepting, working = Faults(), Faults()
    _, token = await accepted(site, thread, faults=accepting)
    await site.runs(working).work(token)
    assert accepting.calls == [READ, ACCEPT]
    assert working.calls == WORKER
    assert len([call for call in accepting.calls + working.calls if call != MODEL]) == 7


async def test_a_worker_is_told_no_name_of_anybody(site: Site, thread: str) -> None:
    _, token = await accepted(site, thread)
    assert ANNA.user not in token
    with pytest.raises(errors.StateCorrupt):
        await site.runs().work(token[:-8] + "AAAAAAA=")


async def test_what_was_asked_reaches_the_worker_whole(site: Site, thread: str) -> None:
    queue, call = Queue(), GraphCall(input={"messages": [{"role": "human", "content": "five"}]}, modes=("values",))
    wanted = replace(request(thread, "five", "k5"), call=call, base=0, agent=None, conversation_window=2)
    record = await runs_of(site, queue).enqueue(wanted)
    await site.runs().work(queue.tokens[0])
    turn = await site.runs().join(ANNA, thread, record.run_id, 1)
    assert (turn.number, turn.message) == (1, "five")  # it went on from before the first turn
    assert messages_of(site.store(), thread)[0] == ("human", "five")


# accepting


async def test_the_same_request_again_is_the_same_run_and_another_body_is_refused(site: Site, thread: str) -> None:
    queue = Queue()
    runs = runs_of(site, queue)
    first, second = [await runs.enqueue(request(thread, "two", "k")) for _ in range(2)]
    assert first == second
    with pytest.raises(errors.IdempotencyKeyReused):
        await runs.enqueue(request(thread, "three", "k"))
    for token in queue.tokens:
        await site.runs().work(token)
    assert site.store().threads.read(ANNA, thread).turn_count == 2


async def test_a_body_that_says_after_what_it_comes_needs_no_key(site: Site, thread: str) -> None:
    runs = runs_of(site, Queue())
    wanted = replace(request(thread, "two", ""), key=None, repeat="exact")
    first, again = [(await runs.enqueue(wanted)).run_id for _ in range(2)]
    anew = (await runs.enqueue(replace(wanted, repeat="first"))).run_id
    assert first == again != anew


async def test_a_thread_that_is_busy_unknown_or_anothers_takes_no_run(site: Site, thread: str) -> None:
    runs, store = runs_of(site, Queue()), site.store()
    with pytest.raises(errors.NotFound):
        await runs.enqueue(request("unknown", "two", "k"))
    with pytest.raises(errors.NotFound):
        await runs.enqueue(replace(request(thread, "two", "k"), principal=BEN))
    store.leases.begin(ANNA, thread, key="other", body=b"", message="other")
    with pytest.raises(errors.ThreadBusy):
        await runs.enqueue(request(thread, "two", "k"))
    assert await runs.list(ANNA, thread, status="pending") == []


async def test_a_thread_that_is_deleted_takes_its_runs_along(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    site.store().threads.delete(ANNA, thread)
    await site.runs().work(token)
    site.store().threads.create(ANNA, thread)
    with pytest.raises(errors.NotFound):
        await told(site, thread, run_id)


# what a run is


async def test_a_run_is_pending_then_running_then_the_turn_it_made(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread, "slow")
    gate = asyncio.Event()
    working = asyncio.create_task(site.runs(agent=waiting(gate)).work(token))
    await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")
    found = await told(site, thread, run_id)
    assert (found.status, found.agent, found.kwargs) == ("running", "story", {})
    assert [(each.run_id, each.status) for each in await site.runs().list(ANNA, thread, limit=1)] == [
        (run_id, "running")
    ]
    joining = asyncio.create_task(site.runs().join(ANNA, thread, run_id, 9))
    gate.set()
    await working
    turn = await joining
    found = await told(site, thread, run_id)
    assert (found.status, found.turn_number, turn.number, turn.run_id) == ("success", 2, 2, run_id)
    assert [each.turn_number for each in await site.runs().list(ANNA, thread)] == [2, 1]


def agent_of(node: Callable[[MessagesState], Any]) -> Agent:
    graph = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").add_edge("node", END).compile()
    return Agent("one", graph, lambda values: Reply(values["messages"][-1].text))


def waiting(gate: asyncio.Event) -> Agent:
    async def node(state: MessagesState) -> dict[str, Any]:
        await gate.wait()
        return {"messages": [AIMessage("done")]}

    return agent_of(node)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(9):
        while not await asyncio.to_thread(holds):
            await asyncio.sleep(0.02)


async def test_a_run_is_found_when_head_has_long_forgotten_its_key(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    await site.runs().work(token)
    turns = site.turns()
    for number in range(33):
        await send(turns, request(thread, "more", f"more-{number}"))
    found = await told(site, thread, run_id, clock=later(2 * HOUR))
    assert (found.status, found.turn_number) == ("success", 2)


async def test_a_run_that_nobody_works_on_for_an_hour_is_given_up_and_can_be_sent_again(
    site: Site, thread: str
) -> None:
    run_id, _ = await accepted(site, thread)
    late = later(HOUR + 1)
    assert (await told(site, thread, run_id, clock=late)).status == "timeout"
    with pytest.raises(errors.InternalError):
        await site.runs(clock=late).join(ANNA, thread, run_id, 1)
    again, token = await accepted(site, thread, clock=late)
    await site.runs(clock=late).work(token)
    assert again == run_id
    assert (await told(site, thread, run_id, clock=late)).status == "success"


async def test_join_says_when_its_time_is_up(site: Site, thread: str) -> None:
    run_id, _ = await accepted(site, thread)
    with pytest.raises(errors.TurnInProgress):
        await site.runs().join(ANNA, thread, run_id, 0.3)


# failures


async def test_a_run_waits_for_a_worker_that_reads_the_layout_of_its_thread(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    heads = site.store().heads
    place = (partition(ANNA, thread), HEAD)
    heads.items.update(*place, "SET v = :v", {":v": LAYOUT + 1}, condition="attribute_exists(PK)")
    with pytest.raises(NotDone):
        await site.runs().work(token)
    heads.items.update(*place, "SET v = :v", {":v": LAYOUT}, condition="attribute_exists(PK)")
    await site.runs().work(token)
    assert (await site.runs().join(ANNA, thread, run_id, 1)).message == "two"


async def test_a_worker_that_finds_its_thread_busy_is_asked_again_until_the_run_says_so(
    site: Site, thread: str
) -> None:
    run_id, token = await accepted(site, thread)
    site.store().leases.begin(ANNA, thread, key="other", body=b"", message="other")
    statuses = []
    for _ in range(2):
        with pytest.raises(NotDone):
            await site.runs().work(token)
        statuses.append((await told(site, thread, run_id)).status)
    await site.runs().work(token)
    found = await told(site, thread, run_id)
    assert (*statuses, found.status, found.code) == ("pending", "pending", "error", "thread_busy")
    with pytest.raises(errors.ThreadBusy):
        await site.runs().join(ANNA, thread, run_id, 1)


async def test_a_run_that_cannot_be_made_says_why_at_once(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    await site.runs(agent=breaking()).work(token)
    found = await told(site, thread, run_id)
    assert (found.status, found.code) == ("error", "agent_error")
    with pytest.raises(errors.AgentFault):
        await site.runs().join(ANNA, thread, run_id, 1)
    assert site.store().threads.read(ANNA, thread).turn_count == 1
    _, token = await accepted(site, thread)  # its key is free
    await site.runs().work(token)
    assert (await told(site, thread, run_id)).status == "success"


def breaking() -> Agent:
    def node(state: MessagesState) -> dict[str, Any]:
        raise ValueError("broken")

    return agent_of(node)


async def test_a_store_that_cannot_keep_the_turn_is_asked_again(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    with pytest.raises(errors.StoreUnavailable):
        await site.runs(Faults(outage(len(WORKER), "cut", "dynamodb"))).work(token)
    await site.runs(clock=later(LEASE_SECONDS + 1)).work(token)
    assert (await told(site, thread, run_id)).turn_number == 2


# cancelling


@pytest.mark.parametrize(("action", "metadata"), [("interrupt", {"of": "two"}), ("rollback", {})])
async def test_a_queued_run_that_is_cancelled_is_passed_over(
    site: Site, thread: str, action: Literal["interrupt", "rollback"], metadata: dict[str, str]
) -> None:
    queue, call = Queue(), GraphCall(config={"metadata": {"of": "two"}})
    run_id = (await runs_of(site, queue).enqueue(replace(request(thread, "two", "k"), call=call))).run_id
    found = await site.runs().cancel(ANNA, thread, run_id, action=action)
    assert (found.status, found.metadata) == ("interrupted", metadata)
    await site.runs().work(queue.tokens[0])
    assert site.store().threads.read(ANNA, thread).turn_count == 1
    with pytest.raises(errors.RunCancelled):
        await site.runs().join(ANNA, thread, run_id, 1)


@pytest.mark.parametrize(("action", "status"), [("interrupt", "error"), ("rollback", "idle")])
async def test_a_run_cancelled_from_elsewhere_keeps_nothing(
    site: Site, thread: str, action: Literal["interrupt", "rollback"], status: str
) -> None:
    run_id, token = await accepted(site, thread)
    gate = asyncio.Event()
    working = asyncio.create_task(site.runs(agent=waiting(gate)).work(token))
    await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")
    assert (await site.runs().cancel(ANNA, thread, run_id, action=action)).status == "interrupted"
    gate.set()
    await working
    found = site.store().threads.read(ANNA, thread)
    assert (found.turn_count, found.status) == (1, status)
    assert (await told(site, thread, run_id)).status == "interrupted"


async def test_a_run_cancelled_where_it_runs_ends_without_looking_at_its_lease(site: Site, thread: str) -> None:
    never = TurnTuning(renew_seconds=HOUR)
    runs = site.runs(agent=waiting(asyncio.Event()), tuning=never)
    run_id = (await runs.enqueue(request(thread, "two", "k"))).run_id
    await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")
    await runs.cancel(ANNA, thread, run_id)
    async with asyncio.timeout(120):
        await runs.stop(HOUR)
    assert (await told(site, thread, run_id)).status == "interrupted"


async def test_a_run_that_begins_while_it_is_cancelled_is_cancelled_all_the_same(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    working, loop = list[asyncio.Task[None]](), asyncio.get_running_loop()

    def begin_meanwhile(name: str) -> None:
        if name == CANCEL and not working:
            asyncio.run_coroutine_threadsafe(begin(), loop).result()

    async def begin() -> None:
        working.append(asyncio.create_task(runs.work(token)))
        await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")

    runs = site.runs(Faults(told=begin_meanwhile), agent=waiting(asyncio.Event()))
    assert (await runs.cancel(ANNA, thread, run_id)).status == "interrupted"
    await working[0]
    assert (await told(site, thread, run_id)).status == "interrupted"
    assert site.store().threads.read(ANNA, thread).turn_count == 1


# a server of one's own


async def test_a_server_that_stops_gives_its_runs_back(site: Site, thread: str) -> None:
    runs = site.runs(agent=waiting(asyncio.Event()))
    record = await runs.enqueue(request(thread, "two", "k"))
    await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")
    await runs.stop(0.1)
    found = await told(site, thread, record.run_id)
    assert (found.status, found.code) == ("error", "server_stopping")
    assert site.store().threads.read(ANNA, thread).status == "error"  # its message is shown, and nobody holds it
    again = site.runs()
    await again.enqueue(request(thread, "two", "k"))
    assert (await again.join(ANNA, thread, record.run_id, 9)).number == 2
