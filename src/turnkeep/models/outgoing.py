"""Redacts every text that is sent to a model during a private run. All models of `turnkeep.models` use it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from langchain_core.messages import BaseMessage

_KEPT = {"id", "tool_call_id", "call_id", "role", "type"}
"""Fields of the protocol in a message."""
_AGENTS_OWN = {"model", "tools", "tool_choice", "response_format", "text"}
"""Parts of a request that the agent's code writes."""
_FILE = "data:"

Hide: TypeAlias = Callable[[str], str]

_hide: ContextVar[Hide | None] = ContextVar("hide", default=None)
_made: ContextVar[Mapping[str, str] | None] = ContextVar("made", default=None)


@contextmanager
def hiding(hide: Hide | None, made: Mapping[str, str] | None = None) -> Iterator[None]:
    """Apply `hide` to every model call of this task and the tasks that it starts; None hides nothing. `made` maps the
    placeholders of this run to their values and may grow."""
    tokens = _hide.set(hide), _made.set(made)
    try:
        yield
    finally:
        _hide.reset(tokens[0])
        _made.reset(tokens[1])


def placeholders_made() -> Mapping[str, str] | None:
    """Return the values of this run's placeholders, None if nothing is redacted."""
    return _made.get()


def outgoing(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the redacted body of a request."""
    hide = _hide.get()
    if hide is None:
        return payload
    return {name: value if name in _AGENTS_OWN else _hidden(value, hide) for name, value in payload.items()}


def outgoing_messages(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Return redacted messages, for libraries that build the body themselves."""
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
        kept = _KEPT if "role" in value else {*_KEPT, "name"}  # the name of a tool
        return {name: each if name in kept else _hidden(each, hide) for name, each in value.items()}
    return value
