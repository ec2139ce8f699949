"""Routes of LangGraph's SDK that act on several runs or threads."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError
from test_langgraph_runs import human
from word_graph import gates


async def test_a_batch_starts_runs_on_new_threads(sdk: LangGraphClient) -> None:
    payloads: Any = [{"assistant_id": "papers", "input": human(text)} for text in ("one", "two")]
    made = await sdk.runs.create_batch(payloads)
    for run, text in zip(made, ("one", "two"), strict=True):
        values: Any = await sdk.runs.join(run["thread_id"], run["run_id"])
        assert values["messages"][-1]["content"] == f"1: {text}"


@pytest.mark.parametrize("status", ["all", "pending", None])
async def test_runs_are_cancelled_by_status_or_id(sdk: LangGraphClient, thread_id: str, status: Any) -> None:
    gates.clear()
    runs = [await sdk.runs.create(thread_id, "papers", input=human(f"wait {number}")) for number in range(4)]
    while (await sdk.runs.get(thread_id, runs[0]["run_id"]))["status"] != "running":
        await asyncio.sleep(0.05)
    named = None if status else [runs[1]["run_id"], runs[3]["run_id"]]
    await sdk.runs.cancel_many(thread_id=thread_id, status=status, run_ids=named)
    found = [(await sdk.runs.get(thread_id, run["run_id"]))["status"] for run in runs]
    over = {"all": range(4), "pending": (1, 2, 3), None: (1, 3)}[status]
    assert [each == "interrupted" for each in found] == [number in over for number in range(4)]
    for number in range(4):
        gates.setdefault(str(number), asyncio.Event()).set()


async def test_pruned_threads_are_gone(sdk: LangGraphClient, thread_id: str) -> None:
    kept = (await sdk.threads.create())["thread_id"]
    assert (await sdk.threads.prune([thread_id, "never", thread_id]))["pruned_count"] == 1
    assert [thread["thread_id"] for thread in await sdk.threads.search()] == [kept]


async def test_a_cron_is_refused_with_advice(sdk: LangGraphClient) -> None:
    with pytest.raises(APIStatusError, match="EventBridge"):
        await sdk.crons.create("papers", schedule="0 0 * * *", input={})
