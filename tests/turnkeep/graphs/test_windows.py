"""Random turns, edits and branches of a graph with a window of turns: each leaves the end of what it leaves on
LangGraph's in-memory saver. Between two steps ours often forgets everything but the table. tests/differential and
test_random_turns.py draw graphs without a window."""

import operator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Annotated, Any, TypedDict

import pytest
from as_in_langgraph import ANN, CONFIG, agent_of, play
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph, add_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command, interrupt
from memory_items import MemoryItems

from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.turns import Turns
from turnkeep.turns.wire import plain
from turnkeep_local.objects import FolderObjects
from turns_over import table_over, turns_over

STEPS = 14
WORDS = ("ask inside", "ask", "learn", "remove", "forget", "plain", "plain", "plain")


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    facts: Annotated[list[str], operator.add]
    scratch: list[str]


class Inner(TypedDict, total=False):
    """Its list has the name of a key that the outer graph resets with each turn."""

    messages: list[AnyMessage]
    scratch: Annotated[list[Any], operator.add]


NEW_TURN: dict[str, Any] = {"scratch": []}


def asked(state: Any) -> Any:
    return next(each for each in reversed(state["messages"]) if isinstance(each, HumanMessage))


def ask(state: Any) -> Any:
    answer = interrupt("inside?") if asked(state).text == "ask inside" else "none"
    return {"messages": [AIMessage(f"{answer} of {len(state['scratch'])}", id=f"i-{asked(state).id}")]}


def answer(state: Any) -> Any:
    new: list[Any] = [AIMessage(f"on {asked(state).text}", id=f"a-{asked(state).id}")]
    match asked(state).text:
        case "ask":
            new.append(AIMessage(f"chosen {interrupt('which?')}", id=f"c-{asked(state).id}"))
        case "remove":
            new.append(RemoveMessage(state["messages"][-1].id))
        case "forget":
            new.insert(0, RemoveMessage(REMOVE_ALL_MESSAGES))
    facts = [asked(state).id] if asked(state).text == "learn" else []
    return {"messages": new, "facts": facts, "scratch": [*state["scratch"], "answered"]}


def build(*, lasts: bool, keeps_messages: bool) -> Any:
    """The inner graph may have a memory, of messages only where no window cuts them."""

    def look(state: Any) -> Any:
        return {"scratch": [HumanMessage("seen") if keeps_messages else "seen"]}

    inner = StateGraph(Inner).add_sequence([look, ask]).add_edge(START, "look").compile(checkpointer=lasts or None)
    outer = StateGraph(State).add_node(
        "inner", lambda state: {"messages": inner.invoke({"messages": state["messages"]})["messages"]}
    )
    return outer.add_node("answer", answer).add_edge(START, "inner").add_edge("inner", "answer").compile()


@dataclass
class Place:
    """A checkpoint on both sides, and the turn that brought each of its messages."""

    theirs: str
    ours: str
    since: dict[str, int]


