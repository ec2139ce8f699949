"""Routes under /threads that run nothing: make, read, change, search and delete threads."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import APIRouter

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

if TYPE_CHECKING:
    from turnkeep.storage.table import Table

ALWAYS = (Unauthorized, InternalError, StoreUnavailable)
BODY = (InvalidJson, InvalidRequest, InvalidId, BodyTooLarge, UnsupportedMediaType)
READ = (*ALWAYS, InvalidRequest, InvalidId, NotFound, StateCorrupt)


class ThreadRoutes:
    def __init__(self, table: "Table", new_id: Callable[[], str]) -> None:
        self._table = table
        self._new_id = new_id

    def register(self, router: APIRouter) -> None:
        add = router.add_api_route
        add("/threads", self.create, methods=["POST"], responses=problems(*ALWAYS, *BODY, ThreadExists, ThreadBusy))
        add("/threads/search", self.search, methods=["POST"], responses=problems(*ALWAYS, *BODY))
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

    def search(self, caller: Caller, body: ThreadSearch | None = None) -> list[ThreadView]:
        """The caller's threads, newest activity first."""
        wanted = body or ThreadSearch()
        found = self._table.search_threads(
            caller,
            metadata=wanted.metadata,
            status=wanted.status,
            agent=wanted.agent,
            limit=wanted.limit,
            offset=wanted.offset,
        )
        return [ThreadView.of(thread) for thread in found]

    def read(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.read_thread(caller, thread_id))

    def change(self, thread_id: Id, body: ThreadChange, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.update_thread(caller, thread_id, body.metadata))

    def delete(self, thread_id: Id, caller: Caller) -> None:
        self._table.delete_thread(caller, thread_id)
