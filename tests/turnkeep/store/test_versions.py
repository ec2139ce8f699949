"""Items of other versions are read if possible, else rejected and left unchanged.

layouts/<n>.json has items as each layout stored them; `python test_versions.py` records the current one."""

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness import ANN, Harness
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from memory_items import MemoryItems, MemoryObjects

from turnkeep.errors import StateCorrupt
from turnkeep.records import Source, Usage
from turnkeep.store.attributes import Item, decode, encode
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.codec import Codec
from turnkeep.store.keys import HEAD, LAYOUT, OTHER_LAYOUT, partition
from turnkeep.store.links import Link, Segment, turn_of
from turnkeep.store.plans import Loaded, Saved
from turnkeep.store.serde import CHECKPOINT_VERSION, SERIALISER

LAYOUTS = Path(__file__).parent / "layouts"
PK = partition(ANN, "t")


def said(harness: Harness) -> Harness:
    """A thread with all that a layout knows: a turn with its details aside, a turn, an edit, a message that waits."""
    harness.store.threads.create(ANN, "t", metadata={"color": "blue"})
    harness.take_turn("t", "one", "first", details={"rows": ["x" * 5_000]}, key="k1")
    harness.take_turn("t", "two", "second", key="k2")
    harness.edit("t")
    harness.store.leases.release(harness.begin("t", "three"))
    return harness


def memory() -> Harness:
    return Harness(MemoryItems(), MemoryObjects())


@pytest.fixture
def kept() -> Harness:
    return said(memory())


def head_of(harness: Harness) -> Item:
    return dict(harness.items.get(PK, HEAD) or {})


def changed(harness: Harness, **attributes: Any) -> Item:
    item = {name: value for name, value in (head_of(harness) | attributes).items() if value is not None}
    harness.items.put(item)
    return item


EVERY_WAY: list[Callable[[Harness], Any]] = [
    lambda harness: harness.store.threads.read(ANN, "t"),
    lambda harness: harness.store.turns.newest(ANN, "t", limit=5),
    lambda harness: harness.store.turns.read(ANN, "t", 1),
    lambda harness: harness.store.threads.update(ANN, "t", {"a": 1}),
    lambda harness: harness.store.threads.create(ANN, "t"),
    lambda harness: harness.begin("t", "four"),
    lambda harness: harness.begin("t", "four", create=False),
    lambda harness: harness.begin("t", "one", key="k1"),
]


@pytest.mark.parametrize("layout", [LAYOUT - 1, LAYOUT + 1, None])
@pytest.mark.parametrize("way", EVERY_WAY)
def test_a_thread_of_another_layout_is_rejected_and_left_unchanged(
    kept: Harness, way: Callable[[Harness], Any], layout: int | None
) -> None:
    stored = changed(kept, v=layout)
    with pytest.raises(StateCorrupt) as told:
        way(kept)
    assert told.value.detail == OTHER_LAYOUT
    assert head_of(kept) == stored


def test_a_turn_of_another_layout_is_rejected(kept: Harness) -> None:
    link = kept.store.turns.chain.turn(kept.store.heads.read(ANN, "t"), 2)
    kept.items.put({**link.item, "v": LAYOUT + 1})
    with pytest.raises(StateCorrupt, match="another layout"):
        kept.store.turns.newest(ANN, "t", limit=5)


def test_an_unreadable_thread_can_be_deleted(kept: Harness) -> None:
    changed(kept, v=LAYOUT + 1, n="many")
    kept.store.threads.delete(ANN, "t")
    assert kept.items.stored == {}  # type: ignore[attr-defined]


SIGNED: dict[str, Any] = {"n": 1, "gen": 1, "last": None, "cp": "00000000", "keys": [b"123456"], "created": 1}
SIGNED |= {
    "expires": 9_999_999_999_999,
    "agent": "database",
    "title": "Another",
    "st": "interrupted",
    "born": b"forged",
}
FORGED = [{name: value} for name, value in SIGNED.items()]
FORGED += [{"sig": value} for value in (None, b"", "text", Codec(b"other").sign("x"))]
FORGED += [{"keys": ["text"]}, {"lease": "mine"}, {"n": "two"}]


@pytest.mark.parametrize("way", [EVERY_WAY[0], EVERY_WAY[5]])
@pytest.mark.parametrize("forged", FORGED, ids=str)
def test_a_forged_head_is_rejected(kept: Harness, way: Callable[[Harness], Any], forged: dict[str, Any]) -> None:
    changed(kept, **forged)
    with pytest.raises(StateCorrupt):
        way(kept)


def test_a_head_copied_from_another_thread_is_rejected(kept: Harness) -> None:
    kept.take_turn("other", "one", "foreign")
    other = kept.items.get(partition(ANN, "other"), HEAD)
    kept.items.put({**(other or {}), "PK": PK})
    with pytest.raises(StateCorrupt):
        kept.store.threads.read(ANN, "t")


