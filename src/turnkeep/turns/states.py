"""States of a thread as its graph sees them, as JSON: the newest, earlier ones, and updates by a client. They are read
through the graph itself, so that clients see what a node would receive."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from langgraph.constants import START
from langgraph.errors import EmptyInputError, InvalidUpdateError
from langgraph.types import PregelTask, StateSnapshot

from turnkeep.errors import InvalidRequest, NotFound, StateCorrupt
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.own import output_of
from turnkeep.records import JSON, Principal
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.head import Head
from turnkeep.store.keys import id_in
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun, Loaded
from turnkeep.store.serde import changed
from turnkeep.store.store import Store
from turnkeep.store.turn_log import NO_CHECKPOINT
from turnkeep.store.vault import has_placeholder
from turnkeep.texts import reworded_in
from turnkeep.turns.begin import or_released, wake
from turnkeep.turns.redaction import Redactor
from turnkeep.turns.side_effects import origin_of, with_origin
from turnkeep.turns.threads import in_thread
from turnkeep.turns.wire import named, plain

CANNOT_JOIN = "checkpoint_ns: Nodes of this inner graph wrote values that cannot be joined. Read the thread's state."


@dataclass(frozen=True)
class State:
    """A state as LangGraph's server shows it, and the part of its values that the graph declares as its output."""

    shown: JSON
    output: Any


@dataclass(frozen=True)
class States:
    """Reads and updates states. `agents` returns an agent by name; a thread without an agent uses `default_agent`.
    States of agents in `private` are stored with PII redaction."""

    store: Store
    agents: Callable[[str], Agent]
    default_agent: str
    private: frozenset[str]

    async def read(
        self,
        principal: Principal,
        thread_id: str,
        base: str | None = None,
        *,
        run: str | None = None,
        namespace: str = "",
        subgraphs: bool = False,
    ) -> State:
        """Return the newest state, that at a checkpoint, or that of a run's end; of an inner graph by its `namespace`;
        with the states of inner graphs that wait, if `subgraphs`. Raises NotFound, StateCorrupt."""

        def found() -> State:
            head = self.store.heads.read(principal, thread_id)
            agent = self._agent(head)
            at = self.store.turns.checkpoint_of(head, run) if run else base
            loaded = self.store.turns.load(head, agent.window, None if namespace else at, gone=NotFound)
            state = _state(agent, head, loaded, namespace, subgraphs=subgraphs, is_named=bool(at and not run))
            is_open = not (at or namespace or state.shown["next"])
            if is_open and (
                head.is_leased(self.store.heads.now()) or (head.has_queue and self.store.queue.waiting(head))
            ):
                state.shown["next"] = [START]  # clients that open a page then follow the run
            return self._restored(head, state)

        return await in_thread(found)

    def history(
        self, principal: Principal, thread_id: str, limit: int, before: str | None = None, metadata: JSON | None = None
    ) -> Iterator[State]:
        """Yield states one by one, newest first, also of abandoned branches: of the `limit` that are read, those whose
        metadata contain `metadata`. Raises NotFound, StateCorrupt."""
        head = self.store.heads.read(principal, thread_id)
        agent = self._agent(head)
        for loaded in islice(self.store.turns.history(head, agent.window, before), limit):
            state = self._restored(head, _state_or_error(agent, head, loaded))
            if (metadata or {}).items() <= (state.shown["metadata"] or {}).items():
                yield state

    async def update(
        self,
        principal: Principal,
        thread_id: str,
        values: Any,
        *,
        as_node: str | None = None,
        checkpoint_id: str | None = None,
        namespace: str = "",
    ) -> JSON:
        """Change the state as a node would, by default the one that wrote last, and return its checkpoint. From an
        older one it begins a branch. `namespace` names an inner graph that waits. An update is not a turn. Raises
        NotFound, ThreadBusy, InvalidRequest, Superseded, StoreUnavailable."""
        request = BeginRequest(uuid.uuid4().hex, b"", None)
        begun = await in_thread(self.store.leases.begin, principal, thread_id, request)
        assert isinstance(begun, Begun)  # noqa: S101 - no turn has a key that was made just now
        changing = self._update(begun, values, as_node, None if namespace else checkpoint_id, namespace)
        return await or_released(changing, begun, self.store)

    async def _update(
        self, begun: Begun, values: Any, as_node: str | None, checkpoint_id: str | None, namespace: str
    ) -> JSON:
        head = begun.head
        agent = await in_thread(self._agent, head)
        redactor = self._redactor(head)
        loaded = await in_thread(self.store.turns.load, head, agent.window, checkpoint_id)
        given = named(agent, values, f"m-{head.gen}-{head.seq}")
        if agent.name in self.private:
            given = await in_thread(changed, given, redactor.redact)
        run = RunCheckpointer(loaded, whole=agent.window is None)
        graph = agent.graph.copy({"checkpointer": run})
        try:
            put = await graph.aupdate_state(_config(head, namespace), given, as_node=as_node)
        except (InvalidUpdateError, EmptyInputError, KeyError, ValueError, TypeError) as error:
            raise InvalidRequest("values, as_node: The graph cannot take this change as that node.") from error
        is_waiting = bool((await graph.aget_state(_config(head))).next)
        saved = run.saved(frozenset(agent.new_turn()), interrupted=is_waiting)
        assert saved  # noqa: S101 - an update puts a checkpoint
        saved = with_origin(saved, origin_of(loaded))
        plan, _ = await in_thread(self.store.turns.planner.plan, begun, loaded, replace(saved, pii=redactor.made), None)
        await in_thread(self.store.turns.commit, plan)
        await wake(head, self.store)
        return {name: put["configurable"][name] for name in ("thread_id", "checkpoint_ns", "checkpoint_id")}

    def _agent(self, head: Head) -> Agent:
        return self.agents(head.agent or self.default_agent)

    def _redactor(self, head: Head) -> Redactor:
        return Redactor.of_thread(self.store.vault, head.pk, lambda: head)

    def _restored(self, head: Head, state: State) -> State:
        """Restore a state for the thread's owner."""
        if not has_placeholder(vars(state)):
            return state
        return State(**reworded_in(vars(state), self._redactor(head).reveal))


