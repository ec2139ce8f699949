"""States of a thread: read, changed, and what came before them; and threads counted and copied."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from fastapi import Query

from turnkeep.api.auth import Caller
from turnkeep.api.langgraph.bodies import Checkpoint, HistoryQuery, StateAt, StateUpdate
from turnkeep.api.langgraph.views import state_view
from turnkeep.api.schemas import Id, ThreadSearch
from turnkeep.api.threads import find_threads
from turnkeep.api.views import ThreadView
from turnkeep.records import JSON
from turnkeep.storage.listing import SEARCHED_THREADS

if TYPE_CHECKING:
    from turnkeep.services import Services

STATE = "/threads/{thread_id}/state"
Select = Annotated[list[str] | None, Query()]


class StateRoutes:
    def __init__(self, services: "Services", new_id: Callable[[], str]) -> None:
        self._turns = services.turns
        self._table = services.table
        self._new_id = new_id

    def register(self, add: Callable[..., None]) -> None:
        add("/threads/count", self.count, methods=["POST"])
        add("/threads/{thread_id}/copy", self.copy, methods=["POST"])
        add(STATE, self.read, methods=["GET"])
        add(STATE, self.update, methods=["POST"])
        add(f"{STATE}/checkpoint", self.read_at, methods=["POST"])
        add(f"{STATE}/{{checkpoint_id}}", self.read_older, methods=["GET"])
        add("/threads/{thread_id}/history", self.history, methods=["POST"])
        add("/threads/{thread_id}/history", self.newest, methods=["GET"])

    async def read(self, thread_id: Id, caller: Caller, select: Select = None) -> JSON:
        return state_view(thread_id, await self._turns.states.read(caller, thread_id), select)

    async def read_older(self, thread_id: Id, checkpoint_id: str, caller: Caller, select: Select = None) -> JSON:
        return state_view(thread_id, await self._turns.states.read(caller, thread_id, checkpoint_id), select)

    async def read_at(self, thread_id: Id, body: StateAt, caller: Caller) -> JSON:
        state = await self._turns.states.read(caller, thread_id, body.checkpoint.checkpoint_id or None)
        return state_view(thread_id, state, body.select)

    async def update(self, thread_id: Id, body: StateUpdate, caller: Caller) -> JSON:
        named = (body.checkpoint.checkpoint_id if body.checkpoint else None) or body.checkpoint_id
        state = await self._turns.states.update(
            caller, thread_id, body.values, as_node=body.as_node, checkpoint_id=named or None
        )
        here = {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": state.checkpoint_id}
        return {"checkpoint": here, "configurable": here, "checkpoint_id": state.checkpoint_id}

    async def history(self, thread_id: Id, caller: Caller, body: HistoryQuery | None = None) -> list[JSON]:
        wanted = body or HistoryQuery()
        before = wanted.before.checkpoint_id if isinstance(wanted.before, Checkpoint) else wanted.before
        found = await self._turns.states.history(
            caller, thread_id, limit=wanted.limit, before=before or None, metadata=wanted.metadata
        )
        return [state_view(thread_id, state, wanted.select) for state in found]

    async def newest(
        self,
        thread_id: Id,
        caller: Caller,
        limit: Annotated[int, Query(ge=1, le=1000)] = 10,
        before: str | None = None,
    ) -> list[JSON]:
        return await self.history(thread_id, caller, HistoryQuery(limit=limit, before=before))

    def count(self, caller: Caller, body: ThreadSearch | None = None) -> int:
        """No more than the 1,000 newest are looked at."""
        wanted = (body or ThreadSearch()).model_copy(update={"limit": SEARCHED_THREADS, "offset": 0})
        return len(find_threads(self._table, caller, wanted))

    def copy(self, thread_id: Id, caller: Caller) -> ThreadView:
        return ThreadView.of(self._table.fork(caller, thread_id, self._new_id()))
