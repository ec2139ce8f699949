"""A process is killed before and after each call of a turn, whatever it calls; the same request then makes one turn."""

import asyncio
import signal
from dataclasses import dataclass
from typing import Literal

import pytest
from fault_agents import saw
from fault_hooks import Faults
from fault_site import ANNA, Doom, Site, answer_once, child, later, messages_of, request, send

from turnkeep.errors import TurnInProgress
from turnkeep.records import Turn
from turnkeep.turns import TurnRequest

Side = Literal["before", "after"]

BEGIN = FLIP = "dynamodb.UpdateItem"
LOAD, BATCH, PUT_OBJECT, MODEL = "dynamodb.Query", "dynamodb.BatchWriteItem", "s3.PutObject", "model"
LEASE_SECONDS = 30


@dataclass(frozen=True)
class Scenario:
    """A thread, the message that is interrupted by death, and the calls that its turn makes when nothing happens."""

    agent: str
    before: tuple[str, ...]
    message: str
    calls: tuple[str, ...]


LONG = " ".join(f"{number:x}" for number in range(9000, 11000))
SCENARIOS = {
    "a large reply": Scenario(
        "story", ("one", "two"), "large three", (BEGIN, LOAD, MODEL, MODEL, PUT_OBJECT, BATCH, FLIP)
    ),
    "a first turn": Scenario("story", (), "one", (BEGIN, MODEL, MODEL, BATCH, FLIP)),
    "a long message": Scenario("story", ("one",), f"two {LONG}", (BEGIN, BATCH, LOAD, MODEL, MODEL, BATCH, FLIP)),
    "an answer to a question": Scenario("asking", ("which?",), "this", (BEGIN, LOAD, MODEL, BATCH, FLIP)),
}
"""A bundled agent dies in test_deployed_crash_matrix."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
async def test_death_at_any_call_costs_no_turn_and_doubles_none(site: Site, name: str) -> None:
    scenario = SCENARIOS[name]
    clean = await _calls_of_a_clean_turn(site, scenario)
    assert clean == list(scenario.calls)

    sides: tuple[Side, ...] = ("before", "after")
    points = [(at, side) for at in range(1, len(clean) + 1) for side in sides]
    survived = [point for point in points if await _survives(site, scenario, *point)]

    assert survived == points


async def _calls_of_a_clean_turn(site: Site, scenario: Scenario) -> list[str]:
    await _tell(site, scenario, "clean")
    faults = Faults()
    turns = site.turns(faults, agent=scenario.agent)
    await send(turns, request("clean", scenario.message, "k"))
    return faults.calls


async def _tell(site: Site, scenario: Scenario, thread_id: str) -> list[Turn]:
    turns = site.turns(agent=scenario.agent)
    return [
        await send(turns, request(thread_id, message, f"before-{number}"))
        for number, message in enumerate(scenario.before)
    ]


async def _survives(site: Site, scenario: Scenario, at: int, side: Side) -> bool:
    """Kills there, then lets the client come back; the assertions name what is wrong."""
    thread_id = f"t-{at}-{side}"
    before = await _tell(site, scenario, thread_id)
    wanted = request(thread_id, scenario.message, "k")

    await asyncio.to_thread(_die, site, scenario, wanted, at, side)
    turn = await _come_back(site, scenario, wanted, at, side)
    _check(site, scenario, thread_id, [*before, turn])

    again = await site.turns(agent=scenario.agent).start(wanted)
    assert (again.replayed, (await again.finish()).reply) == (True, turn.reply)

    following = await send(site.turns(agent=scenario.agent), request(thread_id, "next", "next"))
    _check(site, scenario, thread_id, [*before, turn, following])
    return True


def _die(site: Site, scenario: Scenario, wanted: TurnRequest, at: int, side: Side) -> None:
    """The child has to die by that signal at that call, and not elsewhere."""
    doom = Doom(at, f"kill_{side}", LEASE_SECONDS)
    with child(answer_once, site, scenario.agent, wanted, doom) as victim:
        made = victim.last_words()
        assert victim.process.exitcode == -signal.SIGKILL
    assert made == list(scenario.calls[:at])


async def _come_back(site: Site, scenario: Scenario, wanted: TurnRequest, at: int, side: Side) -> Turn:
    """The same request again, at once and then after the lease; gives the turn."""
    reached = at if side == "after" else at - 1
    turns = site.turns(agent=scenario.agent)
    if reached in (0, len(scenario.calls)):  # nobody holds the thread
        running = await turns.start(wanted)
        assert running.replayed is (reached == len(scenario.calls))
        return await running.finish()
    with pytest.raises(TurnInProgress) as refused:
        await turns.start(wanted)
    assert 1 <= (refused.value.retry_after or 0) <= 5
    assert len(site.store().turns.newest(ANNA, str(wanted.thread_id), limit=9)) == len(scenario.before)
    return await send(site.turns(agent=scenario.agent, clock=later(LEASE_SECONDS + 1)), wanted)


def _check(site: Site, scenario: Scenario, thread_id: str, turns: list[Turn]) -> None:
    """Exactly these turns, dense, as they were acknowledged; each saw exactly those before it."""
    store = site.store()
    thread = store.threads.read(ANNA, thread_id)
    assert (thread.status, thread.turn_count, thread.pending) == ("idle", len(turns), None)
    assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
    assert all(turn.persisted for turn in turns)
    stored = store.turns.newest(ANNA, thread_id, limit=99)
    assert [(turn.message, turn.reply) for turn in stored] == [(turn.message, turn.reply) for turn in turns]
    expected = [(turn.message, turn.reply) for turn in turns if turn.status == "complete"]
    if scenario.agent == "story":
        assert [saw(turn.reply) for turn in turns] == [[t.message for t in turns[:n]] for n in range(len(turns))]
    if scenario.agent != "asking":
        said = messages_of(store, thread_id)
        assert said == [part for message, reply in expected for part in (("human", message), ("ai", reply))]
