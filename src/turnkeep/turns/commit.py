"""COMMIT: the turn is stored, is certainly not stored, or this is unknown if the store fails after the commit was sent.
In the last two cases the client repeats the request with the same key."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from turnkeep.errors import StoreUnavailable, Unsettled
from turnkeep.observability import logger
from turnkeep.records import Turn
from turnkeep.storage.attributes import Item
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.storage.store import Store
from turnkeep.turns.threads import in_thread, monotonic
from turnkeep.turns.watching import release

TRIES = 2  # attempts, if the first is found not to have arrived
PERSISTENCE_UNKNOWN = "persistence_unknown"
MANY_UNITS = 100
MANY_BYTES = 1_000_000  # of a packed checkpoint; larger values are stored as objects, which cost no units


@dataclass(frozen=True)
class Commit:
    """Stores the turn of one run. Its answer must leave by `until`, in monotonic seconds."""

    store: Store
    until: float

    async def write(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn) -> Turn:
        """Return the turn for the client; raise Superseded, AgentFault."""
        try:
            plan, numbered = await in_thread(self.store.turns.prepare, begun, loaded, saved, turn)
        except StoreUnavailable:
            return await self._given_up(begun, turn)
        _tell_cost(plan, loaded, saved, agent=turn.agent)
        return await self._try(begun, plan, numbered or turn)

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
                logger.error("turn not known to be persisted")
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


def _tell_cost(plan: Plan, loaded: Loaded, saved: Saved, *, agent: str) -> None:
    """Warn of large writes: DynamoDB bills by KB, and each turn writes its state again. Name the largest channel."""
    units = sum(-(-_size(item) // 1024) for item in plan.puts)
    if units <= MANY_UNITS and len(saved.checkpoint.get("state", b"")) <= MANY_BYTES:
        return
    before = dict(_channels(loaded.checkpoint["state"])) if loaded.checkpoint else {}
    after = {**dict(_channels(saved.checkpoint["state"])), **dict(_appended(saved))}
    name, size = max(after.items(), key=lambda each: each[1])
    grew = size - before.get(name, 0)
    advice = f"channel `{name}` grew by {grew // 1000} KB to {size // 1000} KB; keep it outside of the state" + (
        ", or let the graph shorten it" if name in before else ""
    )
    logger.warning("turn writes much", agent=agent, wcu=units, channel=name, bytes=size, grew_bytes=grew, advice=advice)


def _size(item: Item) -> int:
    return sum(len(name) + (len(value) if isinstance(value, str | bytes) else 8) for name, value in item.items())


def _channels(state: bytes) -> Iterator[tuple[str, int]]:
    from turnkeep.storage.elements import SERIALISER  # noqa: PLC0415 - LangGraph loads with it

    for parts in SERIALISER.loads_typed(("msgpack", state)).values():
        for name, value in parts[0]["channel_values"].items():
            yield name, len(SERIALISER.dumps_typed(value)[1])


def _appended(saved: Saved) -> Iterator[tuple[str, int]]:
    """Yield the sizes of lists: only their new elements are written."""
    from turnkeep.storage.elements import SERIALISER  # noqa: PLC0415

    for segment in saved.segments:
        yield segment.channel, len(SERIALISER.dumps_typed(segment.elements)[1])
