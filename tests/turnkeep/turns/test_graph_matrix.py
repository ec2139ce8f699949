"""Graphs with a window of turns: each step of a script leaves on the store the end of what it leaves on LangGraph's
in-memory saver. Between two steps the store's side keeps nothing but the store. Graphs without a window are drawn by
tests/differential."""

import operator
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict, cast

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, Send, interrupt
from scripted import turn as turn_of

from turnkeep.records import Principal
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.items import Items
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun, Loaded
from turnkeep.store.store import Store
from turnkeep_local.objects import FolderObjects
from turns_over import table_over

type Graph = Any

WHO = Principal("tenant", "user")
THREAD = "thread"
CONFIG: Any = {"configurable": {"thread_id": THREAD}}


@pytest.fixture
def fresh_table(items: Items, folder_objects: FolderObjects) -> Callable[[], Store]:
    """A store object that remembers nothing, over the items that are there."""
    return lambda: table_over(items, folder_objects)


@dataclass
class Twin:
    """One graph on two savers. `window` is the store's; LangGraph's saver always keeps all."""

    graph: Graph
    store: Callable[[], Store]
    window: int | None
    per_turn: frozenset[str] = frozenset()
    edited: bool = False
    incarnation: dict[str, int] = field(default_factory=dict)
    places: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.twin = self.graph.copy({"checkpointer": InMemorySaver()})

    # one step on both sides

    def play(self, *steps: Any) -> None:
        """Each is a turn's input or, with the node that it is made as, an edit."""
        for step in steps:
            if isinstance(step, tuple):
                self.update(*step)
            else:
                assert not isinstance(step, Command) or self.state().next, "nobody asked"
                self.turn(step)

    def turn(self, given: Any) -> None:
        self.twin.invoke(given, CONFIG)
        self.ours(lambda graph: graph.invoke(given, CONFIG, durability="exit"))
        self.compare()

    def update(self, values: Any, as_node: str) -> None:
        self.twin.update_state(CONFIG, values, as_node=as_node)
        self.edited = True
        self.ours(lambda graph: graph.update_state(CONFIG, values, as_node=as_node), is_turn=False)
        self.compare()

    def back(self, step: int, given: Any) -> None:
        """A turn from the checkpoint that stood after `step`, counted from 1."""
        theirs, ours = self.places[step - 1]
        there: Any = {"configurable": {"thread_id": THREAD, "checkpoint_id": theirs}}
        names = {message.id for message in self.twin.get_state(there).values["messages"]}
        self.incarnation = {name: number for name, number in self.incarnation.items() if name in names}
        self.twin.invoke(given, there)
        self.ours(lambda graph: graph.invoke(given, CONFIG, durability="exit"), checkpoint=ours)
        self.compare()

    def ours(self, work: Callable[[Graph], Any], *, is_turn: bool = True, checkpoint: str | None = None) -> Any:
        """BEGIN, LOAD, RUN and COMMIT with objects that know nothing of the step before."""
        store = self.store()
        begun, loaded, run = self.hold(store, checkpoint)
        graph = self.graph.copy({"checkpointer": run})
        result = work(graph)
        is_waiting = bool(graph.get_state(CONFIG).next)
        saved = run.saved(self.per_turn, interrupted=is_waiting)
        assert saved is not None
        status = "interrupted" if is_waiting else "complete"
        turn = turn_of(thread_id=None, number=0, status=status) if is_turn else None
        plan, _ = store.turns.prepare(begun, loaded, saved, turn)
        assert store.turns.commit(plan) is None
        return result

    def hold(self, store: Store, checkpoint: str | None = None) -> tuple[Begun, Loaded, RunCheckpointer]:
        begun = store.leases.begin(
            WHO, THREAD, BeginRequest(key=uuid.uuid4().hex, body=b"", message="a message", create=True)
        )
        assert isinstance(begun, Begun)
        loaded = store.turns.load(begun.head, self.window, checkpoint)
        return begun, loaded, RunCheckpointer(loaded, whole=self.window is None)

    # what must be the same

    def state(self, checkpoint: str | None = None) -> Any:
        store = self.store()
        loaded = store.turns.load(store.heads.read(WHO, THREAD), self.window, checkpoint)
        return self.graph.copy({"checkpointer": RunCheckpointer(loaded, whole=self.window is None)}).get_state(CONFIG)

    def compare(self) -> None:
        theirs, ours = self.twin.get_state(CONFIG), self.state()
        self.places.append((_place(theirs), _place(ours)))
        self.compare_snapshots(theirs, ours)
        store = self.store()
        head = store.heads.read(WHO, THREAD)
        turns = store.turns.newest(WHO, THREAD, limit=50)
        assert [turn.number for turn in turns] == list(range(1, head.n + 1))
        if not self.edited:
            self.compare_stored(store, theirs.values)

    def compare_snapshots(self, theirs: Any, ours: Any) -> None:
        assert ours.next == theirs.next
        assert [each.value for each in ours.interrupts] == [each.value for each in theirs.interrupts]
        dropped = frozenset({"messages"}) if theirs.next else self.per_turn | {"messages"}
        assert _without(ours.values, dropped) == _without(theirs.values, dropped)
        if not theirs.next:
            assert not self.per_turn & ours.values.keys()
        self.compare_messages(theirs.values.get("messages", []), ours.values.get("messages", []))

    def compare_messages(self, theirs: list[AnyMessage], ours: list[AnyMessage]) -> None:
        names = [str(message.id) for message in ours]
        assert len(set(names)) == len(names)
        number = self.store().heads.read(WHO, THREAD).n
        for message in theirs:
            self.incarnation.setdefault(str(message.id), number)
        low = 0 if self.window is None else number - self.window + 1
        wanted = [message for message in theirs if self.incarnation[str(message.id)] >= low]
        if self.edited and self.window is not None:  # an edit stores again what stands behind it
            assert len(ours) >= len(wanted)
            wanted = theirs[len(theirs) - len(ours) :]
        assert ours == wanted

    def compare_stored(self, store: Store, values: Any) -> None:
        """Every element of every list lies in the store once."""
        loaded = store.turns.load(store.heads.read(WHO, THREAD), None)
        stored = [s for link in loaded.links for s in link.segments if (s.namespace, s.channel) == ("", "messages")]
        assert sum(len(segment.elements) for segment in stored) == len(values.get("messages", []))


