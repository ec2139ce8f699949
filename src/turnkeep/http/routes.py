"""Shared by all routes: their dependencies, and the errors that they may return."""

from collections.abc import Callable
from typing import Any

from turnkeep import errors
from turnkeep.http.errors import PROBLEM
from turnkeep.services import Services

ALWAYS = (errors.Unauthorized, errors.InternalError, errors.StoreUnavailable)
BODY = (errors.InvalidJson, errors.InvalidRequest, errors.InvalidId, errors.BodyTooLarge, errors.UnsupportedMediaType)
READ = (*ALWAYS, errors.InvalidRequest, errors.AnswerTooLarge, errors.InvalidId, errors.NotFound, errors.StateCorrupt)


class Routes:
    def __init__(self, services: Services, new_id: Callable[[], str]) -> None:
        self._services = services
        self._settings = services.settings
        self._store = services.store
        self._turns = services.turns
        self._new_id = new_id


def problems(*kinds: type[errors.TurnkeepError]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route for the OpenAPI document: the codes of each status."""
    codes: dict[int | str, list[str]] = {}
    for kind in kinds:
        codes.setdefault(kind.status, []).append(f"`{kind.code}`")
    content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": " or ".join(names), "content": content} for status, names in codes.items()}
