"""Calls every method of LangGraph's Python SDK for runs, threads, assistants and the store. `calls.mjs` does the same
in JavaScript."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable
from typing import Any

from exchanges import AGENT, NOBODY, outlined, plain
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

MODES: list[Any] = ["values", "updates", "messages-tuple", "custom"]
APPROVED = {"resume": {"decisions": [{"type": "approve"}]}}


def human(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "human", "content": text}]}


async def tried(call: Awaitable[Any]) -> Any:
    """Return the result, or the name of the exception."""
    try:
        return plain(await call)
    except Exception as error:  # noqa: BLE001 - what a run failed with is raised as a bare Exception
        return {"raised": type(error).__name__}


async def streamed(parts: AsyncIterator[Any]) -> Any:
    async def all_parts() -> list[Any]:
        return [[part.event, part.data] async for part in parts]

    return await tried(all_parts())


async def call(url: str, api_key: str | None = None, **headers: str) -> dict[str, Any]:
    async with get_client(url=url, api_key=api_key, headers=headers) as client:
        found = {f"assistants.{name}": value for name, value in (await assistants(client)).items()}
        found |= {f"threads.{name}": value for name, value in (await threads(client)).items()}
        found |= {f"runs.{name}": value for name, value in (await runs(client)).items()}
        return found | {f"store.{name}": value for name, value in (await store(client)).items()}


async def assistants(client: LangGraphClient) -> dict[str, Any]:
    [own] = await client.assistants.search(graph_id=AGENT)
    which = own["assistant_id"]
    return {
        "search": plain([own]),
        "count": await tried(client.assistants.count(graph_id=AGENT)),
        "get": await tried(client.assistants.get(which)),
        "get unknown": await tried(client.assistants.get(NOBODY)),
        "getGraph": await tried(client.assistants.get_graph(which, xray=True)),
        "getSchemas": outlined(await tried(client.assistants.get_schemas(which))),
        "getSubgraphs": outlined(await tried(client.assistants.get_subgraphs(which))),
    }


async def threads(client: LangGraphClient) -> dict[str, Any]:
    shelf, given = str(uuid.uuid4()), str(uuid.uuid4())
    mine = {"shelf": shelf}
    found = {
        "create": await tried(client.threads.create(thread_id=given, metadata={**mine, "n": 1}, ttl=60)),
        "create again": await tried(client.threads.create(thread_id=given)),
        "create if it is not there": await tried(client.threads.create(thread_id=given, if_exists="do_nothing")),
        "update": await tried(client.threads.update(given, metadata={"n": 2})),
        "get": await tried(client.threads.get(given)),
        "get unknown": await tried(client.threads.get(NOBODY)),
        "getState of an empty one": await tried(client.threads.get_state(given)),
        "getHistory of an empty one": await tried(client.threads.get_history(given)),
    }
    await client.runs.wait(given, AGENT, input=human("weigh it"))
    state = await client.threads.get_state(given)
    noted = {"messages": [{"role": "assistant", "content": "noted", "id": "note-1"}]}
    found |= {
        "search": await tried(client.threads.search(metadata=mine, limit=1, sort_by="created_at", sort_order="desc")),
        "search some fields": await tried(client.threads.search(metadata=mine, select=["thread_id", "status"])),
        "count": await tried(client.threads.count(metadata=mine)),
        "getState": plain(state),
        "getState at a checkpoint": await tried(client.threads.get_state(given, checkpoint=state["checkpoint"])),
        "getState by its id": await tried(client.threads.get_state(given, checkpoint_id=state["checkpoint_id"])),
        "getHistory": await tried(client.threads.get_history(given, limit=1)),
        "updateState": await tried(client.threads.update_state(given, noted, as_node="reply")),
        "getState after it": await tried(client.threads.get_state(given)),
    }
    copied = await tried(client.threads.copy(given))
    return found | {
        "copy": copied,
        "delete": await tried(client.threads.delete(given)),
        "get deleted": await tried(client.threads.get(given)),
    }


async def runs(client: LangGraphClient) -> dict[str, Any]:
    async def thread() -> str:
        return str((await client.threads.create())["thread_id"])

    one = await thread()
    found: dict[str, Any] = {}
    for mode in (*MODES, "messages", "debug"):
        parts = client.runs.stream(await thread(), AGENT, input=human("weigh it"), stream_mode=mode)
        found[f"stream {mode}"] = await streamed(parts)
    inside = client.runs.stream(one, AGENT, input=human("track it"), stream_mode=MODES, stream_subgraphs=True)
    found |= {
        "stream with subgraphs": await streamed(inside),
        "stream without a thread": await streamed(client.runs.stream(None, AGENT, input=human("hello"))),
        "stream for nobody": await streamed(client.runs.stream(one, "nobody", input=human("hello"))),
        "stream in a bad mode": await streamed(client.runs.stream(one, AGENT, stream_mode="colours")),  # type: ignore[call-overload]
        "wait": await tried(client.runs.wait(await thread(), AGENT, input=human("hello"), metadata={"from": "a test"})),
        "wait without a thread": await tried(client.runs.wait(None, AGENT, input=human("hello"))),
        "wait for a failure": await tried(client.runs.wait(await thread(), AGENT, input=human("fail"))),
        "wait on an unknown thread": await tried(client.runs.wait(str(uuid.uuid4()), AGENT, input=human("hello"))),
    }
    asked = await thread()
    found |= {
        "wait for a question": await tried(client.runs.wait(asked, AGENT, input=human("send it"))),
        "wait for its answer": await tried(client.runs.wait(asked, AGENT, command=APPROVED)),  # type: ignore[arg-type]
    }
    two = await thread()
    await client.runs.wait(two, AGENT, input=human("one"))
    first = (await client.threads.get_state(two))["checkpoint"]
    await client.runs.wait(two, AGENT, input=human("two"))
    found["wait at a checkpoint"] = await tried(client.runs.wait(two, AGENT, input=human("three"), checkpoint=first))
    return found | await background(client, await thread())


async def background(client: LangGraphClient, thread: str) -> dict[str, Any]:
    made = await client.runs.create(thread, AGENT, input=human("wait 0.4"), metadata={"from": "a test"})
    run_id = made["run_id"]
    found = {"create": plain(made), "join": await tried(client.runs.join(thread, run_id))}
    found |= {
        "get": await tried(client.runs.get(thread, run_id)),
        "get unknown": await tried(client.runs.get(thread, NOBODY)),
        "list": await tried(client.runs.list(thread, limit=5)),
        "joinStream of one that ended": await streamed(client.runs.join_stream(thread, run_id)),
        "cancel one that ended": await tried(client.runs.cancel(thread, run_id)),
    }
    slow = (await client.runs.create(thread, AGENT, input=human("wait 20")))["run_id"]
    while (await client.runs.get(thread, slow))["status"] == "pending":
        await asyncio.sleep(0.05)
    busy = client.runs.wait(thread, AGENT, input=human("hello"), multitask_strategy="reject")
    return found | {
        "wait on a busy thread": await tried(busy),
        "cancel": await tried(client.runs.cancel(thread, slow, wait=True)),
        "get cancelled": await tried(client.runs.get(thread, slow)),
    }


async def store(client: LangGraphClient) -> dict[str, Any]:
    """Use unique namespaces."""
    shelf = ["shelves", str(uuid.uuid4())]
    top, low, items = [*shelf, "top"], [*shelf, "low", "left"], client.store
    heavy = {"filter": {"grams": {"$gt": 1000}}}
    return {
        "putItem": await tried(items.put_item(top, "one", {"grams": 1200, "to": {"city": "Turin"}})),
        "putItem again": await tried(items.put_item(top, "one", {"grams": 900, "to": None})),
        "putItem below": await tried(items.put_item(low, "two", {"grams": 1500}, index=False, ttl=60)),
        "putItem with a period": await tried(items.put_item(["a.b"], "one", {})),
        "putItem of no object": await tried(items.put_item(top, "one", "text")),  # type: ignore[arg-type]
        "getItem": await tried(items.get_item(top, "one")),
        "getItem unknown": await tried(items.get_item(top, "two")),
        "searchItems": await tried(items.search_items(shelf, **heavy)),  # type: ignore[arg-type]
        "searchItems, a page": await tried(items.search_items(shelf, limit=1, offset=1)),
        "listNamespaces": await tried(items.list_namespaces(prefix=shelf)),
        "listNamespaces by their ends": await tried(items.list_namespaces(prefix=shelf, suffix=["left"])),
        "listNamespaces, cut": await tried(items.list_namespaces(prefix=shelf, max_depth=3, limit=1)),
        "deleteItem": await tried(items.delete_item(low, "two")),
        "deleteItem again": await tried(items.delete_item(low, "two")),
        "getItem deleted": await tried(items.get_item(low, "two")),
        "listNamespaces after it": await tried(items.list_namespaces(prefix=shelf)),
    }
