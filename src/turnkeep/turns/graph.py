"""Drives one graph for one turn and emits its events. LangGraph is imported here and in no layer above."""

import functools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.constants import START, TAG_HIDDEN
from langgraph.graph import add_messages
from langgraph.types import Command, StateSnapshot

from turnkeep.errors import InvalidRequest, RunCancelled
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.own import AnyGraph, output_of
from turnkeep.kit.checked_replies import is_token, presented
from turnkeep.records import JSON, Event, Reply, RunContext
from turnkeep.saver.turns import question_of
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.codec import is_plain
from turnkeep.store.plans import Saved
from turnkeep.store.serde import text_of
from turnkeep.store.turn_log import NO_CHECKPOINT
from turnkeep.texts import printable, reworded_in
from turnkeep.turns.redaction import Redactor
from turnkeep.turns.request import INTERRUPT, GraphCall, TurnContext
from turnkeep.turns.sync_graphs import Part, is_blocking, stream
from turnkeep.turns.threads import in_thread
from turnkeep.turns.wire import EVENTS, LIFECYCLE, MESSAGES_TUPLE, config_of, context_of, messages_in, plain, without

STATELESS = "stateless"
STOPPED = "Not finished: the user stopped the run."  # the result of a tool call
DEMO_MODEL, DEMO_WARNING = "demo", "demo_model"
NO_MESSAGE = "This graph does not begin with a message: send its `input` to /threads/{thread_id}/runs, or name the key \
that takes a message in its langgraph.json, as turnkeep.graphs.<name>.message."
GRAPH_EVENTS = {"route_decision", "tool_start"}  # those that a graph may emit; any other value arrives as `custom`


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its reply, what COMMIT stores, and `values` and `interrupts` for a LangGraph client."""

    reply: Reply
    status: Literal["complete", "interrupted", "stopped"]
    saved: Saved
    end: JSON = field(default_factory=dict)


class NothingDone(Exception):
    """The graph stored no state: its input could not start it."""


class GraphRun:
    def __init__(self, turn: TurnContext, context: RunContext, *, max_steps: int, run_id: str | None = None):
        """Models are streamed only if the client reads tokens or asked for messages. LangGraph replays a checkpoint
        that the client named."""
        self._agent, request = turn.agent, turn.request
        self._run = RunCheckpointer(turn.loaded, whole=turn.agent.window is None)
        self._store = turn.memory
        self._graph = self._kept_here(turn.agent.graph)
        self._call = request.call or GraphCall()
        self._context = context_of(turn.agent, self._call, context)
        self._named = request.call is not None
        self._streamed = request.streamed or MESSAGES_TUPLE in self._call.modes
        self._of_thread: Any = {"configurable": {"thread_id": request.thread_id or STATELESS}}
        newest = self._run.newest() if request.base is not None or LIFECYCLE in self._call.modes else None
        self._parent = newest["id"] if newest else NO_CHECKPOINT
        self._config = config_of(turn.agent, self._call, run_id, max_steps=max_steps)
        self._config["configurable"] |= self._of_thread["configurable"]
        self._config["configurable"] |= {"checkpoint_id": self._parent} if newest and request.base is not None else {}
        self._per_turn = frozenset(turn.agent.new_turn())
        self._has_events = EVENTS in self._call.modes and not self._per_turn and not turn.redactor  # unchecked
        self._sent: set[str] = set()
        self._known: set[str | None] = set()
        self._inner: set[tuple[str, ...]] = set()
        self._node = ""
        self._written: str | None = None

    def _kept_here(self, graph: AnyGraph) -> AnyGraph:
        has_store = self._store or self._agent.is_own
        return graph.copy({"checkpointer": self._run} | ({"store": self._store} if has_store else {}))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open the graph of an agent that makes one for each run."""
        if self._agent.make is None:
            yield
            return
        async with self._agent.make(deepcopy(self._config), self._store, self._context) as graph:
            self._graph = self._kept_here(graph)
            yield

    async def events(self, given: Any, callbacks: list[BaseCallbackHandler]) -> AsyncIterator[Event]:
        """Run the graph to its end. Raises what a node raises."""
        if isinstance(given, Command) and not self._named:
            given = await self._addressed(given)
        call = self._call
        own = {"tasks", "custom"} | ({"messages"} if self._streamed else set()) | ({"updates"} if call.modes else set())
        modes = own | {*call.modes} - {MESSAGES_TUPLE, LIFECYCLE, EVENTS} if self._streamed or call.modes else set()
        config = {**self._config, "callbacks": callbacks, "run_name": self._agent.name}
        more: Any = {
            "context": self._context,
            "output_keys": self._graph.output_channels,
            "interrupt_before": _nodes(call.interrupt_before),
            "interrupt_after": _nodes(call.interrupt_after),
            "durability": "exit",
        }
        as_modes: Any = {"stream_mode": sorted(modes), "subgraphs": bool(modes)}
        if self._has_events:
            parts = self._with_events(given, config, **more, **as_modes)
        elif is_blocking(self._graph):
            parts = stream(self._graph, given, config=config, modes=modes, **more)
        else:
            parts = self._graph.astream(given, cast(Any, config), **more, **as_modes)
        async for namespace, mode, data in parts:
            if call.modes:
                for event in self._parts(namespace, mode, data):
                    yield event
            if own_event := self._event(namespace, mode, data):
                yield own_event

    async def _with_events(self, given: Any, config: Any, **more: Any) -> AsyncIterator[Part]:
        """Yield what `astream` yields, and LangChain's events of all that runs."""
        async for event in self._graph.astream_events(given, config, version="v2", **more):
            if event["event"] == "on_chain_stream" and not event["parent_ids"]:
                yield event["data"]["chunk"]
            elif TAG_HIDDEN not in event.get("tags", ()):
                yield (), EVENTS, event

    def _parts(self, namespace: tuple[str, ...], mode: str, data: Any) -> Iterator[Event]:
        """Yield the requested part; before an outer node's update, also messages that only the node returns."""
        if MESSAGES_TUPLE in self._call.modes and not self._call.subgraphs and not namespace:
            yield from self._from_inside(mode, data)
        if mode == "tasks" and LIFECYCLE in self._call.modes:
            yield from self._lifecycles(namespace, data)
        if part := self._part(namespace, mode, data):
            yield part

    def _lifecycles(self, namespace: tuple[str, ...], data: Any) -> Iterator[Event]:
        """Yield the start of an inner graph with its first task, and its end with the task that contains it."""
        if "input" in data and namespace and namespace not in self._inner:
            self._inner.add(namespace)
            name, _, task = namespace[-1].partition(":")
            started = {"event": "started", "namespace": [*namespace], "graph_name": name, "trigger_call_id": task}
            yield _part_event(LIFECYCLE, namespace, started)
        if "result" in data:
            event = "interrupted" if data["interrupts"] else "failed" if data["error"] else "completed"
            inner = (*namespace, f"{data['name']}:{data['id']}")
            if inner in self._inner:
                self._inner.remove(inner)
                yield _part_event(LIFECYCLE, inner, {"event": event, "graph_name": data["name"]})

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
        is_interrupt = mode == "updates" and INTERRUPT in data
        if mode not in call.modes and not is_interrupt:
            return None
        if LIFECYCLE in call.modes:
            data = _brief(mode, data, None if namespace else self._parent)
        return _part_event(mode, namespace, without(plain(data), self._per_turn))

    def _chunk(self, data: Any) -> list[JSON] | None:
        """Return a message or a piece of one with its metadata; None for one that was streamed in pieces."""
        if is_token(data):
            chunk = {"content": printable(data["content"]), "type": "AIMessageChunk", "id": data["id"]}
            return [chunk, {"langgraph_node": self._node}]
        message, metadata = data
        return None if message.id in self._sent else [plain(message), plain(metadata)]

    def _event(self, namespace: tuple[str, ...], mode: str, data: Any) -> Event | None:
        if mode == "messages":
            message = data[0]
            is_new = isinstance(message, AIMessage) and message.id not in self._sent
            return Event("token", {"content": printable(text)}) if is_new and (text := text_of(message)) else None
        if mode == "tasks":
            path = [*(step.split(":")[0] for step in namespace), data["name"]]
            return Event("node", {"node": "/".join(path)}) if "input" in data else None
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

    async def end_early(self, given: Any, written: str) -> None:
        """Prepare the outcome of a run that was stopped; `written` becomes its reply. If no step was stored, its input
        is. Open tool calls get a result, because models refuse a history without one. Raises RunCancelled if a question
        is still open."""
        if not self._run.has_put and given is not None and not isinstance(given, Command):
            await self._graph.aupdate_state(self._of_thread, given, as_node=START)
        snapshot, self._written = await self._graph.aget_state(self._of_thread), written
        if snapshot.interrupts or not self._run.has_put:
            raise RunCancelled
        has_usual = getattr(self._graph.channels.get("messages"), "operator", None) is add_messages
        if open_calls := _open_calls(snapshot.values.get("messages", [])) if has_usual else ():
            results = [ToolMessage(STOPPED, tool_call_id=call["id"], name=call["name"]) for call in open_calls]
            await self._graph.aupdate_state(self._of_thread, {"messages": results}, as_node=START)

    async def outcome(self, redactor: Redactor | None = None) -> Outcome:
        """Return what the run leaves, once `events` is exhausted. The redactor redacts the state and the end, not the
        reply. Raises NothingDone."""
        snapshot = await self._graph.aget_state(self._of_thread)
        interrupted = self._written is None and (bool(snapshot.next) or self._run.is_asking())
        saving = functools.partial(self._run.saved, self._per_turn, interrupted=interrupted)
        saved = await in_thread(saving, change=redactor.redact) if redactor else saving()
        if saved is None:
            raise NothingDone
        end = self._end(snapshot) if self._named else {}
        end = await in_thread(reworded_in, end, redactor.redact) if redactor else end
        if self._written is not None:
            return Outcome(presented(Reply(self._written)), "stopped", saved, end)
        if interrupted:
            asked = Reply(question_of(snapshot.interrupts), route="clarify")
            return Outcome(presented(asked), "interrupted", saved, end)
        reply = presented(self._agent.read_reply(cast(Any, snapshot.values)))
        if self._agent.model == DEMO_MODEL:
            reply = replace(reply, warnings=(DEMO_WARNING, *reply.warnings))
        return Outcome(reply, "complete", saved, end)

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


def _open_calls(messages: list[Any]) -> list[Any]:
    """Return the tool calls without a result."""
    known = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return [call for call in calls if call["id"] not in known]


def _brief(mode: str, data: Any, parent: str | None) -> Any:
    """Shorten a checkpoint or task for version 2; others have the states. `parent`: the one stored before the run.
    The step is left out: after a reload, JavaScript clients drop values of a lower step, such as those of a branch."""
    if mode == "checkpoints":
        place, source = data["config"]["configurable"], data["metadata"]["source"]
        return {"id": place["checkpoint_id"], "parent_id": parent, "source": source}
    return {name: data[name] for name in data if name not in ("input", "result")} if mode == "tasks" else data


def _nodes(named: tuple[str, ...]) -> Any:
    return "*" if "*" in named else list(named) or None
