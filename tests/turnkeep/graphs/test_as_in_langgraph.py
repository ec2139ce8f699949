"""Features of LangGraph that tests/differential does not draw: three turns leave what LangGraph's in-memory saver
leaves. Between two turns ours keeps nothing but the table."""

import dataclasses
import operator
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import pytest
from as_in_langgraph import ANN, CONFIG, forgetful, nameless, play
from langgraph.cache.memory import InMemoryCache
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.managed import IsLastStep, RemainingSteps
from langgraph.types import CachePolicy, RetryPolicy
from memory_items import MemoryItems

from turnkeep.turns.calls import plain
from turnkeep_local.objects import FolderObjects

Graph = Any


class Reduced(TypedDict):
    word: str
    said: Annotated[list[str], operator.add]
    total: Annotated[int, operator.add]


def line(schema: Any, *nodes: Callable[..., Any], **options: Any) -> Graph:
    """A graph whose nodes run one after the other."""
    graph = StateGraph(schema, **options)
    graph.add_sequence([(node.__name__, node) for node in nodes])
    return graph.add_edge(START, nodes[0].__name__).compile()


def lambda_named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = name
    return function


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


@dataclasses.dataclass
class Managed:
    word: str
    said: Annotated[list[str], operator.add] = dataclasses.field(default_factory=list)
    is_last: IsLastStep = False
    remaining: RemainingSteps = 0


def dataclass_state() -> Graph:
    return line(Managed, lambda_named("say", lambda state: {"said": [f"{state.word} {state.is_last}"]}))


WORDS = ({"word": "one"}, {"word": "seven"}, {"word": "ask"})
CASES: dict[str, tuple[Callable[[], Graph], tuple[Any, ...]]] = {
    "deferred node": (deferred, WORDS),
    "cache": (cached, (WORDS[0], WORDS[0], WORDS[1])),
    "retry": (retried, WORDS),
    "UntrackedValue": (untracked, WORDS),
    "private state": (private_state, WORDS),
    "dataclass with managed values": (dataclass_state, WORDS),
}


@pytest.mark.parametrize("name", CASES)
async def test_each_turn_leaves_the_state_that_langgraph_leaves(name: str, folder_objects: FolderObjects) -> None:
    make, steps = CASES[name]
    theirs, graph, items = make().copy({"checkpointer": InMemorySaver()}), make(), MemoryItems()
    for given in steps:
        await theirs.ainvoke(given, CONFIG)
        turns = forgetful(graph, items, folder_objects)
        await play(turns, given)
        expected, kept = await theirs.aget_state(CONFIG), (await turns.states.read(ANN, "t")).shown
        assert nameless(kept["values"]) == nameless(plain(expected.values))
        assert kept["next"] == [*expected.next]
