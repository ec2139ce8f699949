"""The function `api` as API Gateway calls it: HTTP requests become proxy events, with the caller in the authorizer's
context and nowhere else."""

import asyncio
import base64
import importlib.util
import json
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

FUNCTION = Path(__file__).parents[1] / "functions" / "api" / "app.py"


class Context:
    """What Lambda tells of an invocation."""

    aws_request_id = "invocation"

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


def loaded(path: Path) -> Any:
    """A file as a module that nobody else has; that of a function is built anew from the environment."""
    spec: Any = importlib.util.spec_from_file_location(f"{path.stem}_{uuid.uuid4().hex}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_handler() -> Callable[[Any, Any], Any]:
    handler: Callable[[Any, Any], Any] = loaded(FUNCTION).handler
    return handler


def proxy_event(
    method: str, path: str, body: bytes = b"", *, headers: dict[str, str] | None = None, caller: str | None = "acme/ann"
) -> dict[str, Any]:
    """The event of a request with a body of JSON by a caller named `tenant/user`."""
    tenant, _, user = (caller or "/").partition("/")
    told = {"tenant": tenant, "user": user, "acts_for": "false", "credential": "key"} if caller else None
    sent = {"Content-Type": "application/json", **(headers or {})}
    return gateway_event(method, path, body, headers=sent.items(), authorizer=told)


def gateway_event(
    method: str,
    target: str,
    body: bytes = b"",
    *,
    headers: Iterable[tuple[str, str]] = (),
    authorizer: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The event of a REST API; `authorizer` is what a Lambda authorizer tells of the caller."""
    url, sent = urlsplit(target), defaultdict[str, list[str]](list)
    for name, value in headers:
        sent[name].append(value)
    query = parse_qs(url.query, keep_blank_values=True)
    caller = {"authorizer": authorizer, "identity": {"sourceIp": "127.0.0.1"}}
    return {
        "resource": "/{proxy+}",
        "path": url.path,
        "httpMethod": method,
        "headers": {name: values[-1] for name, values in sent.items()},
        "multiValueHeaders": sent,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "requestContext": {"requestId": str(uuid.uuid4()), **caller},
        "body": body.decode() or None,
        "isBase64Encoded": False,
    }


class FunctionTransport(httpx.AsyncBaseTransport):
    """An httpx client that talks to the function. As in a sandbox, one thread serves one request at a time."""

    def __init__(self) -> None:
        self._sandbox = ThreadPoolExecutor(1)
        self._handler = self._sandbox.submit(load_handler).result()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        event = proxy_event(
            request.method,
            request.url.path,
            await request.aread(),
            headers={name: value for name, value in request.headers.items() if name != "x-test-principal"},
            caller=request.headers.get("x-test-principal"),
        )
        event = json.loads(json.dumps(event))
        future = self._sandbox.submit(self._handler, event, Context())
        answer = await asyncio.wrap_future(future)
        body = answer["body"].encode()
        content = base64.b64decode(body) if answer["isBase64Encoded"] else body
        return httpx.Response(answer["statusCode"], headers=answer["headers"], content=content)

    async def aclose(self) -> None:
        """Stays open: several clients of a test share the function."""
