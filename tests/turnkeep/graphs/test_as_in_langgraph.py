"""What LangGraph can do with a state, done by turns as with LangGraph's own in-memory saver: three turns on both, and
after each the states are the same. Between two turns ours forgets everything but the table."""

import dataclasses
import operator
from collections.abc import Callable
from datetime import date
from enum import Enum
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

import pytest
from as_in_langgraph import ANN, CONFIG, forgetful, nameless, play
from langgraph.cache.memory import InMemoryCache
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.managed import IsLastStep, RemainingSteps
from langgraph.types import CachePolicy, Command, RetryPolicy, Send, interrupt
from memory_items import MemoryItems
from pydantic import BaseModel

from turnkeep.turns.calls import plain
from turnkeep_local.objects import FolderObjects

Graph = Any


class Mood(Enum):
    GOOD = "good"


class Point(NamedTuple):
    x: int
    y: int


@dataclasses.dataclass
class Note:
    text: str
    mood: Mood = Mood.GOOD


class Page(BaseModel):
    title: str
    notes: list[Note] = []


class Reduced(TypedDict):
    word: str
    said: Annotated[list[str], operator.add]
    total: Annotated[int, operator.add]


def line(schema: Any, *nodes: Callable[..., Any], **options: Any) -> Graph:
    """A graph whose nodes run one after the other."""
    graph = StateGraph(schema, **options)
    graph.add_sequence([(node.__name__, node) for node in nodes])
    return graph.add_edge(START, nodes[0].__name__).compile()


def reducers() -> Graph:
    return line(Reduced, lambda_named("add", lambda state: {"said": [state["word"]], "total": len(state["word"])}))


def lambda_named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = name
    return function


def asks_twice_in_parallel() -> Graph:
    graph = StateGraph(Reduced)
    for name in ("left", "right"):
        graph.add_node(name, lambda _, name=name: {"said": [f"{name} {interrupt(f'{name}?')}"]}).add_edge(START, name)
    return graph.compile()


def asks_twice_in_one_node() -> Graph:
    return line(Reduced, lambda_named("ask", lambda _: {"said": [interrupt("first?"), interrupt("second?")]}))


def commands() -> Graph:
    def choose(state: Reduced) -> Command[Any]:
        return Command(goto="long" if len(state["word"]) > 3 else END, update={"said": ["chose"]})

    graph = StateGraph(Reduced).add_node("choose", choose, destinations=("long", END))
    return graph.add_node("long", lambda _: {"said": ["long"], "total": 1}).add_edge(START, "choose").compile()


def sends() -> Graph:
    graph = StateGraph(Reduced).add_node("letter", lambda given: {"said": [given["letter"]], "total": 1})
    graph.add_conditional_edges(START, lambda state: [Send("letter", {"letter": each}) for each in state["word"]])
    return graph.compile()


def deferred() -> Graph:
    graph = StateGraph(Reduced)
    for name in ("short", "long", "longer"):
        graph.add_node(name, lambda _, name=name: {"said": [name]})
    graph.add_node("last", lambda state: {"total": len(state["said"])}, defer=True)
    for before, after in ((START, "short"), (START, "long"), ("long", "longer"), ("longer", "last"), ("short", "last")):
        graph.add_edge(before, after)
    return graph.compile()


def cached() -> Graph:
    """What the cache holds outlives a turn as long as the process, in both."""
    node = lambda state: {"said": [state["word"]]}  # noqa: E731
    policy = CachePolicy(key_func=lambda given: given["word"])
    graph = StateGraph(Reduced).add_node("node", node, cache_policy=policy)
    return graph.add_edge(START, "node").compile(cache=InMemoryCache())


def retried() -> Graph:
    tries: list[int] = []

    def shaky(_: Any) -> dict[str, Any]:
        tries.append(1)
        if len(tries) % 2:
            raise ConnectionError
        return {"said": ["at last"]}

    policy = RetryPolicy(initial_interval=0.001, jitter=False)
    return StateGraph(Reduced).add_node("shaky", shaky, retry_policy=policy).add_edge(START, "shaky").compile()


class Untracked(TypedDict):
    word: str
    scratch: Annotated[Any, UntrackedValue]
    said: Annotated[list[str], operator.add]


def untracked() -> Graph:
    """A value that no checkpoint holds, not even one that could not be stored."""
    return line(
        Untracked,
        lambda_named("open", lambda _: {"scratch": object()}),
        lambda_named("use", lambda state: {"said": [str("scratch" in state)]}),
    )


