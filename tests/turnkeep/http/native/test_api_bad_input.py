"""Invalid input gets a problem with advice, and is not stored. test_openapi.py tests single fields."""

import json
from collections.abc import AsyncIterator
from io import StringIO
from typing import Any

import pytest
from httpx import AsyncClient, Response

KB = 1024
JSON_TYPE = {"Content-Type": "application/json"}
RUNS = ["/threads/t1/turns", "/threads/t1/turns/stream", "/chat", "/chat/stream"]


def assert_problem(answer: Response, status: int, code: str) -> dict[str, Any]:
    problem: dict[str, Any] = answer.json()
    assert (answer.status_code, problem["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == status
    assert problem["type"] == f"urn:turnkeep:problem:{code}"
    assert problem["title"]
    assert problem["detail"]
    assert problem["correlation_id"] == answer.headers["x-correlation-id"]
    if code == "invalid_request":
        assert problem["errors"]
        assert all(fault["field"] and fault["advice"].endswith(".") for fault in problem["errors"])
    return problem


@pytest.fixture
async def held(client: AsyncClient) -> AsyncIterator[AsyncClient]:
    """A client with the thread `t1`, whose only turn must be left unchanged by the test."""
    await client.post("/chat", json={"session_id": "t1", "message": "kept"})
    yield client
    [only] = (await client.post("/threads/search", json={"limit": 100})).json()
    assert (only["thread_id"], only["turn_count"], only["metadata"].keys()) == ("t1", 1, {"graph_id", "assistant_id"})
    thread = (await client.get("/threads/t1")).json()
    assert (thread["status"], thread["pending"]) == ("idle", None)
    assert [turn["message"] for turn in (await client.get("/threads/t1/turns")).json()["turns"]] == ["kept"]


@pytest.mark.parametrize("path", RUNS)
async def test_an_invalid_message_is_rejected(held: AsyncClient, path: str) -> None:
    for message in ("", " \n\t\u2003", "\u200b\u200d", "a\0b", None):
        problem = assert_problem(await held.post(path, json={"message": message}), 422, "invalid_request")
        assert [fault["field"] for fault in problem["errors"]] == ["body.message"], message
    for message in ("x" * (64 * KB + 1), "é" * 33 * KB):
        assert_problem(await held.post(path, json={"message": message}), 413, "message_too_long")


BODIES: list[tuple[str, bytes, int, str]] = [
    ("nothing", b"", 422, "invalid_request"),
    ("incomplete", b"{", 400, "invalid_json"),
    ("raw control character", b'{"message": "a\x01"}', 400, "invalid_json"),
    ("invalid UTF-8", b'{"message": "\xff\xfe"}', 400, "invalid_json"),
    ("UTF-16", '{"message": "a"}'.encode("utf-16"), 400, "invalid_json"),
    ("byte order mark", b'\xef\xbb\xbf{"message": "a"}', 400, "invalid_json"),
    ("high surrogate", rb'{"message": "\ud800"}', 400, "invalid_json"),
    ("surrogate in a name", rb'{"message": "a", "\ud800": 1}', 400, "invalid_json"),
    ("NaN", b'{"message": NaN}', 400, "invalid_json"),
    ("infinity", b'{"message": 1e999}', 400, "invalid_json"),
    ("endless number", b'{"message": ' + b"1" * 5000 + b"}", 400, "invalid_json"),
    ("deep lists", b"[" * 100_000 + b"]" * 100_000, 400, "invalid_json"),
    ("deep objects", b'{"a":' * 40_000, 400, "invalid_json"),
    ("null", b"null", 422, "invalid_request"),
    ("unknown field", b'{"message": "a", "role": "system"}', 422, "invalid_request"),
    ("a field of the principal", b'{"message": "a", "user_id": "root"}', 422, "invalid_request"),
    ("NUL in a name", rb'{"message": "a", "\u0000": 1}', 422, "invalid_request"),
    ("unknown agent", b'{"message": "a", "agent": "unknown"}', 422, "unknown_agent"),
    ("agent with a path", b'{"message": "a", "agent": "../papers"}', 422, "unknown_agent"),
    ("5 MB", b'{"message": "' + b"x" * 5 * KB * KB + b'"}', 413, "body_too_large"),
]


@pytest.mark.parametrize("path", RUNS)
async def test_an_invalid_body_is_rejected(held: AsyncClient, path: str) -> None:
    for name, body, status, code in BODIES:
        answer = await held.post(path, content=body, headers=JSON_TYPE)
        assert (name, answer.status_code) == (name, status)
        assert_problem(answer, status, code)


@pytest.mark.parametrize("path", RUNS)
async def test_another_agent_than_the_threads_is_rejected(held: AsyncClient, path: str) -> None:
    body = {"message": "a", "agent": "broken"} | ({"session_id": "t1"} if "chat" in path else {})
    assert_problem(await held.post(path, json=body), 422, "agent_mismatch")


IDS = ["", "a#b", "a%23b", "..", "a/b", "a%2Fb", "a.b", "a b", "é", "a\n", "\0", "x" * 65, "x" * 10 * KB, "T#1#U#2"]


@pytest.mark.parametrize("given", IDS)
async def test_a_malformed_id_is_rejected(held: AsyncClient, given: str) -> None:
    for path in ("/chat", "/chat/stream"):
        assert_problem(await held.post(path, json={"message": "a", "session_id": given}), 422, "invalid_id")
    assert_problem(await held.post("/threads", json={"thread_id": given}), 422, "invalid_id")


@pytest.mark.parametrize("given", ["a%23b", "%2e%2e", "a.b", "a%20b", "%C3%A9", "a%0A", "%00", "x" * 65])
async def test_a_malformed_id_in_a_path_is_rejected(client: AsyncClient, given: str) -> None:
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/turns/1"), ("POST", "/turns/stream")):
        body = {"message": "a"} if method == "POST" else None
        assert_problem(await client.request(method, f"/threads/{given}{path}", json=body), 422, "invalid_id")


@pytest.mark.parametrize("key", ["x" * 65, "", "a b", "a#b", "ä".encode("latin-1"), "a,b", "x" * 10 * KB])
async def test_a_malformed_key_is_rejected(held: AsyncClient, key: Any) -> None:
    for path in RUNS:
        answer = await held.post(path, json={"message": "a"}, headers={b"Idempotency-Key": key})
        assert assert_problem(answer, 422, "invalid_id")["detail"].startswith("Idempotency-Key")


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        {"a": "x" * 1024},
        {"a": "é" * 512},
        {"a": 2**63},
        {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}}}},
        {"a": [[[[[[[[[1]]]]]]]]]},
    ],
)
async def test_metadata_that_cannot_be_stored_is_rejected(held: AsyncClient, metadata: Any) -> None:
    for method, path in (("POST", "/threads"), ("PATCH", "/threads/t1"), ("POST", "/threads/search")):
        problem = assert_problem(await held.request(method, path, json={"metadata": metadata}), 422, "invalid_request")
        assert problem["errors"][0]["field"].startswith("body.metadata")


