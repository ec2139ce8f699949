"""The life of a turn: LOAD, and the modules for BEGIN, RUN and COMMIT. Whatever fails on the way, an acknowledged turn
is stored exactly once."""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from turnkeep.entries import entries
from turnkeep.errors import UnknownAgent
from turnkeep.graphs.agent import Agent
from turnkeep.observability import annotate, count
from turnkeep.records import Documents, Event, Principal, Turn
from turnkeep.store.attachments import Attachments
from turnkeep.store.head import run_id_of
from turnkeep.store.plans import Begun, Loaded
from turnkeep.store.store import Store
from turnkeep.store.turn_log import Found
from turnkeep.store.usage import Usage
from turnkeep.tuning import TurnTuning
from turnkeep.turns.begin import Begin, or_released
from turnkeep.turns.recording import Recorder
from turnkeep.turns.redaction import Redactor
from turnkeep.turns.request import TurnContext, TurnRequest
from turnkeep.turns.spending import Budget, Spending
from turnkeep.turns.stream import RunningTurn
from turnkeep.turns.threads import in_thread, monotonic

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

    from turnkeep.turns.drawing import Drawing
    from turnkeep.turns.states import States


@dataclass(eq=False)
class Turns:
    """Runs agents on threads. `agents` returns an agent by name and may be slow the first time. Agents in `private` run
    with PII redaction, also in their store. `stores` returns a caller's memory for graphs. `clock` returns epoch
    seconds."""

    store: Store
    agents: Callable[[str], Agent]
    _: KW_ONLY
    tuning: TurnTuning
    default_agent: str
    clock: Callable[[], float]
    names: frozenset[str] = field(default_factory=lambda: frozenset(entries()))
    private: frozenset[str] = frozenset()
    attachments: Attachments | None = None
    usage: Usage | None = None
    stores: "Callable[[Principal], BaseStore] | None" = None

    def __post_init__(self) -> None:
        self._built: dict[str, Agent] = {}
        self._running: WeakValueDictionary[str, RunningTurn] = WeakValueDictionary()
        self._begin = Begin(self.store, self.tuning, self.default_agent, self.private, self.attachments)
        self.redactor = self._begin.redactor
        self.budget = Budget(self.usage, seconds=self.tuning.seconds, clock=self.clock)

    async def start(self, request: TurnRequest) -> RunningTurn:
        """Run BEGIN and LOAD, in parallel if this process knows the thread. The run continues in its own task. Raises
        TurnkeepError; then nothing stays locked."""
        self.check(request)
        if request.repeat is None or request.thread_id is None:
            request = replace(request, key=request.key or uuid.uuid4().hex)
        request = await self._begin.wait(request)
        started, redactor = monotonic(), await self._begin.redacting(request)
        if request.thread_id is None:
            context = await self._load(request, redactor, started)
            return RunningTurn(thread_id=None, redactor=context.redactor).run(partial(self._answer, context))
        ahead = asyncio.create_task(in_thread(self.store.turns.look_ahead, request.principal, request.thread_id))
        begun = await self._begin.lease(request, redactor)
        if isinstance(begun, Turn):
            return _replayed(begun, self.redactor(request.principal, request.thread_id) if begun.private else None)
        annotate(turn_number=begun.head.n + 1, attempt=begun.head.seq)
        loading = self._load(request, redactor, started, begun, ahead)
        context = await or_released(loading, begun, self.store)
        run_id, delay = run_id_of(begun.head.pk, begun.key), request.log_after
        running = RunningTurn(
            thread_id=request.thread_id,
            run_id=run_id,
            attempt=begun.head.seq,
            recorder=None if delay is None else Recorder(self.store.events, begun.head, run_id, delay),
            turn_number=context.loaded.number + 1,
            loaded=context.loaded,
            thread_created=begun.created,
            redactor=context.redactor,
        )
        self._running[run_id] = running
        return running.run(lambda running: or_released(self._answer(context, running), begun, self.store))

    async def _load(
        self,
        request: TurnRequest,
        redactor: Redactor | None,
        started: float,
        begun: Begun | None = None,
        ahead: asyncio.Task[Found] | None = None,
    ) -> TurnContext:
        """Read the thread's history, in parallel with a reservation of the limits. `ahead` is what was read in parallel
        with BEGIN. Raises OverLimit, and what `TurnLog.load` raises."""
        name = (begun.head.agent if begun else None) or request.agent or self.default_agent
        redactor = redactor if name in self.private else None
        if redactor:
            request = replace(request, message=redactor.redact(request.message))
        if redactor and begun:
            redactor.older = partial(self.store.vault.values, begun.head)
        if name not in self._built:
            self._built[name] = await in_thread(self.agents, name)
        agent, loaded, started_at = self._built[name], Loaded(), self.clock()
        documents = self._begin.documents(begun.head) if begun else Documents()
        memory = self.stores(request.principal) if self.stores else None
        spending = Spending(self.budget, agent, started)
        async with spending.reserving(request.principal):
            if begun and ahead:
                begun = replace(begun, message=request.message)
                load = self.store.turns.load
                loaded = await in_thread(load, begun.head, agent.window, request.base, ahead=await ahead)
        return TurnContext(request, agent, loaded, begun, spending, redactor, documents, memory, started, started_at)

    def check(self, request: TurnRequest) -> None:
        """Check a request as far as possible without the store. Raises UnknownAgent, OverLimit."""
        if request.agent is not None and request.agent not in self.names:
            raise UnknownAgent
        self.budget.check(request.principal)

    def running(self, run_id: str) -> RunningTurn | None:
        """Return the run if this process has it and it is still referenced."""
        return self._running.get(run_id)

    def warm(self) -> None:
        """Load and build what the first turn needs: LangGraph and the default agent."""
        import turnkeep.turns.run  # noqa: F401, PLC0415

        self.agents(self.default_agent)

    def drawing(self, name: str) -> "Drawing":
        """Return the drawing of an agent's graph; builds the agent. Raises UnknownAgent, AgentUnavailable."""
        from turnkeep.turns.drawing import Drawing  # noqa: PLC0415

        return Drawing(self.agents(name).graph)

    @cached_property
    def states(self) -> "States":
        from turnkeep.turns.states import States  # noqa: PLC0415

        return States(self.store, self.agents, self.default_agent, self.private)

    async def _answer(self, context: TurnContext, running: RunningTurn) -> Turn:
        from turnkeep.turns.run import run_and_commit  # noqa: PLC0415 - LangGraph loads on the chat path only

        return await run_and_commit(context, running, self.store, self.tuning)


def _replayed(turn: Turn, redactor: Redactor | None) -> RunningTurn:
    count("Replayed")

    async def replay(running: RunningTurn) -> Turn:
        running.emit(Event("token", {"content": turn.reply}))
        return turn

    return RunningTurn(
        thread_id=turn.thread_id, run_id=turn.run_id, turn_number=turn.number, replayed=True, redactor=redactor
    ).run(replay)
