"""Correlation id, common headers, HEAD and one log line a request. Plain ASGI, because Starlette's base class for
middleware hides a client's disconnect from a stream."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnkeep.errors import ServerStopping
from turnkeep.http.errors import respond
from turnkeep.observability import correlate, correlation_id, logger

_WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{1,64}")
_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}


class Edge:
    """`new_id` makes a correlation id if the request has no valid one and the server none."""

    def __init__(self, app: ASGIApp, *, new_id: Callable[[], str]) -> None:
        self._app = app
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        lambda_id = getattr(scope.get("aws.context"), "aws_request_id", None)
        correlate(self._correlation_id(scope), **({"function_request_id": lambda_id} if lambda_id else {}))
        exchange = _Exchange(scope, send)
        inner = {**scope, "method": "GET" if scope["method"] == "HEAD" else scope["method"], "state": exchange.state}
        try:
            # Starlette raises the error again after a 500, and the server would log its text.
            with suppress(Exception):
                await self._app(inner, receive, exchange.send)
        except asyncio.CancelledError:
            if not exchange.status:  # else the client sees a cut connection
                await respond(ServerStopping())(inner, receive, exchange.send)
            raise
        finally:
            _log(inner, exchange.status, perf_counter() - started)

    def _correlation_id(self, scope: Scope) -> str:
        given = Headers(scope=scope).get("x-correlation-id", "")
        if _WELL_FORMED.fullmatch(given):
            return given
        return scope.get("state", {}).get("correlation_id") or self._new_id()


class _Exchange:
    """Sends the response with our headers, without a body for HEAD."""

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


def _log(scope: Scope, status: int, seconds: float) -> None:
    """Log the declared route, because the path contains ids, and known methods only."""
    route = getattr(scope.get("route"), "path", None)
    method = scope["method"] if scope["method"] in _METHODS else "other"
    logger.info("request answered", duration_ms=round(seconds * 1000), method=method, route=route, status=status)
