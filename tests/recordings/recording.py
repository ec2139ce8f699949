"""What is kept of an inner call: which one, its prompt with a digest, and what the model answered."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

type Line = dict[str, Any]

FOLDER = Path(__file__).parent


def digest_of(messages: Sequence[BaseMessage], options: Mapping[str, Any]) -> str:
    """Of all that a model is sent which decides its answer: roles, texts, tool calls and schemas."""
    sent = [[message.type, message.text, _called(message)] for message in messages]
    return hashlib.sha256(json.dumps([sent, schemas_of(options)], sort_keys=True).encode()).hexdigest()[:16]


def schemas_of(options: Mapping[str, Any]) -> list[Any]:
    """Of the tools, or of the answer, that a call binds."""
    tools = [tool["function"] for tool in options.get("tools") or []]
    form = (options.get("response_format") or {}).get("json_schema")
    return [*tools, *([form] if form else [])]


def prompt_of(messages: Iterable[BaseMessage]) -> list[Line]:
    return [{"role": message.type, "content": message.text} for message in messages]


def answer_of(message: AIMessage) -> Line:
    """Text, or the calls of tools."""
    return {"calls": _called(message)} if message.tool_calls else {"text": message.text}


def message_of(answer: Line) -> AIMessage:
    """The answer as a model gives it."""
    calls = [{**call, "id": f"call_{at}"} for at, call in enumerate(answer.get("calls", []))]
    return AIMessage(answer.get("text", ""), tool_calls=calls)


def read_lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def _called(message: BaseMessage) -> list[Line]:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return [{"name": call["name"], "args": call["args"]} for call in calls]
