"""Turns: from a request to a reply that is kept exactly once, whatever fails on the way."""

import asyncio
import functools
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from turnkeep.agents import Agent
from turnkeep.attachments import Documents
from turnkeep.entries import entries
from turnkeep.errors import StoreUnavailable, UnknownAgent
from turnkeep.observability import annotate, count, logger
from turnkeep.records import JSON, Event, Principal, Turn
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.head import run_id_of
from turnkeep.storage.keys import partition
from turnkeep.storage.plans import Begun, Loaded
from turnkeep.storage.table import Table
from turnkeep.storage.usage import Usage
from turnkeep.storage.windows import Found
from turnkeep.tuning import TurnTuning
from turnkeep.turns.actions import Ledger, acting, with_origin
from turnkeep.turns.budget import Budget
from turnkeep.turns.commit import Commit
from turnkeep.turns.hold import Hold
from turnkeep.turns.request import Asked, TurnRequest
from turnkeep.turns.running import RunningTurn
from turnkeep.turns.shield import Shield
from turnkeep.turns.tally import Tally
from turnkeep.turns.threads import InThread
from turnkeep.turns.waiting import Attached
from turnkeep.turns.watching import Watch

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

    from turnkeep.turns.states import States

T = TypeVar("T")


class Turns:
    """Runs agents on threads. `agents` gives an agent by name and may be slow the first time; from those in `private`
    and their store personal data is hidden; `stores` gives a caller's memory to graphs; `clock` gives epoch seconds,
    `mint` a new id."""

    def __init__(
        self,
        table: Table,
        agents: Callable[[str], Agent],
        *,
        tuning: TurnTuning,
        default_agent: str,
        clock: Callable[[], float],
        mint: Callable[[], str],
        names: frozenset[str] | None = None,
        private: frozenset[str] = frozenset(),
        usage: Usage | None = None,
        attachments: Attachments | None = None,
        stores: "Callable[[Principal], BaseStore] | None" = None,
    ):
        self._table = table
        self._agents = agents
        self._tuning = tuning
        self._default_agent = default_agent
        self._clock = clock
        self._mint = mint
        self._names = frozenset(entries()) if names is None else names
        self._private = private
        self._in_thread = InThread()
        self._running: WeakValueDictionary[str, RunningTurn] = WeakValueDictionary()
        self._stores = stores
        self._attached = Attached(attachments, table, self._in_thread, tuning)
        self._watch = Watch(table, self._in_thread, tuning)
        self.budget = Budget(usage, self._in_thread, seconds=tuning.seconds, clock=clock)

    async def start(self, request: TurnRequest) -> RunningTurn:
        """BEGIN and LOAD, side by side where the thread is known here; the run goes on by itself. Raises TurnkeepError,
        and then nothing is held."""
        self.check(request)
        if request.repeat is None or request.thread_id is None:
            request = replace(request, key=request.key or self._mint())
        request = await self._attached.waited(request)
        async with self.budget.door(request.principal):
            return await self._start(request, Tally())

    def check(self, request: TurnRequest) -> None:
        """Raises UnknownAgent, OverLimit, as far as that is known without a store."""
        if request.agent is not None and request.agent not in self._names:
            raise UnknownAgent
        self.budget.check(request.principal)

    def running(self, run_id: str) -> RunningTurn | None:
        """The run, where it is one of this process and somebody still knows of it."""
        return self._running.get(run_id)

    async def _start(self, request: TurnRequest, tally: Tally) -> RunningTurn:
        asked = await self._asked(request)
        if request.thread_id is None:
            hold = await self._hold(asked, None, tally, None)
            running = RunningTurn(thread_id=None, shield=hold.shield)
            return running.run(lambda running: self._answer(hold, running))
        ahead = asyncio.create_task(self._in_thread(self._table.look_ahead, request.principal, request.thread_id))
        begun = await self._begin(asked, request.thread_id)
        if isinstance(begun, Turn):
            count("Replayed")
            shield = self._shield(request) if begun.private else None
            running = RunningTurn(
                thread_id=request.thread_id,
                run_id=begun.run_id,
                turn_number=begun.number,
                replayed=True,
                shield=shield,
            )
            return running.run(lambda running: _replay(begun, running))
        annotate(turn_number=begun.head.n + 1, attempt=begun.head.seq)
        hold = await self._or_release(begun, self._hold(asked, begun, tally, ahead))
        running = RunningTurn(
            thread_id=request.thread_id,
            run_id=run_id_of(begun.head.pk, begun.key),
            turn_number=hold.loaded.number + 1,
            loaded=hold.loaded,
            thread_created=begun.created,
            shield=hold.shield,
        )
        self._running[str(running.run_id)] = running
        return running.run(lambda running: self._or_release(begun, self._answer(hold, running)))

    async def commit_later(self, principal: Principal, thread_id: str, retry_token: str) -> Turn:
        """Stores a turn that could not be stored; no model is called. Raises TurnkeepError."""
        turn = await self._in_thread(self._table.commit_later, principal, thread_id, retry_token)
        count("CommittedLater")
        return turn

    def warm(self) -> None:
        """Loads and builds what the first turn would: LangGraph and the default agent."""
        import turnkeep.turns.driving  # noqa: F401, PLC0415

        self._agents(self._default_agent)

    def describe(self, name: str) -> JSON:
        """An agent's description and drawing; builds the agent. Raises UnknownAgent."""
        from turnkeep.turns.drawing import draw  # noqa: PLC0415

        agent = self._agents(name)
        return {"name": name, "description": entries()[name].description, "mermaid": draw(agent.graph)}

    def graph_of(self, name: str, *, xray: bool | int = False) -> JSON:
        """Nodes and edges of an agent's graph; builds the agent. Raises UnknownAgent, AgentUnavailable."""
        from turnkeep.turns.drawing import as_json  # noqa: PLC0415

        return as_json(self._agents(name).graph, xray=xray)

    def schemas(self, name: str) -> JSON:
        """JSON schemas of an agent's graph; builds the agent. Raises UnknownAgent, AgentUnavailable."""
        from turnkeep.turns.drawing import schemas  # noqa: PLC0415

        return schemas(self._agents(name).graph)

    def subgraphs(self, name: str, namespace: str | None = None, *, recurse: bool = False) -> JSON:
        """The schemas of the graphs inside an agent's, by name. Raises UnknownAgent, AgentUnavailable."""
        from turnkeep.turns.drawing import subgraphs  # noqa: PLC0415

        return subgraphs(self._agents(name).graph, namespace, recurse=recurse)

    @functools.cached_property
    def states(self) -> "States":
        from turnkeep.turns.states import States  # noqa: PLC0415

        private, agent = self._private, self._default_agent
        return States(self._table, self._agents, self._in_thread, default_agent=agent, private=private, mint=self._mint)

    async def _asked(self, request: TurnRequest) -> Asked:
        """Hides the message where any agent that may run is private. Raises PrivacyUnavailable."""
        agent = request.agent or (None if request.thread_id else self._default_agent)
        if not self._private or agent not in (None, *self._private):
            return Asked(request, request.message, None)
        shield = self._shield(request)
        return Asked(request, await self._in_thread(shield.hide, request.message), shield)

    def _shield(self, request: TurnRequest) -> Shield:
        if request.thread_id is None:
            return Shield.of_run(secrets.token_bytes(16), self._in_thread)
        return Shield.of_thread(self._table.vault, partition(request.principal, request.thread_id), self._in_thread)

    async def _begin(self, asked: Asked, thread_id: str) -> Begun | Turn:
        request = asked.request
        taking = asyncio.create_task(
            self._in_thread(
                self._table.begin,
                request.principal,
                thread_id,
                key=request.key,
                body=request.body(),
                message=asked.message,
                pii=asked.pii,
                agent=request.agent,
                create=request.create,
                after=request.after,
                repeat=request.repeat,
            )
        )
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            await self._give_back(taking)
            raise

    async def _give_back(self, taking: asyncio.Task[Begun | Turn]) -> None:
        """A client that went away during BEGIN: the call cannot be stopped, so what it takes is given back."""
        await asyncio.wait({taking})
        if taking.cancelled() or taking.exception():
            return
        begun = taking.result()
        if isinstance(begun, Begun):
            await self._release(begun)

    async def _hold(self, asked: Asked, begun: Begun | None, tally: Tally, ahead: asyncio.Task[Found] | None) -> Hold:
        started, started_at = time.monotonic(), self._clock()
        name = (begun.head.agent if begun else None) or asked.request.agent or self._default_agent
        request, shield = asked.of(private=name in self._private)
        begun = begun and replace(begun, message=request.message)
        agent = await self._in_thread(self._agents, name)
        loading = self._load(begun, agent, request.base, ahead)
        loaded, spending = await self.budget.beside(loading, request.principal, agent, tally)
        return Hold(request, agent, loaded, begun, tally, spending, shield, started, started_at)

    async def _load(
        self, begun: Begun | None, agent: Agent, base: str | int | None, ahead: asyncio.Task[Found] | None
    ) -> Loaded:
        if begun is None or ahead is None:
            return Loaded()
        return await self._in_thread(self._table.load, begun.head, agent.window, base, ahead=await ahead)

    async def _or_release(self, begun: Begun, work: Coroutine[Any, Any, T]) -> T:
        """Whatever ends the work early, an error or a client that went away, gives the thread back unchanged."""
        done = False
        try:
            result = await work
            done = True
        finally:
            if not done:
                await self._release(begun)
        return result

    async def _release(self, begun: Begun) -> None:
        try:
            await self._in_thread(self._table.release, begun)
        except StoreUnavailable:
            logger.warning("lease left to run out")

    async def _answer(self, hold: Hold, running: RunningTurn) -> Turn:
        async with hold.spending:
            return await hold.tally.over(self._run(hold, running), agent=hold.agent.name)

    async def _run(self, hold: Hold, running: RunningTurn) -> Turn:
        from turnkeep.turns.driving import drive  # noqa: PLC0415 - LangGraph loads on the chat path only

        now = datetime.fromtimestamp(self._clock(), UTC)
        documents = self._attached.documents(hold.begun.head.pk) if hold.begun else Documents()
        ledger = self._ledger(hold)
        with acting(ledger):
            store = self._stores(hold.request.principal) if self._stores else None
            driving = drive(hold, running, now, documents, max_steps=self._tuning.max_steps, store=store)
            saved, turn = await self._watch.over(driving, hold.begun, until=self._end(hold))
        hold.spending.settle(turns=1)
        if hold.begun is None or ledger is None:
            return replace(turn, persisted=False)
        saved = with_origin(saved, ledger.origin)
        commit = Commit(self._table, self._in_thread, until=self._end(hold))
        return await running.commit(commit.store(hold.begun, hold.loaded, saved, turn))

    def _ledger(self, hold: Hold) -> Ledger | None:
        call = hold.request.call
        if hold.begun is None:
            return None
        goes_on = call is None or call.input is None  # a message answers, a command or nothing goes on
        return Ledger(self._table, self._in_thread, hold.begun, hold.loaded, goes_on=goes_on)

    def _end(self, hold: Hold) -> float:
        """When its answer has to leave, monotonic seconds."""
        return min(hold.started + self._tuning.seconds, hold.request.deadline or inf)


async def _replay(turn: Turn, running: RunningTurn) -> Turn:
    running.emit(Event("token", {"content": turn.reply}))
    return turn
