"""The HTTP application over what a test gives it; a route whose service is not given has nothing behind it."""

from collections.abc import Callable
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

from fastapi import FastAPI, Request

from turnkeep.http.app import create_app
from turnkeep.http.auth import local_principal
from turnkeep.records import Principal
from turnkeep.services import Services
from turnkeep.settings import Settings


def bare_app(*, authenticate: Callable[[Request], Principal] = local_principal, **given: Any) -> FastAPI:
    """`given` are fields of Services. Without `runs`, no turn waits for a busy thread."""
    if turns := given.get("turns"):
        given.setdefault("runs", SimpleNamespace(begin=turns.start))
    nothing: dict[str, Any] = {field.name: None for field in fields(Services)}
    return create_app(Services(**{**nothing, "settings": Settings(), **given}), authenticate=authenticate)
