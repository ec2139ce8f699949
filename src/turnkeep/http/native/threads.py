"""Routes that create, read, update, search and delete threads."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from fastapi.responses import JSONResponse

from turnkeep import errors
from turnkeep.entries import entries
from turnkeep.http.auth import Caller
from turnkeep.http.routes import ALWAYS, BODY, READ, Routes, problems
from turnkeep.http.schemas import Id, NewThread, ThreadChange, ThreadSearch
from turnkeep.http.views import ThreadView, facts_of
from turnkeep.observability import logger, measure
from turnkeep.records import JSON, Principal
from turnkeep.store.listing import SEARCHED_THREADS, Found
from turnkeep.store.store import Store

_NEXT = {"description": "the `cursor` of the next page", "schema": {"type": "string"}}
_UNREADABLE = {"description": "number of unreadable threads, omitted", "schema": {"type": "integer", "minimum": 1}}
FOUND: Any = {200: {"headers": {"X-Pagination-Next": _NEXT, "X-Unreadable-Threads": _UNREADABLE}}}


class ThreadRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        add = router.add_api_route
        made = problems(*ALWAYS, *BODY, errors.ThreadExists, errors.ThreadBusy)
        changed = problems(*ALWAYS, *BODY, errors.NotFound, errors.StateCorrupt, errors.ThreadBusy)
        gone, one = problems(*READ, errors.ThreadBusy), "/threads/{thread_id}"
        add("/threads", self.create, methods=["POST"], responses=made)
        found = FOUND | problems(*ALWAYS, *BODY)
        add("/threads/search", self.search, methods=["POST"], response_model=list[ThreadView], responses=found)
        add(one, self.read, methods=["GET"], responses=problems(*READ))
        add(one, self.change, methods=["PATCH"], response_model=ThreadView, responses=changed)
        add(one, self.delete, methods=["DELETE"], status_code=204, responses=gone)

    def create(self, caller: Caller, body: NewThread | None = None) -> ThreadView:
        wanted = body or NewThread()
        agent, metadata = agent_in(wanted.metadata)
        thread_id, minutes = wanted.thread_id or self._new_id(), wanted.ttl.ttl if wanted.ttl else None
        thread = self._store.threads.create(
            caller, thread_id, agent=agent, metadata=metadata, if_exists=wanted.if_exists or "raise", minutes=minutes
        )
        return ThreadView.of(thread)

    def search(self, caller: Caller, response: Response, body: ThreadSearch | None = None) -> Any:
        """List the caller's threads, newest activity first, among at most 1,000."""
        wanted = body or ThreadSearch()
        found = find_threads(self._store, caller, wanted)
        if found.cursor:
            response.headers["X-Pagination-Next"] = found.cursor
        if found.unreadable:
            measure({"StateCorrupt": found.unreadable}, code=errors.StateCorrupt.code)
            logger.error("unreadable threads omitted from a list", threads=found.unreadable)
            response.headers["X-Unreadable-Threads"] = str(found.unreadable)
        views = [ThreadView.of(thread) for thread in found]
        if wanted.select:
            some = [view.model_dump(mode="json", include={*map(str, wanted.select)}) for view in views]
            return JSONResponse(some, headers=dict(response.headers))
        return views

    def read(self, thread_id: Id, caller: Caller) -> ThreadView:
        head = self._store.heads.read(caller, thread_id)
        queued = self._services.runs.lookup.waiting(head) if head.has_queue else ()
        return ThreadView.of(self._store.threads.view(head), queued)

    def change(
        self, thread_id: Id, body: ThreadChange, caller: Caller, prefer: Annotated[str | None, Header()] = None
    ) -> Any:
        changed = self._store.threads.update(caller, thread_id, body.metadata)
        return Response(status_code=204) if prefer == "return=minimal" else ThreadView.of(changed)

    def delete(self, thread_id: Id, caller: Caller) -> None:
        self._store.threads.delete(caller, thread_id)


def agent_in(metadata: JSON | None) -> tuple[str | None, JSON | None]:
    """Return the agent, which LangGraph's clients send in the metadata, and the rest of the metadata."""
    named = metadata or {}
    agent = next((name for name in entries() if facts_of(name).items() & named.items()), None)
    facts = facts_of(agent)
    return agent, {key: value for key, value in named.items() if key not in facts or facts[key] != value} or None


def find_threads(store: Store, caller: Principal, wanted: ThreadSearch) -> Found:
    """Return one page. Other orders than newest activity first read all threads and have no cursor."""
    agent, metadata = agent_in(wanted.metadata)
    filters: Any = {"metadata": metadata, "status": wanted.status, "agent": wanted.agent or agent}
    by, is_ascending = wanted.sort_by or "updated_at", wanted.sort_order == "asc"
    if by in ("updated_at", "state_updated_at") and not is_ascending and wanted.ids is None:
        page: Any = {"limit": wanted.limit, "offset": wanted.offset, "cursor": wanted.cursor}
        return store.listing.search(caller, **filters, **page)
    every = store.listing.search(caller, **filters, limit=SEARCHED_THREADS)
    fitting = [thread for thread in every if wanted.ids is None or thread.thread_id in wanted.ids]
    fitting.sort(key=lambda thread: getattr(thread, by.removeprefix("state_")), reverse=not is_ascending)
    every[:], every.cursor = fitting[wanted.offset : wanted.offset + wanted.limit], None
    return every
