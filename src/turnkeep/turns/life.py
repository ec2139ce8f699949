"""Turns: from a request to a reply that is stored exactly once, whatever fails on the way."""

import asyncio
import functools
import secrets
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from turnkeep.agents import Agent
from turnkeep.attachments import Documents
from turnkeep.entries import entries
from turnkeep.errors import UnknownAgent
from turnkeep.observability import annotate, count
from turnkeep.records import Event, Principal, Turn
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.head import run_id_of
from turnkeep.storage.keys import partition
from turnkeep.storage.plans import Begun, Loaded
from turnkeep.storage.store import Store
from turnkeep.storage.usage import Usage
from turnkeep.storage.windows import Found
from turnkeep.tuning import TurnTuning
from turnkeep.turns.actions import Ledger, acting, with_origin
from turnkeep.turns.budget import Budget
from turnkeep.turns.commit import Commit
from turnkeep.turns.redaction import Redactor
from turnkeep.turns.request import TurnContext, TurnRequest
from turnkeep.turns.running import RunningTurn
from turnkeep.turns.tally import Tally
from turnkeep.turns.threads import in_thread, monotonic
from turnkeep.turns.waiting import Attached
from turnkeep.turns.watching import or_released, release, watched

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

    from turnkeep.turns.drawing import Drawing
    from turnkeep.turns.states import States


