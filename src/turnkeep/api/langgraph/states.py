"""States of a thread: read, changed, and what came before them; and threads counted and copied."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from turnkeep.api.auth import Caller
from turnkeep.api.langgraph.bodies import HistoryQuery, StateAt, StateUpdate
from turnkeep.api.routes import Routes
from turnkeep.api.schemas import Id, ThreadSearch
from turnkeep.api.threads import find_threads
from turnkeep.api.views import ThreadView
from turnkeep.entries import entries
from turnkeep.errors import InvalidRequest
from turnkeep.records import JSON
from turnkeep.storage.listing import SEARCHED_THREADS

if TYPE_CHECKING:
    from turnkeep.turns.states import State

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

    async def read(self, thread_id: Id, caller: Caller, request: Request) -> JSON:
        named = request.path_params.get("checkpoint_id")
        return _view(thread_id, await self._turns.states.read(caller, thread_id, named))

    async def read_at(self, thread_id: Id, body: StateAt, caller: Caller) -> JSON:
        return _view(thread_id, await self._turns.states.read(caller, thread_id, body.checkpoint))

    async def update(self, thread_id: Id, body: StateUpdate, caller: Caller) -> JSON:
        if len(entries()) > 1:
            thread = await run_in_threadpool(self._table.read_thread, caller, thread_id)
            if thread.agent is None and thread.status != "busy":
                raise InvalidRequest(NO_GRAPH)
        named = body.checkpoint or body.checkpoint_id
        state = await self._turns.states.update(
            caller, thread_id, body.values, as_node=body.as_node, checkpoint_id=named
        )
        here = {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": state.checkpoint_id}
        return {"checkpoint": here, "configurable": here, "checkpoint_id": state.checkpoint_id}

    async def history(self, thread_id: Id, caller: Caller, body: HistoryQuery | None = None) -> list[JSON]:
        wanted = body or HistoryQuery()
        found = await self._turns.states.history(
            caller, thread_id, limit=wanted.limit, before=wanted.before, metadata=wanted.metadata
        )
        return [_view(thread_id, state) for state in found]

    def count(self, caller: Caller, body: ThreadSearch | None = None) -> int:
        """No more than the 1,000 newest are looked at."""
        wanted = (body or ThreadSearch()).model_copy(update={"limit": SEARCHED_THREADS, "offset": 0})
        return len(find_threads(self._table, caller, wanted))

    def copy(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.fork(caller, thread_id, self._new_id()))


def _view(thread_id: str, state: "State") -> JSON:
    """A thread without turns has no checkpoint."""
    here, before = _checkpoint(thread_id, state.checkpoint_id), _checkpoint(thread_id, state.parent_id)
    return {
        "values": state.values,
        "next": state.next,
        "tasks": state.tasks,
        "metadata": {**state.metadata, "thread_id": thread_id, "turn_number": state.turn} if here else None,
        "created_at": state.created_at,
        "checkpoint": here,
        "parent_checkpoint": before,
        "interrupts": state.interrupts,
        "checkpoint_id": state.checkpoint_id or None,
        "parent_checkpoint_id": state.parent_id,
    }


def _checkpoint(thread_id: str, checkpoint_id: str | None) -> JSON | None:
    return {"checkpoint_id": checkpoint_id, "thread_id": thread_id, "checkpoint_ns": ""} if checkpoint_id else None
