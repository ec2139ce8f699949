"""Runs that are over, or run elsewhere, told as if they ran here: the values that their turn ended with."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from turnkeep.api.langgraph.frames import INTERRUPT
from turnkeep.api.langgraph.views import values_of
from turnkeep.errors import Conflict
from turnkeep.records import Event, Principal, Turn
from turnkeep.turns import RunningTurn

if TYPE_CHECKING:
    from turnkeep.services import Services
    from turnkeep.turns import Turns

JOIN_SECONDS, ANSWER_SECONDS = 300.0, 3.0


def retold(turns: "Turns", principal: Principal, running: RunningTurn) -> RunningTurn:
    """A run whose turn was kept before."""
    return _told(turns, principal, running, running.finish)


def joined(
    services: "Services", principal: Principal, thread_id: str, run_id: str, *, until: float | None, cancels: bool
) -> RunningTurn:
    """A run that may still run, here or elsewhere; waits for its end `until` (monotonic seconds)."""
    seconds = max(0.0, until - time.monotonic() - ANSWER_SECONDS) if until else JOIN_SECONDS

    async def wait() -> Turn:
        try:
            return await services.runs.join(principal, thread_id, run_id, seconds)
        except asyncio.CancelledError:
            if cancels:
                await _cancel(services, principal, thread_id, run_id)
            raise

    return _told(services.turns, principal, RunningTurn(thread_id=thread_id, run_id=run_id), wait)


async def _cancel(services: "Services", principal: Principal, thread_id: str, run_id: str) -> None:
    try:
        await services.runs.cancel(principal, thread_id, run_id, action="interrupt")
    except Conflict:  # it had ended by then
        return


def _told(
    turns: "Turns", principal: Principal, running: RunningTurn, end: Callable[[], Awaitable[Turn]]
) -> RunningTurn:
    async def tell(telling: RunningTurn) -> Turn:
        turn = await end()
        state = await turns.states.read(principal, str(turn.thread_id), turn.number)
        telling.emit(_part("values", values_of(state)))
        if state.interrupts:
            telling.emit(_part("updates", {INTERRUPT: state.interrupts}))
        return turn

    return RunningTurn(thread_id=running.thread_id, run_id=running.run_id, replayed=running.replayed).run(tell)


def _part(mode: str, data: object) -> Event:
    return Event("part", {"mode": mode, "namespace": [], "data": data})