class Turns:
    """Runs agents on threads. `agents` returns an agent by name and may be slow the first time. Agents in `private` run
    with PII redaction, also in their store. `stores` returns a caller's memory for graphs. `clock` returns epoch
    seconds."""

    def __init__(
        self,
        store: Store,
        agents: Callable[[str], Agent],
        *,
        tuning: TurnTuning,
        default_agent: str,
        clock: Callable[[], float],
        names: frozenset[str] | None = None,
        private: frozenset[str] = frozenset(),
        usage: Usage | None = None,
        attachments: Attachments | None = None,
        stores: "Callable[[Principal], BaseStore] | None" = None,
    ):
        self._store = store
        self._agents = agents
        self._tuning = tuning
        self._default_agent = default_agent
        self._clock = clock
        self._names = frozenset(entries()) if names is None else names
        self._private = private
        self._running: WeakValueDictionary[str, RunningTurn] = WeakValueDictionary()
        self._stores = stores
        self._attached = Attached(attachments, store, tuning.commit_seconds)
        self.budget = Budget(usage, seconds=tuning.seconds, clock=clock)

    async def start(self, request: TurnRequest) -> RunningTurn:
        """Run BEGIN and LOAD, in parallel if this process knows the thread. The run continues in its own task. Raises
        TurnkeepError; then nothing stays locked."""
        self.check(request)
        if request.repeat is None or request.thread_id is None:
            request = replace(request, key=request.key or uuid.uuid4().hex)
        request = await self._attached.waited(request)
        return await self._start(request, Tally())

    def check(self, request: TurnRequest) -> None:
        """Check a request as far as possible without the store. Raises UnknownAgent, OverLimit."""
        if request.agent is not None and request.agent not in self._names:
            raise UnknownAgent
        self.budget.check(request.principal)

    def running(self, run_id: str) -> RunningTurn | None:
        """Return the run if this process has it and it is still referenced."""
        return self._running.get(run_id)

    async def _start(self, request: TurnRequest, tally: Tally) -> RunningTurn:
        safe, redactor = await self._redacted(request)
        if request.thread_id is None:
            hold = await self._context(request, safe, redactor, tally)
            running = RunningTurn(thread_id=None, redactor=hold.redactor)
            return running.run(lambda running: self._answer(hold, running))
        ahead = asyncio.create_task(in_thread(self._store.turns.look_ahead, request.principal, request.thread_id))
        begun = await self._begin(request, request.thread_id, safe, redactor)
        if isinstance(begun, Turn):
            count("Replayed")
            running = RunningTurn(
                thread_id=request.thread_id,
                run_id=begun.run_id,
                turn_number=begun.number,
                replayed=True,
                redactor=self._redactor(request) if begun.private else None,
            )
            return running.run(lambda running: _replay(begun, running))
        annotate(turn_number=begun.head.n + 1, attempt=begun.head.seq)
        hold = await or_released(
            self._context(request, safe, redactor, tally, begun=begun, ahead=ahead), begun, self._store
        )
        running = RunningTurn(
            thread_id=request.thread_id,
            run_id=run_id_of(begun.head.pk, begun.key),
            turn_number=hold.loaded.number + 1,
            loaded=hold.loaded,
            thread_created=begun.created,
            redactor=hold.redactor,
        )
        self._running[str(running.run_id)] = running
        return running.run(lambda running: or_released(self._answer(hold, running), begun, self._store))

    def warm(self) -> None:
        """Load and build what the first turn needs: LangGraph and the default agent."""
        import turnkeep.turns.driving  # noqa: F401, PLC0415

        self._agents(self._default_agent)

    def drawing(self, name: str) -> "Drawing":
        """Return the drawing of an agent's graph; builds the agent. Raises UnknownAgent, AgentUnavailable."""
        from turnkeep.turns.drawing import Drawing  # noqa: PLC0415

        return Drawing(self._agents(name).graph)

    @functools.cached_property
    def states(self) -> "States":
        from turnkeep.turns.states import States  # noqa: PLC0415

        return States(self._store, self._agents, self._default_agent, self._private)

    async def _redacted(self, request: TurnRequest) -> tuple[TurnRequest, Redactor | None]:
        """Return the request as it may be stored, and its redactor; unchanged and None if no agent that
        may run needs PII redaction. Raises PrivacyUnavailable."""
        agent = request.agent or (None if request.thread_id else self._default_agent)
        if not self._private or agent not in (None, *self._private):
            return request, None
        redactor = self._redactor(request)
        return replace(request, message=await in_thread(redactor.redact, request.message)), redactor

    def _redactor(self, request: TurnRequest) -> Redactor:
        if request.thread_id is None:
            return Redactor.of_run(secrets.token_bytes(16))
        at = request.principal, request.thread_id
        return Redactor.of_thread(self._store.vault, partition(*at), functools.partial(self._store.heads.read, *at))

    async def _begin(
        self, request: TurnRequest, thread_id: str, safe: TurnRequest, redactor: Redactor | None
    ) -> Begun | Turn:
        taking = asyncio.create_task(
            in_thread(
                self._store.retries.begin,
                request.principal,
                thread_id,
                request.repeat,
                key=request.key,
                body=request.body(),
                message=safe.message,
                pii=dict(redactor.made) if redactor else None,
                agent=request.agent,
                create=request.create,
                after=request.after,
                incarnation=request.incarnation,
            )
        )
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:  # the client left; the call cannot be stopped, so release what it takes
            await asyncio.wait({taking})
            begun = None if taking.cancelled() or taking.exception() else taking.result()
            if isinstance(begun, Begun):
                await release(begun, self._store)
            raise

    async def _context(
        self,
        request: TurnRequest,
        safe: TurnRequest,
        redactor: Redactor | None,
        tally: Tally,
        *,
        begun: Begun | None = None,
        ahead: asyncio.Task[Found] | None = None,
    ) -> TurnContext:
        started, started_at = monotonic(), self._clock()
        name = (begun.head.agent if begun else None) or request.agent or self._default_agent
        request, redactor = (safe, redactor) if name in self._private else (request, None)
        if redactor and begun:
            redactor.older = functools.partial(self._store.vault.values, begun.head)
        begun = begun and replace(begun, message=request.message)
        agent = await in_thread(self._agents, name)
        loading = self._load(begun, agent, request.base, ahead)
        loaded, spending = await self.budget.beside(loading, request.principal, agent, tally)
        return TurnContext(request, agent, loaded, begun, tally, spending, redactor, started, started_at)

    async def _load(
        self, begun: Begun | None, agent: Agent, base: str | int | None, ahead: asyncio.Task[Found] | None
    ) -> Loaded:
        if begun is None or ahead is None:
            return Loaded()
        return await in_thread(self._store.turns.load, begun.head, agent.window, base, ahead=await ahead)

    async def _answer(self, hold: TurnContext, running: RunningTurn) -> Turn:
        async with hold.spending:
            return await hold.tally.over(self._run(hold, running), agent=hold.agent.name)

    async def _run(self, hold: TurnContext, running: RunningTurn) -> Turn:
        from turnkeep.turns.driving import drive  # noqa: PLC0415 - LangGraph loads on the chat path only

        now = datetime.fromtimestamp(self._clock(), UTC)
        documents = self._attached.documents(hold.begun.head) if hold.begun else Documents()
        ledger = Ledger(self._store, hold.begun, hold.loaded, goes_on=hold.request.goes_on) if hold.begun else None
        until = min(hold.started + self._tuning.seconds, hold.request.deadline or inf)  # when its answer must leave
        with acting(ledger):
            store = self._stores(hold.request.principal) if self._stores else None
            driving = drive(hold, running, now, documents, max_steps=self._tuning.max_steps, store=store)
            saved, turn = await watched(driving, hold.begun, self._store, self._tuning, until=until)
        hold.spending.settle(turns=1)
        if hold.begun is None or ledger is None:
            return replace(turn, persisted=False)
        saved = with_origin(saved, ledger.origin)
        return await running.commit(Commit(self._store, until).write(hold.begun, hold.loaded, saved, turn))


async def _replay(turn: Turn, running: RunningTurn) -> Turn:
    running.emit(Event("token", {"content": turn.reply}))
    return turn