def _without(values: Any, names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


def _place(snapshot: Any) -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])


def say(name: str, text: str | None = None) -> dict[str, Any]:
    return {"messages": [HumanMessage(text or f"text of {name}", id=name)]}


def said(count: int, mark: str = "h") -> list[Any]:
    return [say(f"{mark}{number}") for number in range(count)]


def questions(count: int, text: str) -> list[Any]:
    """A plain turn, one that is asked back, and its answer."""
    return [step for n in range(count) for step in (say(f"h{n}"), say(f"q{n}", text), Command(resume=f"answer {n}"))]


def _asked(state: Any) -> Any:
    return next(message for message in reversed(state["messages"]) if isinstance(message, HumanMessage))


def _echo(state: Any) -> dict[str, Any]:
    return {"messages": [AIMessage(f"on {_asked(state).content}", id=f"{_asked(state).id}-a")]}


windows = pytest.mark.parametrize("window", [3, 10])


def plain() -> Graph:
    return StateGraph(MessagesState).add_node("echo", _echo).add_edge(START, "echo").add_edge("echo", END).compile()


# tools


@tool
def look_up(word: str) -> str:
    """What is known of a word."""
    return f"all about {word}"


def with_tools() -> Graph:
    def agent(state: Any) -> dict[str, Any]:
        name = _asked(state).id
        if isinstance(state["messages"][-1], ToolMessage):
            return {"messages": [AIMessage("found", id=f"{name}-b")]}
        calls = [{"name": "look_up", "args": {"word": f"{name}{n}"}, "id": f"{name}-c{n}"} for n in range(2)]
        return {"messages": [AIMessage("", id=f"{name}-a", tool_calls=calls)]}

    def name_results(state: Any) -> dict[str, Any]:
        last = [m for m in state["messages"] if isinstance(m, ToolMessage)][-2:]
        new = [ToolMessage(m.content, tool_call_id=m.tool_call_id, id=f"{m.tool_call_id}-r") for m in last]
        return {"messages": [*(RemoveMessage(cast(str, m.id)) for m in last), *new]}

    graph = StateGraph(MessagesState).add_node("agent", agent).add_node("tools", ToolNode([look_up]))
    graph.add_node("name", name_results).add_edge(START, "agent").add_edge("tools", "name").add_edge("name", "agent")
    graph.add_conditional_edges("agent", tools_condition, {"tools": "tools", END: END})
    return graph.compile()


