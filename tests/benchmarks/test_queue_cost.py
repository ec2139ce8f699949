"""What a queued turn costs more than a direct one, by AWS's rules."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, replace
from pathlib import Path

from capacity_rules import Cost
from metering import Meter, metered, total
from subjects import USER, Conversation, client, new_table, papers
from texts import Texts, prose
from turnkeep.turns.background import Runs
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.stream import RunningTurn


async def _launch_nothing(token: str) -> None:
    await asyncio.sleep(0)


@contextmanager
def metered_queue(dynamodb_url: str, texts: Texts) -> Iterator[tuple[Meter, Conversation, Runs]]:
    """A thread whose queued runs are executed only on request."""
    with metered(dynamodb_url) as meter, closing(client(meter.url)) as dynamodb:
        talk = Conversation(papers(texts), dynamodb, new_table(dynamodb))
        runs = Runs(talk._turns, talk.store)
        runs.launch_by(_launch_nothing)
        yield meter, talk, runs


def token_of(talk: Conversation) -> str:
    return talk.store.queue.token(talk.store.heads.read(USER, talk.thread_id))


async def test_a_queued_turn_costs_what_is_promised(dynamodb_url: str, shared_data: Path) -> None:
    texts = prose(shared_data)
    with metered_queue(dynamodb_url, texts) as (meter, talk, runs):
        asked = TurnRequest(USER, "", thread_id=talk.thread_id, when_busy="enqueue")
        for _ in range(12):
            await talk.say(texts.message())
        meter.take()
        running = await runs.begin(replace(asked, message=texts.message()))
        assert isinstance(running, RunningTurn)
        await running.finish()
        direct = total(meter.take())
        more = []
        for waiting in (1, 5):
            for _ in range(waiting):
                await runs.enqueue(replace(asked, message=texts.message()))
            accepted, token = meter.take(), token_of(talk)
            meter.take()
            await runs.work(token)
            costs = astuple(total([*accepted, *meter.take()]))
            more.append([cost / waiting - alone for cost, alone in zip(costs, astuple(direct), strict=True)])
    assert direct.requests == 4
    assert all(cost <= most for cost, most in zip(more[0], (7, 7, 3), strict=True)), more
    assert all(cost <= most for cost, most in zip(more[1], (6.2, 7, 4), strict=True)), more


async def test_the_40th_pair_of_runs_costs_what_the_first_costs(dynamodb_url: str, shared_data: Path) -> None:
    texts = prose(shared_data)
    message, costs = texts.message(), []
    with metered_queue(dynamodb_url, texts) as (meter, talk, runs):
        await talk.say(message)
        asked = TurnRequest(USER, message, thread_id=talk.thread_id, when_busy="enqueue")
        for number in range(40):
            meter.take()
            for name in ("first", "second"):  # the second reads what waits
                await runs.enqueue(replace(asked, key=f"{name}-{number}"))
            await runs.work(token_of(talk))
            costs.append(total([call for call in meter.take() if re.search("#(RUN|DONE)#", str(call.items))]))
    assert costs == [costs[0]] * 40


async def test_a_message_that_joins_a_waiting_run_costs_no_turn(dynamodb_url: str, shared_data: Path) -> None:
    texts = prose(shared_data)
    with metered_queue(dynamodb_url, texts) as (meter, talk, runs):
        await talk.say(texts.message())
        asked = TurnRequest(USER, "more", thread_id=talk.thread_id, when_busy="merge")
        costs = []
        for number in range(3):
            meter.take()
            await runs.enqueue(replace(asked, key=f"k{number}"))
            costs.append(total(meter.take()))
    assert costs[1:] == [Cost(3, 6, 2)] * 2, costs
