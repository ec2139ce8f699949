"""What an answer says of its turn is so: `persisted` true is kept, false is certainly not kept whatever arrives later,
null only where the store could not be asked. The same key makes it one turn then."""

import uuid

import pytest
from desk import ANN, Desk
from fault_agents import story

from packets import ANY, Fate, Trap, Wire
from turnkeep.errors import TurnInProgress
from turnkeep.records import Turn
from turnkeep.turns import TurnRequest
from turns_over import turns_over

TRIES = 3  # of the client library at the far end
FOR_EVER = 10**6
MESSAGE = "kept, or not?"
FLIP = 2  # the second UpdateItem of a turn
EXECUTED = {"slow", "failed"}
KINDS: tuple[Fate, ...] = ("throttled", "refused", "held", "slow", "failed")
FATES = [
    *((kind,) for kind in KINDS),
    *((kind,) * TRIES for kind in KINDS),
    ("slow", "throttled", "refused"),
    ("failed", "held", "throttled"),
    ("held", "refused", "slow"),
]
AFTERWARDS: list[Fate | None] = [None, "throttled", "held", "slow"]  # what befalls the call that asks how it ended


async def send(desk: Desk, thread_id: str, message: str = MESSAGE) -> Turn:
    wanted = TurnRequest(ANN, message, thread_id=thread_id, key=message[:4], create=True)
    return await (await turns_over(desk.store, story([]), clock=desk.clock).start(wanted)).finish()


def replies(desk: Desk, thread_id: str) -> list[str]:
    """What is kept of the message."""
    turns = desk.store.turns.newest(ANN, thread_id, limit=100)
    return [turn.reply for turn in turns if turn.message == MESSAGE]


def arrive(traps: list[Trap]) -> None:
    for trap in traps:
        if trap.caught and trap.fate != "throttled":  # which is a promise that it was not done
            trap.arrive()


async def send_again(desk: Desk, thread_id: str) -> Turn:
    try:
        return await send(desk, thread_id)
    except TurnInProgress:
        desk.clock.now += 31
        return await send(desk, thread_id)


def is_so(turn: Turn, kept: list[str]) -> None:
    assert ("persistence_unknown" in turn.warnings) == (turn.persisted is None)
    if turn.persisted is not None:
        assert kept == ([turn.reply] if turn.persisted else [])
    else:
        assert kept in ([], [turn.reply])


async def makes_it_once(desk: Desk, thread_id: str, traps: list[Trap]) -> None:
    before = replies(desk, thread_id)
    again = await send_again(desk, thread_id)
    assert again.persisted
    assert replies(desk, thread_id) == [again.reply]
    assert before in ([], [again.reply])
    arrive(traps)
    assert len(replies(desk, thread_id)) == 1
    assert (await send(desk, thread_id, "next")).number == 3


@pytest.mark.parametrize("fates", FATES, ids="-".join)
async def test_what_is_said_of_a_turn_is_so_however_its_flip_failed(
    desk: Desk, far: Desk, wire: Wire, fates: tuple[Fate, ...]
) -> None:
    for afterwards in AFTERWARDS:
        thread_id = uuid.uuid4().hex
        await send(desk, thread_id, "before")
        traps = [wire.trap("UpdateItem", fate, nth=FLIP) for fate in fates]
        if afterwards:
            traps.append(wire.trap("UpdateItem", afterwards, nth=FLIP, times=TRIES))

        turn = await send(far, thread_id)

        wire.mend()
        is_so(turn, replies(desk, thread_id))
        if afterwards is None:
            assert turn.persisted or (turn.persisted is False and not EXECUTED & set(fates))
        arrive(traps)
        is_so(turn, replies(desk, thread_id))
        await makes_it_once(desk, thread_id, traps)


@pytest.mark.parametrize("fates", [*((kind,) * TRIES for kind in KINDS), *FATES[2 * len(KINDS) :]], ids="-".join)
async def test_the_same_request_runs_at_once_where_the_turn_is_not_kept(
    desk: Desk, far: Desk, wire: Wire, fates: tuple[Fate, ...]
) -> None:
    await send(desk, "x", "before")
    traps = [wire.trap("BatchWriteItem", fate) for fate in fates]

    turn = await send(far, "x")

    wire.mend()
    assert turn.persisted is False
    is_so(turn, replies(desk, "x"))
    pending = desk.store.threads.read(ANN, "x").pending
    assert pending
    assert pending.message == MESSAGE
    again = await send(desk, "x")  # at the same second: no lease is in its way
    assert (again.persisted, again.number, replies(desk, "x")) == (True, 2, [again.reply])
    arrive(traps)
    assert replies(desk, "x") == [again.reply]
    assert (await send(desk, "x", "next")).number == 3


@pytest.mark.parametrize("fates", FATES[len(KINDS) :], ids="-".join)
async def test_where_the_store_is_gone_after_the_flip_it_is_not_said_that_the_turn_is_lost(
    desk: Desk, far: Desk, wire: Wire, fates: tuple[Fate, ...]
) -> None:
    await send(desk, "x", "before")
    traps = [wire.trap("UpdateItem", fate, nth=FLIP) for fate in fates]
    traps[-1].meanwhile = lambda: wire.trap(ANY, "refused", times=FOR_EVER)

    turn = await send(far, "x")

    wire.mend()
    assert turn.persisted is not True
    assert turn.persisted is None or set(fates) == {"throttled"}
    is_so(turn, replies(desk, "x"))
    arrive(traps)
    is_so(turn, replies(desk, "x"))
    await makes_it_once(desk, "x", traps)
