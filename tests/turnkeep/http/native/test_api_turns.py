"""Turns over HTTP: an acknowledged turn is returned once by every route."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from echoing import echo_agent
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from scripted import read_events

from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply

TURN_FIELDS = {
    "thread_id", "turn_number", "agent", "message", "reply", "persisted", "status", "created_at", "duration_ms",
    "provider", "model", "usage", "route", "confidence", "standalone_query", "sources", "warnings", "details",
}  # fmt: skip


def long_agent(name: str) -> Agent:
    """Replies with as many characters, or with details of as many, as the message says."""

    def read_reply(values: Any) -> Reply:
        kind, size = values["messages"][-2].text.split()
        text = "x" * int(size)
        return Reply(text) if kind == "reply" else Reply("pong", details={"rows": [text]})

    return replace(echo_agent(name), read_reply=read_reply)


@pytest.fixture
async def long_client(make_app: Callable[..., FastAPI]) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(transport=ASGITransport(make_app(agent_of=long_agent)), base_url="http://test") as client:
        yield client


async def test_every_route_returns_the_same_turn(client: AsyncClient) -> None:
    await client.post("/threads", json={"thread_id": "t1"})
    taken = (await client.post("/threads/t1/turns", json={"message": "ping"})).json()
    assert taken.keys() == TURN_FIELDS
    assert (taken["thread_id"], taken["turn_number"], taken["persisted"]) == ("t1", 1, True)
    assert (taken["message"], taken["reply"], taken["route"]) == ("ping", "1: ping", "respond")
    assert taken["usage"].keys() == {"input_tokens", "output_tokens", "cost_usd", "estimated"}
    assert taken["sources"] == [{"id": "1706.03762", "title": "A paper", "url": None, "score": 0.5, "cited": True}]
    assert taken["created_at"].endswith("Z")
    assert (await client.get("/threads/t1/turns/1")).json() == taken
    [listed] = (await client.get("/threads/t1/turns")).json()["turns"]
    assert listed == {**taken, "details": {}}
    thread = (await client.get("/threads/t1")).json()
    assert (thread["turn_count"], thread["agent"], thread["pending"]) == (1, "papers", None)


async def test_the_newest_turns_come_oldest_first(client: AsyncClient) -> None:
    for number in range(1, 6):
        await client.post("/chat", json={"session_id": "t1", "message": f"m{number}"})
    pages = [(await client.get(f"/threads/t1/turns?limit=2{more}")).json() for more in ("", "&before=4", "&before=2")]
    seen = [[turn["message"] for turn in page["turns"]] for page in pages]
    assert seen == [["m4", "m5"], ["m2", "m3"], ["m1"]]
    assert [page["next_before"] for page in pages] == [4, 2, None]


async def test_a_turn_over_the_response_limit_is_rejected(long_client: AsyncClient) -> None:
    for size in (4_900_000, 4_900_000, 5_000_000):
        await long_client.post("/chat/stream", json={"session_id": "t1", "message": f"reply {size}"})
    page = (await long_client.get("/threads/t1/turns?before=3")).json()
    assert ([turn["turn_number"] for turn in page["turns"]], page["next_before"]) == ([2], 2)
    refused = await long_client.get("/threads/t1/turns")
    assert (refused.status_code, refused.json()["code"]) == (422, "answer_too_large")


async def test_details_over_lambdas_limit_are_returned_by_streams_only(long_client: AsyncClient) -> None:
    body = {"session_id": "t1", "message": "details 6000000"}
    for answer in (await long_client.post("/chat", json=body), await long_client.get("/threads/t1/turns/1")):
        assert (answer.json()["details"], answer.json()["warnings"]) == ({}, ["details_too_large"])
    _, _, turn = read_events((await long_client.post("/chat/stream", json=body)).text)[-1]
    assert (len(turn["details"]["rows"][0]), turn["warnings"]) == (6_000_000, [])


async def test_a_replay_over_a_stream_is_one_token_and_complete(client: AsyncClient) -> None:
    await client.post("/threads", json={"thread_id": "t1"})
    headers = {"Idempotency-Key": "k-1"}
    await client.post("/threads/t1/turns", json={"message": "ping"}, headers=headers)
    again = await client.post("/threads/t1/turns/stream", json={"message": "ping"}, headers=headers)
    assert again.headers["idempotency-replayed"] == "true"
    [(first, _, token), (last, _, turn)] = read_events(again.text)
    assert (first, last) == ("token", "complete")
    assert token["content"] == turn["reply"] == "1: ping"


async def test_a_chat_without_a_session_stores_nothing(client: AsyncClient) -> None:
    answer = (await client.post("/chat", json={"message": "ping"})).json()
    assert answer.keys() == TURN_FIELDS | {"session_id", "thread_created"}
    assert (answer["session_id"], answer["thread_id"], answer["turn_number"]) == (None, None, None)
    assert (answer["persisted"], answer["thread_created"]) == (False, False)
    assert (await client.post("/threads/search", json={})).json() == []


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_a_key_without_a_session_is_ignored_with_a_warning(path: str, client: AsyncClient) -> None:
    for headers, warnings in (({"Idempotency-Key": "k-1"}, ["idempotency_key_ignored"]), ({}, [])):
        answer = await client.post(path, json={"message": "ping"}, headers=headers)
        fields = answer.json() if path == "/chat" else read_events(answer.text)[-1][2]
        assert fields["warnings"] == warnings
        assert "idempotency-key" not in answer.headers
    stored = await client.post(
        "/chat", json={"message": "ping", "session_id": "t1"}, headers={"Idempotency-Key": "k-1"}
    )
    assert (stored.json()["warnings"], stored.headers["idempotency-key"]) == ([], "k-1")


async def test_a_retried_new_session_is_the_same_session_of_the_same_user(client: AsyncClient) -> None:
    body, key = {"session_id": "new", "message": "a"}, {"Idempotency-Key": "k-1"}
    one, two = [await client.post("/chat", json=body, headers=key) for _ in range(2)]
    assert two.headers["idempotency-replayed"] == "true"
    assert one.json() == two.json()
    assert one.json()["thread_created"]
    assert len((await client.post("/threads/search", json={})).json()) == 1
    bobs = await client.post("/chat", json=body, headers={**key, "X-Turnkeep-User": "bob"})
    assert bobs.json()["session_id"] != one.json()["session_id"]


async def test_a_fork_is_an_independent_thread(client: AsyncClient) -> None:
    for message in ("one", "two"):
        await client.post("/chat", json={"session_id": "t1", "message": message})
    fork = await client.post("/threads/t1/fork", json={"turn": 1})
    assert (fork.status_code, fork.json()["turn_count"]) == (200, 1)
    thread = fork.json()["thread_id"]
    assert (await client.post(f"/threads/{thread}/turns", json={"message": "other"})).json()["turn_number"] == 2
    assert [t["message"] for t in (await client.get("/threads/t1/turns")).json()["turns"]] == ["one", "two"]
    assert (await client.post("/threads/t1/fork", json={"thread_id": thread})).json()["code"] == "thread_exists"
