"""COMMIT: the turn is stored, is certainly not stored, or this is unknown if the store fails after the commit was sent.
In the last two cases the client repeats the request with the same key."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from turnkeep.errors import StoreUnavailable, Unsettled
from turnkeep.observability import logger
from turnkeep.records import Turn
from turnkeep.store.attributes import Item
from turnkeep.store.plans import Begun, Loaded, Plan, Saved
from turnkeep.store.store import Store
from turnkeep.turns.begin import release, wake
from turnkeep.turns.threads import in_thread, monotonic

TRIES = 2  # attempts, if the first is found not to have arrived
PERSISTENCE_UNKNOWN = "persistence_unknown"
MANY_UNITS = 100


@dataclass(frozen=True)
class Commit:
    """Stores the turn of one run. Its answer must leave by `until`, in monotonic seconds."""

    store: Store
    until: float

    async def write(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn) -> Turn:
        """Return the turn for the client; raise Superseded, AgentFault."""
        try:
            plan, numbered = await in_thread(self.store.turns.planner.plan, begun, loaded, saved, turn)
        except StoreUnavailable:
            return await self._given_up(begun, turn)
        _warn_of_large_writes(plan, turn.agent)
        stored = await self._try(begun, plan, numbered or turn)
        await wake(begun.head, self.store)
        return stored

    async def _try(self, begun: Begun, plan: Plan, turn: Turn) -> Turn:
        for _ in range(TRIES):
            try:
                stored = await in_thread(self.store.turns.commit, plan)
            except Unsettled:
                settled = await self._settled(plan)
            except StoreUnavailable:
                break
            else:
                return stored or turn
            if not isinstance(settled, Plan):
                return settled or turn
            if settled is plan:
                logger.error("turn not confirmed as persisted")
                return replace(turn, persisted=None, warnings=(*turn.warnings, PERSISTENCE_UNKNOWN))
            plan = settled
        return await self._given_up(replace(begun, owner=plan.changes[":owner"]), turn)

    async def _settled(self, plan: Plan) -> Plan | Turn | None:
        """Return the result of `TurnLog.settle`, or the same plan if the outcome is still unknown."""
        try:
            async with self._in_time():
                return await in_thread(self.store.turns.settle, plan)
        except (StoreUnavailable, TimeoutError):
            return plan

    async def _given_up(self, begun: Begun, turn: Turn) -> Turn:
        """Return the reply with `persisted: false`, the permitted degradation. Release the lease, so that the same
        request can run immediately; without time for that, it expires."""
        with suppress(TimeoutError):
            async with self._in_time():
                await release(begun, self.store)
        logger.error("turn not persisted")
        return replace(turn, persisted=False)

    def _in_time(self) -> asyncio.Timeout:
        return asyncio.timeout(self.until - monotonic())


def _warn_of_large_writes(plan: Plan, agent: str) -> None:
    """DynamoDB bills by KB, and each turn writes its state again."""
    units = sum(-(-_size(item) // 1024) for item in plan.puts)
    if units > MANY_UNITS:
        logger.warning("turn writes much", agent=agent, wcu=units)


def _size(item: Item) -> int:
    return sum(len(name) + (len(value) if isinstance(value, str | bytes) else 8) for name, value in item.items())
