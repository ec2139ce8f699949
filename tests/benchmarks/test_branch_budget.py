"""What going on from an older turn costs, in the thread and in one of its own: a branch at most 4 WCU more than a turn,
a fork at most 2 WCU a turn that it copies, beside one turn's worth for the thread itself."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from capacity_rules import Cost
from metering import Meter, metered, total
from subjects import USER, Conversation, client, new_table, papers
from texts import prose

TURNS = 12
BRANCH_WCU, FORKED_TURN_WCU = 4, 2
TURN_REQUESTS, FINDING_REQUESTS = 4, 3
"""A branch reads what it goes on from, which does not lie beside the newest turn."""

TURN_WCU = 16
"""What a turn may cost; a fork begins and ends as one."""


@pytest.fixture
def meter(dynamodb_url: str) -> Iterator[Meter]:
    with metered(dynamodb_url) as meter:
        yield meter


@pytest.fixture
async def talk(meter: Meter, shared_data: Path) -> "Talk":
    talk = Talk(meter, shared_data)
    for _ in range(TURNS):
        await talk.say()
    return talk


class Talk:
    """A thread of real text whose turns are metered."""

    def __init__(self, meter: Meter, data: Path) -> None:
        self._meter, self._texts = meter, prose(data)
        with closing(client(meter.url)) as dynamodb:
            self.conversation = Conversation(papers(self._texts), dynamodb, new_table(dynamodb))

    async def say(self, base: int | None = None) -> Cost:
        self._meter.take()
        await self.conversation.say(self._texts.message(), base=base)
        return total(self._meter.take())

    def fork(self, turns: int) -> Cost:
        self._meter.take()
        store, thread_id = self.conversation.store, self.conversation.thread_id
        forked = store.fork(USER, thread_id, f"fork-{turns}", turn=turns)
        cost = total(self._meter.take())
        assert forked.turn_count == turns
        return cost


@pytest.mark.parametrize("base", [0, 1, 5, TURNS - 1])
async def test_a_branch_costs_at_most_four_units_more_than_a_turn(talk: Talk, base: int) -> None:
    straight, branch = await talk.say(), await talk.say(base=base)
    assert branch.wcu <= straight.wcu + BRANCH_WCU
    assert straight.requests == TURN_REQUESTS
    assert branch.requests <= TURN_REQUESTS + FINDING_REQUESTS


async def test_a_branch_that_goes_on_writes_what_a_turn_writes(talk: Talk) -> None:
    """The turns that it has left lie between its own and are passed over, by one read more."""
    straight = await talk.say()
    await talk.say(base=5)
    following = await talk.say()
    assert following.wcu <= straight.wcu
    assert following.requests <= TURN_REQUESTS + 1


@pytest.mark.parametrize("turns", [1, TURNS])
def test_a_fork_costs_two_units_for_each_turn_that_it_copies(talk: Talk, turns: int) -> None:
    cost = talk.fork(turns)
    assert cost.wcu <= TURN_WCU + FORKED_TURN_WCU * turns
