"""What versions may do to each other: what another one stored is read where it can be, else told as such, and never
written on. layouts/<n>.json holds items as each layout stored them; `python test_versions.py` records today's."""

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from desk import ANN, HOURS, Desk
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from memory_items import MemoryItems, MemoryObjects

from turnkeep.errors import StateCorrupt
from turnkeep.records import Source, Usage
from turnkeep.storage.attributes import Item, decode, encode
from turnkeep.storage.checkpoints import RunCheckpointer
from turnkeep.storage.codec import Codec
from turnkeep.storage.elements import CHECKPOINT_VERSION, SERIALISER
from turnkeep.storage.keys import HEAD, LAYOUT, OTHER_LAYOUT, item_ttl, partition, pii_key, run_key, space_key
from turnkeep.storage.links import Link, Segment, turn_of
from turnkeep.storage.plans import Loaded, Saved
from turnkeep.storage.runs import KEPT_SECONDS
from turnkeep.storage.task_writes import TaskWrites

LAYOUTS = Path(__file__).parent / "layouts"
PK = partition(ANN, "t")


def said(desk: Desk) -> Desk:
    """A thread with all that a layout knows: a turn with its details aside, a turn, an edit, a message that waits."""
    desk.store.threads.create(ANN, "t", metadata={"color": "blue"})
    desk.say("t", "one", "first", details={"rows": ["x" * 5_000]}, key="k1")
    desk.say("t", "two", "second", key="k2")
    desk.edit("t")
    desk.store.leases.release(desk.begin("t", "three"))
    return desk


def memory() -> Desk:
    return Desk(MemoryItems(), MemoryObjects())


@pytest.fixture
def kept() -> Desk:
    return said(memory())


def head_of(desk: Desk) -> Item:
    return dict(desk.items.get(PK, HEAD) or {})


def changed(desk: Desk, **attributes: Any) -> Item:
    item = {name: value for name, value in (head_of(desk) | attributes).items() if value is not None}
    desk.items.put(item)
    return item


EVERY_WAY: list[Callable[[Desk], Any]] = [
    lambda desk: desk.store.threads.read(ANN, "t"),
    lambda desk: desk.store.turns.newest(ANN, "t", limit=5),
    lambda desk: desk.store.turns.read(ANN, "t", 1),
    lambda desk: desk.store.threads.update(ANN, "t", {"a": 1}),
    lambda desk: desk.store.threads.create(ANN, "t"),
    lambda desk: desk.begin("t", "four"),
    lambda desk: desk.begin("t", "four", create=False),
    lambda desk: desk.begin("t", "one", key="k1"),
]


@pytest.mark.parametrize("layout", [LAYOUT - 1, LAYOUT + 1, None])
@pytest.mark.parametrize("way", EVERY_WAY)
def test_a_thread_of_another_layout_is_told_as_such_and_never_written_on(
    kept: Desk, way: Callable[[Desk], Any], layout: int | None
) -> None:
    stored = changed(kept, v=layout)
    with pytest.raises(StateCorrupt) as told:
        way(kept)
    assert told.value.detail == OTHER_LAYOUT
    assert head_of(kept) == stored


def test_a_turn_of_another_layout_is_told_as_such(kept: Desk) -> None:
    link = kept.store.turns.chain.turn(kept.store.heads.read(ANN, "t"), 2)
    kept.items.put({**link.item, "v": LAYOUT + 1})
    with pytest.raises(StateCorrupt, match="another layout"):
        kept.store.turns.newest(ANN, "t", limit=5)


def test_a_thread_that_nobody_can_read_can_be_deleted(kept: Desk) -> None:
    changed(kept, v=LAYOUT + 1, n="many")
    kept.store.threads.delete(ANN, "t")
    assert kept.items.stored == {}  # type: ignore[attr-defined]


FORGED = [
    {"n": 1},
    {"gen": 1},
    {"last": None},
    {"cp": "00000000"},
    {"keys": [b"123456"]},
    {"expires": 9_999_999_999_999},
    {"created": 1},
    {"agent": "database"},
    {"title": "Another"},
    {"st": "interrupted"},
    {"born": b"forged"},
    {"sig": None},
    {"sig": b""},
    {"sig": "text"},
    {"sig": Codec(b"other").sign("x")},
    {"keys": ["text"]},
    {"lease": "mine"},
    {"n": "two"},
]


@pytest.mark.parametrize("way", [EVERY_WAY[0], EVERY_WAY[5]])
@pytest.mark.parametrize("forged", FORGED, ids=str)
def test_a_head_that_we_did_not_write_is_not_believed(
    kept: Desk, way: Callable[[Desk], Any], forged: dict[str, Any]
) -> None:
    changed(kept, **forged)
    with pytest.raises(StateCorrupt):
        way(kept)


def test_a_head_of_another_thread_is_not_believed(kept: Desk) -> None:
    kept.say("other", "one", "foreign")
    other = kept.items.get(partition(ANN, "other"), HEAD)
    kept.items.put({**(other or {}), "PK": PK})
    with pytest.raises(StateCorrupt):
        kept.store.threads.read(ANN, "t")


