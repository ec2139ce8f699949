"""What stands beside a run: its deadline, and the lease that is renewed for as long as it works and given back."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from turnkeep.errors import AgentFault, ModelTimeout, StoreUnavailable, TurnkeepError
from turnkeep.observability import logger, place
from turnkeep.storage.plans import Begun
from turnkeep.storage.table import Table
from turnkeep.tuning import TurnTuning
from turnkeep.turns.threads import in_thread, monotonic

T = TypeVar("T")
RAISED = logging.getLogger("graph_errors")
"""Whole exceptions, which may quote a user: only a laptop listens."""


async def watched(
    work: Coroutine[Any, Any, T], begun: Begun | None, table: Table, tuning: TurnTuning, *, until: float
) -> T:
    """Waits for the run, keeps its lease alive, and ends it so that its answer leaves by `until` (monotonic seconds);
    raises TurnkeepError."""
    task, keeping = asyncio.create_task(work), asyncio.create_task(_keep(begun, table, tuning.renew_seconds))
    try:
        left = max(0, until - tuning.commit_seconds - monotonic())
        await asyncio.wait({task, keeping}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise (keeping.exception() if keeping.done() else None) or ModelTimeout
    finally:
        keeping.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=tuning.commit_seconds)
    error = task.exception()
    if error is None:
        return task.result()
    raise _fault(error) from error


async def or_released(work: Coroutine[Any, Any, T], begun: Begun, table: Table) -> T:
    """Whatever ends the work early, an error or a client that went away, gives the thread back unchanged."""
    async with AsyncExitStack() as held:
        held.push_async_callback(release, begun, table)
        result = await work
        held.pop_all()
    return result


async def release(begun: Begun, table: Table) -> None:
    try:
        await in_thread(table.release, begun)
    except StoreUnavailable:
        logger.warning("lease left to run out")


async def _keep(begun: Begun | None, table: Table, seconds: float) -> None:
    """Renews the lease for as long as it is let; raises Superseded. A store that hangs holds up nobody else."""
    while True:
        await asyncio.sleep(seconds)
        try:
            if begun:
                await in_thread(table.renew, begun)
        except StoreUnavailable:
            logger.warning("lease not renewed, tried again")


def _fault(error: BaseException) -> BaseException:
    from turnkeep.models.faults import as_fault  # noqa: PLC0415 - loads on the chat path only

    if isinstance(error, TurnkeepError) or not isinstance(error, Exception):
        return error
    known = as_fault(error)
    if known is None:
        logger.error("a node of the graph raised", error=type(error).__name__, place=place(error))
        RAISED.debug("", exc_info=error)
    return known or AgentFault()
