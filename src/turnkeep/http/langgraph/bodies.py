"""The body of a run, as LangGraph's clients send it. Unknown keys are ignored, as on LangGraph's server. Options that a
client would rely on, but that have no effect here, are rejected with advice."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from turnkeep.entries import graph_file
from turnkeep.errors import InvalidRequest
from turnkeep.http.schemas import AgentName, LenientRequest, check_message, fault
from turnkeep.http.sse import compact
from turnkeep.records import JSON
from turnkeep.turns.request import GraphCall, WhenBusy

Mode = Literal["values", "updates", "messages", "messages-tuple", "custom", "debug", "tasks", "checkpoints", "events"]
_HUMAN = ("human", "user")
_OFFERED: dict[str, tuple[tuple[Any, ...], str]] = {
    "durability": ((None, "sync", "async", "exit"), "Send sync, async or exit. A run is always stored at its end."),
    "on_completion": ((None, "delete"), "Send delete or omit it. To keep a run, create a thread for it."),
    "webhook": ((None,), "Omit it. `GET /threads/{thread_id}/runs/{run_id}/join` waits for a run."),
    "after_seconds": ((None, 0), "Omit it. A run starts immediately."),
    "feedback_keys": ((None, []), "Omit it. Feedback is not supported."),
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
    """Return the id from the form that SDKs pass, {"thread_id": ..., "checkpoint_ns": "", "checkpoint_id": ...}, or
    from a config that has it as `configurable`."""
    value = value.get("configurable", value) if isinstance(value, dict) else value
    if isinstance(value, dict) and value.get("checkpoint_ns"):
        raise fault("`checkpoint_ns` must be empty. Runs continue from checkpoints of the thread itself.")
    return (value.get("checkpoint_id") if isinstance(value, dict) else value) or None


def _check_input(value: Any) -> Any:
    if not isinstance(value, dict | None) and not graph_file():  # only own graphs can take anything else
        raise fault("Send an object with the input of the graph.")
    messages = value.get("messages") if isinstance(value, dict) else None
    for message in messages if isinstance(messages, list) else []:
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
Modes = Annotated[list[Mode], BeforeValidator(_listed), AfterValidator(lambda modes: modes or ["values"])]
Nodes = Annotated[list[str], BeforeValidator(_listed)]
CheckpointId = Annotated[Annotated[str, Field(max_length=64)] | None, BeforeValidator(_named)]


class Command(LenientRequest):
    resume: Any = None
    update: Any = None
    goto: Annotated[Any, AfterValidator(_check_goto)] = None

    def sent(self) -> JSON:
        """Return only the fields that were sent, because an answer may be null."""
        return self.model_dump(include=self.model_fields_set)


class Config(LenientRequest):
    configurable: dict[str, Any] | None = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    recursion_limit: int | None = Field(None, ge=1)


class RunBody(LenientRequest):
    assistant_id: AgentName
    input: Annotated[Any, AfterValidator(_check_input)] = None
    command: Command | None = None
    checkpoint: CheckpointId = None
    checkpoint_id: CheckpointId = None
    config: Config | None = None
    context: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    stream_mode: Modes = Field(["values"])
    stream_subgraphs: bool | None = None
    stream_resumable: bool | None = None
    interrupt_before: Nodes = Field([])
    interrupt_after: Nodes = Field([])
    multitask_strategy: WhenBusy | None = None
    if_not_exists: Literal["create", "reject"] | None = None
    on_disconnect: Literal["cancel", "continue"] | None = None
    on_completion: Any = None
    durability: Any = None
    webhook: Any = None
    after_seconds: Any = None
    feedback_keys: Any = None

    _offered = field_validator(*_OFFERED)(_check_offered)

    @field_validator("config", "context", "metadata")
    @classmethod
    def _bounded(cls, value: Any) -> Any:
        plain = value.model_dump() if isinstance(value, BaseModel) else value
        if len(json.dumps(plain, ensure_ascii=False).encode()) > 16 * 1024:
            raise fault("Send at most 16 KB of JSON. Put longer values into the input.")
        return value

    @property
    def base(self) -> str | None:
        """The checkpoint to continue from, in any of the fields where clients send it."""
        configured = (self.config.configurable or {}).get("checkpoint_id") if self.config else None
        return self.checkpoint or self.checkpoint_id or (configured if isinstance(configured, str) else None) or None

    def call(self, assistant: JSON) -> GraphCall:
        """Return the call of the graph with the configuration of its assistant, whose ids nodes also read."""
        facts = {name: assistant[name] for name in ("graph_id", "assistant_id")}
        own = assistant.get("config", {})
        config = Config.model_validate(own | (self.config or Config()).model_dump(exclude_none=True))
        sent: JSON = {"tags": config.tags, "recursion_limit": config.recursion_limit}
        sent["configurable"] = {**own.get("configurable", {}), **(config.configurable or {}), **facts}
        metadata = {**(config.metadata or {}), **(self.metadata or {}), **facts, "created_by": "system"}
        return GraphCall(
            input=self.input,
            command=self.command.sent() or None if self.command else None,
            config={name: value for name, value in sent.items() if value} | {"metadata": metadata},
            context={**assistant.get("context", {}), **(self.context or {})},
            modes=tuple(dict.fromkeys("messages-tuple" if mode == "messages" else mode for mode in self.stream_mode)),
            subgraphs=bool(self.stream_subgraphs),
            interrupt_before=tuple(self.interrupt_before),
            interrupt_after=tuple(self.interrupt_after),
        )

    def message(self) -> str:
        """Return the message of the turn: the last human one, the answer to a question, or JSON.

        Raises:
            MessageTooLong, InvalidRequest
        """
        command = self.command.sent() if self.command else None
        if command:
            text = _text(command.get("resume", command))
        else:
            text = next((_text(content) for content, _ in self._human()), _text(self.input) if self.input else "")
        try:
            return text and check_message(text)
        except PydanticCustomError as error:
            raise InvalidRequest(f"input: {error.message()}") from error

    def identifies_retries(self) -> bool:
        """Return whether the body names a checkpoint or message id, so that the same body again is a retry."""
        return self.base is not None or any(message_id for _, message_id in list(self._human())[:1])

    def _human(self) -> Iterator[tuple[Any, Any]]:
        """Yield content and id of the human messages, last first. A message may be a text, a pair or an object."""
        sent = self.input.get("messages") or [] if isinstance(self.input, dict) else []
        for message in reversed(sent if isinstance(sent, list) else [sent]):
            match message:
                case str():
                    yield message, None
                case [role, content] if role in _HUMAN:
                    yield content, None
                case dict() if (message.get("role") or message.get("type")) in _HUMAN:
                    yield message.get("content"), message.get("id")


def _text(content: Any) -> str:
    """Return the texts of blocks such as [{"type": "text", "text": "hello"}], or anything else as JSON."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") if isinstance(block, dict) else block for block in blocks]
    return "\n".join(text for text in texts if isinstance(text, str)) or compact(content)
