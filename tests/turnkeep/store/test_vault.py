"""Values of placeholders are stored apart, and every text of a state is found."""

from collections import deque, namedtuple
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import pytest
from harness import ANN, Harness, noise, plain_turn
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Interrupt, Send
from pydantic import BaseModel

from turnkeep.records import Source
from turnkeep.store.codec import Codec
from turnkeep.store.keys import PII, partition, pii_key
from turnkeep.store.links import Segment
from turnkeep.store.serde import changed, changed_segment, freeze, thaw
from turnkeep.store.vault import ITEM_VALUES, Vault, has_placeholder

PK = partition(ANN, "t1")
MAIL = "[EMAIL_01234567]"


Point = namedtuple("Point", "name at")


class Form(BaseModel):
    text: str
    more: list[str]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": ["b", ("c",), {"d"}]}, {"A": ["B", ("C",), {"D"}]}),
        ((frozenset("e"), deque("f")), (frozenset("E"), deque("F"))),
        (Point("a", 1), Point("A", 1)),
        (Form(text="a", more=["b"]), Form(text="A", more=["B"])),
        (Send("node", {"a": "b"}), Send("node", {"A": "B"})),
        (Interrupt("a", id="i"), Interrupt("A", id="i")),
        (Document("a", id="i", metadata={"b": "c"}), Document("A", id="i", metadata={"B": "C"})),
        (HumanMessage("a", id="i", name="n"), HumanMessage("A", id="i", name="N")),
        (HumanMessage([{"type": "text", "text": "a"}]), HumanMessage([{"TYPE": "TEXT", "TEXT": "A"}])),
        (ToolMessage("a", tool_call_id="i", artifact=["b"]), ToolMessage("A", tool_call_id="i", artifact=["B"])),
        (PurePosixPath("/a"), "/A"),
        (b"a", b"A"),
        (datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)),
        ([1, 2.5, None, True], [1, 2.5, None, True]),
    ],
)
def test_every_text_of_a_state_is_found(value: Any, expected: Any) -> None:
    found = changed(value, str.upper)
    assert (found, type(found)) == (expected, type(expected))


def test_arguments_of_a_tool_call_are_changed_and_ids_are_not() -> None:
    call = {"name": "look", "args": {"who": "ann"}, "id": "c1", "type": "tool_call"}
    message = AIMessage("a", tool_calls=[call], id="m1", additional_kwargs={"b": "c"})
    found = changed(message, str.upper)
    assert found.tool_calls == [{**call, "args": {"WHO": "ANN"}}]
    assert (found.id, found.additional_kwargs) == ("m1", {"B": "C"})


@pytest.mark.parametrize("elements", [[HumanMessage("a", id="i")], [{"a": 1}, "b"]])
def test_a_segment_keeps_its_place_and_its_length(elements: list[Any]) -> None:
    found = changed_segment(Segment("", "messages", 3, freeze(elements)), str.upper)
    assert (found.namespace, found.channel, found.keep) == ("", "messages", 3)
    assert thaw(found.elements) == [changed(each, str.upper) for each in elements]


def test_a_placeholder_is_found_anywhere_in_a_turn() -> None:
    plain = plain_turn("a", "b", details={"rows": [["c", 1]]})
    assert not has_placeholder(plain)
    for change in (
        {"message": MAIL},
        {"details": {MAIL: 1}},
        {"details": {"a": [[{"b": f"x {MAIL}"}]]}},
        {"sources": (Source("1", MAIL),)},
        {"warnings": (MAIL,)},
    ):
        assert has_placeholder(replace(plain, **change))


def keep(harness: Harness, key: str, pii: dict[str, str], text: str = MAIL) -> None:
    """One whole turn of a private agent."""
    begun = harness.begin("t1", text, key=key, pii=pii)
    plan, _ = harness.prepare(begun, text, details={text: [text]}, pii=pii)
    assert harness.store.turns.commit(plan) is None


@pytest.fixture
def vault(harness: Harness) -> Vault:
    return harness.store.vault


def test_a_tag_depends_on_thread_kind_and_value(vault: Vault) -> None:
    others = [(PK, "EMAIL", "b"), (PK, "IP", "a"), (f"{PK}2", "EMAIL", "a")]
    assert len({vault.tag(*parts) for parts in [(PK, "EMAIL", "a"), (PK, "EMAIL", "a"), *others]}) == 4


def test_a_large_map_is_stored_in_several_items_and_read_whole(harness: Harness, vault: Vault) -> None:
    values = {f"[EMAIL_{n:08x}]": f"{n}@example.org" for n in range(ITEM_VALUES * 2 + 1)}
    head = harness.begin("t1").head
    puts = list(vault.items_of(head, "TURN#1", values))
    assert [item["SK"] for item in puts] == [pii_key("TURN#1", part) for part in range(3)]
    harness.items.write_many(puts=puts)
    assert vault.values(head) == values
    assert list(vault.items_of(head, "TURN#1", {})) == []


def test_a_pending_message_is_restored_for_its_owner(harness: Harness) -> None:
    for text in (MAIL, f"{MAIL} {noise(3000)}"):
        harness.begin("t1", text, pii={MAIL: "ann@example.org"})
        pending = harness.store.threads.read(ANN, "t1").pending
        assert pending is not None
        assert pending.message == text.replace(MAIL, "ann@example.org")
        harness.clock.now += 31


def test_an_unreadable_map_leaves_its_placeholders_and_fails_no_read(
    harness: Harness, vault: Vault, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(harness, "k1", {MAIL: "ann@example.org"})
    keep(harness, "k2", {"[IP_01234567]": "10.0.0.1"}, text="[IP_01234567]")
    (first, *_) = (sk for sk in harness.all_of("t1") if sk.startswith(PII))
    item = harness.all_of("t1")[first]
    for spoilt in (item["data"][:-1] + b"!", Codec(b"another").encrypt({}, PK, first), b""):
        harness.items.write_many(puts=[item | {"data": spoilt}])
        replies = {turn.reply for turn in harness.store.turns.newest(ANN, "t1", limit=9)}
        assert len(replies & {MAIL, "ann@example.org"}) == 1
        assert len(replies & {"[IP_01234567]", "10.0.0.1"}) == 1
        assert "PlaceholdersLost" in capsys.readouterr().out
