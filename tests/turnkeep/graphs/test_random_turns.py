"""Random turns of one graph with every kind of channel and of node, played by the API, by the bare saver and by
LangGraph's own in-memory saver: after each the states are the same. Between two turns ours often forgets everything but
the table."""

import operator
from itertools import count
from random import Random
from typing import Annotated, Any, cast

import pytest
from as_in_langgraph import ANN, CONFIG, forgetful, joined, nameless, play
from langchain_core.messages import AnyMessage, convert_to_messages
from langgraph.cache.memory import InMemoryCache
from langgraph.channels import DeltaChannel, EphemeralValue, Topic, UntrackedValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph, add_messages
from langgraph.managed import RemainingSteps
from langgraph.types import CachePolicy, Command, Overwrite, RetryPolicy, interrupt
from memory_items import MemoryItems
from typing_extensions import TypedDict

from turnkeep import DynamoDBSaver
from turnkeep.turns.wire import plain
from turnkeep_local.objects import FolderObjects

SEEDS = range(12)
TURNS = 6
SHARED = ("added", "deltas", "messages", "spoken", "topic", "merged")
"""What nodes that run side by side may write."""
ALONE = ("passing", "listed", "said", "overwrite", "untracked", "hidden")
ARE_MESSAGES = ("messages", "spoken", "said")


class State(TypedDict, total=False):
    plan: dict[str, Any]
    added: Annotated[list[str], operator.add]
    deltas: Annotated[list[str], DeltaChannel(joined, snapshot_frequency=3)]
    messages: Annotated[list[AnyMessage], add_messages]
    spoken: Annotated[list[AnyMessage], DeltaChannel(joined)]
    topic: Annotated[list[str], Topic(str)]
    merged: Annotated[dict[str, str], operator.or_]
    passing: Annotated[list[str], EphemeralValue(list)]
    listed: list[str]
    said: list[AnyMessage]
    untracked: Annotated[Any, UntrackedValue]
    remaining: RemainingSteps


class Private(State, total=False):
    hidden: list[str]


def planned(name: str) -> Any:
    """A node that does what the turn's plan says of it, at its second attempt."""
    attempts = count(1)

    def write(state: State) -> dict[str, Any]:
        if next(attempts) % 2:
            raise ConnectionError
        update = dict(state["plan"][name])
        if "ask" in update:
            interrupt(update.pop("ask"))
        if "overwrite" in update:
            update["added"] = Overwrite(update.pop("overwrite"))
        return update | {each: convert_to_messages(update[each]) for each in ARE_MESSAGES if each in update}

    return write


def build(*, lasts: bool) -> Any:
    """One node, then two beside a sub-graph, whose memory `lasts` or is gone with the turn, then one."""
    retried: Any = {"retry_policy": RetryPolicy(initial_interval=0.001, jitter=False)}
    inner = StateGraph(State).add_node("first", planned("first"), **retried)
    inner.add_node("second", planned("second"), **retried).add_edge("first", "second")
    cached = CachePolicy(key_func=lambda state: str(state["plan"]["left"]))
    graph = StateGraph(State).add_node("begin", planned("begin"), **retried)
    graph.add_node("left", planned("left"), cache_policy=cached, **retried)
    graph.add_node("right", planned("right"), input_schema=Private, **retried)
    graph.add_node("end", planned("end"), defer=True, **retried)
    beside = ["left", "inner", "right"]
    graph.add_node("inner", inner.add_edge(START, "first").compile(checkpointer=lasts or None))
    graph.add_edge(START, "begin")
    for name in beside:
        graph.add_edge("begin", name)
    return graph.add_edge(beside, "end").compile(cache=InMemoryCache())


def drawn(source: Random, theirs: Any) -> Any:
    """What the turn is given: an answer to a question, or a plan in JSON."""
    if theirs.get_state(CONFIG).interrupts and source.random() < 0.4:
        return Command(resume="yes")
    plan = {name: _update(source, SHARED) for name in ("left", "first", "second", "right")}
    plan |= {name: _update(source, SHARED + ALONE) for name in ("begin", "end")}
    if source.random() < 0.5:
        plan[source.choice(["begin", "second", "end"])]["ask"] = "Sure?"
    return {"plan": plan}


def _update(source: Random, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _value(source, name) for name in source.sample(names, source.randint(0, 4))}


def _value(source: Random, name: str) -> Any:
    words = [f"w{source.randint(0, 99)}" for _ in range(source.randint(0, 2))]
    if name in ARE_MESSAGES:
        role = source.choice(["user", "assistant"])
        return [{"role": role, "content": each, "id": f"m{source.randint(0, 5)}"} for each in words]
    return {each: each for each in words} if name == "merged" else words


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_api_and_the_saver_leave_what_langgraph_leaves(
    seed: int, folder_objects: FolderObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, items, bare = Random(seed), MemoryItems(), MemoryItems()
    monkeypatch.setattr("turnkeep.saver.saver.open_items", lambda table, client: (client, bare))
    graph, nobody = build(lasts=seed % 2 == 0), cast(Any, object())

    def opened() -> Any:
        return graph.copy({"checkpointer": DynamoDBSaver(client=nobody, seal_key="k", lease_seconds=0)})

    theirs, ours = graph.copy({"checkpointer": InMemorySaver()}), opened()
    turns = forgetful(graph, items, folder_objects)
    for _ in range(TURNS):
        given, durability = drawn(source, theirs), source.choice(["sync", "async", "exit"])
        if source.random() < 0.7:
            turns, ours = forgetful(graph, items, folder_objects), opened()
        for each in (theirs, ours):
            await each.ainvoke(given, CONFIG, durability=durability)
        await play(turns, given)
        expected, kept = theirs.get_state(CONFIG), (await turns.states.read(ANN, "t")).shown
        assert nameless(kept["values"]) == nameless(plain(expected.values))
        assert kept["next"] == [*expected.next]
        assert [each["value"] for each in kept["interrupts"]] == [each.value for each in expected.interrupts]
        assert told(ours.get_state(CONFIG)) == told(expected)
    assert [told(state) for state in opened().get_state_history(CONFIG)] == [
        told(state) for state in theirs.get_state_history(CONFIG)
    ]


def told(state: Any) -> tuple[Any, ...]:
    return state.values, state.next, [each.value for each in state.interrupts]
