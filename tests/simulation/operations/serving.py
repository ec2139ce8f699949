"""Turns through `Turns` and `Runs` on event loops, with LangGraph: tools that act, documents, background runs."""

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from simulation.kernel import Killed, Violation
from simulation.loops import in_loop
from simulation.model import Attempt, Belonging, number_in
from simulation.operations.memory import WHO
from turnkeep import errors, once
from turnkeep.agents import Agent
from turnkeep.errors import ActionUnknown
from turnkeep.records import Reply
from turnkeep.tuning import TurnTuning
from turnkeep.turns import Turns
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.runs import NotDone, Runs

WORKER_TRIES = 3
BUSY = (errors.ThreadBusy, errors.TurnInProgress, errors.Superseded, errors.ThreadMoved)
RUN = ContextVar("run")
"""The run of the graph, as the simulation sees it."""
ENQUEUED = ContextVar("enqueued")
"""Operation, thread and key of the background run that is accepted."""


@dataclass
class GraphRun:
    world: object
    attempt_id: int
    thread: str
    key: str
    pause: float = 0.01
    is_branch: bool = False
    acts: bool = False


def attempts_in(messages):
    return [number_in(message.content) for message in messages if isinstance(message, AIMessage)]


async def answer(state):
    """The one node: notes what the run saw, works for a while, and names the attempt."""
    run, history = RUN.get(), attempts_in(state["messages"])
    model = run.world.model
    model.check_chain(history, run.thread)
    born = model.heads.get(run.thread) or b""
    now = run.world.sim.now
    attempt = Attempt(run.attempt_id, run.thread, run.key, born, tuple(history), now, run.is_branch)
    model.attempts[attempt.id] = attempt
    if run.acts:
        with suppress(ActionUnknown):
            await pay(run, born)
    await asyncio.sleep(run.pause)
    return {"messages": [AIMessage(f"r{attempt.id}", id=f"a{attempt.id}")]}


@once("pay", key="invoice")
async def pay(run, born):
    done = run.world.facts["effects"].setdefault((run.thread, born, run.key), [])
    done.append(run.attempt_id)
    await asyncio.sleep(0.02)
    if len(done) > 1:
        raise Violation("action done twice", f"{run.thread} {run.key}: {done}")
    return "paid"


def graph_with(node, **more):
    return StateGraph(MessagesState).add_node("answer", node).add_edge(START, "answer").compile(**more)


AGENT = Agent("a", graph_with(answer), lambda values: Reply(values["messages"][-1].text), window=None, model="m")


class Serving:
    """The services of one machine that run turns. A worker is another request, as on Lambda."""

    def __init__(self, has, world):
        tuning, more = TurnTuning(lease_seconds=world.plan.lease), {"names": frozenset({"a"}), "clock": has.clock}
        kept = {"attachments": has.attachments}
        self.turns = Turns(has.table, lambda _: AGENT, tuning=tuning, default_agent="a", **more, **kept)
        self.runs = Runs(self.turns, has.table)
        self.runs.launch_by(world.launch)


class ServingOps:
    def op_serve(self, op, thread, key, *, of=None, pause=0.01, patience=60.0, base=None, acts=False):
        message = f"m{of or op.id}"

        def work(has, n):
            more = {"pause": pause, "is_branch": base is not None, "acts": acts}
            return self.serve(has, op.id * 10 + n, thread, key, message, patience=patience, base=base, **more)

        busy = (*BUSY, errors.RunCancelled, errors.ModelTimeout)
        self.ask_turn(op, work, key, message, busy=busy, patience=patience + 40)

    def serve(self, has, attempt_id, thread, key, message, *, patience=60.0, base=None, **more):
        """One request to a server. A client without patience leaves, which cancels the run."""

        async def served():
            RUN.set(GraphRun(self, attempt_id, thread, key, **more))
            request = TurnRequest(WHO, message, thread, agent="a", key=key, create=True, base=base)
            running = await has.serving.turns.start(request)
            finishing = asyncio.ensure_future(running.finish())
            done, _ = await asyncio.wait({finishing}, timeout=patience)
            if not done:
                await running.close()
            return await finishing

        return in_loop(self.sim, served())

    # background runs

    def op_enqueue(self, op, thread, key):
        began = self.sim.now
        message = f"m{op.id}"
        self.facts["messages"].setdefault(thread, {"the last"}).add(message)

        async def enqueued(has):
            ENQUEUED.set((op, thread, key))
            return await has.serving.runs.enqueue(TurnRequest(WHO, message, thread, agent="a", key=key))

        work = lambda has, _: in_loop(self.sim, enqueued(has))  # noqa: E731
        found = self.ask(op, work, busy=errors.ThreadBusy, ends=errors.NotFound)
        if found and not isinstance(found, Exception):
            if self.model.heads.get(thread) is None and self.model.ended.get(thread, -1) < began:
                raise Violation("run without a thread", f"{thread} does not exist, and takes {found.run_id}")
            fact = Belonging(thread, key, self.model.life(thread, began), self.sim.now)
            self.facts["runs"].setdefault(found.run_id, fact)

    async def launch(self, token):
        """A queue takes the token; a worker is asked later."""
        op, thread, key = ENQUEUED.get()
        number = self.facts["launched"]["count"] = self.facts["launched"].get("count", 0) + 1
        work = lambda: self._work_off(op, number, token, thread, key)  # noqa: E731
        self.sim.spawn(op.id * 1000 + number, f"op{op.id}/worker", work)

    def _work_off(self, op, number, token, thread, key):
        """Asks a worker up to three times, as the queue does."""
        for n in range(WORKER_TRIES):
            run = GraphRun(self, (op.id * 10 + number) * 10 + 5 + n, thread, key, (0.01, 3.0)[op.id & 1])
            try:
                machine = self.machines[(op.on + n) % len(self.machines)]
                work = lambda run=run, has=machine.has: self._worked(has, run, token)  # noqa: E731
                self.sim.join(self.sim.child(work, f"work{n}", machine), 90.0)
                return
            except (NotDone, errors.StoreUnavailable, TimeoutError, Killed):
                self.sim.sleep((2.0, 31.0)[self.sim.pick(n) & 1])

    def _worked(self, has, run, token):
        async def working():
            RUN.set(run)
            await has.serving.runs.work(token)

        in_loop(self.sim, working())

    def op_cancel(self, op, thread, of):
        """Cancels one of the background runs that were enqueued."""
        began = self.sim.now
        cancel = lambda has, _: in_loop(self.sim, has.serving.runs.cancel(WHO, thread, run_id))  # noqa: E731
        if not self.facts["runs"]:
            return
        run_id = list(self.facts["runs"])[of % len(self.facts["runs"])]
        found = self.ask(op, cancel, tries=1, ends=(errors.NotFound, errors.Conflict))
        fact, born = self.facts["runs"][run_id], self.model.life(thread, began)
        if found and not isinstance(found, Exception) and born and fact.born == born:
            for attempt in self.model.attempts.values():
                if (attempt.key, attempt.born, attempt.thread, attempt.acked_at) == (fact.key, born, thread, None):
                    attempt.state = "superseded"

    def op_runs(self, op, thread):
        def check(thread, found, began):
            shown = {each.run_id: each.status for each in found or ()}
            of_this_life = {id_ for id_, status in shown.items() if status not in ("success", "running")}
            self.model.check_listed(self.facts["runs"], thread, shown, began, of_this_life)

        self.look(op, lambda has: has.lookup.list(WHO, thread, 50, 0, None), check)
