"""Proxy events: which are requests, how they reach the app, and how whole answers leave."""

import json
import logging
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runtime_api import Output, context, event
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, compile_path

from bare_app import bare_app
from turnkeep.aws.gateway import Buffered, is_request
from turnkeep.errors import Unauthorized

WORDS = "Käse, 🧀"
TEMPLATE = Path(__file__).parents[3] / "template.yaml"


async def mirror(request: Request) -> Response:
    """What the app sees of a request."""
    return JSONResponse(
        {
            "path": request.url.path,
            "method": request.method,
            "query": request.query_params.multi_items(),
            "headers": request.headers.items(),
            "client": request.client.host if request.client else None,
            "body": (await request.body()).decode(),
            "left": request.state.deadline - time.monotonic(),
        }
    )


MIRROR = Buffered(Starlette(routes=[Route("/{path:path}", mirror, methods=["GET", "POST"])]))


def seen(**more: Any) -> dict[str, Any]:
    answer = MIRROR(event(**more), context(20))
    assert answer["statusCode"] == 200
    return dict(json.loads(answer["body"]))


def test_the_app_sees_the_request_as_it_was_sent_and_no_path_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    found = seen(
        path="/threads/a%20b",
        body=WORDS,
        headers={"X-One": "2"},
        multiValueHeaders={"X-One": ["1", "2"]},
        queryStringParameters={"limit": "2"},
        multiValueQueryStringParameters={"limit": ["1", "2"]},
    )
    assert (found["method"], found["path"], found["body"]) == ("POST", "/threads/a b", WORDS)
    assert found["headers"] == [["x-one", "1, 2"]]
    assert found["query"] == [["limit", "1"], ["limit", "2"]]
    assert found["client"] == "127.0.0.1"
    assert 10 < found["left"] <= 19  # less by what a busy machine took
    assert "threads" not in caplog.text


@pytest.mark.parametrize(("given", "expected"), [({}, "g-1"), ({"X-Correlation-Id": "mine"}, "mine")])
def test_the_correlation_id_is_the_clients_else_the_gateways(given: dict[str, str], expected: str) -> None:
    def refuse(_: Request) -> Any:
        raise Unauthorized

    app = bare_app(authenticate=refuse)
    multi = {name: [value] for name, value in given.items()}
    for path, status in (("/ok", 200), ("/info", 401)):
        answer = Buffered(app)(event(path, httpMethod="GET", headers=given, multiValueHeaders=multi), context())
        assert (answer["statusCode"], answer["headers"]["x-correlation-id"]) == (status, expected)
        assert json.loads(answer["body"]).get("correlation_id", expected) == expected


NO_REQUESTS: list[Any] = [
    {"Records": [{"body": "SECRET"}]},
    {"version": "2.0", "requestContext": {"http": {"method": "GET"}}, "rawPath": "/ok"},
    *({name: value for name, value in event().items() if name != left_out} for left_out in ("path", "resource")),
    event(headers="SECRET"),
    event(body={"SECRET": 1}),
]


@pytest.mark.parametrize("given", NO_REQUESTS, ids=lambda value: str(value)[:40])
def test_an_event_that_is_not_a_request_is_ignored_and_logged(given: Any, output: Output) -> None:
    assert MIRROR(given, context()) is None
    (line,) = output()
    assert line["level"] == "WARNING"
    assert "ignored" in line["message"]
    assert "SECRET" not in str(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*event(), "x"]), inner, max_size=5),
    max_leaves=10,
)


@given(JSON)
def test_no_event_raises(given: Any) -> None:
    assert is_request(given) or MIRROR(given, context()) is None


def test_empty_parts_may_be_null() -> None:
    assert seen(headers=None, multiValueHeaders=None, body=None)["body"] == ""


# Custom domains


ROUTES = sorted(set(re.findall(r'^ {10}"?(/[^":\s]*)"?:$', TEMPLATE.read_text(), re.MULTILINE)))
SEGMENT = st.from_regex(r"[A-Za-z0-9_~-]{1,8}", fullmatch=True)
BASES = st.lists(st.one_of(SEGMENT, st.sampled_from(["v1", "threads", "page", "ok", "chat"])), max_size=3)


def placed(resource: str, values: Mapping[str, str]) -> str:
    """The path of a request for a resource, with the values of its parameters."""
    return re.sub(r"\{(\w+)\+?\}", lambda found: quote(values[found[1]]), resource)


@given(st.sampled_from(ROUTES), BASES, st.data())
def test_a_base_path_of_a_custom_domain_is_not_seen_by_the_app(resource, base, data):
    """API Gateway puts it in front of `path`; `resource` and `pathParameters` are those of the API."""
    names = {found[1]: bool(found[2]) for found in re.finditer(r"\{(\w+)(\+?)\}", resource)}
    several = st.lists(SEGMENT, min_size=1, max_size=3).map("/".join)
    values = {name: data.draw(several if greedy else SEGMENT) for name, greedy in names.items()}
    own = placed(resource, values)
    path = "".join(f"/{each}" for each in base) + own
    asked = {**event()["requestContext"], "path": path, "resourcePath": resource}
    found = seen(path=path, resource=resource, pathParameters=values or None, requestContext=asked)
    assert found["path"] == unquote(own)


@pytest.mark.parametrize("path", ["/chat-api", "/chat-api/", "/", "/v1/chat-api"])
def test_the_page_is_at_a_base_path_with_and_without_a_slash(path: str) -> None:
    """Without, it redirects, because its links are relative."""
    asked = {**event()["requestContext"], "path": path}
    answer = Buffered(bare_app())({**event(path, resource="/", requestContext=asked), "httpMethod": "GET"}, context(20))
    assert answer["statusCode"] == (200 if path.endswith("/") else 307)
    assert answer["headers"].get("location", "/") == ("/" if path.endswith("/") else f"{path}/")


@given(
    st.sampled_from(ROUTES), BASES, st.lists(st.one_of(SEGMENT, st.sampled_from(["a%2Fb", "..", "%2e"])), max_size=5)
)
def test_the_app_sees_the_path_that_was_sent_or_one_of_the_resource(resource, base, rest):
    """So no request gets past its authorizer by the path of another route."""
    path = "/" + "/".join(base + rest)
    found = seen(path=path, resource=resource)["path"]
    pattern, _, _ = compile_path(resource.replace("+}", ":path}"))
    assert found == unquote(path) or pattern.match(found.rstrip("/") or "/")
