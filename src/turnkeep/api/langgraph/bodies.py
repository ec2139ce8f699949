"""Bodies of LangGraph's clients. Unknown keys are ignored, as on LangGraph's server. Options that a client would rely
on and not get are rejected with advice."""

import json
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from turnkeep.api.schemas import AgentName, Metadata, fault
from turnkeep.entries import graph_file
from turnkeep.records import JSON
from turnkeep.turns.request import GraphCall

MODES = ("values", "updates", "messages", "messages-tuple", "custom", "debug", "tasks", "checkpoints")
_ONE_AT_A_TIME = "Send reject, or leave it out: one run at a time changes a thread; a second one gets 409 thread_busy."
_OFFERED: dict[str, tuple[tuple[Any, ...], str]] = {
    "multitask_strategy": ((None, "reject"), _ONE_AT_A_TIME),
    "if_not_exists": ((None, "create", "reject"), "Send create or reject."),
    "on_disconnect": ((None, "cancel", "continue"), "Send cancel or continue."),
    "durability": ((None, "sync", "async", "exit"), "Send sync, async or exit; a run is kept whole, at its end."),
    "on_completion": ((None, "delete"), "Leave it out; to keep a run, make it on a thread: POST /threads."),
    "webhook": ((None,), "Leave it out: nobody is called back. GET /threads/{thread_id}/runs/{run_id}/join waits."),
    "after_seconds": ((None, 0), "Leave it out: a run begins at once."),
    "feedback_keys": ((None, []), "Leave it out: no feedback is asked for."),
}
"""Accepted values of a field, and the advice for others."""


def _check_offered(value: Any, info: ValidationInfo) -> Any:
    allowed, advice = _OFFERED[info.field_name or ""]
    if value not in allowed:
        raise fault(advice)
    return value


def _listed(value: Any) -> Any:
    return [] if value is None else [value] if isinstance(value, str) else value


def _named(value: Any) -> Any:
    """Return the id from the form that SDKs pass: {"thread_id": ..., "checkpoint_ns": "", "checkpoint_id": ...}."""
    if isinstance(value, dict) and value.get("checkpoint_ns"):
        raise fault("Send a checkpoint of the thread itself, whose `checkpoint_ns` is empty.")
    return (value.get("checkpoint_id") if isinstance(value, dict) else value) or None


def _check_modes(value: list[str]) -> list[str]:
    if any(mode not in MODES for mode in value):
        raise fault(f"Send some of {', '.join(MODES)}.")
    return value or ["values"]


def _check_input(value: Any) -> Any:
    if not isinstance(value, dict | None) and not graph_file():  # only own graphs can take anything else
        raise fault("Send an object, as the graph takes it.")
    said = value.get("messages") if isinstance(value, dict) else None
    for message in said if isinstance(said, list) else []:
        if isinstance(message, dict) and not {"role", "type"} & message.keys():
            raise fault("Send messages as objects with `role` (or `type`) and `content`.")
    return value


def _check_goto(value: Any) -> Any:
    for step in value if isinstance(value, list) else [value]:
        if not (step is None or isinstance(step, str) or (isinstance(step, dict) and type(step.get("node")) is str)):
            raise fault('Send the name of a node, {"node": ..., "input": ...}, or a list of these.')
    return value


def _check_uuid(value: str) -> str:
    try:
        return str(UUID(value))
    except ValueError:
        raise fault("Send a UUID.") from None


RunId = Annotated[str, AfterValidator(_check_uuid)]
Modes = Annotated[list[str], BeforeValidator(_listed), AfterValidator(_check_modes)]
Nodes = Annotated[list[str], BeforeValidator(_listed)]
CheckpointId = Annotated[Annotated[str, Field(max_length=64)] | None, BeforeValidator(_named)]


