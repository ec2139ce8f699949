"""Drives one graph for one turn and emits its events. LangGraph is imported here and in no layer above."""

import functools
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.store.base import BaseStore
from langgraph.types import Command, StateSnapshot

from turnkeep.errors import InvalidRequest
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.own import output_of
from turnkeep.kit.checked_replies import is_token, presented
from turnkeep.records import JSON, Event, Reply, RunContext
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.codec import is_plain
from turnkeep.store.elements import text_of
from turnkeep.store.plans import Loaded, Saved
from turnkeep.store.vault import reworded_in
from turnkeep.texts import printable
from turnkeep.turns.calls import MESSAGES_TUPLE, as_chunk, config_of, context_of, messages_in, plain, without
from turnkeep.turns.redaction import Redactor
from turnkeep.turns.request import GraphCall
from turnkeep.turns.sync_graphs import is_blocking, stream
from turnkeep.turns.threads import in_thread

if TYPE_CHECKING:
    from turnkeep.graphs.agent import AnyGraph

DEMO_MODEL, DEMO_WARNING = "demo", "demo_model"
NO_MESSAGE = "This graph does not begin with a message: send its `input` to /threads/{thread_id}/runs, or name the key \
that takes a message in its langgraph.json, as turnkeep.graphs.<name>.message."
GRAPH_EVENTS = {"route_decision", "tool_start"}  # those that a graph may emit; any other value arrives as `custom`


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its reply, what COMMIT stores, and `values` and `interrupts` for a LangGraph client."""

    reply: Reply
    interrupted: bool
    saved: Saved
    end: JSON = field(default_factory=dict)


class NothingDone(Exception):
    """The graph stored no state: its input could not start it."""


class GraphRun:
    """One run of an agent's graph on what LOAD found."""

    def __init__(
        self,
        agent: Agent,
        loaded: Loaded,
        thread_id: str,
        *,
        max_steps: int,
        store: BaseStore | None = None,
        call: GraphCall | None = None,
        run_id: str | None = None,
        streamed: bool = False,
        is_addressed: bool = False,
    ):
        """`store` is the caller's memory, `call` the request of a LangGraph client. Models are streamed only if
        `streamed`, or if the client asked for messages. `is_addressed`: the client named the checkpoint, so LangGraph
        replays it."""
        self._agent = agent
        self._run = RunCheckpointer(loaded, whole=agent.window is None)
        self._store = store
        self._graph = self._kept_here(agent.graph)
        self._call = call or GraphCall()
        self._named = call is not None
        self._streamed = streamed or MESSAGES_TUPLE in self._call.modes
        self._of_thread: Any = {"configurable": {"thread_id": thread_id}}
        newest = self._run.newest() if is_addressed else None
        self._begins_at = {"checkpoint_id": newest["id"]} if newest else {}
        self._run_id = run_id
        self._max_steps = max_steps
        self._per_turn = frozenset(agent.new_turn())
        self._sent: set[str] = set()
        self._known: set[str | None] = set()
        self._node = ""

    def _kept_here(self, graph: "AnyGraph") -> "AnyGraph":
        has_store = self._store or self._agent.is_own
        return graph.copy({"checkpointer": self._run} | ({"store": self._store} if has_store else {}))

    def _config(self) -> JSON:
        config = config_of(self._agent, self._call, self._run_id, max_steps=self._max_steps)
        config["configurable"] |= self._of_thread["configurable"] | self._begins_at
        return config

    @asynccontextmanager
    async def opened(self, context: RunContext) -> AsyncIterator[None]:
        """Open the graph of an agent that makes one for each run."""
        if self._agent.make is None:
            yield
            return
        runtime_context = context_of(self._agent, self._call, context)
        async with self._agent.make(self._config(), self._store, runtime_context) as graph:
            self._graph = self._kept_here(graph)
            yield

    async def events(
        self, given: Any, context: RunContext, callbacks: list[BaseCallbackHandler]
    ) -> AsyncIterator[Event]:
        """Run the graph to its end. Raises what a node raises."""
        if isinstance(given, Command) and not self._named:
            given = await self._addressed(given)
        call = self._call
        own = {"tasks", "custom"} | ({"messages"} if self._streamed else set()) | ({"updates"} if call.modes else set())
        modes = own | {*call.modes} - {MESSAGES_TUPLE} if self._streamed or call.modes else set()
        config = {**self._config(), "callbacks": callbacks, "run_name": self._agent.name}
        more: Any = {
            "context": context_of(self._agent, call, context),
            "output_keys": self._graph.output_channels,
            "interrupt_before": _nodes(call.interrupt_before),
            "interrupt_after": _nodes(call.interrupt_after),
            "durability": "exit",
        }
        if is_blocking(self._graph):
            parts = stream(self._graph, given, config=config, modes=modes, **more)
        else:
            more |= {"stream_mode": sorted(modes), "subgraphs": bool(modes)}
            parts = self._graph.astream(given, cast(Any, config), **more)
        async for namespace, mode, data in parts:
            if call.modes:
                for event in self._parts(namespace, mode, data):
                    yield event
            if own_event := self._event(namespace, mode, data):
                yield own_event

    def _parts(self, namespace: tuple[str, ...], mode: str, data: Any) -> Iterator[Event]:
        """Yield the requested part; before an outer node's update, also messages that only the node returns."""
        if MESSAGES_TUPLE in self._call.modes and not self._call.subgraphs and not namespace:
            yield from self._from_inside(mode, data)
        if part := self._part(namespace, mode, data):
            yield part

    def _from_inside(self, mode: str, data: Any) -> Iterator[Event]:
        """Yield messages of inner graphs, which LangGraph streams in a namespace that this client does not read."""
        if mode == "messages":
            self._known.add(data[0].id)
        elif mode == "tasks" and "input" in data:
            self._known |= {message.id for message in messages_in(data["input"])}
        elif mode == "updates":
            for node, update in data.items():
                for message in messages_in(without(update, self._per_turn)):
                    if message.id not in self._known and message.id not in self._sent:
                        self._known.add(message.id)
                        yield _part_event(MESSAGES_TUPLE, (), [plain(message), {"langgraph_node": node}])

    def _part(self, namespace: tuple[str, ...], mode: str, data: Any) -> Event | None:
        """Return LangGraph's output if the client requested this mode. An interrupt is always sent."""
        if mode == "tasks" and "input" in data:
            self._node = data["name"]
        call, is_reply = self._call, mode == "custom" and is_token(data)
        if namespace and not call.subgraphs and not is_reply:
            return None
        if mode == "messages" or is_reply:
            chunk = self._chunk(data) if MESSAGES_TUPLE in call.modes else None
            return _part_event(MESSAGES_TUPLE, namespace if call.subgraphs else (), chunk) if chunk else None
        is_interrupt = mode == "updates" and "__interrupt__" in data
        if mode not in call.modes and not is_interrupt:
            return None
        return _part_event(mode, namespace, without(plain(data), self._per_turn))

    def _chunk(self, data: Any) -> list[JSON] | None:
        """Return a message or a piece of one with its metadata; None for one that was streamed in pieces."""
        if is_token(data):
            return as_chunk(printable(data["content"]), data["id"], {"langgraph_node": self._node})
        message, metadata = data
        return None if message.id in self._sent else [plain(message), plain(metadata)]

    def _event(self, namespace: tuple[str, ...], mode: str, data: Any) -> Event | None:
        if mode == "messages":
            message = data[0]
            is_new = isinstance(message, AIMessage) and message.id not in self._sent
            return Event("token", {"content": printable(text)}) if is_new and (text := text_of(message)) else None
        if mode == "tasks":
            return Event("node", {"node": _path(namespace, data["name"])}) if "input" in data else None
        if mode != "custom":
            return None
        if is_token(data):
            self._sent.add(data["id"])
            return Event("token", {"content": printable(data["content"])})
        return _custom(data)

    async def _addressed(self, answer: "Command[Any]") -> Any:
        """Return the message as the answer to the first question, if parallel branches asked several: LangGraph needs
        the question's id then, and a message has none."""
        snapshot = await self._graph.aget_state(self._of_thread)
        if len(snapshot.interrupts) < 2:
            return answer
        return replace(answer, resume={snapshot.interrupts[0].id: answer.resume})

    async def outcome(self, redactor: Redactor | None = None) -> Outcome:
        """Return what the run leaves, once `events` is exhausted. The redactor redacts the state and the end, not the
        reply. Raises NothingDone."""
        snapshot = await self._graph.aget_state(self._of_thread)
        interrupted = bool(snapshot.next) or self._run.is_asking()
        values: Mapping[str, Any] = snapshot.values
        saving = functools.partial(self._run.saved, self._per_turn, interrupted=interrupted)
        saved = await in_thread(saving, change=redactor.redact) if redactor else saving()
        if saved is None:
            raise NothingDone
        end = self._end(snapshot) if self._named else {}
        end = await in_thread(reworded_in, end, redactor.redact) if redactor else end
        if interrupted:
            asked = Reply(question_of(snapshot.interrupts), route="clarify")
            return Outcome(presented(asked), interrupted, saved, end)
        reply = presented(self._agent.read_reply(values))
        if self._agent.model == DEMO_MODEL:
            reply = replace(reply, warnings=(DEMO_WARNING, *reply.warnings))
        return Outcome(reply, interrupted, saved, end)

    def _end(self, snapshot: StateSnapshot) -> JSON:
        values = plain(output_of(self._graph, snapshot.values))
        return {"values": without(values, self._per_turn), "interrupts": plain(snapshot.interrupts)}


