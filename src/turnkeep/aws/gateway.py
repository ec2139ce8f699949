"""API Gateway's proxy events as ASGI: which events are requests, and the handler of functions that do not stream."""

import asyncio
import logging
import re
import time
from collections.abc import Mapping
from typing import Any

from mangum import Mangum
from mangum.handlers import APIGateway
from mangum.types import LambdaConfig
from starlette.types import ASGIApp, Receive, Scope, Send

from turnkeep.observability import logger

REPLY_SECONDS = 1  # reserved of a function's time for sending an answer

_TEXT = ["text/", "application/"]  # Mangum would send what it does not know, such as problem+json, in base64
_CONFIG = LambdaConfig(api_gateway_base_path="/", text_mime_types=_TEXT, exclude_headers=[])
_REQUEST = {
    "resource": str,
    "path": str,
    "httpMethod": str,
    "headers": Mapping | None,
    "multiValueHeaders": Mapping | None,
    "body": str | None,
    "requestContext": Mapping,
}

_WITH_PORT = re.compile(r"x-forwarded-port:|host:.*:", re.IGNORECASE | re.DOTALL)
_PARAMETER = re.compile(r"\{(\w+)\+?\}")


def translated(event: Mapping[str, Any], context: Any) -> APIGateway:
    """Return a proxy event as ASGI `scope` and `body`."""
    return APIGateway(_plain(event), context, _CONFIG)


def is_request(event: Any) -> bool:
    """Return whether an event is a request; log others. Streaming integrations reportedly send one at the end."""
    fits = isinstance(event, Mapping) and all(isinstance(event.get(name), kind) for name, kind in _REQUEST.items())
    if not fits:
        logger.warning("event ignored, not a request of API Gateway")
    return fits


def _plain(event: Mapping[str, Any]) -> dict[str, Any]:
    """Mangum parses ports in these headers; for an invalid one it raises an error that quotes it."""
    kept = {field: _portless(event.get(field) or {}) for field in ("headers", "multiValueHeaders")}
    return {**event, **kept, "path": _own_path(event)}


def _own_path(event: Mapping[str, Any]) -> str:
    """Return the resource with its parameters: the path may begin with the base path of a custom domain."""
    values = event.get("pathParameters") or {}
    try:
        return _PARAMETER.sub(lambda found: str(values[found[1]]), event["resource"])
    except KeyError:  # an emulator names none
        return str(event["path"])


def _portless(headers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in headers.items() if not _WITH_PORT.match(f"{name}:{value}")}


class Gateway:
    """ASGI middleware: passes the request's id and deadline to the app."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        left = scope["aws.context"].get_remaining_time_in_millis() / 1000
        state = {
            "correlation_id": scope["aws.event"]["requestContext"].get("requestId"),
            "deadline": time.monotonic() + left - REPLY_SECONDS,
        }
        await self._app({**scope, "state": state}, receive, send)


class Buffered:
    """Lambda handler that returns whole answers, including those that would be streamed."""

    def __init__(self, app: ASGIApp) -> None:
        logging.getLogger("mangum").setLevel(logging.WARNING)  # it would log every path, which names threads
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)  # Mangum looks for it
        self._mangum = Mangum(Gateway(app), lifespan="off", text_mime_types=_TEXT)

    def __call__(self, event: Any, context: Any) -> Any:
        if not is_request(event):
            return None
        asyncio.set_event_loop(self._loop)  # Mangum runs a request on the loop of its thread
        return self._mangum(_plain(event), context)
