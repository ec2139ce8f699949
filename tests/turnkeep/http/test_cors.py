"""Only pages of allowed origins may call. They can read every response, including errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from typing import Any

import pytest
from fastapi import FastAPI, Request
from httpx import ASGITransport, AsyncClient, Response
from pydantic import ValidationError

from bare_app import bare_app
from turnkeep.errors import Unauthorized
from turnkeep.http.auth import local_principal
from turnkeep.http.edge import ON_THIS_MACHINE
from turnkeep.records import Principal
from turnkeep.settings import Settings, explain

PAGE = "https://app.example.com"
EXPOSED = {
    "x-correlation-id", "idempotency-key", "idempotency-replayed", "retry-after", "location", "content-location",
    "x-pagination-total", "x-pagination-next", "x-request-id", "x-should-retry", "x-turnkeep-thread",
    "x-turnkeep-warnings", "x-unreadable-threads",
}  # fmt: skip
SENT = (
    "authorization,content-type,idempotency-key,last-event-id,openai-beta,openai-organization,x-api-key,x-auth-scheme,"
    "x-correlation-id,x-openwebui-chat-id,x-stainless-os,x-stainless-retry-count,x-turnkeep-thread"
)


def nobody(_: Request) -> Principal:
    raise Unauthorized


def app_of(*origins: str, table: Any = None, authenticate: Any = local_principal) -> FastAPI:
    return bare_app(store=table, settings=Settings(cors_origins=origins), authenticate=authenticate)


@asynccontextmanager
async def browser(app: FastAPI, origin: str = PAGE) -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(app)
    async with AsyncClient(transport=transport, base_url="http://test", headers={"Origin": origin}) as client:
        yield client


def listed(answer: Response, name: str) -> set[str]:
    return {word.strip().lower() for word in answer.headers.get(name, "").split(",") if word.strip()}


def is_readable(answer: Response, origin: str = PAGE) -> bool:
    return answer.headers.get("access-control-allow-origin") == origin


async def test_without_origins_no_page_of_another_origin_may_call() -> None:
    asked = {"Access-Control-Request-Method": "POST"}
    async with browser(app_of()) as client:
        for answer in (await client.get("/ok"), await client.options("/chat", headers=asked)):
            assert not any(name.startswith("access-control-") for name in answer.headers)
        assert answer.status_code == 405


@pytest.mark.parametrize(("let_in", "shown"), [(("https://other.example.com", PAGE), PAGE), (("*",), "*")])
async def test_an_allowed_page_reads_responses_and_their_headers(let_in: tuple[str, ...], shown: str) -> None:
    async with browser(app_of(*let_in)) as client:
        answer = await client.get("/ok", headers={"Cookie": "a=b"})
    assert is_readable(answer, shown)
    assert "access-control-allow-credentials" not in answer.headers
    assert listed(answer, "access-control-expose-headers") == EXPOSED
    assert shown == "*" or "origin" in listed(answer, "vary")


@pytest.mark.parametrize(
    "origin", ["https://evil.example.com", f"{PAGE}.evil.com", "http://app.example.com", f"{PAGE}:8443", "null", ""]
)
async def test_other_pages_read_nothing(origin: str) -> None:
    async with browser(app_of(PAGE), origin) as client:
        assert "access-control-allow-origin" not in (await client.get("/ok")).headers
        preflight = await client.options("/chat", headers={"Access-Control-Request-Method": "POST"})
        assert "access-control-allow-origin" not in preflight.headers


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "PUT", "DELETE"])
async def test_a_preflight_needs_no_credential_and_allows_what_clients_send(log: StringIO, method: str) -> None:
    asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": SENT}
    async with browser(app_of(PAGE, authenticate=nobody)) as client:
        answer = await client.options("/threads/t1", headers=asked)
    assert (answer.status_code, is_readable(answer)) == (200, True)
    assert method.lower() in listed(answer, "access-control-allow-methods")
    assert set(SENT.split(",")) <= listed(answer, "access-control-allow-headers")
    assert log.getvalue() == ""  # it does not reach the API


@pytest.mark.parametrize(
    ("origin", "may"), [("https://smith.langchain.com", True), ("https://smith.langchain.com.evil.example", False)]
)
async def test_a_laptop_allows_its_own_pages_and_studio(origin: str, may: bool) -> None:
    app = app_of()
    app.state.cors_pattern = ON_THIS_MACHINE
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    async with browser(app, origin) as client:
        preflight = await client.options("/threads", headers=asked)
        assert is_readable(preflight, origin) is is_readable(await client.get("/ok"), origin) is may
    assert preflight.status_code == (200 if may else 400)
    if may:
        assert preflight.headers["access-control-allow-private-network"] == "true"


async def test_pages_can_read_errors() -> None:
    class Broken:
        def read_thread(self, *_: Any) -> None:
            raise RuntimeError("canary")

    large = b'{"message": "' + b"x" * 300_000 + b'"}'
    json = {"Content-Type": "application/json"}
    async with browser(app_of(PAGE, table=Broken())) as client:
        answers = [
            await client.get("/threads/t1"),
            await client.get("/nowhere"),
            await client.post("/chat", content=large, headers=json),
            await client.post("/chat", content=b"{", headers=json),
            await client.post("/chat", json={"message": 7}),
            await client.put("/chat"),
            await client.post("/chat", content=b"x", headers={"Content-Type": "text/plain"}),
        ]
    async with browser(app_of(PAGE, authenticate=nobody)) as client:
        answers.append(await client.get("/threads/t1"))
    assert [answer.status_code for answer in answers] == [500, 404, 413, 400, 422, 405, 415, 401]
    for answer in answers:
        assert is_readable(answer)
        assert listed(answer, "access-control-expose-headers") == EXPOSED
        assert answer.json()["correlation_id"] == answer.headers["x-correlation-id"]


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("*", ("*",)),
        (
            f"{PAGE}, capacitor://localhost,chrome-extension://ab,",
            (PAGE, "capacitor://localhost", "chrome-extension://ab"),
        ),
    ],
)
def test_origins_are_read_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, text: str, origins: tuple[str, ...]
) -> None:
    monkeypatch.setenv("CORS_ORIGINS", text)
    assert Settings().cors_origins == origins


INVALID = """
*,https://app.example.com https://*.example.com app.example.com https://app.example.com/path https://user@app.example.com
https://App.example.com https://app.example.com:0 https://app.example.com:443 http://[::1]:80
"""


@pytest.mark.parametrize("text", [*INVALID.split(), "https://a b.com", f"{PAGE}\nhttps://evil.example.com"])
def test_an_invalid_origin_is_rejected_and_not_quoted(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORS_ORIGINS", f"{text},http://localhost:3000")
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert explain(caught.value).startswith("CORS_ORIGINS: use scheme://host or scheme://host:port")
    assert "example" not in str(caught.value)
