"""Which requests the server of a laptop answers."""

import asyncio
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient, Response
from starlette.types import Receive, Scope, Send

from bare_app import bare_app
from turnkeep.http.edge import ON_THIS_MACHINE
from turnkeep_local.hosts import OwnHosts


async def ask(
    host: str, method: str = "GET", headers: dict[str, str] | None = None, path: str = "/ok", **allowed: Any
) -> Response:
    app = bare_app()
    app.add_middleware(OwnHosts, **allowed)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client:
        return await client.request(method, path, headers={"Host": host, **(headers or {})})


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "127.0.0.1", "[::1]:8000", "[::1]"])
async def test_names_of_this_machine_are_served(host: str) -> None:
    assert (await ask(host)).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "", "[", "0.0.0.0"],
)
async def test_a_foreign_host_name_is_misdirected(host: str) -> None:
    answer = await ask(host, headers={"Origin": f"http://{host}"})
    assert (answer.status_code, answer.json()["code"]) == (421, "misdirected")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-correlation-id"] == answer.json()["correlation_id"]


async def test_a_node_may_call_its_own_server() -> None:
    app = bare_app()
    app.add_middleware(OwnHosts)

    async def from_a_node(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "turnkeep.principal": None}, receive, send)

    async with AsyncClient(transport=ASGITransport(from_a_node), base_url="http://api") as client:
        assert (await client.get("/ok")).status_code == 200


async def test_a_body_with_two_lengths_is_refused_with_all_that_follows() -> None:
    answer = await ask("localhost", "POST", {"Content-Length": "60", "Transfer-Encoding": "chunked"})
    assert (answer.status_code, answer.json()["code"], answer.headers["connection"]) == (400, "ambiguous_body", "close")


OWN_PAGES = ["http://localhost:3000", "http://127.0.0.1:8000", "http://[::1]:5173", "https://smith.langchain.com"]
FOREIGN = ["https://evil.example", "http://localhost.evil.example", "http://evil.localhost.example:8000", "null"]
FOREIGN += ["http://localhost:8000.evil.example", "https://smith.langchain.com.evil.example", "file://", "x"]


@pytest.mark.parametrize(
    ("origin", "status"), [*((each, 200) for each in OWN_PAGES), *((each, 403) for each in FOREIGN)]
)
@pytest.mark.parametrize("site", [None, "cross-site", "same-site", "none"])
async def test_a_page_calls_only_from_this_machine(origin: str, status: int, site: str | None) -> None:
    sent = {"Origin": origin} | ({"Sec-Fetch-Site": site} if site else {})
    answer = await ask("localhost:8000", headers=sent, pattern=ON_THIS_MACHINE)
    assert answer.status_code == status
    assert status == 200 or answer.json()["code"] == "foreign_origin"


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/threads"), ("GET", "/me/export"), ("POST", "/v1/conversations")]
)
async def test_a_page_of_another_site_starts_nothing_without_a_preflight(method: str, path: str) -> None:
    for sent in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}):
        assert (await ask("localhost:8000", method, sent, path)).status_code == 403


async def test_a_link_from_another_site_opens_the_page() -> None:
    sent = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert (await ask("localhost:8000", headers=sent, path="/")).status_code != 403


@pytest.mark.parametrize(
    ("origins", "status"),
    [((), 403), (("https://app.example",), 200), (("*",), 200), (("https://other.example",), 403)],
)
async def test_configured_origins_may_call(origins: tuple[str, ...], status: int) -> None:
    sent = {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"}
    assert (await ask("localhost:8000", headers=sent, origins=origins)).status_code == status
    assert (
        await ask("localhost:8000", headers={"Origin": "http://localhost:8000"}, origins=origins)
    ).status_code == 200


@pytest.mark.parametrize("path", ["/threads", "/v1/responses", "/threads/t/turns"])
async def test_a_body_that_does_not_arrive_times_out(path: str) -> None:
    app, sent = bare_app(), list[Any]()
    app.add_middleware(OwnHosts, seconds=0.05)
    parts = iter([{"type": "http.request", "body": b"{", "more_body": True}])

    async def receive() -> Any:
        return next(parts, None) or await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"expect", b"x")]
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": b"", "query_string": b"", "headers": headers}
    await app({**scope, "client": ("127.0.0.1", 1), "scheme": "http", "http_version": "1.1"}, receive, send)
    assert (sent[0]["status"], (b"connection", b"close") in sent[0]["headers"]) == (408, True)
    assert b"body_timeout" in sent[1]["body"]


async def test_a_request_with_a_whole_body_has_no_time_limit() -> None:
    over = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert not (await receive()).get("more_body")
        await asyncio.sleep(0.1)
        over.set()
        assert (await receive())["type"] == "http.disconnect"

    parts = iter([{"type": "http.request", "body": b"{}"}, {"type": "http.disconnect"}])

    async def receive() -> Any:
        if over.is_set():
            await asyncio.sleep(0.1)
        return next(parts)

    scope = {"type": "http", "headers": [(b"host", b"localhost")], "method": "POST", "path": "/"}
    await OwnHosts(app, seconds=0.05)(scope, receive, receive)  # type: ignore[arg-type]
