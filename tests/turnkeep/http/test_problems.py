"""Every error is sent as application/problem+json."""

import json
from collections.abc import Callable
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient, Response
from starlette.testclient import TestClient

from bare_app import bare_app
from turnkeep.errors import BadRequest, TurnkeepError

FIELDS = {"type", "title", "status", "detail", "code", "correlation_id"}


def leaves(kind: type[TurnkeepError]) -> list[type[TurnkeepError]]:
    children = kind.__subclasses__()
    return [leaf for child in children for leaf in leaves(child)] if children else [kind]


async def ask(fault: Exception | None = None, method: str = "GET", path: str = "/threads/t1", **more: Any) -> Response:
    def read(*_: Any) -> None:
        raise fault or AssertionError("the store was asked")

    threads = SimpleNamespace(read=read)
    app = bare_app(store=SimpleNamespace(threads=threads, heads=threads))
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
        return await client.request(method, path, **more)


@pytest.mark.parametrize("kind", leaves(TurnkeepError), ids=lambda kind: kind.__name__)
async def test_every_error_has_its_status_and_advice(kind: type[TurnkeepError]) -> None:
    answer = await ask(kind(retry_after=3))
    assert answer.status_code == kind.status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "3"
    problem = answer.json()
    assert problem.keys() == FIELDS
    assert (problem["code"], problem["title"], problem["detail"]) == (kind.code, kind.title, kind.advice)
    assert problem["correlation_id"] == answer.headers["x-correlation-id"]


async def test_an_unexpected_exception_is_a_500_without_its_text(log: StringIO) -> None:
    answer = await ask(RuntimeError("SELECT canary"))
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["correlation_id"] == answer.headers["x-correlation-id"]
    assert "canary" not in answer.text
    assert "unexpected exception" in log.getvalue()
    assert "test_problems.py" in log.getvalue()
    assert "canary" not in log.getvalue()


NOWHERE = "/nowhere /docs /redoc /ok/ /threads//ok /%00 /threads/a/b /threads/a%2Fb /threads/ /threads/..%2F..%2Fok"


