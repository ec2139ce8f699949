"""COMMIT as a client is told of it: the turn is kept, it is certainly not kept, or, where the store is out of reach
after the flip was sent, nobody knows. Only the first is a promise; the other two carry a token if one can be made."""

import asyncio
import time
from dataclasses import replace

from turnkeep.errors import StoreUnavailable, Unsettled
from turnkeep.observability import logger
from turnkeep.records import Turn
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.storage.table import Table
from turnkeep.turns.costs import tell_cost
from turnkeep.turns.threads import InThread

FLIPS = 2  # how often a turn whose flip was found not to have come through is flipped
PERSISTENCE_UNKNOWN = "persistence_unknown"


class Commit:
    """Stores the turn of one run. `until` (monotonic seconds) is when its answer has to leave."""

    def __init__(self, table: Table, in_thread: InThread, *, until: float):
        self._table = table
        self._in_thread = in_thread
        self._until = until

    async def store(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn) -> Turn:
        """The turn as it is told; raises Superseded, AgentFault."""
        try:
            plan, numbered = await self._in_thread(self._table.prepare, begun, loaded, saved, turn)
        except StoreUnavailable:
            return await self._without_token(begun, turn)
        tell_cost(plan, loaded, saved, agent=turn.agent)
        return await self._flip(begun, plan, numbered or turn)

    async def _flip(self, begun: Begun, plan: Plan, turn: Turn) -> Turn:
        for _ in range(FLIPS):
            try:
                stored = await self._in_thread(self._table.apply, plan)
            except Unsettled:
                settled = await self._settled(plan)
            except StoreUnavailable:
                break
            else:
                return stored or turn
            if settled is None:
                return turn
            if settled is plan:
                return _unstored(turn, await self._token(plan), is_known=False)
            plan = settled
        token = await self._token(plan)
        if token:
            return _unstored(turn, token)
        return await self._without_token(replace(begun, owner=plan.flip[":owner"]), turn)

    async def _settled(self, plan: Plan) -> Plan | None:
        """None where the flip had come through, another plan where it can no longer, this one where nobody knows."""
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                return await self._in_thread(self._table.fence, plan)
        except (StoreUnavailable, TimeoutError):
            return plan

    async def _without_token(self, begun: Begun, turn: Turn) -> Turn:
        """Only a token needs the lease any longer; without it, the client may send its message again at once."""
        try:
            await self._in_thread(self._table.release, begun)
        except StoreUnavailable:
            logger.warning("lease left to run out")
        return _unstored(turn, None)

    async def _token(self, plan: Plan) -> str | None:
        try:
            return await self._in_thread(self._table.retry_token, plan)
        except StoreUnavailable:
            return None


def _unstored(turn: Turn, token: str | None, *, is_known: bool = True) -> Turn:
    """The permitted degradation: the client gets its reply, and is told that it is not kept, or may not be."""
    if is_known:
        logger.error("turn not persisted")
        return turn.without_store(False, token)
    logger.error("turn not known to be persisted")
    return turn.without_store(None, token, PERSISTENCE_UNKNOWN)
