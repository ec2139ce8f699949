"""Going on from an older turn costs, in the thread and in a new one: a branch at most 4 WCU more than a turn, a fork at
most 2 WCU a turn that it copies, next to one turn's worth for the thread itself."""

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from capacity_rules import Cost
from metering import Meter, metered, total
from subjects import USER, Conversation, client, new_table, papers
from texts import Texts, prose

TURNS = 12
BRANCH_WCU, FORKED_TURN_WCU = 4, 2
TURN_REQUESTS, FINDING_REQUESTS = 4, 3
"""A branch reads what it goes on from, which does not lie beside the newest turn."""

TURN_WCU = 16
"""What a turn may cost; a fork begins and ends as one."""


class Talk(Conversation):
    """A thread of real text whose turns are metered."""

    meter: Meter
    texts: Texts

    async def cost_of_turn(self, base: int | None = None) -> Cost:
        self.meter.take()
        await self.say(self.texts.message(), base=base)
        return total(self.meter.take())


@pytest.fixture
async def talk(dynamodb_url: str, shared_data: Path) -> AsyncIterator[Talk]:
    texts = prose(shared_data)
    with metered(dynamodb_url) as meter, closing(client(meter.url)) as dynamodb:
        talk = Talk(papers(texts), dynamodb, new_table(dynamodb))
        talk.meter, talk.texts = meter, texts
        for _ in range(TURNS):
            await talk.cost_of_turn()
        yield talk


@pytest.mark.parametrize("base", [0, 1, 5, TURNS - 1])
async def test_a_branch_costs_at_most_four_units_more_than_a_turn(talk: Talk, base: int) -> None:
    """The turns that it has left lie between its own and are passed over, by one read more."""
    straight, branch, following = await talk.cost_of_turn(), await talk.cost_of_turn(base), await talk.cost_of_turn()
    assert branch.wcu <= straight.wcu + BRANCH_WCU
    assert straight.requests == TURN_REQUESTS
    assert branch.requests <= TURN_REQUESTS + FINDING_REQUESTS
    assert following.wcu <= straight.wcu
    assert following.requests <= TURN_REQUESTS + 1


@pytest.mark.parametrize("turns", [1, TURNS])
def test_a_fork_costs_two_units_for_each_turn_that_it_copies(talk: Talk, turns: int) -> None:
    talk.meter.take()
    forked = talk.store.fork(USER, talk.thread_id, f"fork-{turns}", turn=turns)
    cost = total(talk.meter.take())
    assert forked.turn_count == turns
    assert cost.wcu <= TURN_WCU + FORKED_TURN_WCU * turns
