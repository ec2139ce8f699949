"""What stands beside a run: its deadline, and the lease that is renewed for as long as it works."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from turnkeep.errors import AgentFault, ModelTimeout, StoreUnavailable, TurnkeepError
from turnkeep.observability import logger, place
from turnkeep.storage.plans import Begun
from turnkeep.storage.table import Table
from turnkeep.tuning import TurnTuning
from turnkeep.turns.threads import InThread

T = TypeVar("T")
RAISED = logging.getLogger("graph_errors")
"""Whole exceptions, which may quote a user: only a laptop listens."""


class Watch:
    def __init__(self, table: Table, in_thread: InThread, tuning: TurnTuning):
        self._table = table
        self._in_thread = in_thread
        self._tuning = tuning

    async def over(self, work: Coroutine[Any, Any, T], begun: Begun | None, *, until: float) -> T:
        """Waits for the run, keeps its lease alive, and ends it so that its answer leaves by `until` (monotonic
        seconds); raises TurnkeepError."""
        deadline = until - self._tuning.commit_seconds
        task, keeping = asyncio.create_task(work), asyncio.create_task(self._keep(begun))
        try:
            left = max(0, deadline - time.monotonic())
            await asyncio.wait({task, keeping}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise (keeping.exception() if keeping.done() else None) or ModelTimeout
        finally:
            keeping.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=self._tuning.commit_seconds)
        error = task.exception()
        if error is None:
            return task.result()
        raise _fault(error) from error

    async def _keep(self, begun: Begun | None) -> None:
        """Renews the lease for as long as it is let; raises Superseded. A store that hangs holds up nobody else."""
        while True:
            await asyncio.sleep(self._tuning.renew_seconds)
            if begun:
                await self._renew(begun)

    async def _renew(self, begun: Begun) -> None:
        try:
            await self._in_thread(self._table.renew, begun)
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
