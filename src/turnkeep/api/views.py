"""What a client gets. The times of records are epoch seconds, those on the wire ISO 8601 with Z."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, WithJsonSchema

from turnkeep.records import JSON, Source, Status, Thread, Turn, Usage, iso

Time = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]


class Fault(BaseModel):
    field: str
    advice: str


class Problem(BaseModel):
    """RFC 9457 problem details; `errors` is there for validation problems."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    correlation_id: str
    errors: list[Fault] = []


class AgentView(BaseModel):
    name: str
    description: str


class AgentDrawing(AgentView):
    mermaid: str = Field(description="the agent's graph as a Mermaid drawing")


class Health(BaseModel):
    ok: Literal[True] = True


class Info(BaseModel):
    version: str
    model: str
    agents: list[str]
    warnings: list[str]
    notes: list[str] = Field(description="what a deployer should know or do")


class PendingView(BaseModel):
    message: str
    at: Time


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

    @classmethod
    def of(cls, thread: Thread) -> Self:
        pending = thread.pending and PendingView(message=thread.pending.message, at=iso(thread.pending.at))
        return cls(
            thread_id=thread.thread_id,
            created_at=iso(thread.created_at),
            updated_at=iso(thread.updated_at),
            status=thread.status,
            metadata=thread.metadata,
            agent=thread.agent,
            title=thread.title,
            turn_count=thread.turn_count,
            expires_at=iso(thread.expires_at),
            pending=pending,
        )


class TurnView(BaseModel):
    thread_id: str | None = Field(description="null for a stateless run")
    turn_number: int | None = Field(description="from 1; null for a stateless run")
    agent: str
    message: str
    reply: str
    persisted: bool = Field(description="true is a promise: the turn is in every later read until the thread expires")
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
    details: dict[str, Any]
    retry_token: str | None = Field(None, description="only when persisted is false: POST it to turns:commit")

    @classmethod
    def of(cls, turn: Turn) -> Self:
        view = cls(**cls._fields_of(turn))
        if not turn.persisted and turn.retry_token:
            view.retry_token = turn.retry_token
        return view

    @classmethod
    def _fields_of(cls, turn: Turn) -> JSON:
        names = cls.model_fields.keys() & Turn.__dataclass_fields__.keys() - {"retry_token"}
        given = {name: getattr(turn, name) for name in names}
        return given | {
            "turn_number": turn.number or None,
            "created_at": iso(turn.created_at),
            "sources": list(turn.sources),
            "warnings": list(turn.warnings),
        }

    def as_json(self) -> JSON:
        """What is unset is left out: a retry_token that does not exist is not null."""
        return self.model_dump(mode="json", exclude_unset=True)


class ChatView(TurnView):
    session_id: str | None = Field(description="the thread's id in the words of /chat; null for a stateless run")
    thread_created: bool

    @classmethod
    def _fields_of(cls, turn: Turn) -> JSON:
        return super()._fields_of(turn) | {"session_id": turn.thread_id}


class Turns(BaseModel):
    turns: list[TurnView] = Field(description="oldest first, without their details")