@dataclass
class Pair:
    """One thread of one graph on two sides, and what both have shown of it."""

    graph: Any
    window: int | None
    objects: FolderObjects
    items: MemoryItems = field(default_factory=MemoryItems)
    is_edited: bool = False
    since: dict[str, int] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    shown: list[Any] = field(default_factory=list)
    turns: Any = None

    def __post_init__(self) -> None:
        self.theirs = self.graph.copy({"checkpointer": InMemorySaver()})
        self.forget()
        self.turns.store.threads.create(ANN, "t", agent="own")

    def forget(self) -> None:
        agent = replace(agent_of(self.graph, window=self.window), new_turn=lambda: dict(NEW_TURN))
        self.turns: Turns = turns_over(table_over(self.items, self.objects), agent)

    async def turn(self, given: Any, place: Place | None = None) -> None:
        there = {"configurable": CONFIG["configurable"] | ({"checkpoint_id": place.theirs} if place else {})}
        self.since = dict(place.since) if place else self.since
        self.theirs.invoke(given if isinstance(given, Command) else NEW_TURN | given, there)
        await play(self.turns, given, base=place and place.ours)

    async def edit(self, message: dict[str, str]) -> None:
        self.is_edited = True
        self.theirs.update_state(CONFIG, {"messages": [message]}, as_node="answer")
        await self.turns.states.update(ANN, "t", {"messages": [message]}, as_node="answer")

    async def compare(self) -> None:
        theirs, ours = self.theirs.get_state(CONFIG), (await self.turns.states.read(ANN, "t")).shown
        assert ours["next"] == [*theirs.next]
        assert [each["value"] for each in ours["interrupts"]] == [each.value for each in theirs.interrupts]
        dropped = {"messages"} if theirs.next else {"messages", *NEW_TURN}
        values = {name: each for name, each in ours["values"].items() if name != "messages"}
        assert values == {name: each for name, each in theirs.values.items() if name not in dropped}
        self.shown = ours["values"].get("messages", [])
        self.compare_messages(plain(theirs.values.get("messages", [])), self.shown)
        self.compare_stored(theirs)
        if not theirs.next:
            checkpoints = theirs.config["configurable"]["checkpoint_id"], ours["checkpoint"]["checkpoint_id"]
            self.places.append(Place(*checkpoints, dict(self.since)))

    def compare_messages(self, theirs: list[Any], ours: list[Any]) -> None:
        newest = self.turns.store.heads.read(ANN, "t").n
        for each in theirs:
            self.since.setdefault(each["id"], newest)
        wanted = [each for each in theirs if self.since[each["id"]] > newest - (self.window or newest + 1)]
        if self.is_edited:  # an edit stores again what stands behind it
            assert len(ours) >= len(wanted)
            wanted = theirs[len(theirs) - len(ours) :]
        assert ours == wanted

    def compare_stored(self, theirs: Any) -> None:
        """Every message is stored once, and nothing of an inner graph that is over."""
        store = self.turns.store
        loaded = store.turns.load(store.heads.read(ANN, "t"), None)
        if not theirs.next:
            assert not [name for name in RunCheckpointer(loaded)._spaces if ":" in name]
        if not self.is_edited:
            found = [
                each for link in loaded.links for each in link.segments if (each.namespace, each.channel) == MESSAGES
            ]
            assert sum(len(each.elements) for each in found) == len(theirs.values.get("messages", []))


MESSAGES = ("", "messages")


def edit_of(source: Random, known: list[Any], number: int) -> dict[str, str]:
    kind = source.choice(["new", "new", "replace", "remove", "remove all"])
    if kind == "new" or not known:
        return {"role": "assistant", "content": "by hand", "id": f"e{number}"}
    one = source.choice(known)["id"]
    if kind == "replace":
        return {"role": "assistant", "content": "better", "id": one}
    return {"type": "remove", "content": "", "id": one if kind == "remove" else REMOVE_ALL_MESSAGES}


@pytest.mark.parametrize("window", [1, 3, 10, None])
@pytest.mark.parametrize("seed", range(6))
async def test_a_window_is_the_end_of_what_langgraph_leaves(
    seed: int, window: int | None, folder_objects: FolderObjects
) -> None:
    source = Random(seed)
    lasts, may_edit = seed % 2 == 0, seed >= 3
    pair = Pair(build(lasts=lasts, keeps_messages=window is None), window, folder_objects)
    for number in range(STEPS):
        state, chance = pair.theirs.get_state(CONFIG), source.random()
        if source.random() < 0.7:
            pair.forget()
        text = source.choice(WORDS if may_edit else WORDS[:3] + WORDS[5:])
        message = {"messages": [{"role": "user", "content": text, "id": f"h{number}"}]}
        if state.interrupts and chance < 0.7:
            await pair.turn(Command(resume=f"answer {number}"))
        elif may_edit and not state.interrupts and chance < 0.25:
            await pair.edit(edit_of(source, pair.shown, number))
        elif pair.places and chance > 0.8 and not lasts:  # listed in docs/clients.md: what such a branch restores
            await pair.turn(message, source.choice(pair.places))
        else:
            await pair.turn(message)
        await pair.compare()
