"""A process is killed before and after each call of a turn that acts, and before and after what it does: nothing is
done twice, and what nobody knows is told."""

import asyncio
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from fault_hooks import ACT, Faults, Kind, at_call
from fault_site import ANNA, Doom, Site, answer_once, be_quiet, child, later, request, send

from turnkeep.errors import TurnInProgress
from turnkeep.records import Turn
from turnkeep.turns.background import NotDone

READ, LOAD, BATCH = "dynamodb.GetItem", "dynamodb.Query", "dynamodb.BatchWriteItem"
BEGIN = SETTLE = FLIP = "dynamodb.UpdateItem"
REPLAY = CLAIM = "dynamodb.TransactWriteItems"
CALLS = [BEGIN, LOAD, REPLAY, CLAIM, ACT, SETTLE, BATCH, FLIP]
PAID, UNKNOWN = "receipt for reserve, receipt for pay", "receipt for reserve, pay unknown"
LEASE_SECONDS = 30
KINDS: tuple[Kind, ...] = ("kill_before", "kill_after")


@dataclass(frozen=True)
class Order:
    """A thread whose first turn has reserved, and waits for the answer with which it pays."""

    thread_id: str
    book: Path

    @property
    def done(self) -> list[str]:
        return self.book.read_text().split()


async def ordered(site: Site, folder: Path, name: str) -> Order:
    order = Order(f"t-{name}", folder / name)
    asked = await send(site.turns(agent="paying"), request(order.thread_id, str(order.book), "first"))
    assert (asked.status, order.done) == ("interrupted", ["reserve"])
    return order


def check(order: Order, turn: Turn, at: int, kind: Kind, calls: list[str]) -> None:
    """`at` is the number of the call at which death came."""
    reached = at if kind == "kill_after" else at - 1
    acting = calls.index(ACT) + 1
    is_claimed, has_acted, is_settled = reached >= acting - 1, reached >= acting, reached >= acting + 1
    assert turn.reply == (UNKNOWN if is_claimed and not is_settled else PAID)
    assert order.done == (["reserve", "pay"] if has_acted or not is_claimed else ["reserve"])


async def test_a_turn_that_acts_costs_two_requests_more_for_each_action_and_one_where_it_was_done(
    site: Site, tmp_path: Path
) -> None:
    order, faults = await ordered(site, tmp_path, "clean"), Faults()
    turn = await send(site.turns(faults, agent="paying"), request(order.thread_id, "yes", "k"))
    assert (turn.reply, order.done) == (PAID, ["reserve", "pay"])
    assert faults.calls == CALLS


@pytest.mark.slow
async def test_death_at_any_call_has_nothing_done_twice(site: Site, tmp_path: Path) -> None:
    for at, kind in [(at, kind) for at in range(1, len(CALLS) + 1) for kind in KINDS]:
        order = await ordered(site, tmp_path, f"{at}-{kind}")
        wanted = request(order.thread_id, "yes", "k")
        with child(answer_once, site, "paying", wanted, Doom(at, kind)) as victim:
            assert await asyncio.to_thread(victim.last_words) == CALLS[:at]
            assert victim.process.exitcode == -signal.SIGKILL

        turn = await come_back(site, order)
        check(order, turn, at, kind, CALLS)
        assert (await send(site.turns(agent="paying"), wanted)).reply == turn.reply
        assert site.store().threads.read(ANNA, order.thread_id).turn_count == 2


async def come_back(site: Site, order: Order) -> Turn:
    """The same request again; where the dead one holds the thread, when its lease is over."""
    wanted = request(order.thread_id, "yes", "k")
    try:
        return await send(site.turns(agent="paying"), wanted)
    except TurnInProgress:
        return await send(site.turns(agent="paying", clock=later(LEASE_SECONDS + 1)), wanted)


WORKER = [READ, *CALLS]


def work_once(line: Connection, site: Site, token: str, doom: Doom) -> None:
    be_quiet()
    asyncio.run(site.runs(Faults(at_call(doom.at, doom.kind), told=line.send), agent="paying").work(token))
    line.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at", [WORKER.index(ACT), WORKER.index(ACT) + 1, WORKER.index(ACT) + 2])
async def test_a_worker_that_dies_as_it_acts_and_is_asked_again_acts_no_second_time(
    site: Site, tmp_path: Path, at: int, kind: Kind
) -> None:
    order, tokens = await ordered(site, tmp_path, "order"), []

    async def keep(token: str) -> None:
        tokens.append(token)

    runs = site.runs(agent="paying")
    runs.launch_by(keep)
    run_id = (await runs.enqueue(request(order.thread_id, "yes", "k"))).run_id
    with child(work_once, site, tokens[0], Doom(at, kind)) as worker:
        assert await asyncio.to_thread(worker.last_words) == WORKER[:at]

    with pytest.raises(NotDone):
        await site.runs(agent="paying").work(tokens[0])
    await site.runs(agent="paying", clock=later(LEASE_SECONDS + 1)).work(tokens[0])
    turn = await site.runs(agent="paying").join(ANNA, order.thread_id, run_id, 1)
    check(order, turn, at, kind, WORKER)
