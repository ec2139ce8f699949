"""Routes of LangGraph's clients that read and change states of a thread, and that count, copy and delete threads."""

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import Request, Response
from pydantic import Field, model_validator
from starlette.concurrency import run_in_threadpool

from turnkeep.entries import entries
from turnkeep.errors import InvalidRequest, NotFound
from turnkeep.http.auth import Caller
from turnkeep.http.bodies import fitting
from turnkeep.http.langgraph.bodies import CheckpointId
from turnkeep.http.native.threads import find_threads
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import Id, LenientRequest, ThreadSearch
from turnkeep.http.views import ThreadView
from turnkeep.records import JSON
from turnkeep.store.listing import SEARCHED_THREADS

STATE = "/threads/{thread_id}/state"
_NO_GRAPH = "The thread has no graph yet. Create it with `metadata.graph_id`, or run a graph on it first."


class Checkpoint(LenientRequest):
    """A checkpoint of the thread, or of the inner graph `checkpoint_ns`."""

    checkpoint_id: str | None = Field(None, max_length=64)
    checkpoint_ns: str = Field("", max_length=1024)

    @model_validator(mode="before")
    @classmethod
    def _of_id(cls, value: Any) -> Any:
        named = value if isinstance(value, dict) else {"checkpoint_id": value}
        return {name: each for name, each in named.items() if each}


class StateUpdate(LenientRequest):
    values: dict[str, Any] | list[dict[str, Any]] | None = None
    as_node: str | None = None
    checkpoint: Checkpoint | None = None
    checkpoint_id: CheckpointId = None


class StateAt(LenientRequest):
    checkpoint: Checkpoint
    subgraphs: bool = False


class History(LenientRequest):
    limit: int = Field(10, ge=1, le=1000)
    before: CheckpointId = None
    checkpoint: CheckpointId = None
    metadata: dict[str, Any] | None = None


class Pruning(LenientRequest):
    thread_ids: Annotated[list[Id], Field(max_length=100)]
    strategy: Literal["delete"] = "delete"


class StateRoutes(Routes):
    def register(self, add: Callable[..., None]) -> None:
        add("/threads/count", self.count, methods=["POST"])
        add("/threads/prune", self.prune, methods=["POST"])
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
        where: JSON = {"namespace": body.checkpoint.checkpoint_ns, "subgraphs": body.subgraphs}
        return (await self._turns.states.read(caller, thread_id, body.checkpoint.checkpoint_id, **where)).shown

    async def update(self, thread_id: Id, body: StateUpdate, caller: Caller) -> JSON:
        if len(entries()) > 1:
            thread = await run_in_threadpool(self._store.threads.read, caller, thread_id)
            if thread.agent is None and thread.status != "busy":
                raise InvalidRequest(_NO_GRAPH)
        named = body.checkpoint or Checkpoint(checkpoint_id=body.checkpoint_id)
        where: JSON = {"checkpoint_id": named.checkpoint_id, "namespace": named.checkpoint_ns}
        here = await self._turns.states.update(caller, thread_id, body.values, as_node=body.as_node, **where)
        return {"checkpoint": here, "configurable": here, "checkpoint_id": here["checkpoint_id"]}

    async def history(
        self, thread_id: Id, caller: Caller, response: Response, body: History | None = None
    ) -> list[JSON]:
        """Return the state at `checkpoint`, else as many states as fit into one response. X-Pagination-Next is the
        `before` of the next ones."""
        wanted = (body or History()).model_dump()
        if named := wanted.pop("checkpoint"):
            return [(await self._turns.states.read(caller, thread_id, named)).shown]
        found = self._turns.states.history(caller, thread_id, **wanted)
        shown, is_cut = await run_in_threadpool(fitting, (state.shown for state in found))
        if is_cut:
            response.headers["X-Pagination-Next"] = shown[-1]["checkpoint_id"]
        return shown

    def count(self, caller: Caller, body: ThreadSearch | None = None) -> int:
        """Count threads among the newest 1,000."""
        wanted = (body or ThreadSearch()).model_copy(update={"limit": SEARCHED_THREADS, "offset": 0})
        return len(find_threads(self._store, caller, wanted))

    def copy(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._store.fork(caller, thread_id, self._new_id()))

    def prune(self, caller: Caller, body: Pruning) -> JSON:
        pruned = 0
        for thread_id in dict.fromkeys(body.thread_ids):
            with suppress(NotFound):
                self._store.threads.delete(caller, thread_id)
                pruned += 1
        return {"pruned_count": pruned}
