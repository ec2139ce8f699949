"""LOAD: what a run needs, read in parallel: its thread's history, and a reservation of the limits."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from turnkeep.graphs.agent import Agent
from turnkeep.store.plans import Begun, Loaded
from turnkeep.store.store import Store
from turnkeep.store.windows import Found
from turnkeep.turns.begin import SafeRequest
from turnkeep.turns.budget import Budget
from turnkeep.turns.redaction import Redactor
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.spending import Spending
from turnkeep.turns.threads import in_thread


@dataclass(frozen=True)
class TurnContext:
    """A request with all that its run needs. `begun` is None for a stateless run, `redactor` for an agent without PII
    redaction. With a redactor, the message of `request` is redacted. `started` is in monotonic seconds, `started_at` in
    epoch seconds."""

    request: TurnRequest
    agent: Agent
    loaded: Loaded
    begun: Begun | None
    spending: Spending
    redactor: Redactor | None
    started: float
    started_at: float


@dataclass(frozen=True)
class Load:
    """`agents` returns an agent by name and may be slow the first time. `clock` returns epoch seconds."""

    store: Store
    agents: Callable[[str], Agent]
    default_agent: str
    private: frozenset[str]
    budget: Budget
    clock: Callable[[], float]
    built: dict[str, Agent] = field(default_factory=dict)

    async def context(
        self,
        request: TurnRequest,
        safe: SafeRequest,
        started: float,
        begun: Begun | None = None,
        ahead: asyncio.Task[Found] | None = None,
    ) -> TurnContext:
        """Raise OverLimit, and what `TurnLog.load` raises. `ahead` is what was read in parallel with BEGIN."""
        started_at = self.clock()
        name = (begun.head.agent if begun else None) or request.agent or self.default_agent
        request, redactor = safe if name in self.private else (request, None)
        if redactor and begun:
            redactor.older = partial(self.store.vault.values, begun.head)
        if name not in self.built:
            self.built[name] = await in_thread(self.agents, name)
        agent, loaded = self.built[name], Loaded()
        spending = Spending(self.budget, agent, started)
        async with spending.reserving(request.principal):
            if begun and ahead:
                begun = replace(begun, message=request.message)
                load = self.store.turns.load
                loaded = await in_thread(load, begun.head, agent.window, request.base, ahead=await ahead)
        return TurnContext(request, agent, loaded, begun, spending, redactor, started, started_at)
