"""The routes of the store, with and without LangGraph's SDK."""

import json
from typing import Any

import pytest
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient

PLACE = {"namespace": ["a", "b"], "key": "k"}
BAD: list[tuple[str, str, Any, str]] = [
    ("PUT", "/store/items", {**PLACE, "namespace": [], "value": {}}, "labels"),
    ("PUT", "/store/items", {**PLACE, "namespace": ["a.b"], "value": {}}, "no period"),
    ("PUT", "/store/items", {**PLACE, "namespace": "a", "value": {}}, "Send a list"),
    ("PUT", "/store/items", {**PLACE, "namespace": ["langgraph", "x"], "value": {}}, "first label"),
    ("PUT", "/store/items", {**PLACE, "namespace": ["x" * 2000], "value": {}}, "1,000 bytes"),
    ("PUT", "/store/items", {**PLACE, "value": "text"}, "JSON object"),
    ("PUT", "/store/items", {**PLACE, "value": {"n": 2**70}}, "64 bits"),
    ("PUT", "/store/items", {**PLACE, "value": {}, "ttl": -1}, "ttl"),
    ("PUT", "/store/items", {"namespace": ["a"], "value": {}}, "key"),
    ("GET", "/store/items?key=k", None, "labels"),
    ("POST", "/store/items/search", {"namespace_prefix": [], "limit": 5000}, "at most 1000"),
    ("POST", "/store/items/search", {"namespace_prefix": [], "filter": {"n": {"$near": 1}}}, "$eq"),
    ("POST", "/store/namespaces", {"max_depth": 0}, "at least 1"),
]


async def test_a_search_by_query_ranks_items(sdk: LangGraphClient) -> None:
    for text in ("tea", "coffee"):
        await sdk.store.put_item(["a", "b"], text, {"text": text})
    [best] = (await sdk.store.search_items([], query="coffee", limit=1))["items"]
    assert best["key"] == "coffee"
    assert best["score"] > 0


@pytest.mark.parametrize(("method", "path", "body", "detail"), BAD)
async def test_an_invalid_store_request_is_rejected_with_advice(
    client: AsyncClient, method: str, path: str, body: Any, detail: str
) -> None:
    await client.put("/store/items", json={**PLACE, "value": {"n": 1}})
    answer = await client.request(method, path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert detail in answer.json()["detail"]


@pytest.mark.parametrize("label", ["langgraph", "a.b", "", "\0", "a\0b", "*", " ", "\ud800", "a/b", "LangGraph"])
async def test_every_label_is_accepted_or_rejected_with_advice(client: AsyncClient, label: str) -> None:
    for namespace in ([label], [label, "x"], ["x", label]):
        place = {"namespace": namespace, "key": "k"}
        for method, path, body in (
            ("PUT", "/store/items", place | {"value": {}}),
            ("DELETE", "/store/items", place),
            ("POST", "/store/items/search", {"namespace_prefix": namespace}),
            ("POST", "/store/namespaces", {"prefix": namespace, "suffix": namespace}),
        ):
            content, kind = json.dumps(body), {"Content-Type": "application/json"}
            answer = await client.request(method, path, content=content, headers=kind)
            assert answer.status_code in (200, 204, 400, 422), (method, path, namespace)
            assert answer.status_code < 400 or answer.json()["detail"]


async def test_callers_read_only_their_own_items(client: AsyncClient) -> None:
    mine, another = ({"X-Turnkeep-User": name} for name in ("ann", "bob"))
    await client.put("/store/items", json={**PLACE, "value": {"mine": 1}}, headers=mine)
    query = "/store/items?namespace=a.b&key=k"
    await client.request("DELETE", "/store/items", json=PLACE, headers=another)
    assert (await client.get(query, headers=another)).json() is None
    for path, body in (("/store/items/search", {"namespace_prefix": []}), ("/store/namespaces", {})):
        answer = await client.post(path, json=body, headers=another)
        assert list(answer.json().values()) == [[]]
    assert (await client.get(query, headers=mine)).json()["value"] == {"mine": 1}


async def test_items_are_exported_and_erased(client: AsyncClient) -> None:
    await client.put("/store/items", json={**PLACE, "value": {"mine": 1}})
    lines = (await client.get("/me/export")).text.splitlines()
    assert any('"type": "memory"' in line and '"mine": 1' in line for line in lines)
    receipt = (await client.delete("/me")).json()
    assert (receipt["complete"], receipt["items"]) == (True, 1)
    assert (await client.get("/store/items?namespace=a.b&key=k")).json() is None
