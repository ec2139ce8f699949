"""The nouns, as plain data: principal, thread, turn, reply, and the documents of a thread."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from threading import Lock
from typing import Any, Literal, TypeAlias

JSON: TypeAlias = dict[str, Any]

Status = Literal["idle", "busy", "interrupted", "error"]
ActsFor = Literal["", "tenant", "any"]
"""Whom else a caller may act for: no one, users of its own tenant, or users of any tenant."""
AttachmentStatus: TypeAlias = Literal["waiting", "processing", "ready", "failed"]  # "waiting" for the file
EventName = Literal[
    "queued", "route_decision", "tool_start", "node", "token", "custom", "part", "end", "restart", "complete", "error"
]
"""`queued` names the run that waits. A `part` belongs to a stream mode of LangGraph. `end` has the `values` and
`interrupts` of a run. `restart` begins an `attempt` (its fencing token) that replaces the events before it."""


@dataclass(frozen=True)
class Principal:
    """The caller, from the verified credential only. `acts_for` is not part of its identity."""

    tenant: str
    user: str
    acts_for: ActsFor = field(default="", compare=False)


@dataclass(frozen=True)
class Pending:
    """A stored message that has not become a turn."""

    message: str
    at: float
    run_id: str


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
    """Tokens of all model calls of a turn; `cost_usd` is None if a model has no known price."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False


@dataclass(frozen=True)
class Source:
    """A retrieved piece, `cited` if the reply names it."""

    id: str
    title: str
    url: str | None = None
    score: float | None = None
    cited: bool = False


@dataclass(frozen=True)
class Reply:
    """The reply of a run, read from the final state of its graph."""

    text: str
    route: str | None = None
    confidence: float | None = None
    standalone_query: str | None = None
    sources: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()
    details: JSON = field(default_factory=dict)
    provider: str | None = None
    """The model that wrote the reply, if not the agent's."""
    model: str | None = None


@dataclass(frozen=True)
class Turn:
    """A message, its reply and its record. `number` counts from 1; 0 is a stateless run. `interrupted`: its graph asks
    a question; `stopped`: `reply` is what was written before. `persisted` is None if the outcome of the commit is
    unknown."""

    thread_id: str | None
    number: int
    agent: str
    message: str
    reply: str
    status: Literal["complete", "interrupted", "stopped"]
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
    attempt: int = field(default=0, compare=False)  # fencing token of the run that made it, once stored
    private: bool = False
    """Its stored texts contain placeholders for personal data."""


@dataclass(frozen=True)
class Piece:
    """Text of a document under a heading. Pages count from 1; None if the format has no pages."""

    text: str
    page: int | None = None
    heading: str | None = None


@dataclass(frozen=True)
class Parsed:
    """The text of a file, one piece per page or heading. `pages` counts all pages of the file, if it has pages.
    `warnings` name omitted content; `findings` name parts that may address a model instead of a reader."""

    kind: str
    pieces: tuple[Piece, ...]
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attachment:
    """`kind` is detected from the content ("pdf"). `findings` are traces of text that addresses a model."""

    id: str
    name: str
    status: AttachmentStatus
    created_at: float
    size: int
    kind: str | None = None
    pages: int | None = None
    characters: int | None = None
    warnings: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    code: str | None = None


class Documents:
    """The active documents of a thread, read on first use. Their text is data, never an instruction."""

    def __init__(
        self,
        listed: Callable[[], tuple[Attachment, ...]] = tuple,
        pieces: Callable[[str], tuple[Piece, ...]] = lambda _: (),
    ):
        self._listed, self._pieces = cache(listed), cache(pieces)
        self._lock = Lock()

    def all(self) -> tuple[Attachment, ...]:
        """Return the documents that are ready, oldest first; raise StoreUnavailable."""
        with self._lock:
            return self._listed()

    def read(self, document_id: str) -> tuple[Piece, ...]:
        """Return the text of a document, empty for unknown ids; raise StoreUnavailable, StateCorrupt."""
        if document_id not in {document.id for document in self.all()}:
            return ()
        with self._lock:
            return self._pieces(document_id)


@dataclass(frozen=True)
class RunContext:
    """The context of a run, which nodes read as `runtime.context`."""

    conversation_window: int
    now: datetime
    principal: Principal
    documents: Documents = field(default_factory=Documents)
    client: JSON = field(default_factory=dict)
    """The `context` that the client sent."""
    key: str = ""
    """The turn's Idempotency-Key, sent or generated. It is the same for every attempt and unique within the thread."""
    attempt: int = 0
    """Number of runs started on the thread, higher for every attempt."""


@dataclass(frozen=True)
class Event:
    """One event of a running turn, as sent to a client."""

    name: EventName
    data: Mapping[str, Any]


def iso(epoch: float) -> str:
    """Return epoch seconds as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