def private_state() -> Graph:
    class Private(TypedDict):
        hidden: str

    def hide(state: Reduced) -> Private:
        return {"hidden": state["word"].upper()}

    def show(state: Private) -> dict[str, Any]:
        return {"said": [state["hidden"]]}

    graph = StateGraph(Reduced).add_node("hide", hide).add_node("show", show)
    return graph.add_edge(START, "hide").add_edge("hide", "show").compile()


class Own(BaseModel):
    word: str
    page: Page | None = None
    notes: Annotated[list[Note], operator.add] = []
    kept: dict[str, Any] = {}


def own_types() -> Graph:
    """Models, dataclasses, enums, and types that no annotation names."""

    def write(state: Own) -> dict[str, Any]:
        before = state.page
        assert before is None or isinstance(before.notes[0], Note)
        assert all(isinstance(each, Note) for each in state.notes)
        assert all(isinstance(each, Point) for each in state.kept.get("points", []))
        note = Note(state.word)
        points = [*state.kept.get("points", []), Point(1, 2)]
        kept = {"points": points, "set": {1, 2}, "day": date(2026, 1, 2), "id": UUID(int=7), "mood": Mood.GOOD}
        return {"page": Page(title=state.word, notes=[note]), "notes": [note], "kept": kept}

    return line(Own, write)


@dataclasses.dataclass
class Managed:
    word: str
    said: Annotated[list[str], operator.add] = dataclasses.field(default_factory=list)
    is_last: IsLastStep = False
    remaining: RemainingSteps = 0


def dataclass_state() -> Graph:
    return line(Managed, lambda_named("say", lambda state: {"said": [f"{state.word} {state.is_last}"]}))


class Question(TypedDict):
    word: str


class Answer(TypedDict):
    said: list[str]


def narrow_schemas() -> Graph:
    return line(
        Reduced,
        lambda_named("say", lambda state: {"said": [state["word"]]}),
        input_schema=Question,
        output_schema=Answer,
    )


def functional() -> Graph:
    @task
    def double(word: str) -> str:
        return word * 2

    @entrypoint()
    async def run(given: dict[str, Any], *, previous: list[str] | None = None) -> Any:
        said = [*(previous or []), await double(given["word"])]
        if given["word"] == "ask":
            said.append(interrupt("what?"))
        return entrypoint.final(value={"said": said}, save=said)

    return run


WORDS = ({"word": "one"}, {"word": "seven"}, {"word": "ask"})
CASES: dict[str, tuple[Callable[[], Graph], tuple[Any, ...]]] = {
    "reducers": (reducers, WORDS),
    "two questions at once": (asks_twice_in_parallel, ({"word": "a"}, "each", {"word": "b"})),
    "two questions in a node": (asks_twice_in_one_node, ({"word": "a"}, Command(resume="x"), Command(resume="y"))),
    "Command": (commands, WORDS),
    "Send": (sends, WORDS),
    "deferred node": (deferred, WORDS),
    "cache": (cached, (WORDS[0], WORDS[0], WORDS[1])),
    "retry": (retried, WORDS),
    "UntrackedValue": (untracked, WORDS),
    "private state": (private_state, WORDS),
    "own types": (own_types, WORDS),
    "dataclass with managed values": (dataclass_state, WORDS),
    "narrow schemas": (narrow_schemas, WORDS),
    "functional": (functional, (*WORDS, Command(resume="this"), WORDS[0])),
}


@pytest.mark.parametrize("name", CASES)
async def test_each_turn_leaves_the_state_that_langgraph_leaves(name: str, folder_objects: FolderObjects) -> None:
    make, steps = CASES[name]
    theirs, graph, items = make().copy({"checkpointer": InMemorySaver()}), make(), MemoryItems()
    for given in steps:
        step = {each.id: "yes" for each in theirs.get_state(CONFIG).interrupts} if given == "each" else None
        await theirs.ainvoke(Command(resume=step) if step else given, CONFIG)
        turns = forgetful(graph, items, folder_objects)
        await play(turns, "yes to each" if step else given)
        expected, kept = await theirs.aget_state(CONFIG), await turns.states.read(ANN, "t")
        assert nameless(kept.values) == nameless(plain(expected.values))
        assert kept.next == [*expected.next]
        assert [each["value"] for each in kept.interrupts] == [each.value for each in expected.interrupts]
