"""Redacts all text sent to a model during a run with PII redaction. All models of `turnkeep.models` use it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

_PROTOCOL = {"id", "tool_call_id", "call_id", "toolUseId", "role", "type"}  # fields of a message
_AGENTS_OWN = {"model", "tools", "tool_choice", "response_format", "text"}  # fields of OpenAI's request, from code
_AGENTS_OWN |= {"modelId", "toolConfig", "guardrailConfig"}  # of Bedrock's

Redact: TypeAlias = Callable[[str], str]

_run: ContextVar[tuple[Redact | None, Mapping[str, str] | None]] = ContextVar("run", default=(None, None))


@contextmanager
def redacting(redact: Redact | None, made: Mapping[str, str] | None = None) -> Iterator[None]:
    """Apply `redact` to every model call of this task and of the tasks that it starts; None redacts nothing. `made`
    maps the placeholders of this run to their values and may grow."""
    token = _run.set((redact, made))
    try:
        yield
    finally:
        _run.reset(token)


def placeholders_made() -> Mapping[str, str] | None:
    """Return the values of this run's placeholders, None if nothing is redacted."""
    return _run.get()[1]


def outgoing(payload: dict[str, Any]) -> dict[str, Any]:
    redact, _ = _run.get()
    if redact is None:
        return payload
    return {name: value if name in _AGENTS_OWN else _redacted(value, redact) for name, value in payload.items()}


def _redacted(value: Any, redact: Redact) -> Any:
    if isinstance(value, str):
        return value if value.startswith("data:") else redact(value)  # a file
    if isinstance(value, list | tuple):
        return [_redacted(each, redact) for each in value]
    if isinstance(value, dict):
        kept = _PROTOCOL if "role" in value else {*_PROTOCOL, "name"}  # the name of a tool
        return {name: each if name in kept else _redacted(each, redact) for name, each in value.items()}
    return value
