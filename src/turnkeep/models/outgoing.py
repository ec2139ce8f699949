"""What a model is asked, as it may leave: while a private run goes on, every text that this process sends to a model is
hidden first, whatever put it there. The one place that the models of `turnkeep.models` ask."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from langchain_core.messages import BaseMessage

_KEPT = {"id", "tool_call_id", "call_id", "role", "type"}
"""Fields of a message that are the protocol's own."""
_AGENTS_OWN = {"model", "tools", "tool_choice", "response_format", "text"}
"""What of a request is the agent's own words."""
_FILE = "data:"

Hide: TypeAlias = Callable[[str], str]

_hide: ContextVar[Hide | None] = ContextVar("hide", default=None)
_made: ContextVar[Mapping[str, str] | None] = ContextVar("made", default=None)


@contextmanager
def hiding(hide: Hide | None, made: Mapping[str, str] | None = None) -> Iterator[None]:
    """For every call of a model in this task and in those that it starts; None hides nothing. `made` is what the
    placeholders of this run stand for, read while it grows."""
    tokens = _hide.set(hide), _made.set(made)
    try:
        yield
    finally:
        _hide.reset(tokens[0])
        _made.reset(tokens[1])


def placeholders_made() -> Mapping[str, str] | None:
    """Return what the placeholders of this run stand for; None where nothing is redacted."""
    return _made.get()


def outgoing(payload: dict[str, Any]) -> dict[str, Any]:
    """The body of a request as it may be sent."""
    hide = _hide.get()
    if hide is None:
        return payload
    return {name: value if name in _AGENTS_OWN else _hidden(value, hide) for name, value in payload.items()}


def outgoing_messages(messages: list[BaseMessage]) -> list[BaseMessage]:
    """The same where LangChain makes the body out of sight."""
    hide = _hide.get()
    if hide is None:
        return messages
    return [_hidden_message(message, hide) for message in messages]


def _hidden_message(message: BaseMessage, hide: Hide) -> BaseMessage:
    changes = {"content": _hidden(message.content, hide), "additional_kwargs": _hidden(message.additional_kwargs, hide)}
    for name in ("tool_calls", "invalid_tool_calls"):
        if found := getattr(message, name, None):
            changes[name] = _hidden(found, hide)
    return message.model_copy(update=changes)


def _hidden(value: Any, hide: Hide) -> Any:
    if isinstance(value, str):
        return value if value.startswith(_FILE) else hide(value)
    if isinstance(value, list | tuple):
        return [_hidden(each, hide) for each in value]
    if isinstance(value, dict):
        kept = _KEPT if "role" in value else {*_KEPT, "name"}  # of a tool
        return {name: each if name in kept else _hidden(each, hide) for name, each in value.items()}
    return value
