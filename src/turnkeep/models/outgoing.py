"""Redacts all text sent to a model during a run with PII redaction. All models of `turnkeep.models` use it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from langchain_core.messages import BaseMessage

_PROTOCOL = {"id", "tool_call_id", "call_id", "role", "type"}  # fields of a message
_AGENTS_OWN = {"model", "tools", "tool_choice", "response_format", "text"}  # fields of a request written by code

Redact: TypeAlias = Callable[[str], str]

_redact: ContextVar[Redact | None] = ContextVar("redact", default=None)
_made: ContextVar[Mapping[str, str] | None] = ContextVar("made", default=None)


@contextmanager
def redacting(redact: Redact | None, made: Mapping[str, str] | None = None) -> Iterator[None]:
    """Apply `redact` to every model call of this task and of the tasks that it starts; None redacts nothing. `made`
    maps the placeholders of this run to their values and may grow."""
    redact_token, made_token = _redact.set(redact), _made.set(made)
    try:
        yield
    finally:
        _redact.reset(redact_token)
        _made.reset(made_token)


def placeholders_made() -> Mapping[str, str] | None:
    """Return the values of this run's placeholders, None if nothing is redacted."""
    return _made.get()


def outgoing(payload: dict[str, Any]) -> dict[str, Any]:
    redact = _redact.get()
    if redact is None:
        return payload
    return {name: value if name in _AGENTS_OWN else _redacted(value, redact) for name, value in payload.items()}


def outgoing_messages(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Return redacted messages, for libraries that build the body themselves."""
    redact = _redact.get()
    return messages if redact is None else [_redacted_message(message, redact) for message in messages]


def _redacted_message(message: BaseMessage, redact: Redact) -> BaseMessage:
    changes = {
        "content": _redacted(message.content, redact),
        "additional_kwargs": _redacted(message.additional_kwargs, redact),
    }
    for name in ("tool_calls", "invalid_tool_calls"):
        if found := getattr(message, name, None):
            changes[name] = _redacted(found, redact)
    return message.model_copy(update=changes)


def _redacted(value: Any, redact: Redact) -> Any:
    if isinstance(value, str):
        return value if value.startswith("data:") else redact(value)  # a file
    if isinstance(value, list | tuple):
        return [_redacted(each, redact) for each in value]
    if isinstance(value, dict):
        kept = _PROTOCOL if "role" in value else {*_PROTOCOL, "name"}  # the name of a tool
        return {name: each if name in kept else _redacted(each, redact) for name, each in value.items()}
    return value
