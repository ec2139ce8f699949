"""Limits on tokens, dollars and turns, per user and for all. A refusal is repeated for a second without asking the
store."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from turnkeep.errors import OverLimit, StoreUnavailable
from turnkeep.graphs.agent import Agent
from turnkeep.models.prices import price_of
from turnkeep.observability import count, logger
from turnkeep.records import Principal
from turnkeep.store.reservations import Day
from turnkeep.store.usage import Reserved, Usage
from turnkeep.turns.threads import in_thread

if TYPE_CHECKING:
    from turnkeep.models.usage import ModelCall

REFUSED_MS = 1000
GRACE_SECONDS = 5  # a reservation counts for that much longer than the longest run
_MOST_REFUSED = 10_000
_WRITTEN = 0.1  # assumed share of output tokens when a price is reserved


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

    async def reserve(self, principal: Principal, agent: Agent) -> Reserved | None:
        """Reserve what the largest known turn of this agent needs. Raise OverLimit."""
        if self._usage is None:
            return None
        tokens = max(self._usage.limits.turn_tokens, self._largest.get(agent.name, 0))
        written = round(tokens * _WRITTEN)
        price = price_of(agent.model)
        micro = price.micro(tokens - written, written) if price else 0
        try:
            reserved = await in_thread(self._usage.reserve, principal, tokens, micro, self._seconds)
        except OverLimit as error:
            if len(self._refused) >= _MOST_REFUSED:
                self._refused.clear()
            self._refused[principal] = self.now() + REFUSED_MS, error
            raise
        self._refused.pop(principal, None)
        return reserved

    async def settle(self, reserved: Reserved | None, agent: Agent, calls: "Sequence[ModelCall]", turns: int) -> None:
        """Settle without failing the turn: on a fault the reservation expires, and a metric counts it."""
        if self._usage is None:
            return
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