@windows
def test_tool_calls_stay_with_their_results(fresh_table: Callable[[], Store], window: int | None) -> None:
    twin = Twin(with_tools(), fresh_table, window)
    for number in range(6):
        twin.turn(say(f"h{number}"))
        messages = twin.state().values["messages"]
        called = {call["id"] for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}
        assert called == {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
        assert isinstance(messages[0], HumanMessage)


# interrupts


def asking(state_type: Any = MessagesState) -> Graph:
    def ask(state: Any) -> dict[str, Any]:
        if "ask" not in _asked(state).content:
            return {}
        return {"messages": [HumanMessage(f"chosen {interrupt('which?')}", id=f"{_asked(state).id}-i")]}

    graph = StateGraph(state_type).add_node("ask", ask).add_node("echo", _echo)
    return graph.add_edge(START, "ask").add_edge("ask", "echo").add_edge("echo", END).compile()


def nested(*, checkpointer: bool | None) -> Graph:
    class Inner(TypedDict):
        messages: Annotated[list[AnyMessage], add_messages]
        steps: Annotated[list[str], operator.add]
        notes: Annotated[list[AnyMessage], add_messages]

    def count(state: Any) -> dict[str, Any]:
        note = HumanMessage("noted", id=f"note-{_asked(state).id}")
        return {"steps": [f"step {len(state['steps'])}"], "notes": [note]}

    def ask(state: Any) -> dict[str, Any]:
        if "ask" in _asked(state).content:
            return {"messages": [AIMessage(f"got {interrupt('inner?')}", id=f"{_asked(state).id}-s")]}
        return {"messages": [AIMessage(f"steps {len(state['steps'])}", id=f"{_asked(state).id}-s")]}

    inner = StateGraph(Inner).add_node("count", count).add_node("ask", ask)
    sub = inner.add_edge(START, "count").add_edge("count", "ask").compile(checkpointer=checkpointer)
    graph = StateGraph(MessagesState).add_node("sub", sub).add_node("echo", _echo)
    return graph.add_edge(START, "sub").add_edge("sub", "echo").add_edge("echo", END).compile()


def test_a_finished_sub_graph_call_leaves_no_checkpoint(fresh_table: Callable[[], Store]) -> None:
    twin = Twin(nested(checkpointer=None), fresh_table, 3)
    twin.turn(say("q", "ask inside"))
    assert any(":" in name for name in _namespaces(fresh_table()))
    twin.turn(Command(resume="answer"))
    assert set(_namespaces(fresh_table())) == {""}


def _namespaces(store: Store) -> list[str]:
    loaded = store.turns.load(store.heads.read(WHO, THREAD), 3)
    return list(RunCheckpointer(loaded)._spaces)


# branches


class Wide(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    log: Annotated[list[str], operator.add]


def wide() -> Graph:
    def left(state: Any) -> dict[str, Any]:
        return {"log": [f"left {_asked(state).id}"]}

    def right(state: Any) -> dict[str, Any]:
        match _asked(state).content:
            case "fail":
                raise ValueError("the right branch failed")
            case "ask":
                return {"log": [f"right {interrupt('right?')}"]}
        return {"log": [f"right {_asked(state).id}"]}

    graph = StateGraph(Wide).add_node("left", left).add_node("right", right).add_node("echo", _echo)
    graph.add_edge(START, "left").add_edge(START, "right").add_edge(["left", "right"], "echo")
    return graph.add_edge("echo", END).compile()


def fan_out() -> Graph:
    def spread(state: Any) -> list[Send]:
        return [Send("work", {"item": n, "of": _asked(state).id}) for n in range(4)]

    def work(given: Any) -> Any:
        return {"log": [f"{given['of']} {given['item']}"]}

    graph = StateGraph(Wide).add_node("work", cast(Any, work)).add_node("echo", _echo)
    graph.add_conditional_edges(START, spread, ["work"]).add_edge("work", "echo")
    return graph.add_edge("echo", END).compile()


# edits


TALKS: dict[str, tuple[Callable[[], Graph], list[Any]]] = {
    "plain": (plain, said(12)),
    "questions": (asking, questions(4, "ask me")),
    "questions in a sub-graph": (lambda: nested(checkpointer=None), questions(3, "ask inside")),
    "questions in a sub-graph that keeps its state": (lambda: nested(checkpointer=True), questions(3, "ask inside")),
    "parallel branches": (wide, said(5)),
    "a branch that waits while the other is done": (wide, questions(3, "ask")),
    "Send": (fan_out, said(5)),
}


@windows
@pytest.mark.parametrize("name", TALKS)
def test_each_turn_leaves_what_langgraph_leaves(
    name: str, fresh_table: Callable[[], Store], window: int | None
) -> None:
    make, steps = TALKS[name]
    Twin(make(), fresh_table, window).play(*steps)


def edit(message: AnyMessage, node: str = "echo") -> tuple[Any, str]:
    return {"messages": [message]}, node


EDITS: dict[str, tuple[Callable[[], Graph], list[Any]]] = {
    "by the node before, which goes on": (asking, [*said(4), edit(AIMessage("by hand", id="edit"), "ask"), None]),
    "before the first turn": (plain, [(say("first"), "echo")]),
    "one removed": (plain, [*said(4), edit(RemoveMessage("h2"))]),
    "one replaced": (plain, [*said(3), edit(AIMessage("better", id="h1-a"))]),
    "all removed": (plain, [*said(4), edit(RemoveMessage(REMOVE_ALL_MESSAGES))]),
}


@windows
@pytest.mark.parametrize("name", EDITS)
def test_after_an_edit_turns_go_on_and_windows_are_as_long_as_before(
    name: str, fresh_table: Callable[[], Store], window: int | None
) -> None:
    make, steps = EDITS[name]
    twin = Twin(make(), fresh_table, window)
    twin.play(*steps, *said(5, "k"))
    if window == 3:
        assert len(twin.state().values["messages"]) == 6


@windows
def test_a_node_that_summarises_replaces_what_it_read(fresh_table: Callable[[], Store], window: int | None) -> None:
    def summarise(state: Any) -> dict[str, Any]:
        new = [HumanMessage("summary", id=f"{_asked(state).id}-sum"), AIMessage("done", id=f"{_asked(state).id}-a")]
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *new]}

    graph = StateGraph(MessagesState).add_node("sum", summarise).add_edge(START, "sum").compile()
    twin = Twin(graph, fresh_table, window, edited=True)
    for number in range(6):
        twin.turn(say(f"h{number}"))
        assert len(twin.state().values["messages"]) == 2


