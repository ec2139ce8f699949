"""Derives a turn from a run of a plain graph: its message, its reply, and whether it is over."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langgraph.checkpoint.base import Checkpoint

from turnkeep.placeholders import PLACEHOLDER
from turnkeep.records import Turn, Usage
from turnkeep.store.serde import text_of

TEXT_CHARACTERS = 4_000  # of an input or state without messages: enough to recognize it; the state is stored whole
_WAITING = ("branch:to:", "join:", "__start__", "__pregel_tasks")


def is_over(checkpoint: Checkpoint, source: str | None) -> bool:
    """Return whether no channel waits for a node, as "branch:to:agent" does."""
    waits = any(name.startswith(_WAITING) for name in checkpoint["channel_values"])
    return source in ("loop", None) and not waits


def messages_of(values: Any) -> list[BaseMessage]:
    found = values.get("messages") if isinstance(values, Mapping) else getattr(values, "messages", None)
    if isinstance(found, BaseMessage):
        return [found]
    return [each for each in found if isinstance(each, BaseMessage)] if isinstance(found, list | tuple) else []


def input_text(given: Any) -> str:
    """Return a run's input as text: the last human message, else the whole input as JSON."""
    if isinstance(given, str):
        return given
    return last_text(_converted(given), HumanMessage) or _as_json(given)


def _converted(given: Any) -> list[BaseMessage]:
    """Return the messages of an input in any LangChain form: ("user", "hello"), {"role": "user", ...}, "hello"."""
    found = given.get("messages") if isinstance(given, Mapping) else getattr(given, "messages", None)
    try:
        return convert_to_messages(found if isinstance(found, list) else [found]) if found else []
    except (ValueError, TypeError, KeyError, NotImplementedError):
        return messages_of(given)


def reply_text(values: Mapping[str, Any], new: Sequence[BaseMessage]) -> str:
    """Return a run's reply: the last message of a model, else its whole state as JSON."""
    outer = {name: value for name, value in values.items() if not name.startswith(("__", "branch:", "join:"))}
    return last_text(new, AIMessage) or _as_json(outer)


def question_of(interrupts: Sequence[Any]) -> str:
    """Return the question of an interrupted run as text."""
    if not interrupts:
        return "The run waits to be continued."
    value = interrupts[0].value
    asked = value if isinstance(value, dict) else {}
    if isinstance(asked.get("question"), str):
        return str(asked["question"])
    if actions := [each for each in asked.get("action_requests") or () if isinstance(each, dict)]:
        return "\n".join(_approval(each) for each in actions)
    return value if isinstance(value, str) else json.dumps(value, default=str, skipkeys=True)


def _approval(action: Mapping[str, Any]) -> str:
    """Return one of the `action_requests` of LangChain agents for approval as text: "send_email {"to": "ann"}"."""
    return str(action.get("description") or f"{action.get('name')} {json.dumps(action.get('args'), default=str)}")


def turn_of(
    new: Sequence[BaseMessage], reply: str, *, asks: bool, message: str | None, agent: str, began: float, now: float
) -> Turn:
    """Return the turn. `new`: messages of the run; `message`: its input, if known; `asks`: the reply is a question."""
    message = message or last_text(new, HumanMessage)
    written = [each for each in new if isinstance(each, AIMessage)]
    model = next((str(name) for each in reversed(written) if (name := each.response_metadata.get("model_name"))), "")
    counted: list[Any] = [each.usage_metadata for each in written if each.usage_metadata]
    tokens = [sum(each.get(name, 0) for each in counted) for name in ("input_tokens", "output_tokens")]
    return Turn(
        thread_id=None,
        number=0,
        agent=agent,
        message=message,
        reply=reply,
        status="interrupted" if asks else "complete",
        created_at=round(began, 3),
        duration_ms=int((now - began) * 1000),
        provider="",
        model=model,
        usage=Usage(*tokens),
        route="clarify" if asks else None,
        private=PLACEHOLDER.search(message + reply) is not None,
    )


def last_text(messages: Sequence[BaseMessage], kind: type[BaseMessage]) -> str:
    return next((text for each in reversed(messages) if isinstance(each, kind) and (text := text_of(each))), "")


def _as_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str, skipkeys=True)
    return text if len(text) <= TEXT_CHARACTERS else f"{text[: TEXT_CHARACTERS - 1]}…"
