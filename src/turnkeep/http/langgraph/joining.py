"""Runs that have ended, or that run elsewhere, as streams: the values that their turn ended with."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from turnkeep.errors import Conflict
from turnkeep.http.langgraph.frames import INTERRUPT, with_interrupts
from turnkeep.records import Event, Principal, Turn
from turnkeep.turns import RunningTurn

if TYPE_CHECKING:
    from turnkeep.services import Services

JOIN_SECONDS, ANSWER_SECONDS = 300.0, 3.0


def join(
    services: "Services", principal: Principal, thread_id: str, run_id: str, *, until: float | None, cancels: bool
) -> RunningTurn:
    """Return a run, here or elsewhere, that is awaited `until` (monotonic seconds). If it `cancels`, the run ends with
    its client."""
    runs = services.runs
    seconds = max(0.0, until - time.monotonic() - ANSWER_SECONDS) if until else JOIN_SECONDS

    async def end() -> Turn:
        try:
            return await runs.join(principal, thread_id, run_id, seconds)
        except asyncio.CancelledError:
            if cancels:
                with suppress(Conflict):  # it has ended meanwhile
                    await runs.cancel(principal, thread_id, run_id, action="interrupt")
            raise

    return replay(services, principal, RunningTurn(thread_id=thread_id, run_id=run_id), end)


def replay(
    services: "Services", principal: Principal, running: RunningTurn, end: Callable[[], Awaitable[Turn]]
) -> RunningTurn:
    """Return a run that emits the last message, the interrupts and the values of the turn that `end` returns."""

    async def emit(replaying: RunningTurn) -> Turn:
        turn = await end()
        state = await services.turns.states.read(principal, str(turn.thread_id), run=turn.run_id)
        values, interrupts = state.shown["values"], state.shown["interrupts"]
        messages = values.get("messages", []) if isinstance(values, dict) else []
        parts: list[tuple[str, Any]] = [("messages-tuple", [each, {}]) for each in messages[-1:]]
        parts += [("updates", {INTERRUPT: interrupts})] if interrupts else []
        parts += [("values", with_interrupts(state.output, interrupts))]
        for mode, data in parts:
            if data:
                replaying.emit(Event("part", {"mode": mode, "namespace": [], "data": data}))
        replaying.emit(Event("end", {"values": state.output, "interrupts": interrupts}))
        return turn

    return RunningTurn(thread_id=running.thread_id, run_id=running.run_id, replayed=running.replayed).run(emit)
