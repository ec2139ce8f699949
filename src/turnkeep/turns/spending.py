"""Limits and usage of runs. Limits are reserved in parallel with LOAD and settled in parallel with COMMIT. At its end,
also by an error, a run is reported in one EMF line and one log line."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from turnkeep.errors import OverLimit, StoreUnavailable, TurnkeepError
from turnkeep.graphs.agent import Agent
from turnkeep.models.prices import price_of
from turnkeep.observability import count, logger, measure
from turnkeep.observability.metrics import Metric
from turnkeep.records import Event, Principal, Turn
from turnkeep.store.usage import Day, Reserved, Usage
from turnkeep.turns.threads import in_thread, monotonic

if TYPE_CHECKING:
    from turnkeep.models.usage import ModelCall, UsageMeter

LETTERS_A_TOKEN = 4
GRACE_SECONDS = 5  # a reservation counts for that much longer than the longest run
_WRITTEN = 0.1  # assumed share of output tokens when a price is reserved


class Budget:
    """Checks, reserves and settles limits on tokens, dollars and turns, per user and for all. `usage` is None without
    limits. `seconds`: longest duration of a run."""

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
            if len(self._refused) >= 10_000:  # users
                self._refused.clear()
            self._refused[principal] = self.now() + 1000, error  # milliseconds
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


class Spending:
    """`started` is in monotonic seconds. `meter` is set once the run has begun."""

    def __init__(self, budget: Budget, agent: Agent, started: float):
        self.meter: UsageMeter | None = None
        self._budget = budget
        self._agent = agent
        self._started = started
        self._first_token: float | None = None
        self._streamed_characters = 0
        self._reserved: Reserved | None = None
        self._settling: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def reserving(self, principal: Principal) -> AsyncIterator[None]:
        """Reserve in parallel with the block; raise OverLimit at its end. If either fails, nothing stays reserved."""
        asking = asyncio.create_task(self._budget.reserve(principal, self._agent))
        try:
            yield
            self._reserved = await asyncio.shield(asking)
        finally:
            if self._reserved is None:
                await asyncio.wait({asking})
                if not asking.cancelled() and asking.exception() is None:
                    await self._budget.settle(asking.result(), self._agent, (), turns=0)

    def see(self, event: Event) -> None:
        if event.name == "token":
            self._streamed_characters += len(event.data["content"])
            self._first_token = self._first_token or self._elapsed_ms()

    def settle(self, *, turns: int) -> None:
        """Begin to settle; later calls are ignored."""
        if self._settling is None:
            # The streamed text counts as output of an unfinished call.
            calls = self.meter.begun(self._streamed_characters // LETTERS_A_TOKEN) if self.meter else ()
            settling = self._budget.settle(self._reserved, self._agent, calls, turns)
            self._settling = asyncio.create_task(settling)

    async def end(self, turn: Turn | None) -> None:
        """Settle what is not settled, and report. `turn` is None if the run or its COMMIT raised."""
        self._report(turn)
        self.settle(turns=0)
        if self._settling:
            await asyncio.wait({self._settling})

    def _report(self, turn: Turn | None) -> None:
        agent, elapsed = self._agent.name, self._elapsed_ms()
        if values := self._metrics(turn):
            measure(values, agent=agent)
        if turn is None:
            error = sys.exception()
            code = error.code if isinstance(error, TurnkeepError) else type(error).__name__
            logger.info("run ended early", agent=agent, code=code, duration_ms=round(elapsed))
            return
        figures: dict[str, Any] = {"duration_ms": round(elapsed), "model": turn.model}
        figures |= {"input_tokens": turn.usage.input_tokens, "output_tokens": turn.usage.output_tokens}
        if turn.thread_id is None:
            logger.info("stateless run completed", agent=agent, **figures)
        elif turn.persisted:
            logger.info("turn kept", agent=agent, turn_number=turn.number, **figures)

    def _metrics(self, turn: Turn | None) -> dict[Metric, float]:
        """Return what is measured; of a failed run too its usage, since its calls were made."""
        values: dict[Metric, float | None] = {}
        if turn:
            values |= {"TurnLatency": self._elapsed_ms(), "FirstToken": self._first_token}
            values["Persisted"] = None if turn.thread_id is None else int(turn.persisted is True)
        if self.meter and self.meter.calls:
            usage = self.meter.usage()
            values |= {"ModelCalls": len(self.meter.calls), "CostUSD": usage.cost_usd}
            values |= {"TokensIn": usage.input_tokens, "TokensOut": usage.output_tokens}
        return {name: value for name, value in values.items() if value is not None}

    def _elapsed_ms(self) -> float:
        return round((monotonic() - self._started) * 1000, 1)


def _cost(call: "ModelCall", agent: Agent) -> int:
    """Return micro-dollars; a model without a known price costs as the agent's own."""
    price = price_of(call.model) or price_of(agent.model)
    return price.micro(call.input_tokens, call.output_tokens) if price else 0
