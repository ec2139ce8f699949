"""Bodies and options of clients: nothing is coerced, unknown fields are rejected. Answers are in views.py."""

import json
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from turnkeep.api.errors import OWN_WORDS
from turnkeep.errors import InvalidId, MessageTooLong
from turnkeep.records import JSON, Status

MAX_MESSAGE_BYTES = 64 * 1024
MAX_METADATA_BYTES = 1024
MAX_METADATA_DEPTH = 8
MAX_TURN_NUMBER = 99_999_999
ID_PATTERN = "^[A-Za-z0-9_-]{1,64}$"

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_id(value: str, *, where: str = "") -> str:
    """Return the id; raise InvalidId, which is the same for everyone and reveals nothing about what exists."""
    if not _ID.fullmatch(value):
        raise InvalidId(f"{where}: {InvalidId.advice}" if where else None)
    return value


def check_message(value: str) -> str:
    if len(value.encode()) > MAX_MESSAGE_BYTES:
        raise MessageTooLong
    if "\0" in value:
        raise fault("Remove the NUL characters.")
    if not any(character.isprintable() and not character.isspace() for character in value):
        raise fault("Send a message with at least one visible character.")
    return value


def check_metadata(value: JSON) -> JSON:
    _check_values(value, MAX_METADATA_DEPTH)
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) > MAX_METADATA_BYTES:
        raise fault("Send at most 1024 bytes of metadata, counted as compact JSON.")
    return value


def _check_values(value: Any, depth: int) -> None:
    if depth < 0:
        raise fault(f"Nest metadata at most {MAX_METADATA_DEPTH} levels deep.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise fault("Send whole numbers of at most 64 bits; a longer one fits into a string.")
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_values(inner, depth - 1)


def fault(advice: str) -> PydanticCustomError:
    """Return an error whose `advice` is sent unchanged, so it must not quote the request."""
    return PydanticCustomError(OWN_WORDS, advice)


Id = Annotated[str, AfterValidator(check_id), WithJsonSchema({"type": "string", "pattern": ID_PATTERN})]
Name = Annotated[str, Field(min_length=1, max_length=1024, description="as who signs people in writes it: `auth0|1`")]
Message = Annotated[
    str,
    AfterValidator(check_message),
    WithJsonSchema({"type": "string", "minLength": 1, "description": "at most 65536 bytes of UTF-8, no NUL"}),
]
Metadata = Annotated[
    dict[str, Any],
    AfterValidator(check_metadata),
    WithJsonSchema({"type": "object", "description": "at most 1024 bytes of compact JSON, 8 levels"}),
]
AgentName = Annotated[str, Field(max_length=64)]


class Request(BaseModel):
    """A body: nothing is coerced, nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Options(BaseModel):
    """What stands behind the question mark: numbers are read from text, nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid")


class ThreadRequest(Request):
    """A body that LangGraph's clients send, with keys of their own: what is not known is passed over."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Life(ThreadRequest):
    ttl: float = Field(gt=0, le=100_000_000, description="minutes after the last turn, at most what the deployment has")
    strategy: Literal["delete"] = "delete"


class NewThread(ThreadRequest):
    thread_id: Id | None = Field(None, description="minted when absent")
    if_exists: Literal["raise", "do_nothing"] | None = Field("raise")
    metadata: Metadata | None = Field(None, description="`graph_id` in it names the thread's agent")
    ttl: Life | None = Field(None, description="when the thread expires, where that is sooner than others do")
    supersteps: list[Any] | None = Field(None, max_length=0, description="not offered")


class ThreadChange(ThreadRequest):
    metadata: Metadata = Field(description="merged key by key; null takes a key away")
    ttl: None = Field(None, description="a thread keeps the life that it was made with")


THREAD_FIELDS = Literal[
    "thread_id", "created_at", "updated_at", "state_updated_at", "metadata", "config", "context", "status", "values",
    "interrupts", "agent", "title", "turn_count", "expires_at", "pending",
]  # fmt: skip


class ThreadSearch(ThreadRequest):
    metadata: Metadata | None = Field(None, description="a thread matches if it has all of these")
    status: Status | None = None
    agent: AgentName | None = None
    ids: list[Id] | None = Field(None, max_length=100)
    limit: int = Field(10, ge=1, le=100)
    offset: int = Field(0, ge=0, le=10_000)
    cursor: str | None = Field(
        None,
        max_length=100,
        description="the X-Pagination-Next of an answer, to go on where it stopped; `offset` is then passed over",
    )
    sort_by: Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None
    select: list[THREAD_FIELDS] | None = Field(None, description="the fields to show; absent: all")
    values: dict[str, Any] | None = Field(None, max_length=0, description="not offered: states are not searched")
    extract: dict[str, Any] | None = Field(None, max_length=0, description="not offered: states are not searched")


class NewTurn(Request):
    message: Message
    agent: AgentName | None = Field(None, description="one of GET /agents; absent: the thread's, else the default one")
    conversation_window: int | None = Field(None, ge=1, le=10, description="turns that the prompt shows")
    from_turn: int | None = Field(
        None,
        ge=0,
        le=MAX_TURN_NUMBER,
        description="go on after this turn, 0 is the beginning: the turns after it are left on a branch of their own",
    )
    on_disconnect: Literal["cancel", "continue"] = Field(
        "cancel", description="what becomes of a stream's run when its client goes away: ended, or finished and kept"
    )
    attachments: list[Id] | None = Field(
        None,
        max_length=10,
        description="documents of the thread that the turn waits for; all that are ready are active anyway",
    )


class Fork(Request):
    thread_id: Id | None = Field(None, description="of the new thread; minted when absent")
    turn: int | None = Field(None, ge=0, le=MAX_TURN_NUMBER, description="the newest turn that it takes; absent: all")


class Chat(NewTurn):
    session_id: Id | None = Field(None, description='absent: nothing is stored; "new": a new thread; else the thread')


class TurnsQuery(Options):
    limit: int = Field(20, ge=1, le=100)
    before: int | None = Field(None, ge=1, le=MAX_TURN_NUMBER, description="turns with smaller numbers only")


class InternalInput(Request):
    message: Message


class InternalConversation(Request):
    id: Id
    user_id: Name | None = Field(None, description="counts only for a caller who may act for others; absent: its own")
    company_id: Name | None = Field(None, description="the same, of the tenant; another tenant's for few callers only")


class InternalChat(Request):
    input: InternalInput
    conversation: InternalConversation
