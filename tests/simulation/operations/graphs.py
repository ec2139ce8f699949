"""The graph that runs execute, and LangGraph's own loop over DynamoDBSaver.

One node notes what its run saw, works for a while and names the attempt. A share of the saver's runs has it in a
sub-graph, or behind a question.
"""

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from simulation import network
from simulation.kernel import Lock, Violation
from simulation.model import BUSY, number_in
from turnkeep import errors, once
from turnkeep.graphs.agent import Agent
from turnkeep.kit.checked_replies import token
from turnkeep.records import Reply
from turnkeep.saver.cursor import Cursor, Cursors
from turnkeep.saver.saver import DynamoDBSaver
from turnkeep.store.saver_commits import Steps

SHAPES = ("plain", "plain", "inner", "asks", "inner asks")
RUN = ContextVar("run", default=None)
"""The run of the graph, as the simulation sees it."""


@dataclass
class GraphRun:
    """`places`: headers of the last answer, with the place of the run."""

    world: object
    attempt_id: int
    thread: str
    key: str
    pause: float = 0.01
    is_branch: bool = False
    acts: bool = False
    places: dict = field(default_factory=dict)

    def of(self, _):
        return self


@dataclass
class Worker:
    """Executes queued runs, whichever operations they are of: each is known by its metadata, and a new attempt."""

    world: object

    def of(self, config):
        count = self.world.facts["worked"]["n"] = self.world.facts["worked"].get("n", 0) + 1
        return replace(self.world.facts["asked"][config["metadata"]["asked"]], attempt_id=1_000_000 + count)


def attempts_in(messages):
    return [number_in(message.content) for message in messages if isinstance(message, AIMessage)]


async def noted(state, config):
    """The run, which has noted what it saw."""
    run, history = RUN.get().of(config), attempts_in(state["messages"])
    model = run.world.model
    incarnation = model.heads.get(run.thread) or b""
    try:
        model.start(run.attempt_id, run.thread, run.key, incarnation, history, is_branch=run.is_branch)
        if run.acts:
            with suppress(errors.ActionUnknown):
                await pay(run, incarnation)
    except Violation as found:  # which the product answers as a fault of the agent
        model.sim.violations.append(found)
        raise
    return run


def named(run):
    return {"messages": [AIMessage(f"r{run.attempt_id}", id=f"a{run.attempt_id}")]}


async def answer(state, config: RunnableConfig):
    run = await noted(state, config)
    await asyncio.sleep(run.pause)
    return named(run)


async def begin(state, config: RunnableConfig):
    """The first step of a served run. A run that is stopped in the second one has named its attempt."""
    run = await noted(state, config)
    run.world.facts["pauses"][run.attempt_id] = run.pause
    get_stream_writer()(token(f"a{run.attempt_id}", f"r{run.attempt_id}"))
    return named(run)


async def rest(state):
    await asyncio.sleep(RUN.get().world.facts["pauses"][attempts_in(state["messages"])[-1]])


@once("pay", key="invoice")
async def pay(run, incarnation):
    done = run.world.facts["effects"].setdefault((run.thread, incarnation, run.key), [])
    done.append(run.attempt_id)
    await asyncio.sleep(0.02)
    if len(done) > 1:
        raise Violation("action done twice", f"{run.thread} {run.key}: {done}")
    return "paid"


def graph_with(node):
    return StateGraph(MessagesState).add_node("answer", node).add_edge(START, "answer")


SERVED = StateGraph(MessagesState).add_sequence([("answer", begin), ("rest", rest)]).add_edge(START, "answer").compile()
AGENT = Agent("papers", SERVED, lambda values: Reply(values["messages"][-1].text), window=None, model="m")


async def ask_first(state):
    interrupt("go on?")
    return await answer(state, {})


@cache
def graph_of(shape):
    """With "inner" in its name it answers in a sub-graph, with "asks" it asks before."""
    node = ask_first if "asks" in shape else answer
    return graph_with(graph_with(node).compile() if "inner" in shape else node)


class ActorCursors(Cursors):
    """Cursors whose locks block actors."""

    def of(self, thread_id):
        if thread_id not in self._kept:
            self._kept[thread_id] = Cursor(lock=Lock(self.sim))
        return super().of(thread_id)


def saver_of(has):
    saver = DynamoDBSaver(network.TABLE, client=has.client, tenant="t", user="u", seal_key="simulation", **has.options)
    saver._store, saver._steps, saver._cursors = has.store, Steps(has.store), ActorCursors()
    saver._cursors.sim = has.sim
    return saver


def at(thread, **more):
    return {"configurable": {"thread_id": thread}, **more}


class SaverOps:
    @cached_property
    def shape(self):
        """Shape of this plan's graph. It asks nothing where the API answers too, with another run's message."""
        shape = SHAPES[self.plan.seed % len(SHAPES)] if self.plan.family == "saver" else "plain"
        return "plain" if any(op.kind == "serve" for op in self.plan.ops) and "asks" in shape else shape

    def op_invoke(self, op, thread, mode="sync"):
        """A run of a graph. Nothing distinguishes a second try from a new run, so it is one."""

        def work(has, n):
            attempt_id = op.id * 10 + n
            pause = 0.01 if self.sim.pick(3) % 100 < 70 else 2.0
            run = GraphRun(self, attempt_id, thread, f"s{attempt_id}", pause)
            self.sim.complete(self._invoked(has.saver, run, mode))
            attempt = self.model.attempts.get(attempt_id)  # None where another run answered the question of this one
            if attempt:
                attempt.incarnation = self.model.stored_in.get(f"op{op.id}/invoke{n}", attempt.incarnation)
            return attempt

        if found := self.ask(op, work, tries=2, busy=BUSY):
            self.model.ack(found)

    async def _invoked(self, saver, run, mode):
        RUN.set(run)
        graph = graph_of(self.shape).compile(checkpointer=saver)
        config = at(run.thread, metadata={"run_id": f"run{run.attempt_id // 10}"})
        state = await graph.ainvoke({"messages": [("human", f"m{run.attempt_id}")]}, config, durability=mode)
        if "__interrupt__" in state:
            await graph.ainvoke(Command(resume="yes"), config, durability=mode)

    def op_state(self, op, thread):
        def check(thread, found, began):
            ids = attempts_in(found.checkpoint["channel_values"].get("messages", [])) if found else None
            self.model.check_read(thread, ids, began, with_edits=True)

        self.look(op, lambda has: has.saver.get_tuple(at(thread)), check)

    def op_history(self, op, thread):
        self.look(op, lambda has: [*has.saver.list(at(thread))])

    def op_prune(self, op, thread):
        self.ask(op, lambda has, _: has.saver.prune([thread]), tries=1, ends=(errors.NotFound, errors.Superseded))

    def op_copy(self, op, thread, to):
        self.model.forks[to].add(thread)
        ends = (errors.NotFound, errors.ThreadExists, errors.ThreadBusy, errors.Superseded)
        self.ask(op, lambda has, _: has.saver.copy_thread(thread, to), tries=1, ends=ends)

    def op_drop_runs(self, op, of):
        """Deletes the steps of a run, which may take turns away."""
        drop = lambda has: has.saver.delete_for_runs([f"run{of}"])  # noqa: E731
        self.end(op, self.threads, drop, lambda *_: "unknown", tries=1, ends=(errors.NotFound, *BUSY))