@pytest.mark.parametrize("path", NOWHERE.split())
async def test_an_unknown_path_is_a_problem(path: str) -> None:
    answer = await ask(path=path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "retry-after" not in answer.headers
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/threads/t1", "DELETE, GET, PATCH"),
        ("GET", "/chat", "POST"),
        ("DELETE", "/threads/t1/turns", "GET, POST"),
        ("BREW", "/ok", "GET"),
        ("HEAD", "/chat", "POST"),
    ],
)
async def test_a_wrong_method_gets_the_allowed_ones(method: str, path: str, allowed: str) -> None:
    answer = await ask(method=method, path=path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed
    assert answer.headers["content-type"] == "application/problem+json"
    assert method == "HEAD" or answer.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", ["/ok", "/nowhere", "/openapi.json"])
async def test_responses_forbid_caching_and_sniffing(path: str) -> None:
    headers = (await ask(path=path)).headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")


async def test_head_is_get_without_its_body() -> None:
    got, headed = await ask(path="/ok"), await ask(path="/ok", method="HEAD")
    assert (headed.status_code, headed.content) == (200, b"")
    assert headed.headers["content-length"] == got.headers["content-length"]


async def test_a_valid_correlation_id_is_returned_another_replaced() -> None:
    assert (await ask(path="/ok", headers={"X-Correlation-Id": "mine-1"})).headers["x-correlation-id"] == "mine-1"
    for malformed in ("a b", "x" * 65, '"}\n', ""):
        headers = {"X-Correlation-Id": malformed.encode()}
        minted = (await ask(path="/ok", headers=headers)).headers["x-correlation-id"]
        assert minted
        assert minted != malformed


async def test_one_log_line_a_request_without_names(log: StringIO) -> None:
    await ask(BadRequest(), path="/threads/secret-thread", headers={"X-Turnkeep-User": "secret-user"})
    line = json.loads(log.getvalue())
    assert (line["message"], line["method"], line["route"]) == ("request answered", "GET", "/threads/{thread_id}")
    assert line["status"] == 422
    assert line["correlation_id"]
    assert len(line["caller_hash"]) == len(line["thread_hash"]) == 12
    assert "secret" not in log.getvalue()


def test_only_this_machine_can_name_a_user() -> None:
    for host, status in (("127.0.0.1", 200), ("::1", 200), ("::ffff:127.0.0.1", 200), ("192.0.2.1", 401), ("", 401)):
        client = TestClient(bare_app(), client=(host, 1))
        assert (host, client.get("/agents", headers={"X-Turnkeep-User": "ann"}).status_code) == (host, status)
        assert client.get("/agents").status_code == 200


PROXY_HEADERS = """
Forwarded Via CDN-Loop True-Client-IP Fastly-Client-IP Fly-Client-IP Fly-Forwarded-Port Origin CF-Ray CF-Connecting-IP
CF-Connecting-IPv6 CF-IPCountry CF-Visitor X-Real-IP X-Client-IP X-Cluster-Client-IP X-Remote-IP
X-Appengine-Remote-Addr X-Azure-ClientIP X-Azure-SocketIP X-ARR-SSL X-Proxy-User-Ip X-ProxyUser-Ip
X-Envoy-External-Address X-Envoy-Original-Path X-Forwarded X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto
X-Forwarded-Port X-Forwarded-Server X-Forwarded-Prefix X-Forwarded-User X-Original-Forwarded-For X-Original-URL
X-Original-Host
"""


@pytest.mark.parametrize("header", PROXY_HEADERS.split())
def test_proxies_and_pages_cannot_name_a_user(header: str) -> None:
    client = TestClient(bare_app(), client=("127.0.0.1", 1))
    for value in ("127.0.0.1", "https://evil.example", ""):
        answer = client.get("/agents", headers={"X-Turnkeep-User": "ann", header: value})
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert client.get("/agents", headers={header: value}).status_code == 200
    own = {"X-Turnkeep-User": "ann", "X-Correlation-Id": "a", "X-Turnkeep-Thread": "t", "X-API-Key": "k"}
    own |= {"X-Stainless-Retry-Count": "0", "X-OpenWebUI-User-Id": "u", "X-Request-Id": "r", "User-Agent": "x"}
    assert client.get("/agents", headers=own).status_code == 200


@pytest.mark.parametrize("user", ["a#b", "..", "x" * 65, "a b", ""])
async def test_a_malformed_user_is_rejected(user: str) -> None:
    answer = await ask(headers={"X-Turnkeep-User": user})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_id")


def test_authentication_comes_before_validation() -> None:
    client = TestClient(bare_app(), client=("192.0.2.1", 1))
    for path, method in (("/threads/a%23b", "GET"), ("/chat", "POST"), ("/threads/t1/turns?limit=0", "GET")):
        answer = client.request(method, path, headers={"X-Turnkeep-User": "ann"}, content=b"{")
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


@pytest.mark.parametrize("route", ["/chat", "/chat/stream"])
async def test_an_exception_of_a_node_is_logged_without_its_text(
    route: str, client: AsyncClient, output: Callable[[], list[dict[str, Any]]]
) -> None:
    body = {"message": "canary", "agent": "broken", "session_id": "t1"}
    answer = await client.post(route, json=body)
    assert answer.text.count('"code":"agent_error"') == 1
    assert "canary" not in answer.text
    lines = output()
    assert [(line["AgentFault"], line["code"]) for line in lines if "_aws" in line] == [([1.0], "agent_error")]
    [raised] = [line for line in lines if line.get("message") == "a node of the graph raised"]
    assert (raised["error"], raised["place"].split(":")[0]) == ("RuntimeError", "echoing.py")
    assert "canary" not in str(lines)
