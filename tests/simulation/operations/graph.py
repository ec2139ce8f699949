"""The graph that runs execute: one node notes what its run saw, works for a while and names the attempt."""

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from simulation.kernel import Violation
from simulation.model import Attempt, number_in
from turnkeep import once
from turnkeep.agents import Agent
from turnkeep.errors import ActionUnknown
from turnkeep.records import Reply

RUN = ContextVar("run", default=None)
"""The run of the graph, as the simulation sees it."""


@dataclass
class GraphRun:
    """`places`: headers that say where the client finds the run."""

    world: object
    attempt_id: int
    thread: str
    key: str
    pause: float = 0.01
    is_branch: bool = False
    acts: bool = False
    places: dict = field(default_factory=dict)


def attempts_in(messages):
    return [number_in(message.content) for message in messages if isinstance(message, AIMessage)]


async def answer(state):
    run = RUN.get()
    model = run.world.model
    history, incarnation = attempts_in(state["messages"]), model.heads.get(run.thread) or b""
    try:
        model.check_chain(history, run.thread)
        attempt = Attempt(
            run.attempt_id, run.thread, run.key, incarnation, tuple(history), model.sim.now, run.is_branch
        )
        model.attempts[attempt.id] = attempt
        if run.acts:
            with suppress(ActionUnknown):
                await pay(run, incarnation)
    except Violation as found:  # which the product answers as a fault of the agent
        model.sim.violations.append(found)
        raise
    await asyncio.sleep(run.pause)
    return {"messages": [AIMessage(f"r{attempt.id}", id=f"a{attempt.id}")]}


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


AGENT = Agent(
    "papers", graph_with(answer).compile(), lambda values: Reply(values["messages"][-1].text), window=None, model="m"
)
