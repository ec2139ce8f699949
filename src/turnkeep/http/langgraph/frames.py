"""A run in LangGraph's formats: server-sent events, or its final values. `end` is sent after the turn is stored, so
clients need not check how the run ended."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from turnkeep.errors import TurnInProgress
from turnkeep.http.sse import HEARTBEAT, as_event, compact
from turnkeep.http.views import not_stored
from turnkeep.records import JSON

INTERRUPT = "__interrupt__"
_PIECE = "MessageChunk"


def error_view(problem: Mapping[str, Any]) -> JSON:
    """Return a problem with LangGraph's two fields, `error` and `message`, and ours."""
    name = "".join(word.capitalize() for word in problem["code"].split("_"))
    own = {key: problem[key] for key in ("code", "correlation_id", "retry_after") if key in problem}
    return {"error": name, "message": problem["detail"], **own}


class RunFrames:
    """Events in the `modes` that the client requested, with ids if the stream is `resumable`."""

    media_type, rejoin_path, heartbeat = "text/event-stream; charset=utf-8", "stream", HEARTBEAT

    def __init__(self, run_id: str, modes: Iterable[str], *, resumable: bool | None) -> None:
        self._run_id = run_id
        self._modes = frozenset(modes)
        self._resumable = resumable
        self._number = 0
        self._messages = _Messages()

    def head(self) -> bytes:
        return self._frame("metadata", {"run_id": self._run_id, "attempt": 1})

    def __call__(self, _: int, name: str, data: Mapping[str, Any]) -> bytes:
        match name:
            case "part":
                events = self._events(data["mode"], data["namespace"], data["data"])
                return b"".join(self._frame(event, each) for event, each in events)
            case "complete":
                if error := not_stored(data["turn"]):
                    return self._frame("error", error_view(as_event(error)))
                return self._frame("end", {"run_id": self._run_id, "status": "success"})
            case "error" if data["code"] != TurnInProgress.code:  # the client can join a run that continues
                return self._frame("error", error_view(data))
        return b""

    def _events(self, mode: str, namespace: list[str], data: Any) -> Iterator[tuple[str, Any]]:
        if mode == "messages-tuple":
            if "messages-tuple" in self._modes:
                yield _event("messages", namespace), data
            if "messages" in self._modes:
                yield from ((_event(event, namespace), each) for event, each in self._messages.events(*data))
        elif mode in self._modes:
            yield _event(mode, namespace), data
        elif mode == "updates" and "values" not in self._modes and INTERRUPT in data:
            yield _event(mode, namespace), {INTERRUPT: data[INTERRUPT]}

    def _frame(self, event: str, data: Any) -> bytes:
        self._number += 1
        number = f"id: {self._number}\r\n" if self._resumable else ""
        return f"event: {event}\r\ndata: {compact(data)}\r\n{number}\r\n".encode(errors="replace")


class FinalValues:
    """The final values of a run with its interrupts, as one JSON object. White space may precede it."""

    media_type, rejoin_path, heartbeat = "application/json", "join", b"\n"
    _values: Any = {}  # noqa: RUF012 - never changed in place

    def head(self) -> bytes:
        return b""

    def __call__(self, _: int, name: str, data: Mapping[str, Any]) -> bytes:
        match name:
            case "end":
                self._values = with_interrupts(data["values"], data["interrupts"])
                return b""
            case "complete":
                error = not_stored(data["turn"])
                answer = {"__error__": error_view(as_event(error))} if error else self._values
            case "error":
                answer = {"__error__": error_view(data)}
            case _:
                return b""
        return compact(answer).encode(errors="replace")


def with_interrupts(values: Any, interrupts: list[Any]) -> Any:
    """Add the interrupts to the values. They replace values that are not an object, as in LangGraph."""
    return {**(values if isinstance(values, dict) else {}), INTERRUPT: interrupts} if interrupts else values


def _event(name: str, namespace: list[str]) -> str:
    return "|".join([name, *namespace])


class _Messages:
    """The stream mode `messages`: each event contains the message as far as it is written."""

    def __init__(self) -> None:
        self._whole: dict[str, JSON] = {}
        self._calls: dict[str, dict[Any, JSON]] = {}

    def events(self, message: JSON, metadata: JSON) -> Iterator[tuple[str, Any]]:
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
    """Join two texts to a text. If either is a list of blocks, return a list of blocks."""
    if isinstance(before, str) and isinstance(more, str):
        return before + more
    return [*_blocks(before), *_blocks(more)]


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []


def _arguments(text: str) -> Any:
    """Return the arguments, or none while they are incomplete, such as '{"city": "Par'."""
    try:
        return json.loads(text)
    except ValueError:
        return {}
