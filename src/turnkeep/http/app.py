"""The HTTP application. It reads nothing from the environment. Routes of LangGraph's and OpenAI's protocols and of the
page are added at their first request, so that other cold starts do not pay for them."""

import importlib
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.types import ASGIApp, Receive, Scope, Send

from turnkeep import __version__
from turnkeep.http.bodies import JsonRoute
from turnkeep.http.edge import Edge, for_browsers
from turnkeep.http.errors import HANDLERS
from turnkeep.http.native.attachments import AttachmentRoutes
from turnkeep.http.native.internal import PATH as INTERNAL_PATH
from turnkeep.http.native.internal import InternalRoutes
from turnkeep.http.native.me import MeRoutes
from turnkeep.http.native.threads import ThreadRoutes
from turnkeep.http.native.turns import TurnRoutes
from turnkeep.http.service import ServiceRoutes
from turnkeep.http.views import Problem
from turnkeep.records import JSON, Principal
from turnkeep.services import Services

PROTOCOLS = {  # by package of `turnkeep.http`, whose `register` adds the routes
    "langgraph": re.compile(
        r"/(assistants|runs|store)(/|$)|/threads/(count|prune)$|/threads/[^/]+/(runs|state|history|copy|stream|commands)"
    ),
    "openai": re.compile(r"/v1/"),
    "page": re.compile(r"/$|/page/"),
}


def _event(description: str, data: str, **others: JSON) -> JSON:
    text = {"type": "string", "contentMediaType": "application/json", "description": data}
    properties = {**others, "data": text}
    return {"type": "object", "description": description, "required": list(properties), "properties": properties}


_EVENT = _event(
    "A server-sent event. The last one is `complete` or `error`.",
    "An object with `event` and, for `complete`, the turn, for `error`, the problem.",
    event={"type": "string", "description": "queued, route_decision, tool_start, node, token, custom, complete, error"},
    id={"type": "string", "description": "attempt, event and frame, such as 12.3.0"},
)
_INTERNAL_EVENT = _event(
    "A `data:` line and an empty one. The last event is `complete` or `error`.",
    "An object whose `event` is route_decision, tool_start, token, complete or error.",
)


class LateRoutes:
    """Adds the routes of a protocol before its first request is routed."""

    def __init__(self, router: APIRouter, services: Services, new_id: Callable[[], str]) -> None:
        self._given = (router, services, new_id)
        self._left = dict(PROTOCOLS)

    def load(self, path: str | None = None) -> None:
        """Add the missing routes of the path's protocol, or of all protocols."""
        for name in [name for name, paths in self._left.items() if path is None or paths.match(path)]:
            del self._left[name]
            importlib.import_module(f"turnkeep.http.{name}").register(*self._given)

    def before(self, app: ASGIApp) -> ASGIApp:
        async def load_first(scope: Scope, receive: Receive, send: Send) -> None:
            if self._left and scope["type"] == "http":
                self.load(scope["path"])
            await app(scope, receive, send)

        return load_first


class Api(FastAPI):
    def build_middleware_stack(self) -> ASGIApp:
        app = Edge(self.state.late.before(super().build_middleware_stack()), new_id=self.state.new_id)
        return for_browsers(app, self.state.cors_origins, self.state.cors_pattern)

    def openapi(self) -> JSON:
        """Return the document, with the problems and events of streams, which FastAPI does not know."""
        if self.openapi_schema:
            return self.openapi_schema
        document = get_openapi(title=self.title, version=self.version, routes=self.routes)
        schemas: dict[str, Any] = document["components"]["schemas"]
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= problem.pop("$defs") | {"Problem": problem}
        for path, operations in document["paths"].items():
            event = _INTERNAL_EVENT if path == INTERNAL_PATH else _EVENT
            for operation in operations.values():
                content = operation["responses"].get("200", {}).get("content", {})
                if "text/event-stream" in content:
                    content["text/event-stream"] = {"itemSchema": event}
        self.openapi_schema = document
        return document


def create_app(
    services: Services,
    *,
    authenticate: Callable[[Request], Principal],
    new_id: Callable[[], str] = lambda: str(uuid4()),
) -> FastAPI:
    """Return the application. `authenticate` raises Unauthorized."""
    app = Api(
        title="Turnkeep",
        version=__version__,
        docs_url=None,  # Swagger loads external scripts
        redoc_url=None,
        redirect_slashes=False,
        strict_content_type=False,
        exception_handlers=dict(HANDLERS),
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.authenticate = authenticate
    app.state.new_id = new_id
    app.state.stores = services.stores
    app.state.cors_origins = services.settings.cors_origins
    app.state.cors_pattern = None
    app.state.salt = services.settings.log_salt
    app.router.route_class = JsonRoute
    for routes in (ServiceRoutes, ThreadRoutes, TurnRoutes, AttachmentRoutes, InternalRoutes, MeRoutes):
        routes(services, new_id).register(app.router)
    app.state.late = LateRoutes(app.router, services, new_id)
    return app