# time travel


@windows
@pytest.mark.parametrize("step", [1, 3, 5])
def test_a_turn_from_an_older_checkpoint_begins_a_branch(
    fresh_table: Callable[[], Store], window: int | None, step: int
) -> None:
    twin = Twin(wide(), fresh_table, window)
    twin.play(*said(6))
    twin.back(step, say("branch"))
    assert twin.store().heads.read(WHO, THREAD).n == step + 1
    twin.play(*said(4, "k"))
    names = {m.id for m in twin.state().values["messages"]}
    assert not names & {f"h{number}" for number in range(step, 6)}
    for before in range(2, step + 6):
        page = twin.store().turns.newest(WHO, THREAD, limit=2, before=before)
        assert [turn.number for turn in page] == list(range(max(1, before - 2), before))


def test_a_branch_of_a_branch(fresh_table: Callable[[], Store]) -> None:
    twin = Twin(plain(), fresh_table, 3)
    twin.play(*said(4))
    twin.back(2, say("b1"))
    twin.turn(say("b2"))
    twin.back(4, say("c1"))  # out of the dead branch
    assert [m.id for m in twin.state().values["messages"] if "-" not in str(m.id)] == ["h2", "h3", "c1"]
    twin.back(6, say("d1"))
    assert [m.id for m in twin.state().values["messages"] if "-" not in str(m.id)] == ["b1", "b2", "d1"]


