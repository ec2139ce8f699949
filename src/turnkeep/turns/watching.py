"""Enforces a run's deadline, and renews and releases its lease."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from turnkeep.errors import AgentFault, ModelTimeout, StoreUnavailable, TurnkeepError
from turnkeep.observability import logger, place
from turnkeep.storage.plans import Begun
from turnkeep.storage.store import Store
from turnkeep.tuning import TurnTuning
from turnkeep.turns.threads import in_thread, monotonic

T = TypeVar("T")
RAISED = logging.getLogger("graph_errors")  # whole exceptions, which may quote a user: enabled on laptops only


async def watched(
    work: Coroutine[Any, Any, T], begun: Begun | None, store: Store, tuning: TurnTuning, *, until: float
) -> T:
    """Await the run, renew its lease, and end it so that its answer leaves by `until`, in monotonic seconds.
    Raise TurnkeepError."""
    task, keeping = asyncio.create_task(work), asyncio.create_task(_keep(begun, store, tuning.renew_seconds))
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


async def or_released(work: Coroutine[Any, Any, T], begun: Begun, store: Store) -> T:
    """Release the thread unchanged if an error or a leaving client ends the work early."""
    async with AsyncExitStack() as held:
        held.push_async_callback(release, begun, store)
        result = await work
        held.pop_all()
    return result


async def release(begun: Begun, store: Store) -> None:
    try:
        await in_thread(store.leases.release, begun)
    except StoreUnavailable:
        logger.warning("lease left to run out")


async def _keep(begun: Begun | None, store: Store, seconds: float) -> None:
    """Renew the lease until cancelled; raise Superseded. A store that hangs delays nothing else."""
    while True:
        await asyncio.sleep(seconds)
        try:
            if begun:
                await in_thread(store.leases.renew, begun)
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