def _state(
    agent: Agent, head: Head, loaded: Loaded, namespace: str = "", *, subgraphs: bool = False, is_named: bool = False
) -> State:
    """Read a state. At a named checkpoint, LangGraph omits what tasks of a waiting step have already written."""
    run = RunCheckpointer(loaded, whole=agent.window is None)
    graph, newest = agent.graph.copy({"checkpointer": run}), run.newest() if is_named and not namespace else None
    at = newest["id"] if newest else None
    try:
        snapshot = graph.get_state(_config(head, namespace, at), subgraphs=subgraphs)
    except InvalidUpdateError as error:
        if not subgraphs:
            raise InvalidRequest(CANNOT_JOIN) from error
        snapshot = graph.get_state(_config(head, namespace, at))
    output = plain(output_of(graph, snapshot.values))
    return State(_shown(head.thread_id, snapshot, loaded.number, namespace), output)


def _state_or_error(agent: Agent, head: Head, loaded: Loaded) -> State:
    """Return a state, or the reason in its metadata if it is unreadable: the states before it stay readable."""
    at = id_in(loaded.links[-1].item["cp"]) if loaded.links else ""
    try:
        return _state(agent, head, loaded, is_named=True)
    except StateCorrupt as error:
        reason: Any = {"error": error.code, "detail": str(error)}
        empty = StateSnapshot({}, (), {"configurable": {"checkpoint_id": at}}, reason, None, None, (), ())
        return State(_shown(head.thread_id, empty, loaded.number), {})


def _config(head: Head, namespace: str = "", at: str | None = None) -> Any:
    place = {"thread_id": head.thread_id, "checkpoint_ns": namespace}
    return {"configurable": place | ({"checkpoint_id": at} if at else {})}


def _shown(thread_id: str, snapshot: StateSnapshot, turn: int, namespace: str = "") -> JSON:
    """Return the state after turn number `turn`. A thread without turns has no checkpoint, an inner graph that has not
    begun has a place. The parent of the first state is the empty beginning."""
    checkpoint_id = snapshot.config["configurable"].get("checkpoint_id") or None
    parent_id = (snapshot.parent_config or {}).get("configurable", {}).get("checkpoint_id")
    parent_id = (parent_id or (None if namespace else NO_CHECKPOINT)) if checkpoint_id else None
    place = {"thread_id": thread_id, "checkpoint_ns": namespace}
    metadata = {**plain(snapshot.metadata or {}), "thread_id": thread_id, "turn_number": turn}
    return {
        "values": plain(snapshot.values),
        "next": list(snapshot.next),
        "metadata": metadata if checkpoint_id else None,
        "tasks": [_task(thread_id, task, turn) for task in snapshot.tasks],
        "created_at": snapshot.created_at,
        "checkpoint": {"checkpoint_id": checkpoint_id, **place} if checkpoint_id or namespace else None,
        "parent_checkpoint": {"checkpoint_id": parent_id, **place} if parent_id else None,
        "interrupts": plain(snapshot.interrupts),
        "checkpoint_id": checkpoint_id,
        "parent_checkpoint_id": parent_id,
    }


def _task(thread_id: str, task: PregelTask, turn: int) -> JSON:
    """Return a task with the place of its inner graph, or with that graph's state."""
    inner, place, state = task.state, None, None
    if isinstance(inner, StateSnapshot):
        namespace = inner.config["configurable"]["checkpoint_ns"]
        state = _shown(thread_id, inner, turn, namespace)
    elif inner:
        place = {name: value for name, value in inner["configurable"].items() if not name.startswith("__")}
    shown = {"id": task.id, "name": task.name, "path": list(task.path), "error": task.error and str(task.error)}
    return shown | {
        "interrupts": plain(task.interrupts),
        "checkpoint": place,
        "state": state,
        "result": plain(task.result),
    }
