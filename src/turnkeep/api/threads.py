"""Routes under /threads that run nothing: make, read, change, search and delete threads."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from turnkeep.api.auth import Caller
from turnkeep.api.errors import problems
from turnkeep.api.schemas import Id, NewThread, ThreadChange, ThreadSearch
from turnkeep.api.views import ThreadView
from turnkeep.errors import (
    BodyTooLarge,
    InternalError,
    InvalidId,
    InvalidJson,
    InvalidRequest,
    NotFound,
    StateCorrupt,
    StoreUnavailable,
    ThreadBusy,
    ThreadExists,
    Unauthorized,
    UnsupportedMediaType,
)
from turnkeep.observability import logger, measure

if TYPE_CHECKING:
    from turnkeep.storage.table import Table

ALWAYS = (Unauthorized, InternalError, StoreUnavailable)
BODY = (InvalidJson, InvalidRequest, InvalidId, BodyTooLarge, UnsupportedMediaType)
READ = (*ALWAYS, InvalidRequest, InvalidId, NotFound, StateCorrupt)

FOUND: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "X-Pagination-Next": {
                "description": "there may be more: what to send as `cursor`",
                "schema": {"type": "string"},
            },
            "X-Unreadable-Threads": {
                "description": "how many threads are left out because they cannot be read; absent: none",
                "schema": {"type": "integer", "minimum": 1},
            },
        }
    }
}


class ThreadRoutes:
    def __init__(self, table: "Table", new_id: Callable[[], str]) -> None:
        self._table = table
        self._new_id = new_id

    def register(self, router: APIRouter) -> None:
        add = router.add_api_route
        add("/threads", self.create, methods=["POST"], responses=problems(*ALWAYS, *BODY, ThreadExists, ThreadBusy))
        add("/threads/search", self.search, methods=["POST"], responses=FOUND | problems(*ALWAYS, *BODY))
        add("/threads/{thread_id}", self.read, methods=["GET"], responses=problems(*READ))
        add(
            "/threads/{thread_id}",
            self.change,
            methods=["PATCH"],
            responses=problems(*ALWAYS, *BODY, NotFound, StateCorrupt, ThreadBusy),
        )
        add(
            "/threads/{thread_id}",
            self.delete,
            methods=["DELETE"],
            status_code=204,
            responses=problems(*READ, ThreadBusy),
        )

    def create(self, caller: Caller, body: NewThread | None = None) -> ThreadView:
        wanted = body or NewThread()
        thread = self._table.create_thread(
            caller, wanted.thread_id or self._new_id(), metadata=wanted.metadata, if_exists=wanted.if_exists
        )
        return ThreadView.of(thread)

    def search(self, caller: Caller, response: Response, body: ThreadSearch | None = None) -> list[ThreadView]:
        """The caller's threads, newest activity first. A search looks at no more than 1,000 threads."""
        wanted = body or ThreadSearch()
        found = self._table.search_threads(caller, **wanted.model_dump())
        if found.cursor:
            response.headers["X-Pagination-Next"] = found.cursor
        if found.unreadable:
            measure({"StateCorrupt": found.unreadable}, code=StateCorrupt.code)
            logger.error("stored threads unreadable, left out of a list", threads=found.unreadable)
            response.headers["X-Unreadable-Threads"] = str(found.unreadable)
        return [ThreadView.of(thread) for thread in found]

    def read(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.read_thread(caller, thread_id))

    def change(self, thread_id: Id, body: ThreadChange, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.update_thread(caller, thread_id, body.metadata))

    def delete(self, thread_id: Id, caller: Caller) -> None:
        self._table.delete_thread(caller, thread_id)
