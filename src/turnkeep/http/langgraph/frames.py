"""A run in LangGraph's formats: server-sent events, or its final values. `end` is sent after the turn is stored, so
clients need not check how the run ended."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from turnkeep.errors import TurnInProgress
from turnkeep.http.sse import HEARTBEAT, NO_EVENT, EventId, as_event, compact
from turnkeep.http.views import fault_of
from turnkeep.records import JSON
from turnkeep.turns.request import INTERRUPT


def error_view(problem: Mapping[str, Any]) -> JSON:
    """Return a problem with LangGraph's two fields, `error` and `message`, and ours."""
    name = "".join(word.capitalize() for word in problem["code"].split("_"))
    own = {key: problem[key] for key in ("code", "correlation_id", "retry_after") if key in problem}
    return {"error": name, "message": problem["detail"], **own}


class RunFrames:
    """Events in the `modes` that the client requested, with ids if the stream is `resumable`."""

    media_type, heartbeat = "text/event-stream; charset=utf-8", HEARTBEAT

    def __init__(self, run_id: str, modes: Sequence[str], *, resumable: bool | None, after: EventId = NO_EVENT) -> None:
        """`after`: the last frame that the client has."""
        self._run_id = run_id
        self._modes = frozenset(modes)
        others = [("stream_mode", mode) for mode in modes] if resumable and self._modes != {"values"} else []
        self.rejoin_path = f"stream?{urlencode(others)}".rstrip("?")  # SDKs join again there, without naming modes
        self._resumable = resumable
        self.after = after
        self._messages = _Messages()

    def head(self) -> bytes:
        return b"" if self.after != NO_EVENT else self._frames(EventId(0, 0), self._metadata(1))

    def __call__(self, at: EventId, name: str, data: Mapping[str, Any]) -> bytes:
        if name == "restart":
            self._messages = _Messages()
            return self._frames(at, self._metadata(2))
        return self._frames(at, *self._events(name, data))

    def _events(self, name: str, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        match name:
            case "part":
                yield from self._parts(data["mode"], data["namespace"], data["data"])
            case "complete":
                error, ended = fault_of(data["turn"]), {"run_id": self._run_id, "status": "success"}
                yield ("error", error_view(as_event(error))) if error else ("end", ended)
            case "error" if data["code"] != TurnInProgress.code:  # the client can join a run that continues
                yield "error", error_view(data)

    def _metadata(self, attempt: int) -> tuple[str, JSON]:
        return "metadata", {"run_id": self._run_id, "attempt": attempt}

    def _parts(self, mode: str, namespace: list[str], data: Any) -> Iterator[tuple[str, Any]]:
        if mode == "messages-tuple":
            if "messages-tuple" in self._modes:
                yield _event("messages", namespace), data
            if "messages" in self._modes:
                yield from ((_event(event, namespace), each) for event, each in self._messages.events(*data))
        elif mode in self._modes:
            yield _event(mode, namespace), data
        elif mode == "updates" and "values" not in self._modes and INTERRUPT in data:
            yield _event(mode, namespace), {INTERRUPT: data[INTERRUPT]}

    def _frames(self, at: EventId, *events: tuple[str, Any]) -> bytes:
        frames = ""
        for number, (event, data) in enumerate(events):
            at = at._replace(frame=number)
            name = f"id: {at}\r\n" if self._resumable else ""
            frames += f"event: {event}\r\ndata: {compact(data)}\r\n{name}\r\n" if at.follows(self.after) else ""
        return frames.encode(errors="replace")


class FinalValues:
    """The final values of a run with its interrupts, as one JSON object. White space may precede it."""

    media_type, rejoin_path, heartbeat, after = "application/json", "join", b"\n", NO_EVENT
    _values: Any = {}  # noqa: RUF012 - never changed in place

    def head(self) -> bytes:
        return b""

    def __call__(self, _: EventId, name: str, data: Mapping[str, Any]) -> bytes:
        match name:
            case "end":
                self._values = with_interrupts(data["values"], data["interrupts"])
                return b""
            case "complete":
                error = fault_of(data["turn"])
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
        self._written: dict[str, Any] = {}

    def events(self, message: JSON, metadata: JSON) -> Iterator[tuple[str, Any]]:
        name = str(message.get("id"))
        if name not in self._written:
            yield "messages/metadata", {name: {"metadata": metadata}}
        if message["type"].endswith("MessageChunk"):
            from turnkeep.turns.wire import grown  # noqa: PLC0415 - loads LangChain

            self._written[name], whole = grown(self._written.get(name), message)
            yield "messages/partial", [whole]
        else:
            self._written[name] = None
            yield "messages/complete", [message]
