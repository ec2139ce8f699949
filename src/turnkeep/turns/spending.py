"""Usage of one run. Limits are reserved in parallel with LOAD and settled in parallel with COMMIT. At its end, also by
an error, the run is reported in one EMF line and one log line."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from turnkeep.errors import TurnkeepError
from turnkeep.graphs.agent import Agent
from turnkeep.observability import logger, measure
from turnkeep.observability.metrics import Metric
from turnkeep.records import Event, Principal, Turn
from turnkeep.store.usage import Reserved
from turnkeep.turns.budget import Budget
from turnkeep.turns.threads import monotonic

if TYPE_CHECKING:
    from turnkeep.models.usage import ModelCall, UsageMeter

LETTERS_A_TOKEN = 4


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
            settling = self._budget.settle(self._reserved, self._agent, self._calls(), turns)
            self._settling = asyncio.create_task(settling)

    async def end(self, turn: Turn | None) -> None:
        """Settle what is not settled, and report. `turn` is None if the run or its COMMIT raised."""
        self._report(turn)
        self.settle(turns=0)
        if self._settling:
            await asyncio.wait({self._settling})

    def _calls(self) -> "Sequence[ModelCall]":
        """Return every model call that was begun; the streamed text counts as output of an unfinished one."""
        return self.meter.begun(self._streamed_characters // LETTERS_A_TOKEN) if self.meter else ()

    def _report(self, turn: Turn | None) -> None:
        agent, elapsed = self._agent.name, self._elapsed_ms()
        if values := (self._reached(turn) if turn else {}) | self._spent():
            measure(values, agent=agent)
        if turn is None:
            error = sys.exception()
            code = error.code if isinstance(error, TurnkeepError) else type(error).__name__
            logger.info("run ended early", agent=agent, code=code, duration_ms=round(elapsed))
            return
        figures: dict[str, Any] = {
            "duration_ms": round(elapsed),
            "model": turn.model,
            "input_tokens": turn.usage.input_tokens,
            "output_tokens": turn.usage.output_tokens,
        }
        if turn.thread_id is None:
            logger.info("stateless run completed", agent=agent, **figures)
        elif turn.persisted:
            logger.info("turn kept", agent=agent, turn_number=turn.number, **figures)

    def _spent(self) -> dict[Metric, float]:
        """Return the usage, also of a failed run: its calls were made."""
        if self.meter is None or not self.meter.calls:
            return {}
        usage = self.meter.usage()
        spent: dict[Metric, float] = {"ModelCalls": len(self.meter.calls)}
        spent |= {"TokensIn": usage.input_tokens, "TokensOut": usage.output_tokens}
        return spent if usage.cost_usd is None else {**spent, "CostUSD": usage.cost_usd}

    def _reached(self, turn: Turn) -> dict[Metric, float]:
        reached: dict[Metric, float] = {"TurnLatency": self._elapsed_ms()}
        if self._first_token is not None:
            reached["FirstToken"] = self._first_token
        if turn.thread_id is not None:
            reached["Persisted"] = int(turn.persisted is True)
        return reached

    def _elapsed_ms(self) -> float:
        return round((monotonic() - self._started) * 1000, 1)
