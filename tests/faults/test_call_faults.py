"""Each call of a turn is throttled, fails, loses its acknowledgement or its connection: once, as often as the client
library tries, or until the service is mended. The client is told, comes back with its key, and has exactly one turn."""

import asyncio
from collections.abc import Awaitable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from desk import Clock
from fault_agents import saw
from fault_hooks import MODEL, RECOVERABLE, Choose, Faults, Kind, at_call, outage
from fault_site import ANNA, Site, messages_of, request, send

from turnkeep.errors import TurnInProgress, TurnkeepError
from turnkeep.records import Turn
from turnkeep.turns import TurnRequest, Turns

BEGIN = FLIP = "dynamodb.UpdateItem"
LOAD, BATCH, PUT_OBJECT = "dynamodb.Query", "dynamodb.BatchWriteItem", "s3.PutObject"
CLEAN = (BEGIN, LOAD, MODEL, MODEL, PUT_OBJECT, BATCH, FLIP)
BEFORE = ("one", "two")
MESSAGE = "large three"
TRIES = 3  # of the client library, see CLIENT_CONFIG
AT_ONCE = 12

# What langchain-core leaves behind when a callback raises.
pytestmark = pytest.mark.filterwarnings("ignore:coroutine 'ahandle_event' was never awaited")


@dataclass
class Client:
    """A good client: comes back with the same key until its turn is kept. It does not wait in real time: it moves
    the clock."""

    turns: Turns
    faults: Faults
    clock: Clock
    told: list[str] = field(default_factory=list)

    async def insist(self, wanted: TurnRequest) -> Turn:
        for _ in range(5):
            turn = await self._try(wanted)
            if turn and turn.persisted:
                return turn
            self.faults.heal()
        raise AssertionError(f"never kept, told {self.told}")

    async def _try(self, wanted: TurnRequest) -> Turn | None:
        try:
            turn = await send(self.turns, wanted)
        except TurnInProgress as error:
            self.clock.now += 31
            return self._told(error)
        except TurnkeepError as error:
            return self._told(error)
        if turn.persisted:
            return turn
        self.told.append("not persisted")
        return None

    def _told(self, error: TurnkeepError) -> None:
        self.told.append(error.code)


@dataclass(frozen=True)
class Ordeal:
    """One fault at one call, and what came of it."""

    at: int
    kind: Kind
    lasts: str
    told: list[str]
    calls: list[str]
    bodies: list[bytes]


def _chosen(at: int, kind: Kind, lasts: str) -> Choose:
    if lasts == "outage":
        return outage(at, kind, CLEAN[at - 1].split(".")[0])
    return at_call(at, kind, 1 if lasts == "once" else TRIES)


async def _suffer(site: Site, at: int, kind: Kind, lasts: str) -> Ordeal:
    thread_id, clock = f"t-{at}-{kind}-{lasts}", Clock()
    healthy = site.turns(clock=clock)
    before = [await send(healthy, request(thread_id, text, f"k-{text}")) for text in BEFORE]
    faults = Faults(_chosen(at, kind, lasts))
    client = Client(site.turns(faults, clock=clock), faults, clock)
    wanted = request(thread_id, MESSAGE, "k")

    turn = await client.insist(wanted)

    following = await send(healthy, request(thread_id, "next", "next"))
    _check(site, thread_id, clock, [*before, turn, following])
    assert faults.hits, f"nothing befell call {at}"
    return Ordeal(at, kind, lasts, client.told, faults.calls, faults.bodies)


def _check(site: Site, thread_id: str, clock: Clock, turns: list[Turn]) -> None:
    store = site.store(clock=clock)
    thread = store.threads.read(ANNA, thread_id)
    assert (thread.status, thread.turn_count, thread.pending) == ("idle", len(turns), None)
    stored = store.turns.newest(ANNA, thread_id, limit=99)
    assert [(turn.number, turn.message, turn.reply) for turn in stored] == [
        (number, turn.message, turn.reply) for number, turn in enumerate(turns, 1)
    ]
    assert [saw(turn.reply) for turn in turns] == [[turn.message for turn in turns[:n]] for n in range(len(turns))]
    said = messages_of(store, thread_id)
    assert said == [part for turn in turns for part in (("human", turn.message), ("ai", turn.reply))]


async def _at_once[T](work: Iterable[Awaitable[T]]) -> list[T]:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2 * AT_ONCE))
    room = asyncio.Semaphore(AT_ONCE)

    async def one(each: Awaitable[T]) -> T:
        async with room:
            return await each

    return await asyncio.gather(*(one(each) for each in work))


async def test_a_clean_turn_makes_these_calls_and_every_read_is_consistent(site: Site) -> None:
    healthy = site.turns()
    for text in BEFORE:
        await send(healthy, request("t", text, f"k-{text}"))
    faults = Faults()

    await send(site.turns(faults), request("t", MESSAGE, "k"))

    assert faults.calls == list(CLEAN)
    reads = [body for name, body in zip(faults.calls, faults.bodies, strict=True) if name == LOAD]
    assert all(b'"ConsistentRead": true' in body for body in reads)


@pytest.mark.slow
@pytest.mark.parametrize("lasts", ["once", "one-call", "outage"])
async def test_a_fault_at_any_call_leaves_exactly_one_turn_and_a_client_that_was_told(site: Site, lasts: str) -> None:
    points = [(at, kind) for at in range(1, len(CLEAN) + 1) for kind in RECOVERABLE]

    ordeals = await _at_once(_suffer(site, at, kind, lasts) for at, kind in points)

    assert [(ordeal.at, ordeal.kind) for ordeal in ordeals] == points
    for ordeal in ordeals:
        assert ordeal.told == _expected(ordeal), (ordeal.at, ordeal.kind)
        _check_no_write_after_a_failed_load(ordeal)


def _expected(ordeal: Ordeal) -> list[str]:
    """What the client hears before it is told that its turn is kept."""
    name = CLEAN[ordeal.at - 1]
    if name == MODEL:
        return ["model_busy" if ordeal.kind == "throttle" else "model_error"]
    if ordeal.lasts == "once":
        return []
    if name == PUT_OBJECT:
        return ["not persisted"]
    if ordeal.at == 1:
        return ["store_unavailable", *(["turn_in_progress"] if ordeal.kind == "lost" else [])]
    if ordeal.at == len(CLEAN) and ordeal.lasts == "one-call":  # fenced, and flipped again
        return []
    is_stuck = ordeal.lasts == "outage" and ordeal.kind != "lost"  # the release could not be written either
    return ["store_unavailable" if name == LOAD else "not persisted", *(["turn_in_progress"] if is_stuck else [])]


def _check_no_write_after_a_failed_load(ordeal: Ordeal) -> None:
    """Between a LOAD that failed for good and the next BEGIN there is a release and no other write."""
    if CLEAN[ordeal.at - 1] != LOAD or ordeal.lasts == "once":
        return
    between = ordeal.bodies[ordeal.at - 1 : next(_places(ordeal.bodies, b"#pend = :pend", ordeal.at))]
    writes = [body for body in between if b"ConsistentRead" not in body]
    assert len(between) - len(writes) >= TRIES
    assert writes
    assert all(b'"UpdateExpression": "REMOVE #lease"' in body for body in writes)


def _places(bodies: list[bytes], part: bytes, start: int) -> Iterator[int]:
    return (place for place, body in enumerate(bodies) if place >= start and part in body)