async def test_a_body_of_another_type_is_rejected(held: AsyncClient) -> None:
    body = json.dumps({"message": "a"}).encode()
    kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x", "json")
    browser = {"Origin": "http://elsewhere.example"}
    for headers in [*({"Content-Type": kind} for kind in kinds), browser]:
        for path in [*RUNS, "/threads"]:
            answer = await held.post(path, content=body, headers=headers)
            assert_problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("kind", [None, "application/json; charset=utf-8", "APPLICATION/JSON", "application/x+json"])
async def test_the_type_of_json_is_optional(client: AsyncClient, kind: str | None) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = await client.post("/chat", content=b'{"message": "a"}', headers=headers)
    assert answer.json()["reply"] == "1: a"


@pytest.mark.parametrize("declared", [{}, {"Content-Length": "104857600"}, {"Content-Length": "9" * 5000}])
async def test_a_body_that_is_too_large_is_not_read_completely(held: AsyncClient, declared: dict[str, str]) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 100 * KB * KB:
            sent += 64 * KB
            yield b" " * 64 * KB

    answer = await held.post("/chat", content=endless(), headers={**JSON_TYPE, **declared})
    assert_problem(answer, 413, "body_too_large")
    assert sent < KB * KB


async def test_errors_and_logs_do_not_quote_the_request(held: AsyncClient, log: StringIO) -> None:
    canary = "canary\n4111-1111"
    bodies = [
        {"message": [canary]},
        {"message": canary, canary: 1},
        {"message": "a", "conversation_window": canary},
        {"message": "a", "agent": canary},
        {"message": "a", "session_id": canary},
        {"message": canary + "\0"},
    ]
    for body in bodies:
        answer = await held.post("/chat", json=body)
        assert answer.status_code == 422
        assert "4111-1111" not in answer.text
    assert log.getvalue().count("request answered") == len(bodies)
    assert "4111-1111" not in log.getvalue()


async def test_at_most_ten_errors_are_listed(held: AsyncClient) -> None:
    body = {"message": "a"} | {f"field{number}": 1 for number in range(5000)}
    problem = assert_problem(await held.post("/chat", json=body), 422, "invalid_request")
    assert len(problem["errors"]) == 10


async def test_the_largest_message_is_stored_completely(client: AsyncClient) -> None:
    message = "é\u2028\U0001f600x" * (64 * KB // 10)
    await client.post("/chat", json={"session_id": "t1", "message": message})
    assert (await client.get("/threads/t1/turns/1")).json()["message"] == message
