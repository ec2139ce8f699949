"""Life of a background run: accepted, executed, cancelled, given up. tests/simulation kills its workers."""

import asyncio
from dataclasses import replace
from typing import Any, Literal

import pytest
from fault_agents import one_node
from fault_hooks import Faults
from fault_site import ANNA, Site, later, messages_of, request, send
from langchain_core.messages import AIMessage
from langgraph.graph import MessagesState

from awaiting import until
from turnkeep import errors
from turnkeep.graphs.agent import Agent
from turnkeep.records import Principal
from turnkeep.store.head import run_id_of
from turnkeep.store.leases import BeginRequest
from turnkeep.store.runs import Asked
from turnkeep.tuning import TurnTuning
from turnkeep.turns import background
from turnkeep.turns.background import NotDone, Runs
from turnkeep.turns.request import GraphCall
from turnkeep.turns.run_lookup import RunRecord
from turns_over import turn_of

ACCEPT = "dynamodb.TransactWriteItems"
READ, LOAD = "dynamodb.GetItem", "dynamodb.Query"
BEGIN = COMMIT = "dynamodb.UpdateItem"
BATCH, MODEL = "dynamodb.BatchWriteItem", "model"
DONE, REMOVE, UNMARK = "dynamodb.PutItem", BATCH, "dynamodb.UpdateItem"
WORKER = [READ, LOAD, BEGIN, LOAD, MODEL, MODEL, BATCH, COMMIT, DONE, REMOVE, UNMARK]
HOUR = 3600
BEN = Principal("acme", "ben")


class Queue:
    """Lambda's queue of asynchronous invocations."""

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


async def status_of(site: Site, thread_id: str, run_id: str, **more: Any) -> RunRecord:
    return await site.runs(**more).read(ANNA, thread_id, run_id)


# a worker


async def test_a_successful_run_costs_eleven_requests(site: Site, thread: str) -> None:
    accepting, working = Faults(), Faults()
    _, token = await accepted(site, thread, faults=accepting)
    await site.runs(working).work(token)
    assert accepting.calls == [READ, ACCEPT]
    assert working.calls == WORKER
    assert len([call for call in accepting.calls + working.calls if call != MODEL]) == 11


async def test_the_token_of_a_worker_names_no_user(site: Site, thread: str) -> None:
    _, token = await accepted(site, thread)
    assert ANNA.user not in token
    with pytest.raises(errors.StateCorrupt):
        await site.runs().work(token[:-8] + "AAAAAAA=")


async def test_the_worker_gets_the_whole_request(site: Site, thread: str) -> None:
    queue, call = Queue(), GraphCall(input={"messages": [{"role": "human", "content": "five"}]}, modes=("values",))
    wanted = replace(request(thread, "five", "k5"), call=call, base=0, agent=None, conversation_window=2)
    record = await runs_of(site, queue).enqueue(wanted)
    await site.runs().work(queue.tokens[0])
    turn = await turn_of(site.runs(), ANNA, thread, record.run_id, 1)
    assert (turn.number, turn.message) == (1, "five")  # it continued from before the first turn
    assert messages_of(site.store(), thread)[0] == ("human", "five")


# accepting


async def test_a_retry_without_a_key_is_recognised_by_its_base(site: Site, thread: str) -> None:
    runs = runs_of(site, Queue())
    wanted = replace(request(thread, "two", ""), key=None, repeat="exact", when_busy="enqueue")
    first, again = [(await runs.enqueue(wanted)).run_id for _ in range(2)]
    new = (await runs.enqueue(replace(wanted, repeat="first"))).run_id
    assert first == again != new


async def test_a_busy_unknown_or_foreign_thread_accepts_no_run(site: Site, thread: str) -> None:
    runs, store = runs_of(site, Queue()), site.store()
    with pytest.raises(errors.NotFound):
        await runs.enqueue(request("unknown", "two", "k"))
    with pytest.raises(errors.NotFound):
        await runs.enqueue(replace(request(thread, "two", "k"), principal=BEN))
    store.leases.begin(ANNA, thread, BeginRequest(key="other", body=b"", message="other"))
    with pytest.raises(errors.ThreadBusy):
        await runs.enqueue(request(thread, "two", "k"))
    assert await runs.list(ANNA, thread, status="pending") == []


