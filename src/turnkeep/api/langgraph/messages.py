"""The stream mode `messages`: each event contains the message as far as it is written."""

import json
from collections.abc import Iterator
from typing import Any

from turnkeep.records import JSON

_PIECE = "MessageChunk"


class Messages:
    def __init__(self) -> None:
        self._whole: dict[str, JSON] = {}
        self._calls: dict[str, dict[Any, JSON]] = {}

    def told(self, message: JSON, metadata: JSON) -> Iterator[tuple[str, Any]]:
        """Yield the events for one message or piece of one."""
        name = str(message.get("id"))
        if name not in self._whole:
            yield "messages/metadata", {name: {"metadata": metadata}}
        if message["type"].endswith(_PIECE):
            self._whole[name] = self._grown(name, message)
            yield "messages/partial", [self._whole[name]]
        else:
            self._whole[name] = message
            yield "messages/complete", [message]

    def _grown(self, name: str, piece: JSON) -> JSON:
        before = self._whole.get(name)
        pieces = piece.get("tool_call_chunks") or []
        own = {key: value for key, value in piece.items() if key not in ("tool_call_chunks", "chunk_position")}
        whole = {**own, **(before or {}), "type": piece["type"].removesuffix(_PIECE).lower()}
        whole |= {key: own[key] for key in ("usage_metadata", "response_metadata") if own.get(key)}
        if before:
            whole["content"] = _joined(before["content"], piece["content"])
        return whole | ({"tool_calls": self._tool_calls(name, pieces)} if pieces else {})

    def _tool_calls(self, name: str, pieces: list[JSON]) -> list[JSON]:
        calls = self._calls.setdefault(name, {})
        for piece in pieces:
            call = calls.setdefault(piece.get("index"), {"name": "", "args": "", "id": None})
            call["name"] += piece.get("name") or ""
            call["args"] += piece.get("args") or ""
            call["id"] = call["id"] or piece.get("id")
        return [{**call, "args": _arguments(call["args"]), "type": "tool_call"} for call in calls.values()]


def _joined(before: Any, more: Any) -> Any:
    """Join text to text. If either is a list of blocks, return a list: "Hel" and [{"type": "text", "text": "lo"}]."""
    if isinstance(before, str) and isinstance(more, str):
        return before + more
    return [*_blocks(before), *_blocks(more)]


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []


def _arguments(text: str) -> Any:
    """Return the arguments, none until they are complete: '{"city": "Par'."""
    try:
        return json.loads(text)
    except ValueError:
        return {}