def test_unknown_fields_of_a_newer_version_are_ignored_and_kept(kept: Harness) -> None:
    head = kept.store.heads.read(ANN, "t")
    turn = kept.store.turns.read(ANN, "t", 2)
    link = kept.store.turns.chain.turn(head, 2)
    ledger = link.payload["turn"] | {"mood": "good", "sources": [{"id": "1", "title": "One", "page": 7}]}
    ledger["usage"] |= {"cached_tokens": 3}
    newer = Link(link.item, {**link.payload, "turn": ledger, "tags": ["x"]})
    assert turn_of(newer, {}) == replace(turn, sources=(Source("1", "One"),), usage=Usage(**vars(turn.usage)))

    changed(kept, tags={"x": 1})
    kept.take_turn("t", "four", "fourth")
    assert head_of(kept)["tags"] == {"x": 1}


def test_a_turn_record_without_a_required_field_is_corrupt(kept: Harness) -> None:
    link = kept.store.turns.chain.turn(kept.store.heads.read(ANN, "t"), 2)
    ledger = {name: value for name, value in link.payload["turn"].items() if name != "model"}
    with pytest.raises(StateCorrupt):
        turn_of(Link(link.item, {**link.payload, "turn": ledger}), {})


def stored_state(**changes: Any) -> Loaded:
    builder = StateGraph(MessagesState).add_node("reply", lambda _: {"messages": [AIMessage("hello", id="a")]})
    run = RunCheckpointer(Loaded())
    graph = builder.add_edge(START, "reply").compile().copy({"checkpointer": run})
    graph.invoke({"messages": []}, {"configurable": {"thread_id": "t"}}, durability="exit")
    saved = run.saved(frozenset(), interrupted=False)
    assert isinstance(saved, Saved)
    state = SERIALISER.loads_typed(("msgpack", saved.checkpoint["state"]))
    assert state[""][0]["v"] == CHECKPOINT_VERSION
    state[""][0].update(changes)
    checkpoint = saved.checkpoint | {"state": SERIALISER.dumps_typed(state)[1]}
    return Loaded(
        1, "sk", checkpoint, (Link({}, {"segments": [list(vars(each).values()) for each in saved.segments]}),)
    )


def test_a_checkpoint_of_a_newer_langgraph_is_rejected() -> None:
    RunCheckpointer(stored_state())
    with pytest.raises(StateCorrupt, match=f"newer LangGraph, as version {CHECKPOINT_VERSION + 1}"):
        RunCheckpointer(stored_state(v=CHECKPOINT_VERSION + 1))


def test_a_message_of_an_unknown_type_is_corrupt() -> None:
    loaded = stored_state()
    ((namespace, channel, keep, _),) = loaded.links[0].payload["segments"]
    segment = Segment(namespace, channel, keep, [{"type": "hologram", "data": {"content": "hello"}}])
    with pytest.raises(StateCorrupt):
        RunCheckpointer(replace(loaded, links=(Link({}, {"segments": [list(vars(segment).values())]}),)))


# recorded layouts


@pytest.mark.parametrize("file", sorted(LAYOUTS.glob("*.json")), ids=lambda file: f"layout {file.stem}")
def test_recorded_items_of_each_layout_are_read(file: Path) -> None:
    harness = memory()
    for item in json.loads(file.read_text(), object_hook=_bytes_again):
        harness.items.put(decode(item))

    thread = harness.store.threads.read(ANN, "t")
    assert (thread.turn_count, thread.title, thread.metadata) == (2, "one", {"color": "blue"})
    assert thread.pending
    assert thread.pending.message == "three"
    told = [(turn.message, turn.reply) for turn in harness.store.turns.newest(ANN, "t", limit=5)]
    assert told == [("one", "first"), ("two", "second")]
    assert harness.store.turns.read(ANN, "t", 1).details == {"rows": ["x" * 5_000]}
    assert [each.thread_id for each in harness.store.listing.search(ANN)] == ["t"]

    harness.count = iter(range(100, 200))
    harness.take_turn("t", "four", "fourth")
    assert harness.texts("t") == ["first", "second", "fourth"]
    harness.store.threads.delete(ANN, "t")
    assert harness.items.stored == {}  # type: ignore[attr-defined]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": b64encode(value).decode()}
    raise TypeError(value)


def _bytes_again(value: dict[str, Any]) -> Any:
    return b64decode(value["bytes"]) if value.keys() == {"bytes"} else value


if __name__ == "__main__":
    stored = said(memory()).items.stored  # type: ignore[attr-defined]
    text = json.dumps([encode(stored[key]) for key in sorted(stored)], default=_plain, indent=1)
    (LAYOUTS / f"{LAYOUT}.json").write_text(text + "\n")
    sys.stdout.write(f"{len(stored)} items of layout {LAYOUT}\n")