async def test_a_repeated_request_makes_no_second_turn_whatever_head_has_forgotten(site: Site, thread: str) -> None:
    wanted, store = replace(request(thread, "two", "k"), when_busy="enqueue"), site.store()
    head = store.heads.read(ANNA, thread)
    first = await runs_of(site, queue := Queue()).enqueue(wanted)
    await site.runs().work(queue.tokens[0])
    late = store.queue.accept(head, Asked(first.run_id, wanted.body(), "{}"))
    turns = site.turns()
    for number in range(33):
        await send(turns, request(thread, "more", f"more-{number}"))
    again = await runs_of(site, queue).enqueue(wanted)
    assert (late, again.run_id, again.status, again.turn_number) == (None, first.run_id, "success", 2)
    found = await status_of(site, thread, first.run_id, clock=later(2 * HOUR))
    assert (found.status, found.turn_number) == ("success", 2)
    with pytest.raises(errors.IdempotencyKeyReused):
        await runs_of(site, queue).enqueue(replace(wanted, message="other"))
    await site.runs().work(queue.tokens[0])
    assert store.threads.read(ANNA, thread).turn_count == 35


# what a run is


async def test_a_run_on_an_abandoned_branch_is_still_found(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    await site.runs().work(token)
    await send(site.turns(), replace(request(thread, "three", "k3"), base=1))
    assert (await status_of(site, thread, run_id)).status == "success"
    assert run_id in {each.run_id for each in await site.runs().list(ANNA, thread)}


async def started(site: Site, thread: str) -> tuple[str, asyncio.Event, asyncio.Task[None]]:
    """The id of a run that another process works on, what lets it end, and its worker."""
    run_id, token = await accepted(site, thread, "slow")
    gate = asyncio.Event()
    working = asyncio.create_task(site.runs(agent=waiting(gate)).work(token))
    await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")
    return run_id, gate, working


async def test_a_run_is_pending_then_running_then_a_turn(site: Site, thread: str) -> None:
    run_id, gate, working = await started(site, thread)
    found = await status_of(site, thread, run_id)
    assert (found.status, found.agent, found.kwargs) == ("running", "story", {})
    [newest] = await site.runs().list(ANNA, thread, limit=1)
    assert (newest.run_id, newest.status) == (run_id, "running")
    joining = asyncio.create_task(turn_of(site.runs(), ANNA, thread, run_id, 9))
    gate.set()
    await working
    turn = await joining
    found = await status_of(site, thread, run_id)
    assert (found.status, found.turn_number, turn.number, turn.run_id) == ("success", 2, 2, run_id)
    assert [each.turn_number for each in await site.runs().list(ANNA, thread)] == [2, 1]


def waiting(gate: asyncio.Event) -> Agent:
    async def node(state: MessagesState) -> dict[str, Any]:
        await gate.wait()
        return {"messages": [AIMessage("done")]}

    return one_node(node)


async def test_a_run_without_a_worker_for_an_hour_can_be_sent_again(site: Site, thread: str) -> None:
    run_id, _ = await accepted(site, thread)
    late = later(HOUR + 1)
    assert (await status_of(site, thread, run_id, clock=late)).status == "timeout"
    with pytest.raises(errors.InternalError):
        await turn_of(site.runs(clock=late), ANNA, thread, run_id, 1)
    wanted = replace(request(thread, "two", "k"), when_busy="enqueue")
    again = (await runs_of(site, queue := Queue(), clock=late).enqueue(wanted)).run_id
    await site.runs(clock=late).work(queue.tokens[0])
    assert again == run_id
    assert (await status_of(site, thread, run_id, clock=late)).status == "success"


# failures


async def test_a_run_on_a_busy_thread_waits_without_counting_tries(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    site.store().leases.begin(ANNA, thread, BeginRequest(key="other", body=b"", message="other"))
    for _ in range(4):
        with pytest.raises(NotDone):
            await site.runs().work(token)
    late = site.store(clock=later(165))
    late.leases.begin(ANNA, thread, BeginRequest(key="third", body=b"", message="third"))
    await site.runs(clock=later(170)).work(token)  # Lambda's last attempt is no failure
    assert (await status_of(site, thread, run_id)).status == "pending"
    await site.runs(clock=later(230)).work(token)
    assert (await status_of(site, thread, run_id)).status == "success"


async def test_a_failed_run_reports_its_reason_and_frees_its_key(site: Site, thread: str) -> None:
    run_id, token = await accepted(site, thread)
    await site.runs(agent=one_node(broken)).work(token)
    found = await status_of(site, thread, run_id)
    assert (found.status, found.code) == ("error", "agent_error")
    with pytest.raises(errors.AgentFault):
        await turn_of(site.runs(), ANNA, thread, run_id, 1)
    assert site.store().threads.read(ANNA, thread).turn_count == 1
    _, token = await accepted(site, thread)  # its key is free
    await site.runs().work(token)
    assert (await status_of(site, thread, run_id)).status == "success"


def broken(state: MessagesState) -> dict[str, Any]:
    raise ValueError("broken")


# cancelling


@pytest.mark.parametrize(("action", "metadata"), [("interrupt", {"of": "two"}), ("rollback", {})])
async def test_a_cancelled_queued_run_is_skipped(
    site: Site, thread: str, action: Literal["interrupt", "rollback"], metadata: dict[str, str]
) -> None:
    queue, call = Queue(), GraphCall(config={"metadata": {"of": "two"}})
    run_id = (await runs_of(site, queue).enqueue(replace(request(thread, "two", "k"), call=call))).run_id
    found = await site.runs().cancel(ANNA, thread, run_id, action=action)
    assert (found.status, found.metadata) == ("interrupted", metadata)
    await site.runs().work(queue.tokens[0])
    assert site.store().threads.read(ANNA, thread).turn_count == 1
    with pytest.raises(errors.RunCancelled):
        await turn_of(site.runs(), ANNA, thread, run_id, 1)


@pytest.mark.parametrize(("action", "turns"), [("interrupt", 2), ("rollback", 1)])
async def test_a_run_is_cancelled_by_another_process(
    site: Site, thread: str, action: Literal["interrupt", "rollback"], turns: int
) -> None:
    run_id, _, working = await started(site, thread)
    assert (await site.runs().cancel(ANNA, thread, run_id, action=action)).status == "interrupted"
    await working
    found = site.store().threads.read(ANNA, thread)
    assert (found.turn_count, found.status) == (turns, "idle")
    assert (await status_of(site, thread, run_id)).status == "interrupted"


async def test_a_run_that_nobody_can_join_is_stopped_at_its_renewal(site: Site, thread: str) -> None:
    turns = site.turns(agent=waiting(asyncio.Event()), tuning=TurnTuning(renew_seconds=0.2))
    running = await turns.start(request(thread, "two", "k"))
    assert not running.recorder
    assert (await site.runs().cancel(ANNA, thread, running.run_id)).status == "interrupted"
    assert (await running.finish()).status == "stopped"


async def test_a_run_whose_process_does_not_answer_loses_its_lease(
    site: Site, thread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "CANCEL_PAUSES_SECONDS", [0] * len(background.CANCEL_PAUSES_SECONDS))
    store = site.store()
    begun = store.leases.begin(ANNA, thread, BeginRequest(key="dead", body=b"", message="two"))
    run_id = run_id_of(begun.head.pk, begun.key)
    assert (await site.runs().cancel(ANNA, thread, run_id)).status == "interrupted"
    with pytest.raises(errors.Superseded):
        store.leases.look(begun)
    assert store.threads.read(ANNA, thread).status == "error"  # its message is pending


async def test_a_run_cancelled_in_its_own_process_ends_immediately(site: Site, thread: str) -> None:
    never = TurnTuning(renew_seconds=HOUR)
    runs = site.runs(agent=waiting(asyncio.Event()), tuning=never)
    run_id = (await runs.enqueue(request(thread, "two", "k"))).run_id
    await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")
    await runs.cancel(ANNA, thread, run_id)
    async with asyncio.timeout(120):
        await runs.stop(HOUR)
    assert (await status_of(site, thread, run_id)).status == "interrupted"


# a long-running server


async def test_a_server_that_stops_releases_its_runs(site: Site, thread: str) -> None:
    runs = site.runs(agent=waiting(asyncio.Event()))
    record = await runs.enqueue(request(thread, "two", "k"))
    await until(lambda: site.store().threads.read(ANNA, thread).status == "busy")
    await runs.stop(0.1)
    found = await status_of(site, thread, record.run_id)
    assert (found.status, found.code) == ("error", "server_stopping")
    assert site.store().threads.read(ANNA, thread).status == "error"  # its message is pending, without a lease
    again = site.runs()
    await again.enqueue(replace(request(thread, "two", "k"), when_busy="enqueue"))
    assert (await turn_of(again, ANNA, thread, record.run_id, 9)).number == 2
