"""Turns whose runs follow a script, and the events of a stream."""

import asyncio
import json
from typing import Any, cast

from turnkeep.records import Event, Turn
from turnkeep.turns import RunningTurn, TurnRequest

type Step = Event | BaseException | float


def turn(**changes: Any) -> Turn:
    facts: dict[str, Any] = {
        "thread_id": "t1",
        "number": 1,
        "agent": "papers",
        "message": "ping",
        "reply": "pong",
        "status": "complete",
        "created_at": 1_700_000_000.25,
        "duration_ms": 12,
        "provider": "demo",
        "model": "demo",
    }
    return Turn(**facts | changes)


def token(text: str) -> Event:
    return Event("token", {"content": text})


def complete(**changes: Any) -> Event:
    return Event("complete", {"turn": turn(**changes)})


class ScriptedRun(RunningTurn):
    """A running turn that emits events, raises exceptions and sleeps numbers. `ending` records how it ended."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__(thread_id="t1")
        self.ending: str | None = None
        self._steps = steps
        self.run(lambda _: self._play())

    async def _play(self) -> Turn:
        self.ending = "left"
        try:
            for step in self._steps:
                if isinstance(step, BaseException):
                    raise step
                if isinstance(step, float):
                    await asyncio.sleep(step)
                elif step.name == "complete":
                    self.ending = "played"
                    return cast(Turn, step.data["turn"])
                else:
                    self.emit(step)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            self.ending = "cancelled"
            raise
        raise AssertionError("the script has no complete")


class ScriptedTurns:
    """One script for each expected request."""

    def __init__(self, *scripts: list[Step]) -> None:
        self.requests: list[TurnRequest] = []
        self.runs: list[ScriptedRun] = []
        self._scripts = list(scripts)

    async def start(self, request: TurnRequest) -> ScriptedRun:
        self.requests.append(request)
        assert self._scripts, "no run was expected"
        assert request.key
        self.runs.append(ScriptedRun(self._scripts.pop(0)))
        return self.runs[-1]


def read_events(body: str) -> list[tuple[str, int, dict[str, Any]]]:
    """Return the events of a stream as (name, number, data), without comments."""
    found = []
    for part in body.strip("\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.split("\n") if not line.startswith(":"))
        if fields:
            found.append((fields["event"], int(fields["id"].split(".")[1]), json.loads(fields["data"])))
    return found
