"""Measures one turn: one EMF line and one log line when its run ends, also by an error."""

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from turnkeep.errors import TurnkeepError
from turnkeep.observability import logger, measure
from turnkeep.observability.metrics import Metric
from turnkeep.records import Event, Turn

if TYPE_CHECKING:
    from turnkeep.models.usage import ModelCall, UsageMeter

LETTERS_A_TOKEN = 4


class Tally:
    """Starts its clock when it is created. `meter` is set once the run has begun."""

    def __init__(self) -> None:
        self.meter: UsageMeter | None = None
        self._started = time.monotonic()
        self._first_token: float | None = None
        self._streamed_characters = 0

    def see(self, event: Event) -> None:
        if event.name == "token":
            self._streamed_characters += len(event.data["content"])
            self._first_token = self._first_token or self._elapsed()

    def calls(self) -> "Sequence[ModelCall]":
        """Return every model call that was begun; the streamed text counts as output of an unfinished one."""
        return self.meter.begun(self._streamed_characters // LETTERS_A_TOKEN) if self.meter else ()

    def report(self, turn: Turn | None, agent: str) -> None:
        """Report a run and its COMMIT; `turn` is None if they raised."""
        if values := (self._reached(turn) if turn else {}) | self._spent():
            measure(values, agent=agent)
        if turn is None:
            error = sys.exception()
            code = error.code if isinstance(error, TurnkeepError) else type(error).__name__
            logger.info("run ended early", agent=agent, code=code, duration_ms=round(self._elapsed()))
        elif turn.thread_id is None:
            logger.info("stateless run answered", agent=agent, **_figures(turn, self._elapsed()))
        elif turn.persisted:
            logger.info("turn kept", agent=agent, turn_number=turn.number, **_figures(turn, self._elapsed()))

    def _spent(self) -> dict[Metric, float]:
        """Return the usage, also of a failed run: its calls were made."""
        if self.meter is None or not self.meter.calls:
            return {}
        usage = self.meter.usage()
        spent: dict[Metric, float] = {"ModelCalls": len(self.meter.calls)}
        spent |= {"TokensIn": usage.input_tokens, "TokensOut": usage.output_tokens}
        return spent if usage.cost_usd is None else {**spent, "CostUSD": usage.cost_usd}

    def _reached(self, turn: Turn) -> dict[Metric, float]:
        reached: dict[Metric, float] = {"TurnLatency": self._elapsed()}
        if self._first_token is not None:
            reached["FirstToken"] = self._first_token
        if turn.thread_id is not None:
            reached["Persisted"] = int(turn.persisted is True)
        return reached

    def _elapsed(self) -> float:
        """Return milliseconds."""
        return round((time.monotonic() - self._started) * 1000, 1)


def _figures(turn: Turn, milliseconds: float) -> dict[str, Any]:
    return {
        "duration_ms": round(milliseconds),
        "model": turn.model,
        "input_tokens": turn.usage.input_tokens,
        "output_tokens": turn.usage.output_tokens,
    }