def first_input(agent: Agent, message: str, message_id: str, *, interrupted: bool) -> Any:
    """Return the input of a run: the message as an answer if the thread waits for one, else as a new turn. Raises
    InvalidRequest for a graph that a message alone cannot start."""
    if interrupted:
        return Command(resume=message)
    if agent.message is None:
        raise InvalidRequest(NO_MESSAGE)
    content = [HumanMessage(message, id=message_id)] if agent.message == "messages" else message
    return {**agent.new_turn(), agent.message: content} if agent.message else content


def _custom(data: Any) -> Event | None:
    if isinstance(data, dict) and data.get("event") in GRAPH_EVENTS and is_plain(data):
        return Event(data["event"], {name: value for name, value in data.items() if name != "event"})
    return Event("custom", {"data": data}) if is_plain(data) else None


def _part_event(mode: str, namespace: tuple[str, ...], data: Any) -> Event:
    return Event("part", {"mode": mode, "namespace": list(namespace), "data": data})


def _nodes(named: tuple[str, ...]) -> Any:
    return "*" if "*" in named else list(named) or None


def _path(namespace: tuple[str, ...], node: str) -> str:
    return "/".join([*(step.split(":")[0] for step in namespace), node])


def question_of(interrupts: tuple[Any, ...]) -> str:
    """Return the question of an interrupted run as text."""
    if not interrupts:
        return "The run waits to be continued."
    value = interrupts[0].value
    asked = value if isinstance(value, dict) else {}
    if isinstance(asked.get("question"), str):
        return str(asked["question"])
    if actions := [each for each in asked.get("action_requests") or () if isinstance(each, dict)]:
        return "\n".join(_approval(each) for each in actions)
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _approval(action: JSON) -> str:
    """Return one of the `action_requests` of LangChain agents for approval as text: "send_email {"to": "ann"}"."""
    return str(action.get("description") or f"{action.get('name')} {json.dumps(action.get('args'), default=str)}")
