"""Requests of a node to the server that runs it. `langgraph_sdk.get_client()` without a URL imports the app of
`langgraph_api.server`, so our app is registered under that name. httpx's transport replaces that of an installed
`langgraph_api`, which needs the settings of its server."""

import importlib
import sys
from collections.abc import Callable
from functools import cached_property
from types import ModuleType
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from turnkeep.turns.request import ACTING

SERVER = "langgraph_api.server"
TRANSPORT = "langgraph_api.asgi_transport"


class _Server(ModuleType):
    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        super().__init__(SERVER)
        self._make = make

    @cached_property
    def app(self) -> ASGIApp:
        inner = self._make()

        async def acting(scope: Scope, receive: Receive, send: Send) -> None:
            await inner({**scope, "turnkeep.principal": ACTING.get()}, receive, send)

        return acting


class _Transport(ModuleType):
    @property
    def ASGITransport(self) -> Any:  # noqa: N802 - imported by the SDK
        return importlib.import_module("httpx").ASGITransport


def serve_nodes(make: Callable[[], ASGIApp]) -> None:
    """Serve requests of nodes with the app that `make` returns, as the principal of their run."""
    sys.modules.update({SERVER: _Server(make), TRANSPORT: _Transport(TRANSPORT)})
