"""Routes of LangGraph's clients that read and change states of a thread, and that count and copy threads."""

from collections.abc import Callable
from typing import Any

from fastapi import Request, Response
from pydantic import Field, model_validator
from starlette.concurrency import run_in_threadpool

from turnkeep.entries import entries
from turnkeep.errors import InvalidRequest
from turnkeep.http.answers import fitting
from turnkeep.http.auth import Caller
from turnkeep.http.langgraph.bodies import Body, CheckpointId
from turnkeep.http.native.threads import find_threads
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import Id, ThreadSearch
from turnkeep.http.views import ThreadView
from turnkeep.records import JSON
from turnkeep.store.listing import SEARCHED_THREADS

STATE = "/threads/{thread_id}/state"
_NO_GRAPH = "The thread has no graph yet. Create it with `metadata.graph_id`, or run a graph on it first."


class Checkpoint(Body):
    """A checkpoint of the thread, or of the inner graph `checkpoint_ns`."""

    checkpoint_id: str | None = Field(None, max_length=64)
    checkpoint_ns: str = Field("", max_length=1024)

    @model_validator(mode="before")
    @classmethod
    def _of_id(cls, value: Any) -> Any:
        named = value if isinstance(value, dict) else {"checkpoint_id": value}
        return {name: each for name, each in named.items() if each}


class StateUpdate(Body):
    values: dict[str, Any] | list[dict[str, Any]] | None = None
    as_node: str | None = None
    checkpoint: Checkpoint | None = None
    checkpoint_id: CheckpointId = None


class StateAt(Body):
    checkpoint: Checkpoint
    subgraphs: bool = False


class HistoryQuery(Body):
    limit: int = Field(10, ge=1, le=1000)
    before: CheckpointId = None
    metadata: dict[str, Any] | None = None


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
        return (await self._turns.states.read(caller, thread_id, named, subgraphs=subgraphs)).shown

    async def read_at(self, thread_id: Id, body: StateAt, caller: Caller) -> JSON:
        named = body.checkpoint
        found = await self._turns.states.read(
            caller, thread_id, named.checkpoint_id, namespace=named.checkpoint_ns, subgraphs=body.subgraphs
        )
        return found.shown

    async def update(self, thread_id: Id, body: StateUpdate, caller: Caller) -> JSON:
        if len(entries()) > 1:
            thread = await run_in_threadpool(self._store.threads.read, caller, thread_id)
            if thread.agent is None and thread.status != "busy":
                raise InvalidRequest(_NO_GRAPH)
        named = body.checkpoint or Checkpoint(checkpoint_id=body.checkpoint_id)
        where: JSON = {"checkpoint_id": named.checkpoint_id, "namespace": named.checkpoint_ns}
        here = await self._turns.states.update(caller, thread_id, body.values, as_node=body.as_node, **where)
        return {"checkpoint": here, "configurable": here, "checkpoint_id": here["checkpoint_id"]}

    def history(
        self, thread_id: Id, caller: Caller, response: Response, body: HistoryQuery | None = None
    ) -> list[JSON]:
        """Return as many states as fit into one response. X-Pagination-Next is the `before` of the next ones."""
        found = self._turns.states.history(caller, thread_id, **(body or HistoryQuery()).model_dump())
        shown, is_cut = fitting(state.shown for state in found)
        if is_cut:
            response.headers["X-Pagination-Next"] = shown[-1]["checkpoint_id"]
        return shown

    def count(self, caller: Caller, body: ThreadSearch | None = None) -> int:
        """Count threads among the newest 1,000."""
        wanted = (body or ThreadSearch()).model_copy(update={"limit": SEARCHED_THREADS, "offset": 0})
        return len(find_threads(self._store, caller, wanted))

    def copy(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._store.fork(caller, thread_id, self._new_id()))
