"""Messages that wait for a thread make one turn. test_queue_under_kills.py and tests/simulation kill the processes."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from fault_site import ANNA, Site, later, questions, request
from test_background_runs import Queue, runs_of, status_of

from turnkeep import errors
from turnkeep.turns.request import MAX_MESSAGE_BYTES, GraphCall, TurnRequest, WhenBusy
from turnkeep.turns.run_lookup import RunRecord

WINDOW = 60.0


def wanted(message: str, strategy: WhenBusy = "merge", **more: Any) -> TurnRequest:
    return replace(request("t", message, message), when_busy=strategy, **more)


async def accepted(site: Site, *requests: TurnRequest, seconds: float = 0) -> list[RunRecord]:
    """Return the runs of requests that arrive `seconds` from now."""
    runs = runs_of(site, Queue(), clock=later(seconds), debounce_seconds=WINDOW)
    return [await runs.enqueue(each) for each in requests]


async def worked_off(site: Site, seconds: float = 0) -> None:
    store = site.store()
    token = store.queue.token(store.heads.read(ANNA, "t"))
    await site.runs(clock=later(seconds)).work(token)


@pytest.mark.parametrize("is_over", [False, True])
async def test_a_repeated_message_is_in_one_turn(site: Site, thread: str, *, is_over: bool) -> None:
    first, second = await accepted(site, wanted("two"), wanted("three"))
    if is_over:
        await worked_off(site)
    again = await accepted(site, wanted("three"), wanted("two"))
    assert {run.run_id for run in (second, *again)} == {first.run_id}
    with pytest.raises(errors.IdempotencyKeyReused):
        await accepted(site, wanted("three", after=7))
    await worked_off(site)
    assert questions(site) == ["one", "two\n\nthree"]


OTHERS = {
    "another strategy": wanted("three", "enqueue"),
    "another window": wanted("three", conversation_window=2),
    "a command": wanted("three", call=GraphCall(command={"resume": "yes"})),
    "too long": wanted("x" * MAX_MESSAGE_BYTES),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
async def test_a_message_that_cannot_join_makes_its_own_turn(site: Site, thread: str, other: TurnRequest) -> None:
    runs = await accepted(site, wanted("two"), other, wanted("four"))
    assert len({run.run_id for run in runs}) == 3
    assert [(await status_of(site, thread, run.run_id)).status for run in runs] == ["pending"] * 3


async def test_messages_of_graphs_are_joined_with_the_first_metadata(site: Site, thread: str) -> None:
    def call(text: str, **settings: Any) -> GraphCall:
        config = {"metadata": {"of": text}, "configurable": settings}
        return GraphCall(input={"messages": [{"role": "user", "content": text}]}, config=config)

    first, same, other = (
        wanted("two", call=call("two")),
        wanted("three", call=call("three")),
        wanted("four", call=call("four", tone="curt")),
    )
    joined = first.joined(same)
    assert joined
    assert joined.call
    assert [each["content"] for each in joined.call.input["messages"]] == ["two", "three"]
    assert joined.call.config["metadata"] == {"of": "two"}
    assert joined.joined(other) is None


async def test_debounced_messages_wait_for_more(site: Site, thread: str) -> None:
    await accepted(site, wanted("two", "debounce"))
    await accepted(site, wanted("three", "debounce"), seconds=40)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(worked_off(site, 90), 0.3)
    assert questions(site) == ["one"]
    await worked_off(site, 101)
    assert questions(site) == ["one", "two\n\nthree"]


async def test_debounced_messages_wait_four_windows_at_most(site: Site, thread: str) -> None:
    for number in range(6):
        await accepted(site, wanted(f"{number}", "debounce"), seconds=45 * number)
    await worked_off(site, 4 * WINDOW + 1)
    assert questions(site) == ["one", "\n\n".join("012345")]


async def test_debounced_messages_do_not_hold_up_a_run_that_waits_behind_them(site: Site, thread: str) -> None:
    await accepted(site, wanted("two", "debounce"), wanted("three", "enqueue"))
    await worked_off(site)
    assert questions(site) == ["one", "two", "three"]
