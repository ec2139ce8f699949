"""States of a thread as its graph sees them, as JSON: the newest, those before it, and one that a client changes. They
are read through the graph itself, so that what a node would be told is what is shown."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from langgraph.errors import EmptyInputError, InvalidUpdateError
from langgraph.types import StateSnapshot

from turnkeep.agents import Agent
from turnkeep.errors import InvalidRequest, StateCorrupt
from turnkeep.owngraphs import output_of
from turnkeep.records import JSON, Principal
from turnkeep.storage.checkpoints import Run
from turnkeep.storage.elements import changed
from turnkeep.storage.head import Head
from turnkeep.storage.plans import Begun, Loaded
from turnkeep.storage.table import Table
from turnkeep.storage.vault import has_placeholder, reworded_in
from turnkeep.storage.windows import NO_CHECKPOINT
from turnkeep.turns.actions import origin_of, with_origin
from turnkeep.turns.calls import named, plain
from turnkeep.turns.shield import Shield
from turnkeep.turns.threads import in_thread
from turnkeep.turns.watching import or_released


@dataclass(frozen=True)
class State:
    """State after turn number `turn`; `output` is the part that the graph declares as its output. `checkpoint_id` is
    empty and `parent_id` None before the first turn; the first state has the empty beginning for its parent."""

    values: Any
    output: Any
    next: list[str]
    tasks: list[JSON]
    metadata: JSON
    created_at: str | None
    checkpoint_id: str
    parent_id: str | None
    interrupts: list[JSON]
    turn: int


@dataclass(frozen=True)
class States:
    """`agents` gives an agent by name, `default_agent` that of a thread that has none yet; `private` are those whose
    states are kept without personal data."""

    table: Table
    agents: Callable[[str], Agent]
    default_agent: str
    private: frozenset[str]

    async def read(self, principal: Principal, thread_id: str, base: str | int | None = None) -> State:
        """The newest state, or that at a checkpoint or after a turn; raises NotFound, StateCorrupt."""
        return await in_thread(self._read, principal, thread_id, base)

    def _read(self, principal: Principal, thread_id: str, base: str | int | None) -> State:
        head = self.table.head(principal, thread_id)
        agent = self._agent(head)
        return self._told(head, _state(agent, head, self.table.load(head, agent.window, base)))

    async def history(
        self,
        principal: Principal,
        thread_id: str,
        *,
        limit: int = 10,
        before: str | None = None,
        metadata: JSON | None = None,
    ) -> list[State]:
        """The newest first, those of branches that were left among them; of the `limit` that are looked at those whose
        metadata hold `metadata`. Raises NotFound, StateCorrupt."""
        found = await in_thread(self._history, principal, thread_id, limit, before)
        return [state for state in found if (metadata or {}).items() <= state.metadata.items()]

    def _history(self, principal: Principal, thread_id: str, limit: int, before: str | None) -> list[State]:
        head = self.table.head(principal, thread_id)
        agent = self._agent(head)
        steps = self.table.history(head, agent.window, limit=limit, before=before)
        return [self._told(head, _state_or_error(agent, head, loaded)) for loaded in steps]

    async def update(
        self,
        principal: Principal,
        thread_id: str,
        values: Any,
        *,
        as_node: str | None = None,
        checkpoint_id: str | None = None,
    ) -> State:
        """The state as a node, by default the one that wrote last, would have changed it; from an older checkpoint it
        begins a branch. It is no turn. Raises NotFound, ThreadBusy, InvalidRequest, Superseded, StoreUnavailable."""
        begun = await in_thread(self.table.begin, principal, thread_id, key=uuid.uuid4().hex, body=b"", message=None)
        assert isinstance(begun, Begun)  # noqa: S101 - no turn has a key that was made just now
        return await or_released(self._update(begun, values, as_node, checkpoint_id), begun, self.table)

    async def _update(self, begun: Begun, values: Any, as_node: str | None, checkpoint_id: str | None) -> State:
        head = begun.head
        agent = await in_thread(self._agent, head)
        shield = self._shield(head)
        loaded = await in_thread(self.table.load, head, agent.window, checkpoint_id)
        given = named(agent, values, f"m-{head.gen}-{head.seq}")
        if agent.name in self.private:
            given = await in_thread(changed, given, shield.hide)
        run = Run(loaded, whole=agent.window is None)
        graph = agent.graph.copy({"checkpointer": run})
        try:
            await graph.aupdate_state(_config(head), given, as_node=as_node)
        except (InvalidUpdateError, EmptyInputError, KeyError, ValueError, TypeError) as error:
            raise InvalidRequest("values, as_node: The graph cannot take this change as that node.") from error
        snapshot = await graph.aget_state(_config(head))
        saved = run.saved(frozenset(agent.new_turn()), interrupted=bool(snapshot.next))
        assert saved  # noqa: S101 - an update puts a checkpoint
        saved = with_origin(saved, origin_of(loaded))
        plan, _ = await in_thread(self.table.prepare, begun, loaded, replace(saved, pii=shield.made), None)
        await in_thread(self.table.apply, plan)
        return await in_thread(self._told, head, _as_json(graph, snapshot, loaded.number))

    def _agent(self, head: Head) -> Agent:
        return self.agents(head.agent or self.default_agent)

    def _shield(self, head: Head) -> Shield:
        return Shield.of_thread(self.table.vault, head.pk)

    def _told(self, head: Head, state: State) -> State:
        """As the thread's owner reads it."""
        if not has_placeholder(vars(state)):
            return state
        return State(**reworded_in(vars(state), self._shield(head).reveal))


def _state(agent: Agent, head: Head, loaded: Loaded) -> State:
    graph = agent.graph.copy({"checkpointer": Run(loaded, whole=agent.window is None)})
    return _as_json(graph, graph.get_state(_config(head)), loaded.number)


def _state_or_error(agent: Agent, head: Head, loaded: Loaded) -> State:
    """A state that cannot be read names the reason in its metadata; the states before it stay readable."""
    try:
        return _state(agent, head, loaded)
    except StateCorrupt as error:
        reason, at = {"error": error.code, "detail": str(error)}, loaded.links[-1].item["cp"] if loaded.links else ""
        return State({}, {}, [], [], reason, None, at, NO_CHECKPOINT, [], loaded.number)


def _config(head: Head) -> Any:
    return {"configurable": {"thread_id": head.thread_id}}


def _as_json(graph: Any, snapshot: StateSnapshot, turn: int) -> State:
    checkpoint_id = snapshot.config["configurable"].get("checkpoint_id", "")
    parent = (snapshot.parent_config or {}).get("configurable", {}).get("checkpoint_id")
    tasks = [
        {"id": task.id, "name": task.name, "path": list(task.path), "error": task.error and str(task.error)}
        | {"interrupts": plain(task.interrupts), "checkpoint": None, "state": None, "result": plain(task.result)}
        for task in snapshot.tasks
    ]
    values = plain(snapshot.values)
    return State(
        values=values,
        output=output_of(graph, values),
        next=list(snapshot.next),
        tasks=tasks,
        metadata=plain(snapshot.metadata or {}),
        created_at=snapshot.created_at,
        checkpoint_id=checkpoint_id,
        parent_id=(parent or NO_CHECKPOINT) if checkpoint_id else None,
        interrupts=plain(snapshot.interrupts),
        turn=turn,
    )
