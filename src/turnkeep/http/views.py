"""Responses. Records have times in epoch seconds, responses in ISO 8601."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self
from uuid import UUID, uuid5

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from turnkeep.errors import RunCancelled, StoreUnavailable, TurnkeepError, Unsettled
from turnkeep.http.bodies import PART_BYTES, fitting, size_of
from turnkeep.records import JSON, Pending, Source, Status, Thread, Turn, Usage, iso

Time = Annotated[str, BeforeValidator(iso), WithJsonSchema({"type": "string", "format": "date-time"})]


class LateView(BaseModel):
    """A model of rarely used routes, built when it is first used."""

    model_config = ConfigDict(defer_build=True)


class Fault(BaseModel):
    field: str
    advice: str


class Problem(BaseModel):
    """Problem details (RFC 9457). Validation problems have `errors`, exceeded budgets `resets_at`."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    correlation_id: str
    errors: list[Fault] = []
    resets_at: Time | None = None


class AgentView(BaseModel):
    name: str
    description: str


class AgentDiagram(AgentView):
    mermaid: str = Field(description="the agent's graph as a Mermaid diagram")


class Health(BaseModel):
    ok: Literal[True] = True


class Info(BaseModel):
    """LangGraph's clients read `version` and `flags`."""

    version: str
    model: str
    agents: list[str]
    default_agent: str = Field(description="answers new threads without an agent")
    warnings: list[str]
    notes: list[str] = Field(description="advice for the operator")
    flags: dict[str, bool] = {"assistants": True, "crons": False, "langsmith": False}
    host: dict[str, str] = {"kind": "self-hosted"}


class PendingView(BaseModel):
    message: str
    at: Time
    run_id: str


def assistant_id(agent: str) -> str:
    """Return the id that LangGraph's server gives the assistant of a graph."""
    return str(uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), agent))


def facts_of(agent: str | None) -> JSON:
    """Return the metadata by which LangGraph's clients find a thread."""
    return {"graph_id": agent, "assistant_id": assistant_id(agent)} if agent else {}


class ThreadView(BaseModel):
    thread_id: str
    created_at: Time
    updated_at: Time
    status: Status
    metadata: dict[str, Any]
    agent: str | None
    title: str | None
    turn_count: int
    expires_at: Time
    pending: PendingView | None
    queued: list[PendingView] = Field([], description="messages that wait, oldest first; empty in lists of threads")
    state_updated_at: Time
    values: dict[str, Any] | None = Field(description="the title as a message; `/threads/{id}/state` has the state")
    interrupts: dict[str, Any] = Field({}, description="always empty; see `/threads/{id}/state`")
    config: dict[str, Any] = {}

    @classmethod
    def of(cls, thread: Thread, queued: Sequence[Pending] = ()) -> Self:
        title: JSON = {"type": "human", "content": thread.title, "id": f"title-{thread.thread_id}"}
        title |= {"additional_kwargs": {}, "response_metadata": {}, "name": None}
        changed = {
            "metadata": {**thread.metadata, **facts_of(thread.agent)},
            "state_updated_at": thread.updated_at,
            "values": {"messages": [title]} if thread.title else None,
            "pending": vars(thread.pending) if thread.pending else None,
            "queued": [vars(each) for each in queued],
        }
        return cls(**{**vars(thread), **changed})


class TurnView(BaseModel):
    thread_id: str | None = Field(description="null for a stateless run")
    turn_number: int | None = Field(description="from 1; null for a stateless run")
    agent: str
    message: str
    reply: str
    persisted: bool | None = Field(
        description="true: the turn is in every later read until the thread expires. false: it is not stored. null: "
        "unknown. After false or null, retry with the same Idempotency-Key"
    )
    status: Literal["complete", "interrupted", "stopped"]
    created_at: Time
    duration_ms: int
    provider: str
    model: str
    usage: Usage
    route: str | None
    confidence: float | None
    standalone_query: str | None
    sources: list[Source]
    warnings: list[str]
    details: dict[str, Any] = Field(
        description="empty, with the warning `details_too_large`, if the response would be over 5 MB; a stream of the "
        "same request with the same Idempotency-Key returns them"
    )

    @classmethod
    def of(cls, turn: Turn) -> Self:
        return cls(**{**vars(turn), "turn_number": turn.number or None, "session_id": turn.thread_id})

    def bounded(self) -> Self:
        """Drop the details, with a warning, if the response is too large."""
        if self.details and size_of(self) > PART_BYTES:
            self.details = {}
            self.warnings = [*self.warnings, "details_too_large"]
        return self


class ChatView(TurnView):
    session_id: str | None = Field(description="the thread's id; null for a stateless run")
    thread_created: bool


class Turns(BaseModel):
    turns: list[TurnView] = Field(description="oldest first, without details; at most 5 MB, but at least one")
    next_before: int | None = Field(description="the `before` of the previous turns; null: there are none")

    @classmethod
    def newest_of(cls, found: Sequence[TurnView]) -> Self:
        """Return as many of the newest turns as fit into one response."""
        newest, _ = fitting(reversed(found))
        first = newest[-1].turn_number if newest else None
        return cls(turns=newest[::-1], next_before=first if first and first > 1 else None)


def fault_of(turn: Turn) -> TurnkeepError | None:
    """Return the error for a turn that was stopped or is not stored, for protocols without `status` and `persisted`."""
    if turn.status == "stopped":
        return RunCancelled()
    if turn.persisted is None:
        return Unsettled(retry_after=10)  # until its lease has ended
    if turn.persisted or not turn.thread_id:
        return None
    return StoreUnavailable("The reply could not be stored. Retry the request.", retry_after=1)
