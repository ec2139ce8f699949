"""Limits in the life of a turn: reserved in parallel with LOAD, settled in parallel with COMMIT. A refusal is repeated
for a second without a request to the store."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from turnkeep.agents import Agent
from turnkeep.errors import OverLimit, StoreUnavailable
from turnkeep.models.prices import price_of
from turnkeep.observability import count, logger
from turnkeep.records import Principal
from turnkeep.storage.limits import Day
from turnkeep.storage.usage import Reserved, Usage
from turnkeep.turns.tally import Tally
from turnkeep.turns.threads import in_thread

if TYPE_CHECKING:
    from turnkeep.models.usage import ModelCall

REFUSED_MS = 1000
GRACE_SECONDS = 5  # a reservation counts for that much longer than the longest run
_MOST_REFUSED = 10_000
_WRITTEN = 0.1  # assumed share of output tokens when a price is reserved


@dataclass
class Spending:
    """Reservation of one run, settled once: at its end or on leaving the context. Without limits it does nothing."""

    budget: "Budget"
    agent: Agent
    tally: Tally
    reserved: Reserved | None = None
    settling: asyncio.Task[None] | None = None

    def settle(self, *, turns: int) -> None:
        """Begin to settle; later calls are ignored."""
        if self.settling is None:
            self.settling = asyncio.create_task(self.budget.settle(self.reserved, self.agent, self.tally, turns))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.settle(turns=0)
        if self.settling:
            await asyncio.wait({self.settling})


class Budget:
    """Checks, reserves and settles limits. `usage` is None without limits. `seconds`: longest duration of a run."""

    def __init__(self, usage: Usage | None, *, seconds: float, clock: Callable[[], float]) -> None:
        self._usage = usage
        self._clock = clock
        self._seconds = seconds + GRACE_SECONDS
        self._refused: dict[Principal, tuple[int, OverLimit]] = {}
        self._largest: dict[str, int] = {}

    def now(self) -> int:
        """Return the time in epoch milliseconds."""
        return int(self._clock() * 1000)

    def check(self, principal: Principal) -> None:
        """Repeat a refusal of this principal for a second."""
        until, error = self._refused.get(principal, (0, None))
        if error and self.now() < until:
            raise type(error)(error.detail, retry_after=error.retry_after, resets_at=error.resets_at)

    @asynccontextmanager
    async def reserving(self, principal: Principal, agent: Agent, tally: Tally) -> AsyncIterator[Spending]:
        """Reserve in parallel with the block; raise OverLimit at its end. If either fails, nothing stays reserved."""
        spending = Spending(self, agent, tally)
        if self._usage is None:
            yield spending
            return
        tokens, micro = self._need(agent)
        asking = asyncio.create_task(in_thread(self._usage.reserve, principal, tokens, micro, self._seconds))
        try:
            yield spending
            spending.reserved = await asyncio.shield(asking)
        except OverLimit as error:
            self._remember(principal, error)
            raise
        finally:
            if spending.reserved is None:
                await asyncio.wait({asking})
                if not asking.cancelled() and asking.exception() is None:
                    await self.settle(asking.result(), agent, tally, turns=0)
        self._refused.pop(principal, None)

    def _need(self, agent: Agent) -> tuple[int, int]:
        """Return tokens and micro-dollars of the largest known turn of this agent."""
        assert self._usage  # noqa: S101 - a programming error
        tokens = max(self._usage.limits.turn_tokens, self._largest.get(agent.name, 0))
        written = round(tokens * _WRITTEN)
        price = price_of(agent.model)
        return tokens, price.micro(tokens - written, written) if price else 0

    def _remember(self, principal: Principal, error: OverLimit) -> None:
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.clear()
        self._refused[principal] = self.now() + REFUSED_MS, error

    async def settle(self, reserved: Reserved | None, agent: Agent, tally: Tally, turns: int) -> None:
        """Settle without failing the turn: on a fault the reservation expires, and a metric counts it."""
        if self._usage is None:
            return
        calls = tally.calls()
        tokens = sum(call.input_tokens + call.output_tokens for call in calls)
        micro = sum(_cost(call, agent) for call in calls)
        self._largest[agent.name] = max(tokens, self._largest.get(agent.name, 0))
        try:
            if reserved:
                await in_thread(self._usage.settle, reserved, tokens, micro, turns)
            if self._usage.limits.has_ceiling and tokens:
                await in_thread(self._usage.add_to_all, tokens, micro)
        except StoreUnavailable:
            logger.warning("usage not settled", agent=agent.name, tokens=tokens)
            count("UsageNotSettled")

    async def days(self, principal: Principal, number: int) -> list[Day]:
        """Return the newest days of the counters, newest first; raise StoreUnavailable."""
        if self._usage is None:
            return []
        return await in_thread(self._usage.days, principal, number)


def _cost(call: "ModelCall", agent: Agent) -> int:
    """Return micro-dollars; a model without a known price costs as the agent's own."""
    price = price_of(call.model) or price_of(agent.model)
    return price.micro(call.input_tokens, call.output_tokens) if price else 0
