"""An export contains all data of a user, and reports what it cannot read."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from harness import ANN, Harness, flipped, noise
from memory_items import MemoryItems

from memory_table import Table
from turnkeep.records import Parsed, Piece
from turnkeep.store.attachments import Attachments
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Objects
from turnkeep.store.export import Exports
from turnkeep.store.keys import HEAD, partition, usage_of, user_key
from turnkeep.store.runs import Asked
from turnkeep.store.uploads import KeptUploads
from turnkeep.store.usage import Usage
from turnkeep.tuning import BudgetTuning
from turnkeep_local.objects import FolderObjects

type Lines = list[dict[str, Any]]


@pytest.fixture
def table() -> MemoryItems:
    return MemoryItems()


def harness_of(table: MemoryItems, objects: Objects) -> tuple[Harness, Attachments, Exports]:
    harness = Harness(table, objects)
    documents = Attachments(harness.store.heads, harness.store.vault, KeptUploads(objects))
    usage = Usage(harness.store.heads, BudgetTuning())
    facts = {"thread_hours": 24}
    return harness, documents, Exports(harness.store, documents, usage, objects, memories=harness.memories, facts=facts)


def held(exports: Exports) -> Lines:
    return [json.loads(line) for line in exports.lines(ANN)]


def test_an_export_contains_turns_documents_runs_and_usage(table: MemoryItems, folder_objects: FolderObjects) -> None:
    harness, documents, exports = harness_of(table, folder_objects)
    harness.take_turn("x", "hello", "a reply", details={"rows": noise(40_000)})
    documents.add(ANN, "x", "d1", name="cv.txt", size=5, content_type=None)
    key, owner = documents.place(partition(ANN, "x"), "d1")
    KeptUploads(folder_objects).put(key, owner, b"body")
    claimed = documents.claim(key)
    assert claimed is not None
    values = {"[EMAIL_0a0a0a0a]": "ann@example.org"}
    parsed = Parsed("text", (Piece("to [EMAIL_0a0a0a0a]", 1),))
    assert documents.finish(claimed, parsed, name="cv.txt", values=values)
    harness.store.leases.release(harness.begin("y", "never answered"))
    head, asked = harness.store.heads.read(ANN, "y"), json.dumps({"message": "asked in the background"})
    harness.store.queue.accept(head, Asked("r1", b"", asked, is_new=True))
    table.put({"PK": usage_of(user_key(ANN)), "SK": "2027-01-14", "v": 2, "tokens": 7, "micro": 1_500_000, "turns": 2})

    lines = held(exports)

    assert [line["type"] for line in lines] == [
        *("principal", "settings", "usage", "thread", "document", "turn", "thread", "run", "end")
    ]
    assert lines[2] == {"type": "usage", "day": "2027-01-14", "tokens": 7, "cost_usd": 1.5, "turns": 2}
    assert lines[4]["pieces"] == [{"text": "to ann@example.org", "page": 1, "heading": None}]
    assert lines[5]["details"] == {"rows": noise(40_000)}
    assert lines[6]["pending"]["message"] == "never answered"
    assert (lines[7]["run_id"], lines[7]["request"]) == ("r1", {"message": "asked in the background"})


def test_a_thread_that_is_used_meanwhile_is_exported_once_and_not_missed(
    folder_objects: FolderObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = MemoryItems(Table(time.time, page=1))
    harness, _, exports = harness_of(table, folder_objects)
    for thread in ("a", "b", "c"):
        harness.take_turn(thread)
        harness.clock.now += 1
    index = table.index

    def moving(*args: Any, **more: Any) -> Iterator[Item]:
        for entry in index(*args, **more):
            yield entry
            if used := {partition(ANN, "a"): "b", partition(ANN, "c"): "a"}.get(entry["PK"]):
                harness.take_turn(used, "once more")

    monkeypatch.setattr(table, "index", moving)
    threads = [line["thread_id"] for line in held(exports) if line["type"] == "thread"]
    assert threads == ["a", "c", "b"]


def test_an_export_contains_turns_of_abandoned_branches(table: MemoryItems, folder_objects: FolderObjects) -> None:
    harness, _, exports = harness_of(table, folder_objects)
    for message in ("a", "b", "c"):
        harness.take_turn("x", message)
    harness.take_turn("x", "d", older="00000000")
    harness.take_turn("x", "e")
    turns = [(line["message"], line.get("left", False)) for line in held(exports) if line["type"] == "turn"]
    assert turns == [("a", False), ("d", False), ("e", False), ("c", True), ("b", True)]


def test_an_export_reports_unreadable_threads_and_continues(table: MemoryItems, folder_objects: FolderObjects) -> None:
    harness, _, exports = harness_of(table, folder_objects)
    for thread in ("forged", "broken", "whole"):
        harness.take_turn(thread)
    head = harness.head("forged")
    table.put({**head, "sig": flipped(head["sig"])})
    turn = next(item for sk, item in harness.all_of("broken").items() if sk.startswith("TURN#"))
    table.put({**turn, "data": flipped(turn["data"])})
    lines = held(exports)
    assert [(line["type"], line["thread_id"]) for line in lines if "thread_id" in line] == [
        *(("thread", "broken"), ("unreadable", "broken"), ("thread", "whole"), ("turn", "whole"))
    ]
    assert lines[-1] == {"type": "end", "threads": 2, "unreadable_threads": 1}
    assert table.get(partition(ANN, "forged"), HEAD) is not None
