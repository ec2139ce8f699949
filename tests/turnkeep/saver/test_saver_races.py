"""Runs of savers that meet on one thread. The `saver` family of tests/simulation draws all other meetings."""

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from harness import plain_turn
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from memory_items import MemoryItems
from saver_graphs import KEY, LOCAL, echo, on, remembering, saying

from turnkeep import DynamoDBSaver
from turnkeep.store.blobs import Blobs
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun
from turnkeep.store.saver_commits import Steps
from turnkeep.store.serde import next_version
from turnkeep.store.store import Store

REQUESTS = ("get", "put", "update", "delete", "between", "backward", "below", "write_many", "pages_of")


class MeetingItems(MemoryItems):
    """Calls `other` before request number `at`."""

    def __init__(self, table: Any, at: int, other: Callable[[], None]):
        super().__init__(table)
        self.left, self.other = at, other

    def __getattribute__(self, name: str) -> Any:
        if name in REQUESTS:
            self.left -= 1
            if self.left == 0:
                self.other()
        return super().__getattribute__(name)


class Actor:
    """A saver with its store."""

    def __init__(self, items: Items):
        self.saver = DynamoDBSaver(client=object(), seal_key=KEY)  # type: ignore[arg-type]
        codec = Codec(KEY.encode())
        self.store = Store(items, Blobs(None, items), codec, clock=time.time, random_bytes=secrets.token_bytes)
        self.saver._store, self.saver._steps = self.store, Steps(self.store)

    def run(self, text: str, **options: Any) -> None:
        echo(self.saver).invoke(saying(text), on("t"), **options)

    def commit(self, text: str, *, is_older: bool = False) -> None:
        """One turn of the API. `is_older`: as a version stored it that named a checkpoint by its id alone."""
        request = BeginRequest(secrets.token_hex(8), b"", text, create=True)
        begun = self.store.leases.begin(LOCAL, "t", request)
        assert isinstance(begun, Begun)
        loaded = self.store.turns.load(begun.head, None)
        run = RunCheckpointer(loaded, whole=True)
        found = run.get_tuple(on("t"))
        old: Any = found.checkpoint if found else {"channel_values": {}, "channel_versions": {}}
        new = [HumanMessage(text, id=f"h{text}"), AIMessage("said", id=text)]
        messages = [*old["channel_values"].get("messages", []), *new]
        versions = {"messages": next_version(old["channel_versions"].get("messages"))}
        made: Any = {"v": 4, "id": f"{time.time_ns():020x}", "ts": "", "channel_values": {"messages": messages}}
        made |= {"channel_versions": old["channel_versions"] | versions, "versions_seen": {}}
        config: Any = found.config if found else on("t", checkpoint_ns="")
        run.put(config, made, {"source": "loop", "step": 1, "parents": {}}, versions)
        saved = run.saved(frozenset(), interrupted=False)
        assert saved
        saved = replace(saved, name=saved.checkpoint_id if is_older else None)
        plan, _ = self.store.turns.planner.plan(begun, loaded, saved, plain_turn(text, "said", time.time()))
        self.store.turns.commit(plan)

    def texts(self) -> list[str]:
        return [message.text for message in echo(self.saver).get_state(on("t")).values.get("messages", [])]


@pytest.mark.parametrize("durability", ["sync", "exit"])
def test_a_sub_graph_keeps_its_memory_when_the_thread_is_pruned(durability: Any) -> None:
    items, known = MemoryItems(), remembering(InMemorySaver())
    for at in range(1, 9):
        pruning = Actor(items).saver
        running = Actor(MeetingItems(items.table, at, lambda pruning=pruning: pruning.prune(["t"])))  # type: ignore[misc]
        for graph in (remembering(running.saver), known):
            graph.invoke({"last": str(at)}, on("t"), durability=durability)
        assert remembering(Actor(items).saver).get_state(on("t")).values == known.get_state(on("t")).values


def test_checkpoints_that_an_older_version_named_by_id_alone_can_be_continued() -> None:
    items = MemoryItems()
    actor = Actor(items)
    for text in ("one", "two"):
        actor.commit(text, is_older=True)
    assert (
        Actor(items).store.heads.read(LOCAL, "t").checkpoint
        == Actor(items).store.heads.read(LOCAL, "t").checkpoint_name
    )
    for durability in ("sync", "exit"):
        Actor(items).run(durability, durability=durability)
    Actor(items).commit("three")
    expected = ["one", "said", "two", "said", "sync", "saw 5", "exit", "saw 7", "three", "said"]
    assert Actor(items).texts() == expected
    history = list(echo(Actor(items).saver).get_state_history(on("t")))
    assert [len(each.values["messages"]) for each in history if each.values] == [10, 8, 6, 5, 5, 4, 4, 2]
    other = Actor(items)
    echo(other.saver).invoke(saying("else"), history[-1].config)
    assert other.texts() == ["one", "said", "else", "saw 3"]
    Actor(items).saver.prune(["t"])
    assert Actor(items).texts() == other.texts()
    assert [sk for _, sk in items.stored if sk.startswith("CP#") and "#W#" not in sk] == [
        f"CP#{other.store.heads.read(LOCAL, 't').checkpoint_name}"
    ]
