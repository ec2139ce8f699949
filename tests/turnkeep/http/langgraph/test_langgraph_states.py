"""States and threads in LangGraph's SDK."""

import json
from itertools import permutations
from typing import Any

import pytest
from echoing import Clock
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError
from test_langgraph_runs import human, turns_of

from turnkeep.http.views import assistant_id


@pytest.fixture
async def held(sdk: LangGraphClient) -> str:
    """A thread of two turns."""
    thread_id = str((await sdk.threads.create(metadata={"topic": "a"}))["thread_id"])
    for text in ("one", "two"):
        await sdk.runs.wait(thread_id, "papers", input=human(text))
    return thread_id


async def test_a_history_begins_at_a_checkpoint_in_each_form_that_clients_send(
    sdk: LangGraphClient, client: AsyncClient, held: str
) -> None:
    newest, older = await sdk.threads.get_history(held)
    named = newest["checkpoint"]["checkpoint_id"]
    for before in (named, {"checkpoint_id": named}, {"configurable": {"checkpoint_id": named}}):
        assert (await client.post(f"/threads/{held}/history", json={"before": before})).json() == [older]
    [only] = (await client.post(f"/threads/{held}/history", json={"checkpoint": older["checkpoint"]})).json()
    assert only["checkpoint"] == older["checkpoint"]


async def test_threads_are_created_with_graph_metadata_and_ttl(sdk: LangGraphClient, clock: Clock) -> None:
    made: Any = await sdk.threads.create(thread_id="t1", graph_id="products", metadata={"topic": "a"}, ttl=5)
    facts = {"graph_id": "products", "assistant_id": assistant_id("products")}
    assert (made["metadata"], made["values"]) == ({"topic": "a", **facts}, None)
    with pytest.raises(ConflictError):
        await sdk.threads.create(thread_id="t1")
    assert await sdk.threads.create(thread_id="t1", if_exists="do_nothing") == made
    clock.ahead += 4 * 60
    await sdk.runs.wait("t1", "products", input=human("hello"))
    clock.ahead += 4 * 60
    assert (await sdk.threads.get("t1"))["values"]["messages"][0]["content"] == "hello"  # type: ignore[index]
    clock.ahead += 2 * 60
    with pytest.raises(NotFoundError):
        await sdk.threads.get("t1")


async def test_a_checkpoint_without_an_id_is_the_newest(sdk: LangGraphClient, client: AsyncClient, held: str) -> None:
    newest = await sdk.threads.get_state(held)
    for checkpoint in ({"checkpoint_id": None}, {"thread_id": held, "checkpoint_ns": ""}):
        answer = await client.post(f"/threads/{held}/state/checkpoint", json={"checkpoint": checkpoint})
        assert answer.json() == newest
    await sdk.runs.wait(held, "papers", input=human("three"), checkpoint={"checkpoint_id": None})  # type: ignore[typeddict-item]
    assert len(await turns_of(client, held)) == 3
    inner = {**newest["checkpoint"], "checkpoint_ns": "nobody:1"}
    refused = await client.post(f"/threads/{held}/state", json={"values": {"note": "x"}, "checkpoint": inner})
    assert refused.status_code == 422
    malformed = await client.post(f"/threads/{held}/history", json={"before": "x" * 65})
    assert (malformed.status_code, malformed.json()["errors"][0]["field"]) == (422, "body.before")


NESTED = {"deep": {"a": 1, "b": {"c": 1, "d": [1, {"e": 2}]}}, "flat": "x", "none": None}


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({}, True),
        ({"deep": {"b": {"c": 1}}, "flat": "x"}, True),
        ({"deep": {"b": {"d": [1, {"e": 2}]}}}, True),
        ({"deep": {"b": {"d": [1]}}}, False),
        ({"deep": {"absent": None}}, False),
        ({"graph_id": None}, False),
    ],
)
async def test_nested_metadata_is_found_by_what_it_contains(
    sdk: LangGraphClient, wanted: dict[str, Any], fits: bool
) -> None:
    await sdk.threads.create(thread_id="t1", metadata=NESTED)
    assert len(await sdk.threads.search(metadata=wanted)) == fits
    assert await sdk.threads.count(metadata=wanted) == fits


CHANGES = ("message", "note", "both", "as a node", "at the first checkpoint", "turn", "copy")


@pytest.mark.parametrize("changes", [*permutations(CHANGES[:3], 3), CHANGES, CHANGES[::-1]])
async def test_an_export_contains_every_state_update(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, changes: tuple[str, ...]
) -> None:
    await sdk.runs.wait(thread_id, "papers", input=human("hello"))
    first, canaries = (await sdk.threads.get_state(thread_id))["checkpoint"], []
    for number, change in enumerate(changes):
        canaries.append(f"canary {number} «è»")
        message, note = {"messages": [{"role": "user", "content": canaries[-1]}]}, {"note": f"note {canaries[-1]}"}
        match change:
            case "message" | "note":
                await sdk.threads.update_state(thread_id, message if change == "message" else note)
            case "both":
                await sdk.threads.update_state(thread_id, message | note)
            case "as a node":
                await sdk.threads.update_state(thread_id, note, as_node="prepare")
            case "at the first checkpoint":
                await sdk.threads.update_state(thread_id, message, checkpoint=first)
            case "turn":
                await sdk.runs.wait(thread_id, "papers", input=message)
            case "copy":
                canaries.pop()
                await sdk.threads.copy(thread_id)
    exported = (await client.get("/me/export")).text
    assert [canary for canary in canaries if canary not in exported] == []
    edits = [line for line in map(json.loads, exported.splitlines()) if line["type"] == "edit"]
    assert len([each for each in edits if each["thread_id"] == thread_id]) == len(set(changes) - {"turn", "copy"})
    assert not {"values", "appended", "after_turn"} - edits[0].keys()
