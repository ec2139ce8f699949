"""No response is larger than Lambda allows. Lists are cut with a cursor, others are rejected with advice."""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from echoing import echo_agent
from fastapi import FastAPI
from httpx import AsyncClient, Response
from hypothesis import given
from hypothesis import strategies as st
from test_ownership import OF_A_THREAD, routes_of

from template_resources import properties_of
from turnkeep.http.app import PROTOCOLS
from turnkeep.http.bodies import ANSWER_BYTES, JsonRoute, answered_bytes

TURNS, QUOTES = 34, '"' * 64 * 1024
LARGEST: dict[tuple[str, str], Any] = {
    ("POST", "/threads/{thread_id}/history"): {"limit": 100},
    ("POST", "/store/items/search"): {"namespace_prefix": [], "limit": 100},
    ("GET", "/threads/{thread_id}/turns"): "?limit=100",
    ("GET", "/v1/conversations/{thread_id}/items"): "?limit=100",
    ("GET", "/threads/{thread_id}/runs"): "?limit=100",
}
"""Bodies and queries that request as much as possible."""
REFUSED = {
    "/store/items/search",
    "/threads/{thread_id}/history",
    "/threads/{thread_id}/state",
    "/threads/{thread_id}/state/checkpoint",
    "/threads/{thread_id}/state/{checkpoint_id}",
}

STREAMED = {
    (method.upper(), path)
    for path, methods in properties_of("Api")["DefinitionBody"]["paths"].items()
    for method, route in methods.items()
    if route["x-amazon-apigateway-integration"].get("responseTransferMode") == "STREAM"
}
"""Routes that the function `stream` serves."""


@pytest.fixture
def app(make_app: Callable[..., FastAPI]) -> FastAPI:
    """An app whose states contain all turns."""
    return make_app(agent_of=lambda name: replace(echo_agent(name), window=None))


def lambdas_bytes(answer: Response) -> int:
    return len(json.dumps(answer.text, ensure_ascii=False).encode())


@given(st.text(st.characters(codec="utf-8")))
def test_a_response_is_measured_as_lambda_sends_it(text: str) -> None:
    body = json.dumps({"text": text}, ensure_ascii=False) + "\n"
    assert answered_bytes(body.encode()) + len('""') == len(json.dumps(body, ensure_ascii=False).encode())


def test_every_route_limits_its_responses(app: FastAPI) -> None:
    for path in ("/runs", "/v1/", "/"):
        assert any(pattern.match(path) for pattern in PROTOCOLS.values())
        app.state.late.load(path)
    others = {route.path for route in app.routes if not isinstance(route, JsonRoute)}  # type: ignore[attr-defined]
    assert others <= {"/ok", "/openapi.json", "/", "/page/{checksum}/{file:path}"}


async def say_quotes(client: AsyncClient, thread: str, turns: int) -> None:
    for _ in range(turns):
        turn = await client.post("/chat", json={"session_id": thread, "message": QUOTES})
        assert turn.status_code == 200


@pytest.fixture
async def large(app: FastAPI, client: AsyncClient) -> defaultdict[str, str]:
    """Path parameters of a thread with 34 turns of quotes. The caller also has twelve large items in the store."""
    app.state.late.load()
    await say_quotes(client, "held", TURNS)
    for number in range(12):
        item = {"namespace": ["a"], "key": str(number), "value": {"text": '"' * 120_000}}
        assert (await client.put("/store/items", json=item)).status_code == 204
    edited = await client.post("/threads/held/state", json={"values": {"messages": "by hand"}})
    document = await client.post("/threads/held/attachments", json={"name": "a.txt", "size": 1})
    [run] = (await client.get("/threads/held/runs?limit=1")).json()
    named = {"thread_id": "held", "number": str(TURNS), "run_id": run["run_id"], "item_id": "msg_1_user"}
    named |= {"checkpoint_id": edited.json()["checkpoint_id"], "document_id": document.json()["document_id"]}
    return defaultdict(lambda: "papers", named)


async def test_no_response_is_larger_than_lambda_allows(
    app: FastAPI, client: AsyncClient, large: defaultdict[str, str]
) -> None:
    checkpoint = {"checkpoint": {"checkpoint_id": large["checkpoint_id"]}}
    asked = OF_A_THREAD | LARGEST | {("POST", "/threads/{thread_id}/state/checkpoint"): checkpoint}
    refused = set()
    for method, path in sorted(routes_of(app), key=lambda route: (route[0] == "DELETE", route[1])):
        sent = asked.get((method, path))
        url = path.replace(":path}", "}").format_map(large) + (sent if str(sent).startswith("?") else "")
        answer = await client.request(method, url, json=sent if isinstance(sent, dict) else None)
        if answer.headers.get("x-accel-buffering") == "no":
            assert (method, path) in STREAMED
            continue
        assert lambdas_bytes(answer) <= ANSWER_BYTES, path
        if "answer_too_large" in answer.text[:500]:
            assert answer.status_code == 422
            refused.add(path)
    assert refused == REFUSED


async def test_a_history_that_is_cut_names_the_next_page(client: AsyncClient) -> None:
    await say_quotes(client, "held", 8)
    found: list[Any] = []
    before, pages = None, 0
    while before is not None or not pages:
        answer = await client.post("/threads/held/history", json={"limit": 100, "before": before})
        found, pages, before = found + answer.json(), pages + 1, answer.headers.get("x-pagination-next")
    assert [state["metadata"]["turn_number"] for state in found] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert 1 < pages < 8


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [5, 100])
async def test_items_that_are_cut_have_more(client: AsyncClient, order: str, limit: int) -> None:
    await say_quotes(client, "held", 12)
    found: list[str] = []
    has_more, pages = True, 0
    while has_more:
        after = f"&after={found[-1]}" if found else ""
        answer = (await client.get(f"/v1/conversations/held/items?limit={limit}&order={order}{after}")).json()
        found, pages, has_more = found + [item["id"] for item in answer["data"]], pages + 1, answer["has_more"]
        assert answer["last_id"] == found[-1]
    items = [f"msg_{number}_{who}" for number in range(1, 13) for who in ("user", "assistant")]
    assert found == (items if order == "asc" else items[::-1])
    assert pages > 1
