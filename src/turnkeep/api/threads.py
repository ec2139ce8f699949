"""Routes under /threads that run nothing: make, read, change, search and delete threads."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from turnkeep import errors
from turnkeep.api.auth import Caller
from turnkeep.api.errors import problems
from turnkeep.api.schemas import Id, NewThread, ThreadChange, ThreadSearch
from turnkeep.api.views import ThreadView
from turnkeep.observability import logger, measure

if TYPE_CHECKING:
    from turnkeep.storage.table import Table

ALWAYS = (errors.Unauthorized, errors.InternalError, errors.StoreUnavailable)
BODY = (errors.InvalidJson, errors.InvalidRequest, errors.InvalidId, errors.BodyTooLarge, errors.UnsupportedMediaType)
READ = (*ALWAYS, errors.InvalidRequest, errors.InvalidId, errors.NotFound, errors.StateCorrupt)

_NEXT = {"description": "there may be more: what to send as `cursor`", "schema": {"type": "string"}}
_UNREADABLE = {
    "description": "how many threads are left out because they cannot be read; absent: none",
    "schema": {"type": "integer", "minimum": 1},
}
FOUND: dict[int | str, dict[str, Any]] = {
    200: {"headers": {"X-Pagination-Next": _NEXT, "X-Unreadable-Threads": _UNREADABLE}}
}


class ThreadRoutes:
    def __init__(self, table: "Table", new_id: Callable[[], str]) -> None:
        self._table = table
        self._new_id = new_id

    def register(self, router: APIRouter) -> None:
        add = router.add_api_route
        made = problems(*ALWAYS, *BODY, errors.ThreadExists, errors.ThreadBusy)
        changed = problems(*ALWAYS, *BODY, errors.NotFound, errors.StateCorrupt, errors.ThreadBusy)
        gone, one = problems(*READ, errors.ThreadBusy), "/threads/{thread_id}"
        add("/threads", self.create, methods=["POST"], responses=made)
        add("/threads/search", self.search, methods=["POST"], responses=FOUND | problems(*ALWAYS, *BODY))
        add(one, self.read, methods=["GET"], responses=problems(*READ))
        add(one, self.change, methods=["PATCH"], responses=changed)
        add(one, self.delete, methods=["DELETE"], status_code=204, responses=gone)

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
            measure({"StateCorrupt": found.unreadable}, code=errors.StateCorrupt.code)
            logger.error("stored threads unreadable, left out of a list", threads=found.unreadable)
            response.headers["X-Unreadable-Threads"] = str(found.unreadable)
        return [ThreadView.of(thread) for thread in found]

    def read(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.read_thread(caller, thread_id))

    def change(self, thread_id: Id, body: ThreadChange, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.update_thread(caller, thread_id, body.metadata))

    def delete(self, thread_id: Id, caller: Caller) -> None:
        self._table.delete_thread(caller, thread_id)
