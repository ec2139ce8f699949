"""States of a thread: reading, changing and history; counting and copying of threads."""

from collections.abc import Callable

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from turnkeep.api.answers import fitting
from turnkeep.api.auth import Caller
from turnkeep.api.langgraph.bodies import Checkpoint, HistoryQuery, StateAt, StateUpdate
from turnkeep.api.routes import Routes
from turnkeep.api.schemas import Id, ThreadSearch
from turnkeep.api.threads import find_threads
from turnkeep.api.views import ThreadView
from turnkeep.entries import entries
from turnkeep.errors import InvalidRequest
from turnkeep.records import JSON
from turnkeep.storage.listing import SEARCHED_THREADS

STATE = "/threads/{thread_id}/state"
NO_GRAPH = "The thread has no graph yet. Create it with `metadata.graph_id`, or run a graph on it first."


class StateRoutes(Routes):
    def register(self, add: Callable[..., None]) -> None:
        add("/threads/count", self.count, methods=["POST"])
        add("/threads/{thread_id}/copy", self.copy, methods=["POST"])
        add(STATE, self.read, methods=["GET"])
        add(STATE, self.update, methods=["POST"])
        add(f"{STATE}/checkpoint", self.read_at, methods=["POST"])
        add(f"{STATE}/{{checkpoint_id}}", self.read, methods=["GET"])
        add("/threads/{thread_id}/history", self.history, methods=["POST"])

    async def read(self, thread_id: Id, caller: Caller, request: Request, *, subgraphs: bool = False) -> JSON:
        named = request.path_params.get("checkpoint_id")
        return (await self._turns.states.read(caller, thread_id, named, subgraphs=subgraphs)).as_json(thread_id)

    async def read_at(self, thread_id: Id, body: StateAt, caller: Caller) -> JSON:
        named = body.checkpoint
        found = await self._turns.states.read(
            caller, thread_id, named.checkpoint_id, namespace=named.checkpoint_ns, subgraphs=body.subgraphs
        )
        return found.as_json(thread_id)

    async def update(self, thread_id: Id, body: StateUpdate, caller: Caller) -> JSON:
        if len(entries()) > 1:
            thread = await run_in_threadpool(self._store.threads.read, caller, thread_id)
            if thread.agent is None and thread.status != "busy":
                raise InvalidRequest(NO_GRAPH)
        named = body.checkpoint or Checkpoint(checkpoint_id=body.checkpoint_id)
        where: JSON = {"checkpoint_id": named.checkpoint_id, "namespace": named.checkpoint_ns}
        state = await self._turns.states.update(caller, thread_id, body.values, as_node=body.as_node, **where)
        here = {"thread_id": thread_id, "checkpoint_ns": state.namespace, "checkpoint_id": state.checkpoint_id}
        return {"checkpoint": here, "configurable": here, "checkpoint_id": state.checkpoint_id}

    def history(
        self, thread_id: Id, caller: Caller, response: Response, body: HistoryQuery | None = None
    ) -> list[JSON]:
        """Return as many states as fit into one answer. X-Pagination-Next is the `before` of the remaining ones."""
        found = self._turns.states.history(caller, thread_id, **(body or HistoryQuery()).model_dump())
        shown, is_cut = fitting(state.as_json(thread_id) for state in found)
        if is_cut:
            response.headers["X-Pagination-Next"] = shown[-1]["checkpoint_id"]
        return shown

    def count(self, caller: Caller, body: ThreadSearch | None = None) -> int:
        """Count threads, among the 1,000 newest at most."""
        wanted = (body or ThreadSearch()).model_copy(update={"limit": SEARCHED_THREADS, "offset": 0})
        return len(find_threads(self._store, caller, wanted))

    def copy(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._store.fork(caller, thread_id, self._new_id()))
