"""The nouns: who calls, what a thread is, what a turn holds. Plain data; nothing here reads or writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from turnkeep.attachments import Documents

JSON: TypeAlias = dict[str, Any]

Status = Literal["idle", "busy", "interrupted", "error"]
ActsFor = Literal["", "tenant", "any"]
"""Whom else a caller may speak for: nobody, users of its own tenant, users of any."""
EventName = Literal["route_decision", "tool_start", "node", "token", "custom", "part", "end", "complete", "error"]
"""A `part` belongs to a stream mode that a LangGraph client asked for. `end` has `values` and `interrupts` of a run."""


@dataclass(frozen=True)
class Principal:
    """Who calls, from the verified credential only. Whether it may act for others says nothing about who it is."""

    tenant: str
    user: str
    acts_for: ActsFor = field(default="", compare=False)


@dataclass(frozen=True)
class Pending:
    """A message that was stored before its run and has not become a turn."""

    message: str
    at: float


@dataclass(frozen=True)
class Thread:
    """The lasting dialogue of one user. Times are epoch seconds."""

    thread_id: str
    created_at: float
    updated_at: float
    expires_at: float
    status: Status
    turn_count: int
    agent: str | None = None
    title: str | None = None
    metadata: JSON = field(default_factory=dict)
    pending: Pending | None = None


@dataclass(frozen=True)
class Usage:
    """Tokens of one turn over all its model calls; `cost_usd` is None where the model has no known price."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False


@dataclass(frozen=True)
class Source:
    """A retrieved document; `cited` says whether the answer names it."""

    id: str
    title: str
    url: str | None = None
    score: float | None = None
    cited: bool = False


@dataclass(frozen=True)
class Reply:
    """What an agent's run says, read from the final state of its graph."""

    text: str
    route: str | None = None
    confidence: float | None = None
    standalone_query: str | None = None
    sources: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()
    details: JSON = field(default_factory=dict)
    provider: str | None = None
    """Of the model that wrote it, where that is not the one that the agent names."""
    model: str | None = None


@dataclass(frozen=True)
class Turn:
    """One user message and the reply to it, with its ledger. `number` counts from 1; 0 is a stateless run. `persisted`
    is None where it is not known whether the turn was kept."""

    thread_id: str | None
    number: int
    agent: str
    message: str
    reply: str
    status: Literal["complete", "interrupted"]
    created_at: float
    duration_ms: int
    provider: str
    model: str
    usage: Usage = field(default_factory=Usage)
    route: str | None = None
    confidence: float | None = None
    standalone_query: str | None = None
    sources: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()
    details: JSON = field(default_factory=dict)
    persisted: bool | None = True
    thread_created: bool = False
    run_id: str | None = None
    private: bool = False
    """Personal data stands in it as placeholders, or did before it was told to its owner."""


@dataclass(frozen=True)
class RunContext:
    """What a run knows besides its state: nodes read it as `runtime.context`."""

    conversation_window: int
    now: datetime
    principal: Principal
    documents: Documents = field(default_factory=Documents)
    client: JSON = field(default_factory=dict)
    """What the client sent as `context`."""
    key: str = ""
    """Of the turn: the client's Idempotency-Key or one that was made for it; a try again has the same. Only together
    with the thread it is unique."""
    attempt: int = 0
    """Counts the runs that were begun on the thread: a try again has a higher one than all before it."""


@dataclass(frozen=True)
class Event:
    """One step of a running turn, as a client sees it."""

    name: EventName
    data: Mapping[str, Any]


def iso(epoch: float) -> str:
    """Epoch seconds as ISO 8601 with Z, to the millisecond."""
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
