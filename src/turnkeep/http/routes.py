"""Shared by all routes: their dependencies, and the errors that they may return."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from turnkeep import errors

if TYPE_CHECKING:
    from turnkeep.services import Services

ALWAYS = (errors.Unauthorized, errors.InternalError, errors.StoreUnavailable)
BODY = (errors.InvalidJson, errors.InvalidRequest, errors.InvalidId, errors.BodyTooLarge, errors.UnsupportedMediaType)
READ = (*ALWAYS, errors.InvalidRequest, errors.AnswerTooLarge, errors.InvalidId, errors.NotFound, errors.StateCorrupt)


class Routes:
    def __init__(self, services: "Services", new_id: Callable[[], str]) -> None:
        self._services = services
        self._settings = services.settings
        self._store = services.store
        self._turns = services.turns
        self._new_id = new_id
