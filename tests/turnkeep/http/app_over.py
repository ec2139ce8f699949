"""Builds the API over the stores of a test, with real turns."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import Mock, patch

from echoing import Clock, echo_agent
from fastapi import FastAPI

from turnkeep import bootstrap
from turnkeep.graphs.agent import Agent
from turnkeep.http.app import create_app
from turnkeep.http.auth import local_principal
from turnkeep.settings import Settings
from turnkeep.store.items import Items
from turnkeep.turns import Turns
from turnkeep_local.objects import FolderObjects

NAMES = frozenset({"papers", "broken", "database", "products"})


def app_over(
    items: Items,
    folder_objects: FolderObjects,
    clock: Clock,
    agent_of: Callable[[str], Agent] = echo_agent,
    authenticate: Any = local_principal,
    **changes: Any,
) -> FastAPI:
    """`changes` are fields of Services. The state of the app has those that tests use."""
    own = {"Items": lambda *_, **__: items, "build_agent": lambda name, **_: agent_of(name)}
    settings = Settings(seal_key="secret-of-the-test", dynamodb_direct=False)  # type: ignore[arg-type]
    with patch.multiple(bootstrap, Turns=partial(Turns, names=NAMES), **own):
        services = bootstrap.build(settings, dynamodb=Mock(), objects=folder_objects, clock=clock)
    services = replace(services, **changes)
    app = create_app(services, authenticate=authenticate)
    for name in ("attachments", "exports", "user_eraser", "store", "runs"):
        setattr(app.state, name, getattr(services, name))
    return app
