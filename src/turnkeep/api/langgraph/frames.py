"""A run as LangGraph's server-sent events: `metadata` first, then each stream mode, `end` or `error` last. `end` means
that the turn is stored, so clients need not ask how the run ended."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from turnkeep.api.langgraph.messages import Messages
from turnkeep.api.sse import HEARTBEAT, as_event, compact
from turnkeep.api.views import not_kept
from turnkeep.errors import TurnInProgress
from turnkeep.records import JSON, Turn

INTERRUPT = "__interrupt__"


def error_view(problem: Mapping[str, Any]) -> JSON:
    """Return a problem with LangGraph's two fields, `error` and `message`, and ours."""
    name = "".join(word.capitalize() for word in problem["code"].split("_"))
    own = {key: problem[key] for key in ("code", "correlation_id", "retry_after") if key in problem}
    return {"error": name, "message": problem["detail"], **own}


class RunFrames:
    """The frames of one run in order; `modes` are those that the client asked for."""

    media_type, again, heartbeat = "text/event-stream; charset=utf-8", "stream", HEARTBEAT

    def __init__(self, run_id: str, modes: Iterable[str], *, resumable: bool | None) -> None:
        self._run_id = run_id
        self._modes = frozenset(modes)
        self._resumable = resumable
        self._number = 0
        self._messages = Messages()

    def head(self) -> bytes:
        return self._frame("metadata", {"run_id": self._run_id, "attempt": 1})

    def __call__(self, _: int, name: str, data: Mapping[str, Any]) -> bytes:
        match name:
            case "part":
                told = self._told(data["mode"], data["namespace"], data["data"])
                return b"".join(self._frame(event, each) for event, each in told)
            case "complete":
                return self._end(data["turn"])
            case "error" if data["code"] != TurnInProgress.code:  # a run that continues can be requested again
                return self._frame("error", error_view(data))
        return b""

    def _told(self, mode: str, namespace: list[str], data: Any) -> Iterator[tuple[str, Any]]:
        if mode == "messages-tuple":
            if "messages-tuple" in self._modes:
                yield _event("messages", namespace), data
            if "messages" in self._modes:
                yield from ((_event(event, namespace), each) for event, each in self._messages.told(*data))
        elif mode in self._modes:
            yield _event(mode, namespace), data
        elif mode == "updates" and "values" not in self._modes and INTERRUPT in data:
            yield _event(mode, namespace), {INTERRUPT: data[INTERRUPT]}

    def _end(self, turn: Turn) -> bytes:
        if error := not_kept(turn):
            return self._frame("error", error_view(as_event(error)))
        return self._frame("end", {"run_id": self._run_id, "status": "success"})

    def _frame(self, event: str, data: Any) -> bytes:
        self._number += 1
        number = f"id: {self._number}\r\n" if self._resumable else ""
        return f"event: {event}\r\ndata: {compact(data)}\r\n{number}\r\n".encode(errors="replace")


class FinalValues:
    """The final values of a run and its open questions, as one JSON object, which may begin with white space."""

    media_type, again, heartbeat = "application/json", "join", b"\n"
    _values: Any = {}  # noqa: RUF012 - never changed in place

    def head(self) -> bytes:
        return b""

    def __call__(self, _: int, name: str, data: Mapping[str, Any]) -> bytes:
        match name:
            case "end":
                self._values = asking(data["values"], data["interrupts"])
                return b""
            case "complete":
                error = not_kept(data["turn"])
                told = {"__error__": error_view(as_event(error))} if error else self._values
            case "error":
                told = {"__error__": error_view(data)}
            case _:
                return b""
        return compact(told).encode(errors="replace")


def asking(values: Any, interrupts: list[Any]) -> Any:
    """Add the open questions to values that are an object, in place of others, as LangGraph does."""
    return {**(values if isinstance(values, dict) else {}), INTERRUPT: interrupts} if interrupts else values


def _event(name: str, namespace: list[str]) -> str:
    return "|".join([name, *namespace])
