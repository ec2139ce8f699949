"""Answers to clients. The times of records are epoch seconds, those on the wire ISO 8601 with Z."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self
from uuid import UUID, uuid5

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from turnkeep.api.answers import PART_BYTES, fitting, size_of
from turnkeep.errors import StoreUnavailable, Unsettled
from turnkeep.records import JSON, Source, Status, Thread, Turn, Usage, iso

ASSISTANTS = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
LEASE_SECONDS = 30
NOT_KEPT = "The reply was written but could not be kept; send the same request again."

Time = Annotated[str, BeforeValidator(iso), WithJsonSchema({"type": "string", "format": "date-time"})]
"""ISO 8601 text, converted from epoch seconds."""


class LateView(BaseModel):
    """Of routes that hardly any process serves: built when it is first used."""

    model_config = ConfigDict(defer_build=True)


class Fault(BaseModel):
    field: str
    advice: str


class Problem(BaseModel):
    """RFC 9457 problem details; `errors` is there for validation problems, `resets_at` where a budget is used up."""

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


class AgentDrawing(AgentView):
    mermaid: str = Field(description="the agent's graph as a Mermaid drawing")


class Health(BaseModel):
    ok: Literal[True] = True


class Info(BaseModel):
    """What LangGraph's clients read here are `version` and `flags`."""

    version: str
    model: str
    agents: list[str]
    default_agent: str = Field(description="which answers a new thread that names none")
    warnings: list[str]
    notes: list[str] = Field(description="what a deployer should know or do")
    flags: dict[str, bool] = {"assistants": True, "crons": False, "langsmith": False}
    host: dict[str, str] = {"kind": "self-hosted"}


class PendingView(BaseModel):
    message: str
    at: Time


def assistant_id(agent: str) -> str:
    """Return the id. LangGraph's server uses uuid5: "agent" is fe096781-5601-53d2-b2f6-0d3403f7e9ca there."""
    return str(uuid5(ASSISTANTS, agent))


def facts_of(agent: str | None) -> JSON:
    """Return the metadata by which LangGraph's clients find a thread."""
    return {"graph_id": agent, "assistant_id": assistant_id(agent)} if agent else {}


def _human(text: str, message_id: str) -> JSON:
    """Return a message in the form of LangGraph's clients."""
    bare: JSON = {"additional_kwargs": {}, "response_metadata": {}, "name": None}
    return {"type": "human", "content": text, "id": message_id, **bare}


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
    state_updated_at: Time
    values: dict[str, Any] | None = Field(
        description="the title as the first message; /threads/{id}/state has them all"
    )
    interrupts: dict[str, Any] = Field({}, description="/threads/{id}/state has them")
    config: dict[str, Any] = {}

    @classmethod
    def of(cls, thread: Thread) -> Self:
        shown = {
            "metadata": {**thread.metadata, **facts_of(thread.agent)},
            "state_updated_at": thread.updated_at,
            "values": {"messages": [_human(thread.title, f"title-{thread.thread_id}")]} if thread.title else None,
            "pending": vars(thread.pending) if thread.pending else None,
        }
        return cls(**{**vars(thread), **shown})


class TurnView(BaseModel):
    thread_id: str | None = Field(description="null for a stateless run")
    turn_number: int | None = Field(description="from 1; null for a stateless run")
    agent: str
    message: str
    reply: str
    persisted: bool | None = Field(
        description="true is a promise: the turn is in every later read until the thread expires. false: it is not "
        "kept. null: not known. After both, send the same request with the same Idempotency-Key"
    )
    status: Literal["complete", "interrupted"]
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
        description="empty with the warning `details_too_large` where they would make the answer longer than 5 MB: the "
        "stream of the same request with the same Idempotency-Key gives them whole"
    )

    @classmethod
    def of(cls, turn: Turn) -> Self:
        facts: JSON = {**vars(turn), "turn_number": turn.number or None, "session_id": turn.thread_id}
        return cls(**facts)

    def bounded(self) -> Self:
        """Drop the details, with a warning, if the answer is too long. A reply is never cut, only streamed."""
        if self.details and size_of(self) > PART_BYTES:
            self.details = {}
            self.warnings = [*self.warnings, "details_too_large"]
        return self


class ChatView(TurnView):
    session_id: str | None = Field(description="the thread's id in the words of /chat; null for a stateless run")
    thread_created: bool


class Turns(BaseModel):
    turns: list[TurnView] = Field(description="oldest first, without their details; at most 5 MB of them, at least one")
    next_before: int | None = Field(description="send it as `before` for the turns before these; null: there are none")

    @classmethod
    def newest_of(cls, found: Sequence[TurnView]) -> Self:
        """Return the newest views, as many as fit into one answer."""
        shown, _ = fitting(reversed(found))
        first = shown[-1].turn_number if shown else None
        return cls(turns=shown[::-1], next_before=first if first and first > 1 else None)


def not_kept(turn: Turn) -> StoreUnavailable | None:
    """Return the error for an unstored turn, on a wire without a field for it. A retry stores or returns it."""
    if turn.persisted is None:
        return Unsettled(retry_after=LEASE_SECONDS)  # its lease may still hold the thread
    return StoreUnavailable(NOT_KEPT, retry_after=1) if turn.thread_id and not turn.persisted else None