def test_a_lease_is_given_back_where_the_thread_turns_out_to_be_forged(kept: Desk) -> None:
    changed(kept, n=1)
    with pytest.raises(StateCorrupt):
        kept.begin("t", "four")
    assert "lease" not in head_of(kept)


def test_what_a_newer_version_notes_besides_is_passed_over_and_kept(kept: Desk) -> None:
    head = kept.store.heads.read(ANN, "t")
    turn = kept.store.turns.read(ANN, "t", 2)
    link = kept.store.turns.chain.turn(head, 2)
    ledger = link.payload["turn"] | {"mood": "good", "sources": [{"id": "1", "title": "One", "page": 7}]}
    ledger["usage"] |= {"cached_tokens": 3}
    newer = Link(link.item, {**link.payload, "turn": ledger, "tags": ["x"]})
    assert turn_of(newer, {}) == replace(turn, sources=(Source("1", "One"),), usage=Usage(**vars(turn.usage)))

    changed(kept, tags={"x": 1})
    kept.say("t", "four", "fourth")
    assert head_of(kept)["tags"] == {"x": 1}


def test_a_ledger_without_what_every_turn_has_is_corrupt(kept: Desk) -> None:
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


def test_a_checkpoint_of_a_newer_langgraph_is_told_as_such() -> None:
    RunCheckpointer(stored_state())
    with pytest.raises(StateCorrupt, match=f"newer LangGraph, as version {CHECKPOINT_VERSION + 1}"):
        RunCheckpointer(stored_state(v=CHECKPOINT_VERSION + 1))


def test_a_message_of_an_unknown_type_is_read_without_validation_and_marked() -> None:
    loaded = stored_state()
    ((namespace, channel, keep, _),) = loaded.links[0].payload["segments"]
    segment = Segment(namespace, channel, keep, [{"type": "hologram", "data": {"content": "hello"}}])
    run = RunCheckpointer(replace(loaded, links=(Link({}, {"segments": [list(vars(segment).values())]}),)))
    message = run.held()["channel_values"]["messages"][0]  # type: ignore[index]
    assert (message.type, message.content) == ("hologram", "hello")
    assert message.response_metadata == {"unvalidated": True}


# recorded layouts


@pytest.mark.parametrize("file", sorted(LAYOUTS.glob("*.json")), ids=lambda file: f"layout {file.stem}")
def test_what_was_stored_by_every_layout_that_we_read_is_read(file: Path) -> None:
    desk = memory()
    for item in json.loads(file.read_text(), object_hook=_bytes_again):
        desk.items.put(decode(item))

    thread = desk.store.threads.read(ANN, "t")
    assert (thread.turn_count, thread.title, thread.metadata) == (2, "one", {"color": "blue"})
    assert thread.pending
    assert thread.pending.message == "three"
    told = [(turn.message, turn.reply) for turn in desk.store.turns.newest(ANN, "t", limit=5)]
    assert told == [("one", "first"), ("two", "second")]
    assert desk.store.turns.read(ANN, "t", 1).details == {"rows": ["x" * 5_000]}
    assert [each.thread_id for each in desk.store.listing.search(ANN)] == ["t"]

    desk.count = iter(range(100, 200))
    desk.say("t", "four", "fourth")
    assert desk.texts("t") == ["first", "second", "fourth"]
    desk.store.threads.delete(ANN, "t")
    assert desk.items.stored == {}  # type: ignore[attr-defined]


def test_runs_placeholders_and_sub_graphs_without_an_incarnation_id_count_by_their_age(kept: Desk) -> None:
    store, codec, now = kept.store, kept.codec, int(kept.clock.now * 1000)
    old: Item = {"PK": PK, "v": LAYOUT, "ttl": item_ttl(now)}
    sks = run, pii, space = run_key("r1"), pii_key("TURN#1", 0), space_key("inner", "c1")
    data = codec.encrypt("{}", PK, run), codec.encrypt({"[IP_01234567]": "1"}, PK, pii), codec.pack({}, PK, space)
    more: list[Item] = [{"st": "queued", "at": now, "ttl": now // 1000 + KEPT_SECONDS}, {}, {"name": "inner"}]
    items = [old | each | {"SK": sk, "data": part} for sk, part, each in zip(sks, data, more, strict=True)]
    kept.items.write_many(puts=items)

    def found() -> list[Any]:
        head, beside = store.heads.read(ANN, "t"), TaskWrites(kept.items, kept.blobs, codec)
        runs = [each.run_id for each in store.queue.all(head)]
        return [*runs, *store.vault.values(head), *(each.namespace for each in beside.every(head, None))]

    assert found() == ["r1", "[IP_01234567]", "inner"]
    queued = store.queue.of_token(codec.token({"pk": PK, "run": "r1"}, "run"))
    assert queued
    assert (queued.run_id, store.queue.request_of(queued)) == ("r1", "{}")
    kept.clock.now += 25 * HOURS
    kept.say("t")
    assert found() == []


def test_today_s_layout_is_recorded() -> None:
    assert (LAYOUTS / f"{LAYOUT}.json").exists()


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
