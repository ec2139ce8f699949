"""Each call of a turn is throttled, fails, loses its answer or its connection: once, as often as the client library
tries, or until the service recovers. The client gets an error, retries with its key, and has exactly one turn."""

import asyncio
from collections.abc import Awaitable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from fault_agents import saw
from fault_hooks import MODEL, RECOVERABLE, Choose, Faults, Kind, at_call, outage
from fault_site import ANNA, Site, messages_of, request, send
from harness import Clock

from turnkeep.errors import TurnInProgress, TurnkeepError
from turnkeep.records import Turn
from turnkeep.turns import TurnRequest, Turns

BEGIN = COMMIT = "dynamodb.UpdateItem"
LOAD, BATCH, PUT_OBJECT = "dynamodb.Query", "dynamodb.BatchWriteItem", "s3.PutObject"
CLEAN = (BEGIN, LOAD, MODEL, MODEL, PUT_OBJECT, BATCH, COMMIT)
BEFORE = ("one", "two")
MESSAGE = "large three"
TRIES = 3  # of the client library, see CLIENT_CONFIG
AT_ONCE = 12

# langchain-core leaves this behind when a callback raises.
pytestmark = pytest.mark.filterwarnings("ignore:coroutine 'ahandle_event' was never awaited")


@dataclass
class Client:
    """A good client: retries with the same key until its turn is stored. It moves the clock instead of waiting."""

    turns: Turns
    faults: Faults
    clock: Clock
    answers: list[str] = field(default_factory=list)

    async def retry_until_kept(self, wanted: TurnRequest) -> Turn:
        for _ in range(5):
            turn = await self._try(wanted)
            if turn and turn.persisted:
                return turn
            self.faults.heal()
        raise AssertionError(f"never stored: {self.answers}")

    async def _try(self, wanted: TurnRequest) -> Turn | None:
        try:
            turn = await send(self.turns, wanted)
        except TurnInProgress as error:
            self.clock.now += 31
            return self._note(error)
        except TurnkeepError as error:
            return self._note(error)
        if turn.persisted:
            return turn
        self.answers.append("not persisted")
        return None

    def _note(self, error: TurnkeepError) -> None:
        self.answers.append(error.code)


@dataclass(frozen=True)
class Outcome:
    """One fault at one call, and what the client got."""

    at: int
    kind: Kind
    lasts: str
    answers: list[str]
    calls: list[str]
    bodies: list[bytes]


def _chosen(at: int, kind: Kind, lasts: str) -> Choose:
    if lasts == "outage":
        return outage(at, kind, CLEAN[at - 1].split(".")[0])
    return at_call(at, kind, 1 if lasts == "once" else TRIES)


async def _try_with_fault(site: Site, at: int, kind: Kind, lasts: str) -> Outcome:
    thread_id, clock = f"t-{at}-{kind}-{lasts}", Clock()
    healthy = site.turns(clock=clock)
    before = [await send(healthy, request(thread_id, text, f"k-{text}")) for text in BEFORE]
    faults = Faults(_chosen(at, kind, lasts))
    client = Client(site.turns(faults, clock=clock), faults, clock)
    wanted = request(thread_id, MESSAGE, "k")

    turn = await client.retry_until_kept(wanted)

    following = await send(healthy, request(thread_id, "next", "next"))
    _check(site, thread_id, clock, [*before, turn, following])
    assert faults.hits, f"no fault at call {at}"
    return Outcome(at, kind, lasts, client.answers, faults.calls, faults.bodies)


def _check(site: Site, thread_id: str, clock: Clock, turns: list[Turn]) -> None:
    store = site.store(clock=clock)
    thread = store.threads.read(ANNA, thread_id)
    assert (thread.status, thread.turn_count, thread.pending) == ("idle", len(turns), None)
    stored = store.turns.newest(ANNA, thread_id, limit=99)
    assert [(turn.number, turn.message, turn.reply) for turn in stored] == [
        (number, turn.message, turn.reply) for number, turn in enumerate(turns, 1)
    ]
    assert [saw(turn.reply) for turn in turns] == [[turn.message for turn in turns[:n]] for n in range(len(turns))]
    assert messages_of(store, thread_id) == [
        part for turn in turns for part in (("human", turn.message), ("ai", turn.reply))
    ]


async def _at_once[T](work: Iterable[Awaitable[T]]) -> list[T]:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2 * AT_ONCE))
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(each: Awaitable[T]) -> T:
        async with limit:
            return await each

    return await asyncio.gather(*(one(each) for each in work))


async def test_a_clean_turn_reads_consistently(site: Site) -> None:
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
async def test_a_fault_at_any_call_is_reported_and_leaves_one_turn(site: Site, lasts: str) -> None:
    points = [(at, kind) for at in range(1, len(CLEAN) + 1) for kind in RECOVERABLE]

    outcomes = await _at_once(_try_with_fault(site, at, kind, lasts) for at, kind in points)

    assert [(outcome.at, outcome.kind) for outcome in outcomes] == points
    for outcome in outcomes:
        assert outcome.answers == _expected(outcome), (outcome.at, outcome.kind)
        _check_no_write_after_a_failed_load(outcome)


def _expected(outcome: Outcome) -> list[str]:
    """The errors that the client gets before its turn is stored."""
    name = CLEAN[outcome.at - 1]
    if name == MODEL:
        return ["model_busy" if outcome.kind == "throttle" else "model_error"]
    if outcome.lasts == "once":
        return []
    if name == PUT_OBJECT:
        return ["not persisted"]
    if outcome.at == 1:
        return ["store_unavailable", *(["turn_in_progress"] if outcome.kind == "lost" else [])]
    if outcome.at == len(CLEAN) and outcome.lasts == "one-call":  # fenced, and committed again
        return []
    is_stuck = outcome.lasts == "outage" and outcome.kind != "lost"  # the release could not be written either
    return ["store_unavailable" if name == LOAD else "not persisted", *(["turn_in_progress"] if is_stuck else [])]


def _check_no_write_after_a_failed_load(outcome: Outcome) -> None:
    """Between a LOAD that failed for good and the next BEGIN there is a release and no other write."""
    if CLEAN[outcome.at - 1] != LOAD or outcome.lasts == "once":
        return
    between = outcome.bodies[outcome.at - 1 : next(_places(outcome.bodies, b"#pend = :pend", outcome.at))]
    writes = [body for body in between if b"ConsistentRead" not in body]
    assert len(between) - len(writes) >= TRIES
    assert writes
    assert all(b'"UpdateExpression": "REMOVE #lease"' in body for body in writes)


def _places(bodies: list[bytes], part: bytes, start: int) -> Iterator[int]:
    return (place for place, body in enumerate(bodies) if place >= start and part in body)
