"""Threads over HTTP. tests/clients compares creation, changes and searches with the reference."""

from collections.abc import Callable
from typing import Any

from echoing import Clock
from httpx import AsyncClient

from turnkeep.records import Principal
from turnkeep.store.items import Items
from turnkeep.store.keys import BY_USER, HEAD, user_key

LOCAL = Principal("local", "local")


async def test_a_search_continues_at_its_cursor(client: AsyncClient, clock: Clock) -> None:
    for thread_id in "abcde":
        await client.post("/threads", json={"thread_id": thread_id})
        clock.ahead += 10
    pages: list[str] = []
    asked: dict[str, Any] = {"limit": 2, "offset": 1}
    while len(pages) < 9:
        answer = await client.post("/threads/search", json=asked)
        pages.append("".join(thread["thread_id"] for thread in answer.json()))
        if "x-pagination-next" not in answer.headers:
            break
        asked["cursor"] = answer.headers["x-pagination-next"]
    assert pages == ["dc", "ba", ""]


async def test_an_unreadable_thread_is_omitted_from_lists_and_counted(
    client: AsyncClient, items: Items, output: Callable[[], list[dict[str, Any]]]
) -> None:
    for thread_id in "abc":
        await client.post("/threads", json={"thread_id": thread_id})
    whole = await client.post("/threads/search")
    [pk] = [entry["PK"] for entry in items.index(BY_USER, user_key(LOCAL)) if entry["PK"].endswith("#b")]
    items.put({**(items.get(pk, HEAD) or {}), "n": "many"})
    output()
    spoilt = await client.post("/threads/search")
    assert {thread["thread_id"] for thread in spoilt.json()} == {"a", "c"}
    assert ("x-unreadable-threads" in whole.headers, spoilt.headers["x-unreadable-threads"]) == (False, "1")
    assert [line["StateCorrupt"] for line in output() if "StateCorrupt" in line] == [[1]]
