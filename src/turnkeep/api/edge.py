"""The outermost layer: correlation id, common headers, HEAD, one log line a request. Plain ASGI, because Starlette's
middleware base class would hide a client's disconnect from a stream."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnkeep.api.errors import respond
from turnkeep.errors import ServerStopping
from turnkeep.observability import correlate, correlation_id, logger

_WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{1,64}")
_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}


class Edge:
    """`random_bytes` makes correlation ids when the request's is missing or malformed and the server has none."""

    def __init__(self, app: ASGIApp, *, new_id: Callable[[], str]) -> None:
        self._app = app
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        correlate(self._correlation_id(scope), **_lambdas_id(scope))
        passing = _Exchange(scope, send)
        inner = {**scope, "method": "GET" if scope["method"] == "HEAD" else scope["method"], "state": passing.state}
        try:
            # After a 500 Starlette raises the error again, for the server to log with its text.
            with suppress(Exception):
                await self._app(inner, receive, passing.send)
        except asyncio.CancelledError:
            if not passing.status:  # otherwise the cut connection shows it
                await respond(ServerStopping())(inner, receive, passing.send)
            raise
        finally:
            _log(inner, passing.status, perf_counter() - started)

    def _correlation_id(self, scope: Scope) -> str:
        given = Headers(scope=scope).get("x-correlation-id", "")
        if _WELL_FORMED.fullmatch(given):
            return given
        return scope.get("state", {}).get("correlation_id") or self._new_id()


class _Exchange:
    """Sends the answer with our headers, without a body if only the head was requested."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.state: dict[str, Any] = {**scope.get("state", {})}
        self.status = 0
        self._send = send
        self._is_head = scope["method"] == "HEAD"

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Correlation-Id"] = correlation_id()
            headers["X-Content-Type-Options"] = "nosniff"
            headers.setdefault("Cache-Control", "no-store")
            if "idempotency_key" in self.state:
                headers["Idempotency-Key"] = self.state["idempotency_key"]
        elif self._is_head:
            message = {**message, "body": b""}
        await self._send(message)


def _lambdas_id(scope: Scope) -> dict[str, str]:
    """Return Lambda's id of this request, which its own log lines contain."""
    request_id = getattr(scope.get("aws.context"), "aws_request_id", None)
    return {"function_request_id": request_id} if request_id else {}


def _log(scope: Scope, status: int, seconds: float) -> None:
    """Log the declared route, because the path contains ids; for the same reason only known methods."""
    route = getattr(scope.get("route"), "path", None)
    method = scope["method"] if scope["method"] in _METHODS else "other"
    logger.info("request answered", duration_ms=round(seconds * 1000), method=method, route=route, status=status)
