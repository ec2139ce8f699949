"""Protocols whose routes are made at their first request, so that other cold starts do not pay for them."""

import importlib
import re
from collections.abc import Callable

from fastapi import APIRouter
from starlette.types import ASGIApp, Receive, Scope, Send

from turnkeep.services import Services

PROTOCOLS = {  # paths by package in `turnkeep.api`, whose `register` makes the routes
    "langgraph": re.compile(r"/(assistants|runs|store)(/|$)|/threads/count$|/threads/[^/]+/(runs|state|history|copy)"),
    "openai": re.compile(r"/v1/"),
    "page": re.compile(r"/$|/page/"),
}


class LateRoutes:
    """Adds the routes of a protocol to the router before the first request for it is routed."""

    def __init__(self, router: APIRouter, services: Services, new_id: Callable[[], str]) -> None:
        self._router = router
        self._services = services
        self._new_id = new_id
        self._left = dict(PROTOCOLS)

    def load(self, path: str | None = None) -> None:
        """Add the routes of the protocol that this path belongs to; without a path, all that are missing."""
        for name in [name for name, paths in self._left.items() if path is None or paths.match(path)]:
            del self._left[name]
            importlib.import_module(f"turnkeep.api.{name}").register(self._router, self._services, self._new_id)

    def before(self, app: ASGIApp) -> ASGIApp:
        async def loaded(scope: Scope, receive: Receive, send: Send) -> None:
            if self._left and scope["type"] == "http":
                self.load(scope["path"])
            await app(scope, receive, send)

        return loaded
