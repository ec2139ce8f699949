"""Drives one graph for one turn and tells what it does. LangGraph is imported here and nowhere above."""

import functools
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Command

from turnkeep.agents import Agent
from turnkeep.blocks.wording import is_token, presented
from turnkeep.errors import AgentFault
from turnkeep.records import JSON, Event, Reply, RunContext
from turnkeep.storage.checkpoints import Run
from turnkeep.storage.plans import Loaded, Saved
from turnkeep.storage.sealing import is_plain
from turnkeep.texts import printable
from turnkeep.turns.shield import Shield

DEMO_MODEL, DEMO_WARNING = "demo", "demo_model"
OWN_EVENTS = {"route_decision", "tool_start"}


@dataclass(frozen=True)
class Outcome:
    """How a run ended: what it says, and what COMMIT stores."""

    reply: Reply
    interrupted: bool
    saved: Saved


class GraphRun:
    """One run of an agent's graph on what LOAD found."""

    def __init__(self, agent: Agent, loaded: Loaded, thread_id: str, *, max_steps: int):
        self._agent = agent
        self._run = Run(loaded, whole=agent.window is None)
        self._graph = agent.graph.copy({"checkpointer": self._run})
        self._thread_id = thread_id
        self._max_steps = max_steps
        self._told: set[str] = set()

    async def events(
        self, given: Any, context: RunContext, callbacks: list[BaseCallbackHandler]
    ) -> AsyncIterator[Event]:
        """Runs the graph to its end; raises what a node raises."""
        if isinstance(given, Command):
            given = await self._addressed(given)
        config = {
            "configurable": {"thread_id": self._thread_id},
            "callbacks": callbacks,
            "recursion_limit": self._max_steps,
            "run_name": self._agent.name,
        }
        stream = self._graph.astream(
            given,
            cast(Any, config),
            context=context,
            stream_mode=["messages", "tasks", "custom"],
            durability="exit",
            subgraphs=True,
        )
        async for part in stream:
            event = self._event(*cast(tuple[tuple[str, ...], str, Any], part))
            if event:
                yield event

    def _event(self, namespace: tuple[str, ...], mode: str, data: Any) -> Event | None:
        if mode == "messages":
            message = data[0]
            is_new = isinstance(message, AIMessage) and message.id not in self._told
            return Event("token", {"content": printable(message.text)}) if is_new and message.text else None
        if mode == "tasks":
            return Event("node", {"node": _path(namespace, data["name"])}) if "input" in data else None
        if is_token(data):
            self._told.add(data["id"])
            return Event("token", {"content": printable(data["content"])})
        return _custom(data)

    async def _addressed(self, answer: "Command[Any]") -> Any:
        """The answer to the first question, where parallel branches asked several: LangGraph wants it named then."""
        snapshot = await self._graph.aget_state({"configurable": {"thread_id": self._thread_id}})
        if len(snapshot.interrupts) < 2:
            return answer
        return Command(resume={snapshot.interrupts[0].id: answer.resume})

    async def outcome(self, shield: Shield | None = None) -> Outcome:
        """What the run leaves, once `events` is exhausted; its state is hidden by the shield, its reply is not. Raises
        AgentFault where the graph kept no state."""
        snapshot = await self._graph.aget_state({"configurable": {"thread_id": self._thread_id}})
        interrupted = bool(snapshot.next)
        values: Mapping[str, Any] = snapshot.values
        per_turn = frozenset(self._agent.new_turn())
        saving = functools.partial(self._run.saved, per_turn, interrupted=interrupted)
        saved = await shield.in_thread(saving, change=shield.hide) if shield else saving()
        if saved is None:
            raise AgentFault
        if interrupted:
            asked = Reply(_question(snapshot.interrupts), route="clarify")
            return Outcome(presented(asked), interrupted, saved)
        reply = presented(self._agent.read_reply(values))
        if self._agent.model == DEMO_MODEL:
            reply = replace(reply, warnings=(DEMO_WARNING, *reply.warnings))
        return Outcome(reply, interrupted, saved)


def first_input(agent: Agent, message: str, message_id: str, *, interrupted: bool) -> Any:
    """What a run is given: the message as an answer where the thread waits for one, else as a new turn."""
    if interrupted:
        return Command(resume=message)
    return {**agent.new_turn(), "messages": [HumanMessage(message, id=message_id)]}


def _custom(data: Any) -> Event | None:
    if isinstance(data, dict) and data.get("event") in OWN_EVENTS and is_plain(data):
        return Event(data["event"], {name: value for name, value in data.items() if name != "event"})
    return Event("custom", {"data": data}) if is_plain(data) else None


def _path(namespace: tuple[str, ...], node: str) -> str:
    return "/".join([*(step.split(":")[0] for step in namespace), node])


def _question(interrupts: tuple[Any, ...]) -> str:
    """What an interrupted run asks, as text."""
    values = [interrupt.value for interrupt in interrupts]
    if not values:
        return "The run waits to be continued."
    value: str | JSON = values[0]
    if isinstance(value, dict) and isinstance(value.get("question"), str):
        return str(value["question"])
    return value if isinstance(value, str) else json.dumps(value, default=str)
