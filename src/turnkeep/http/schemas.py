"""Request bodies and query options. Values are not coerced; unknown fields are rejected. Responses are in views.py."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from turnkeep.errors import InvalidId, MessageTooLong
from turnkeep.http.errors import OWN_ADVICE
from turnkeep.records import JSON, Status
from turnkeep.store.keys import is_well_formed
from turnkeep.turns.request import MAX_MESSAGE_BYTES, WhenBusy

MAX_METADATA_DEPTH = 8
MAX_TURN_NUMBER = 99_999_999
ID_PATTERN = "^[A-Za-z0-9_-]{1,64}$"


def check_id(value: str, *, where: str = "") -> str:
    """Return the id, or raise InvalidId. The error reveals nothing about what exists."""
    if not is_well_formed(value):
        raise InvalidId(f"{where}: {InvalidId.advice}" if where else None)
    return value


def check_message(value: str) -> str:
    if len(value.encode()) > MAX_MESSAGE_BYTES:
        raise MessageTooLong
    if "\0" in value:
        raise fault("The message must not contain NUL characters.")
    if not any(character.isprintable() and not character.isspace() for character in value):
        raise fault("The message must contain at least one visible character.")
    return value


def check_metadata(value: JSON) -> JSON:
    _check_values(value, MAX_METADATA_DEPTH)
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) > 1024:
        raise fault("The metadata must be at most 1,024 bytes of compact JSON.")
    return value


def _check_values(value: Any, depth: int) -> None:
    if depth < 0:
        raise fault(f"The metadata must be nested at most {MAX_METADATA_DEPTH} levels deep.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise fault("Integers must fit into 64 bits. Send a longer one as a string.")
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_values(inner, depth - 1)


def fault(advice: str) -> PydanticCustomError:
    """Return an error whose advice is sent unchanged. It must not quote the request."""
    return PydanticCustomError(OWN_ADVICE, advice)


Id = Annotated[str, AfterValidator(check_id), WithJsonSchema({"type": "string", "pattern": ID_PATTERN})]
Name = Annotated[str, Field(min_length=1, max_length=1024, description="of the identity provider, such as `auth0|1`")]
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
    model_config = ConfigDict(extra="forbid", strict=True)


class Options(BaseModel):
    """A query string. Numbers are parsed from text."""

    model_config = ConfigDict(extra="forbid")


class LenientRequest(Request):
    """A body of LangGraph's clients, which send other keys too. Unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Life(LenientRequest):
    ttl: float = Field(gt=0, le=100_000_000, description="minutes after the last turn, at most the deployment's")
    strategy: Literal["delete"] = "delete"


class NewThread(LenientRequest):
    thread_id: Id | None = Field(None, description="generated if absent")
    if_exists: Literal["raise", "do_nothing"] | None = Field("raise")
    metadata: Metadata | None = Field(None, description="`graph_id` is the thread's agent")
    ttl: Life | None = Field(None, description="only shortens the life of the thread")
    supersteps: list[Any] | None = Field(None, max_length=0, description="not supported")


class ThreadChange(LenientRequest):
    metadata: Metadata = Field(description="merged by key; null removes a key")
    ttl: None = Field(None, description="cannot be changed")


THREAD_FIELDS = Literal[
    "thread_id", "created_at", "updated_at", "state_updated_at", "metadata", "config", "context", "status", "values",
    "interrupts", "agent", "title", "turn_count", "expires_at", "pending",
]  # fmt: skip


class ThreadSearch(LenientRequest):
    metadata: Metadata | None = Field(None, description="matches threads with all of these values")
    status: Status | None = None
    agent: AgentName | None = None
    ids: list[Id] | None = Field(None, max_length=100)
    limit: int = Field(10, ge=1, le=100)
    offset: int = Field(0, ge=0, le=10_000)
    cursor: str | None = Field(
        None, max_length=100, description="X-Pagination-Next of the previous response; `offset` is then ignored"
    )
    sort_by: Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None
    select: list[THREAD_FIELDS] | None = Field(None, description="fields to return; absent: all")
    values: dict[str, Any] | None = Field(None, max_length=0, description="not supported")
    extract: dict[str, Any] | None = Field(None, max_length=0, description="not supported")


class NewTurn(Request):
    message: Message
    agent: AgentName | None = Field(None, description="absent: the thread's, or the default agent")
    conversation_window: int | None = Field(None, ge=1, le=10, description="turns in the prompt")
    from_turn: int | None = Field(
        None, ge=0, le=MAX_TURN_NUMBER, description="continue after this turn, on a new branch; 0 is the beginning"
    )
    on_disconnect: Literal["cancel", "continue"] = Field(
        "cancel", description="whether to cancel a streamed run when its client disconnects"
    )
    when_busy: WhenBusy = Field(
        "reject",
        description="while another turn runs: 409, wait for it, or cancel it; rollback also forgets its message; merge "
        "makes one turn of the messages that wait, debounce awaits more of them first. What waits answers no question",
    )
    attachments: list[Id] | None = Field(
        None, max_length=10, description="documents that the turn waits for; ready ones are active anyway"
    )


class Fork(Request):
    thread_id: Id | None = Field(None, description="of the new thread; generated if absent")
    turn: int | None = Field(None, ge=0, le=MAX_TURN_NUMBER, description="the last turn to copy; absent: all")


class Chat(NewTurn):
    session_id: Id | None = Field(None, description='absent: nothing is stored; "new": a new thread')


class TurnsQuery(Options):
    limit: int = Field(20, ge=1, le=100)
    before: int | None = Field(None, ge=1, le=MAX_TURN_NUMBER, description="only turns with smaller numbers")


class InternalInput(Request):
    message: Message


class InternalConversation(Request):
    id: Id
    user_id: Name | None = Field(None, description="ignored unless the caller may act for others; absent: its own")
    company_id: Name | None = Field(None, description="the tenant; ignored unless the caller may act for others")


class InternalChat(Request):
    input: InternalInput
    conversation: InternalConversation