# channels that are no messages


class Lists(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    facts: Annotated[list[str], operator.add]
    notes: Annotated[list[AnyMessage], add_messages]
    rows: list[dict[str, Any]]
    scratch: list[str]
    depth: int


def lists(*, notes: bool = True) -> Graph:
    def think(state: Any) -> dict[str, Any]:
        name, text = _asked(state).id, _asked(state).content
        new: dict[str, Any] = {"scratch": [name], "depth": 1}
        if "learn" in text:
            new |= {"facts": [f"fact {name}"], "rows": [{"of": name}]}
        if "learn" in text and notes:
            new["notes"] = [HumanMessage("noted", id=f"n-{name}")]
        return new

    def ask(state: Any) -> dict[str, Any]:
        return {"depth": len(str(interrupt("ask?")))} if "ask" in _asked(state).content else {}

    graph = StateGraph(Lists).add_node("think", think).add_node("ask", ask).add_node("echo", _echo)
    return graph.add_edge(START, "think").add_edge("think", "ask").add_edge("ask", "echo").compile()


NEW_TURN = {"scratch": [], "depth": 0}


@pytest.mark.parametrize("window", [None, 3])
def test_other_lists_stay_whole_and_in_a_whole_graph_those_of_messages_too(
    fresh_table: Callable[[], Store], window: int | None
) -> None:
    twin = Twin(lists(notes=window is None), fresh_table, window, per_turn=frozenset(NEW_TURN))
    texts = ["learn", "learn", *["idle"] * 6, "learn"]
    twin.play(*(NEW_TURN | say(f"h{number}", text) for number, text in enumerate(texts)))
    values = twin.state().values
    assert (values["facts"], values["rows"]) == (["fact h0", "fact h1", "fact h8"], [{"of": "h8"}])
    if window is None:
        assert [m.id for m in values["notes"]] == ["n-h0", "n-h1", "n-h8"]


@windows
def test_per_turn_keys_go_with_a_finished_turn_and_wait_with_an_interrupted_one(
    fresh_table: Callable[[], Store], window: int | None
) -> None:
    twin = Twin(lists(), fresh_table, window, per_turn=frozenset(NEW_TURN))
    for number in range(3):
        twin.turn(NEW_TURN | say(f"h{number}"))
        assert not NEW_TURN.keys() & twin.state().values.keys()
        twin.turn(NEW_TURN | say(f"q{number}", "ask"))
        assert twin.state().values["scratch"] == [f"q{number}"]
        twin.turn(Command(resume="four"))
        assert not NEW_TURN.keys() & twin.state().values.keys()


def test_a_sub_graph_may_name_its_list_like_a_per_turn_key(fresh_table: Callable[[], Store]) -> None:
    class Outer(TypedDict):
        messages: Annotated[list[AnyMessage], add_messages]
        notes: list[str]

    def clear(state: Any) -> dict[str, Any]:
        return {"notes": ["outer"]}

    sub = nested(checkpointer=None).nodes["sub"].bound
    inner = sub.copy({"checkpointer": True})
    graph = StateGraph(Outer).add_node("clear", clear)
    graph.add_node("sub", lambda state: inner.invoke({"messages": state["messages"]}))
    compiled = graph.add_edge(START, "clear").add_edge("clear", "sub").compile()
    twin = Twin(compiled, fresh_table, None, per_turn=frozenset({"notes"}))
    for number in range(3):
        twin.turn({"notes": []} | say(f"h{number}"))
    run = RunCheckpointer(fresh_table().turns.load(fresh_table().heads.read(WHO, THREAD), None), whole=True)
    found = run.get_tuple({"configurable": {"thread_id": THREAD, "checkpoint_ns": "sub"}})
    assert found is not None
    assert [m.id for m in found.checkpoint["channel_values"]["notes"]] == ["note-h0", "note-h1", "note-h2"]
