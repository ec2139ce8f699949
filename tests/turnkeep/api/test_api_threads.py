"""Threads over HTTP: made, read, changed, searched and deleted, each seen through another route."""

from uuid import UUID

from echoing import Clock
from httpx import AsyncClient

THREAD_FIELDS = {
    "thread_id", "created_at", "updated_at", "status", "metadata", "agent", "title", "turn_count", "expires_at",
    "pending",
}  # fmt: skip


async def test_a_thread_is_made_and_read(client: AsyncClient) -> None:
    made = await client.post("/threads", json={"thread_id": "t1", "metadata": {"topic": "a", "n": [1, 2.5, None]}})
    assert made.status_code == 200
    assert made.json().keys() == THREAD_FIELDS
    assert made.json()["metadata"] == {"topic": "a", "n": [1, 2.5, None]}
    assert (made.json()["status"], made.json()["turn_count"]) == ("idle", 0)
    assert (await client.get("/threads/t1")).json() == made.json()


async def test_an_empty_request_makes_a_thread_with_a_minted_id(client: AsyncClient) -> None:
    made = (await client.post("/threads")).json()
    assert UUID(made["thread_id"])
    assert (await client.get(f"/threads/{made['thread_id']}")).status_code == 200


async def test_an_existing_thread_is_refused_or_left_alone(client: AsyncClient) -> None:
    await client.post("/threads", json={"thread_id": "t1", "metadata": {"a": 1}})
    refused = await client.post("/threads", json={"thread_id": "t1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "thread_exists")
    kept = await client.post("/threads", json={"thread_id": "t1", "if_exists": "do_nothing", "metadata": {"a": 2}})
    assert (kept.status_code, kept.json()["metadata"]) == (200, {"a": 1})


async def test_metadata_is_merged(client: AsyncClient) -> None:
    await client.post("/threads", json={"thread_id": "t1", "metadata": {"a": 1, "b": 1, "c": 1}})
    changed = await client.patch("/threads/t1", json={"metadata": {"b": 2, "c": None}})
    assert changed.json()["metadata"] == {"a": 1, "b": 2}
    assert (await client.get("/threads/t1")).json()["metadata"] == {"a": 1, "b": 2}


async def test_search_gives_the_newest_activity_first(client: AsyncClient, clock: Clock) -> None:
    for thread_id in ("a", "b", "c"):
        await client.post("/threads", json={"thread_id": thread_id, "metadata": {"even": thread_id == "b"}})
        clock.ahead += 10
    await client.post("/threads/a/turns", json={"message": "ping"})
    ids = [thread["thread_id"] for thread in (await client.post("/threads/search", json={})).json()]
    assert ids == ["a", "c", "b"]
    page = (await client.post("/threads/search", json={"limit": 1, "offset": 1})).json()
    assert [thread["thread_id"] for thread in page] == ["c"]
    found = (await client.post("/threads/search", json={"metadata": {"even": True}})).json()
    assert [thread["thread_id"] for thread in found] == ["b"]
    by_agent = (await client.post("/threads/search", json={"agent": "papers", "status": "idle"})).json()
    assert [thread["thread_id"] for thread in by_agent] == ["a"]


async def test_a_deleted_thread_is_gone_from_every_route(client: AsyncClient) -> None:
    await client.post("/chat", json={"session_id": "t1", "message": "ping"})
    gone = await client.delete("/threads/t1")
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await client.get("/threads/t1")).status_code == 404
    assert (await client.get("/threads/t1/turns")).status_code == 404
    assert (await client.delete("/threads/t1")).status_code == 404
    assert (await client.post("/threads/search")).json() == []


async def test_an_expired_thread_is_gone_from_every_route(client: AsyncClient, clock: Clock) -> None:
    await client.post("/chat", json={"session_id": "t1", "message": "ping"})
    clock.ahead += 24 * 3600 + 1
    unknown = await client.get("/threads/never")
    for answer in (
        await client.get("/threads/t1"),
        await client.get("/threads/t1/turns"),
        await client.get("/threads/t1/turns/1"),
        await client.patch("/threads/t1", json={"metadata": {}}),
        await client.post("/threads/t1/turns", json={"message": "ping"}),
        await client.post("/threads/t1/turns/stream", json={"message": "ping"}),
        await client.delete("/threads/t1"),
    ):
        assert (answer.status_code, answer.json()["detail"]) == (404, unknown.json()["detail"])
    assert (await client.post("/threads/search")).json() == []
    again = (await client.post("/chat", json={"session_id": "t1", "message": "ping"})).json()
    assert (again["thread_created"], again["turn_number"], again["reply"]) == (True, 1, "1: ping")
