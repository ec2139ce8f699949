"""Streams of runs that are over or run elsewhere, as if they ran here: the values that their turn ended with."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from turnkeep.api.langgraph.frames import INTERRUPT, asking
from turnkeep.errors import Conflict
from turnkeep.records import Event, Principal, Turn
from turnkeep.turns import RunningTurn

if TYPE_CHECKING:
    from turnkeep.services import Services

JOIN_SECONDS, ANSWER_SECONDS = 300.0, 3.0


def joined(
    services: "Services", principal: Principal, thread_id: str, run_id: str, *, until: float | None, cancels: bool
) -> RunningTurn:
    """Return a run that may still run, here or elsewhere. It waits for the end `until` (monotonic seconds). If it
    `cancels`, the run ends with its client."""
    runs = services.runs
    seconds = max(0.0, until - time.monotonic() - ANSWER_SECONDS) if until else JOIN_SECONDS

    async def end() -> Turn:
        try:
            return await runs.join(principal, thread_id, run_id, seconds)
        except asyncio.CancelledError:
            with suppress(Conflict):  # it has ended meanwhile
                await runs.cancel(principal, thread_id, run_id, action="interrupt") if cancels else None
            raise

    return retold(services, principal, RunningTurn(thread_id=thread_id, run_id=run_id), end)


def retold(
    services: "Services", principal: Principal, running: RunningTurn, end: Callable[[], Awaitable[Turn]]
) -> RunningTurn:
    """Return a run whose turn comes from `end`."""

    async def tell(telling: RunningTurn) -> Turn:
        turn = await end()
        state = await services.turns.states.read(principal, str(turn.thread_id), run=turn.run_id)
        interrupt = {INTERRUPT: state.interrupts} if state.interrupts else {}
        messages = state.values.get("messages", []) if isinstance(state.values, dict) else []
        parts: list[tuple[str, Any]] = [("messages-tuple", [each, {}]) for each in messages[-1:]]
        parts += [("updates", interrupt), ("values", asking(state.output, state.interrupts))]
        for mode, data in parts:
            if data:
                telling.emit(Event("part", {"mode": mode, "namespace": [], "data": data}))
        telling.emit(Event("end", {"values": state.output, "interrupts": state.interrupts}))
        return turn

    return RunningTurn(thread_id=running.thread_id, run_id=running.run_id, replayed=running.replayed).run(tell)
