"""Runs that execute elsewhere, or that have ended, as running turns."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

from turnkeep.errors import Conflict
from turnkeep.records import Principal, Turn
from turnkeep.services import Services
from turnkeep.turns import RunningTurn
from turnkeep.turns.following import follow

JOIN_SECONDS, ANSWER_SECONDS = 300.0, 3.0
Rest: TypeAlias = Callable[[Services, Principal, RunningTurn, Turn, str], Awaitable[None]]
"""Emits missing events. Gets the turn and the name of the last logged event, empty if the log is incomplete."""


def join(
    services: Services,
    principal: Principal,
    thread_id: str,
    run_id: str,
    rest: Rest,
    *,
    until: float | None,
    cancels: bool = False,
) -> RunningTurn:
    """Return a run, here or elsewhere, with its events from the first one on, awaited `until` (monotonic seconds). If
    it `cancels`, the run ends with its client."""
    seconds = max(0.0, until - time.monotonic() - ANSWER_SECONDS) if until else JOIN_SECONDS

    async def run(joined: RunningTurn) -> Turn:
        try:
            turn, last = await follow(services.runs, joined, principal, seconds)
        except asyncio.CancelledError:
            if cancels:
                with suppress(Conflict):  # it has ended meanwhile
                    await services.runs.cancel(principal, thread_id, run_id, action="interrupt")
            raise
        await rest(services, principal, joined, turn, last)
        return turn

    redactor = services.turns.redactor(principal, thread_id)
    return RunningTurn(thread_id=thread_id, run_id=run_id, redactor=redactor).run(run)
