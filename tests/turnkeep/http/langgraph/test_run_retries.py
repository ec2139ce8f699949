"""Retries get the first reply, a repeated message is a new turn, and runs without their client are joined."""

import asyncio
from itertools import combinations_with_replacement
from typing import Any

import pytest
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from test_langgraph_runs import human, streamed, turns_of
from word_graph import gates

from asgi_caller import Caller


async def test_the_same_message_id_is_one_turn(sdk: LangGraphClient, client: AsyncClient, thread_id: str) -> None:
    first = await streamed(sdk, thread_id, input=human("hello", id="mine"), stream_mode=["values", "messages-tuple"])
    again = await streamed(sdk, thread_id, input=human("hello", id="mine"), stream_mode=["values", "messages-tuple"])
    assert again[0] == first[0]
    assert again[-2:] == first[-2:]
    assert await turns_of(client, thread_id) == [("hello", "1: hello")]


CHANGES = ("edit", "edit at its checkpoint", "run")


@pytest.mark.parametrize("changes", [*combinations_with_replacement(CHANGES, 2), ("run", "edit"), CHANGES[1:]])
async def test_a_retry_returns_the_first_reply_after_later_changes(
    sdk: LangGraphClient, thread_id: str, changes: tuple[str, ...]
) -> None:
    asked: Any = {"input": human("hello", id="mine")}
    first: Any = await sdk.runs.wait(thread_id, "papers", **asked)
    [run], here = await sdk.runs.list(thread_id), (await sdk.threads.get_state(thread_id))["checkpoint"]
    for number, change in enumerate(changes):
        by_hand = {"messages": [{"role": "assistant", "content": f"by hand {number}"}]}
        if change == "run":
            await sdk.runs.wait(thread_id, "papers", input=human("more"))
        elif change == "edit":
            await sdk.threads.update_state(thread_id, by_hand)
        else:
            await sdk.threads.update_state(thread_id, by_hand, checkpoint=here)
        assert await sdk.runs.wait(thread_id, "papers", **asked) == first
        assert await sdk.runs.join(thread_id, run["run_id"]) == first
        joined = await collect(sdk.runs.join_stream(thread_id, run["run_id"]))
        assert joined[1] == ("values", first)


@pytest.mark.parametrize("mode", ["messages", "messages-tuple", "values"])
async def test_a_retry_gets_the_reply_in_each_stream_mode(sdk: LangGraphClient, thread_id: str, mode: Any) -> None:
    for _ in range(2):
        parts = await streamed(sdk, thread_id, input=human("hello", id="mine"), stream_mode=mode)
    assert parts[0][0] == "metadata"
    assert "1: hello" in str(parts[1:-1])
    assert parts[-1][0] == "end"


async def test_the_same_text_after_the_same_checkpoint_is_one_turn(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str
) -> None:
    await sdk.runs.wait(thread_id, "papers", input=human("hello"))
    here = (await sdk.threads.get_state(thread_id))["checkpoint"]
    first, again = [await sdk.runs.wait(thread_id, "papers", input=human("yes"), checkpoint=here) for _ in range(2)]
    assert first == again
    assert [message for message, _ in await turns_of(client, thread_id)] == ["hello", "yes"]


async def test_the_same_text_twice_is_two_turns(sdk: LangGraphClient, client: AsyncClient, thread_id: str) -> None:
    for _ in range(2):
        await sdk.runs.wait(thread_id, "papers", input=human("yes"))
    assert [message for message, _ in await turns_of(client, thread_id)] == ["yes", "yes"]


async def test_a_retry_with_the_same_key_is_replayed(client: AsyncClient, thread_id: str) -> None:
    body, headers = {"assistant_id": "papers", "input": human("ask me")}, {"Idempotency-Key": "k-1"}
    first, again = [await client.post(f"/threads/{thread_id}/runs/wait", json=body, headers=headers) for _ in range(2)]
    assert first.json() == again.json()
    assert "__interrupt__" in again.json()
    assert (again.headers["idempotency-replayed"], again.headers["idempotency-key"]) == ("true", "k-1")
    assert again.headers["content-location"] == first.headers["content-location"]


async def hung_up(app: Any, thread_id: str, gate: str, **more: str) -> None:
    """Start a run that waits at its gate, and disconnect."""
    keys = "".join(f', "{name}": "{value}"' for name, value in more.items())
    body = f'{{"assistant_id": "papers", "input": {{"messages": "wait {gate}"}}{keys}}}'
    caller = Caller(app, "POST", f"/threads/{thread_id}/runs/stream", body.encode())
    serving = caller.start()
    while gate not in gates:
        await asyncio.sleep(0.01)
    caller.hang_up()
    if more.get("on_disconnect") == "cancel":
        await serving


async def collect(stream: Any) -> list[tuple[str, Any]]:
    return [(part.event, part.data) async for part in stream]


async def test_a_run_ends_with_its_client_on_request(app: Any, client: AsyncClient, thread_id: str) -> None:
    await hung_up(app, thread_id, "leaves", on_disconnect="cancel")
    assert (await client.get(f"/threads/{thread_id}")).json()["status"] == "error"
    assert await turns_of(client, thread_id) == []


async def test_a_background_run_needs_its_thread(sdk: LangGraphClient) -> None:
    with pytest.raises(NotFoundError):
        await sdk.runs.create("unknown", "papers", input=human("hello"))
    run = await sdk.runs.create("fresh", "papers", input=human("hello"), if_not_exists="create")
    assert run["thread_id"] == "fresh"
