"""Correlation id, common headers, HEAD and a log line, and outside of them CORS: pages can read errors, and a preflight
needs no credential. Plain ASGI: BaseHTTPMiddleware hides disconnects of streams."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnkeep.errors import ServerStopping
from turnkeep.http.errors import respond
from turnkeep.observability import correlate, correlation_id, logger
from turnkeep.store.keys import is_well_formed

EXPOSED_HEADERS = (
    "Content-Location", "Idempotency-Key", "Idempotency-Replayed", "Location", "Retry-After", "X-Correlation-Id",
    "X-Pagination-Next", "X-Pagination-Total", "X-Request-Id", "X-Should-Retry", "X-Turnkeep-Thread",
    "X-Turnkeep-Warnings", "X-Unreadable-Threads",
)  # fmt: skip
ON_THIS_MACHINE = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?|https://(eu\.)?smith\.langchain\.com"
"""Origins that may call a local server: pages of this machine, and LangGraph's Studio."""
_LOGGED_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}


class Edge:
    """`new_id` makes a correlation id if the request has no valid one and the server none."""

    def __init__(self, app: ASGIApp, *, new_id: Callable[[], str]) -> None:
        self._app = app
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = perf_counter(), 0
        state: dict[str, Any] = {**scope.get("state", {})}
        lambda_id = getattr(scope.get("aws.context"), "aws_request_id", None)
        given = Headers(scope=scope).get("x-correlation-id", "")
        if not is_well_formed(given):
            given = state.get("correlation_id") or self._new_id()
        correlate(given, **({"function_request_id": lambda_id} if lambda_id else {}))

        async def answer(message: Message) -> None:
            """Send the response with our headers, without a body for HEAD."""
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Correlation-Id"] = correlation_id()
                headers["X-Content-Type-Options"] = "nosniff"
                headers.setdefault("Cache-Control", "no-store")
                if "idempotency_key" in state:
                    headers["Idempotency-Key"] = state["idempotency_key"]
            elif scope["method"] == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        inner = {**scope, "method": "GET" if scope["method"] == "HEAD" else scope["method"], "state": state}
        try:
            # Starlette raises the error again after a 500, and the server would log its text.
            with suppress(Exception):
                await self._app(inner, receive, answer)
        except asyncio.CancelledError:
            if not status:  # else the client sees a cut connection
                await respond(ServerStopping())(inner, receive, answer)
            raise
        finally:
            # The declared route, because the path contains ids, and known methods only.
            route, taken = getattr(inner.get("route"), "path", None), round((perf_counter() - started) * 1000)
            method = inner["method"] if inner["method"] in _LOGGED_METHODS else "other"
            logger.info("request answered", duration_ms=taken, method=method, route=route, status=status)


def for_browsers(app: ASGIApp, origins: Sequence[str], pattern: str | None = None) -> ASGIApp:
    """Allow pages of these origins to call, without cookies; return the app itself if there are none."""
    if not origins and not pattern:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_origin_regex=pattern,
        allow_methods=("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
        allow_headers=("*",),
        expose_headers=EXPOSED_HEADERS,
        allow_credentials=False,
        allow_private_network=True,
    )