class Body(BaseModel):
    """Nothing is coerced; what is not known is passed over."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Command(Body):
    resume: Any = None
    update: Any = None
    goto: Annotated[Any, AfterValidator(_check_goto)] = None

    def said(self) -> JSON:
        """Return only the fields that were sent: an answer may be null."""
        return self.model_dump(include=self.model_fields_set)


class Config(Body):
    configurable: dict[str, Any] | None = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    recursion_limit: int | None = Field(None, ge=1)


class RunBody(Body):
    assistant_id: AgentName
    input: Annotated[Any, AfterValidator(_check_input)] = None
    command: Command | None = None
    checkpoint: CheckpointId = None
    checkpoint_id: CheckpointId = None
    config: Config | None = None
    context: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    stream_mode: Modes = ["values"]
    stream_subgraphs: bool | None = None
    stream_resumable: bool | None = None
    interrupt_before: Nodes = []
    interrupt_after: Nodes = []
    multitask_strategy: Any = None
    if_not_exists: Any = None
    on_disconnect: Any = None
    on_completion: Any = None
    durability: Any = None
    webhook: Any = None
    after_seconds: Any = None
    feedback_keys: Any = None

    _offered = field_validator(*_OFFERED)(_check_offered)

    @field_validator("config", "context", "metadata")
    @classmethod
    def _bounded(cls, value: Any) -> Any:
        said = value.model_dump() if isinstance(value, BaseModel) else value
        if len(json.dumps(said, ensure_ascii=False).encode()) > 16 * 1024:
            raise fault("Send at most 16 KB of it, counted as JSON; what is longer belongs into the input.")
        return value

    @property
    def base(self) -> str | None:
        """Return the checkpoint to continue from, from any of the places where clients name it."""
        configured = (self.config.configurable or {}).get("checkpoint_id") if self.config else None
        return self.checkpoint or self.checkpoint_id or (configured if isinstance(configured, str) else None) or None

    def call(self, facts: JSON) -> GraphCall:
        """Return the call of the graph; its nodes read `facts` in addition to the client's values."""
        config = self.config or Config()
        said: JSON = {"tags": config.tags, "recursion_limit": config.recursion_limit}
        said["configurable"] = {**(config.configurable or {}), **facts}
        metadata = {**(config.metadata or {}), **(self.metadata or {}), **facts, "created_by": "system"}
        return GraphCall(
            input=self.input,
            command=self.command.said() or None if self.command else None,
            config={name: value for name, value in said.items() if value} | {"metadata": metadata},
            context=self.context or {},
            modes=tuple(dict.fromkeys("messages-tuple" if mode == "messages" else mode for mode in self.stream_mode)),
            subgraphs=bool(self.stream_subgraphs),
            interrupt_before=tuple(self.interrupt_before),
            interrupt_after=tuple(self.interrupt_after),
        )


class Checkpoint(Body):
    """A checkpoint of the thread, or of one of its inner graphs by `checkpoint_ns`."""

    checkpoint_id: str | None = Field(None, max_length=64)
    checkpoint_ns: str = Field("", max_length=1024)

    @model_validator(mode="before")
    @classmethod
    def _of_id(cls, value: Any) -> Any:
        named = value if isinstance(value, dict) else {"checkpoint_id": value}
        return {name: each for name, each in named.items() if each}


class StateUpdate(Body):
    values: dict[str, Any] | list[dict[str, Any]] | None = None
    as_node: str | None = None
    checkpoint: Checkpoint | None = None
    checkpoint_id: CheckpointId = None


class StateAt(Body):
    checkpoint: Checkpoint
    subgraphs: bool = False


class HistoryQuery(Body):
    limit: int = Field(10, ge=1, le=1000)
    before: CheckpointId = None
    metadata: dict[str, Any] | None = None


class AssistantSearch(Body):
    graph_id: AgentName | None = None
    name: AgentName | None = None
    metadata: Metadata | None = None
    limit: int = Field(10, ge=1, le=1000)
    offset: int = Field(0, ge=0)
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None
