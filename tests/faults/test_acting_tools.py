"""A process is killed before and after each call of a turn that acts, and before and after the action itself. No action
runs twice, and an unknown outcome is reported."""

import asyncio
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from fault_hooks import ACT, BY_BOTOCORE, Faults, Kind
from fault_site import ANNA, Death, Site, answer_once, child, later, request, send

from turnkeep.errors import TurnInProgress
from turnkeep.records import Turn

LOAD, BATCH = "dynamodb.Query", "dynamodb.BatchWriteItem"
BEGIN = SETTLE = COMMIT = "dynamodb.UpdateItem"
REPLAY = CLAIM = "dynamodb.TransactWriteItems"
CALLS = [BEGIN, LOAD, REPLAY, CLAIM, ACT, SETTLE, BATCH, COMMIT]
PAID, UNKNOWN = "receipt for reserve, receipt for pay", "receipt for reserve, pay unknown"
LEASE_SECONDS = 30
KINDS: tuple[Kind, ...] = ("kill_before", "kill_after")


@dataclass(frozen=True)
class Order:
    """A thread whose first turn has reserved, and waits for an answer to pay."""

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
    """`at` is the number of the call at which the process was killed."""
    reached = at if kind == "kill_after" else at - 1
    acting = calls.index(ACT) + 1
    is_claimed, has_acted, is_settled = reached >= acting - 1, reached >= acting, reached >= acting + 1
    assert turn.reply == (UNKNOWN if is_claimed and not is_settled else PAID)
    assert order.done == (["reserve", "pay"] if has_acted or not is_claimed else ["reserve"])


async def test_an_action_costs_two_requests_and_its_replay_one(site: Site, tmp_path: Path) -> None:
    order, faults = await ordered(site, tmp_path, "clean"), Faults()
    turn = await send(site.turns(faults, agent="paying"), request(order.thread_id, "yes", "k"))
    assert (turn.reply, order.done) == (PAID, ["reserve", "pay"])
    assert faults.calls == CALLS


@pytest.mark.slow
@pytest.mark.parametrize("site", ["direct", "botocore"], indirect=True)
async def test_a_kill_at_any_call_repeats_no_action(site: Site, tmp_path: Path) -> None:
    calls = [call + BY_BOTOCORE * (call[:2] == "dy" and not site.direct) for call in CALLS]
    for at, kind in [(at, kind) for at in range(1, len(CALLS) + 1) for kind in KINDS]:
        order = await ordered(site, tmp_path, f"{at}-{kind}")
        wanted = request(order.thread_id, "yes", "k")
        with child(answer_once, site, "paying", wanted, Death(at, kind)) as victim:
            assert await asyncio.to_thread(victim.messages) == calls[:at]
            assert victim.process.exitcode == -signal.SIGKILL

        turn = await come_back(site, order)
        check(order, turn, at, kind, CALLS)
        assert (await send(site.turns(agent="paying"), wanted)).reply == turn.reply
        assert site.store().threads.read(ANNA, order.thread_id).turn_count == 2


async def come_back(site: Site, order: Order) -> Turn:
    """Send the request again; if the dead process has the lease, after its expiry."""
    wanted = request(order.thread_id, "yes", "k")
    try:
        return await send(site.turns(agent="paying"), wanted)
    except TurnInProgress:
        return await send(site.turns(agent="paying", clock=later(LEASE_SECONDS + 1)), wanted)
