"""States and runs as LangGraph's SDKs read them."""

from typing import TYPE_CHECKING

from turnkeep.api.views import assistant_id, facts_of
from turnkeep.records import JSON, iso

if TYPE_CHECKING:
    from turnkeep.turns.runs import RunRecord
    from turnkeep.turns.states import State


def state_view(thread_id: str, state: "State") -> JSON:
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


def run_view(run: "RunRecord") -> JSON:
    told = {"created_by": "system", "turn_number": run.turn_number, "error_code": run.code}
    return {
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "assistant_id": assistant_id(run.agent) if run.agent else None,
        "metadata": {**run.metadata, **facts_of(run.agent), **{name: value for name, value in told.items() if value}},
        "status": run.status,
        "kwargs": run.kwargs,
        "created_at": iso(run.created_at),
        "updated_at": iso(run.updated_at),
        "multitask_strategy": "reject",
    }
