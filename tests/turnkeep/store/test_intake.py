"""Documents: upload, processing, limits and deletion. tests/simulation draws deletions during the work."""

from pathlib import Path
from typing import Any

import pytest
from harness import ANN, NOON, Harness, noise

from turnkeep.attachments import Piece
from turnkeep.store.attachments import ACTIVE_DOCUMENTS, WORK_MS, Attachments
from turnkeep.store.head import Head
from turnkeep.store.intake import PART_BYTES, Claimed
from turnkeep.store.items import Items
from turnkeep.store.keys import document_key, partition, upload_key
from turnkeep.store.uploads import FORM_SECONDS, OWNER, KeptUploads
from turnkeep_local.objects import FolderObjects

PK = partition(ANN, "t")
PIECES = (Piece("first", 1, "Leave"), Piece("second", 2))


class Shelf:
    """A thread, its documents, and a worker."""

    claimed: Claimed | None = None

    def __init__(self, items: Items, objects: FolderObjects):
        self.harness = Harness(items, objects)
        self.objects = objects
        self.uploads = KeptUploads(objects)
        self.attachments = Attachments(self.harness.store.heads, self.harness.store.vault, self.uploads)
        self.harness.take_turn("t")

    @property
    def head(self) -> Head:
        return self.harness.store.heads.read(ANN, "t")

    def add(self, document_id: str = "d1", name: str = "a.txt") -> None:
        self.attachments.add(ANN, "t", document_id, name=name, size=5, content_type=None)

    def upload(self, document_id: str = "d1", body: bytes = b"hello") -> str:
        key, owner = self.attachments.place(ANN, "t", document_id)
        self.uploads.put(key, owner, body)
        return key

    def process(self, key: str, pieces: tuple[Piece, ...] = PIECES, **more: Any) -> bool:
        """As the pipeline does."""
        claimed = self.attachments.claim(key)
        kept = claimed is not None and self.finish(claimed, pieces, **more)
        self.attachments.drop(key)
        return kept

    def finish(self, claimed: Claimed, pieces: tuple[Piece, ...] = PIECES, **more: Any) -> bool:
        facts = {"name": "shown.txt", "kind": "text", "pages": 2, **more}
        return self.attachments.finish(claimed, pieces, **facts)

    def ready(self, document_id: str = "d1", **more: Any) -> None:
        self.add(document_id)
        assert self.process(self.upload(document_id), **more)

    def left(self) -> tuple[list[str], list[str]]:
        """Sort keys of the thread, and all objects."""
        folder = self.objects._folder
        files = sorted(str(file.relative_to(folder)) for file in Path(folder).rglob("*") if file.is_file())
        return sorted(self.harness.all_of("t")), files


@pytest.fixture
def shelf(items: Items, folder_objects: FolderObjects) -> Shelf:
    return Shelf(items, folder_objects)


def test_a_document_is_uploaded_processed_and_read(shelf: Shelf) -> None:
    document, form = shelf.attachments.add(ANN, "t", "d1", name="my plan.txt", size=5, content_type="text/plain")
    assert (document.status, document.name, document.created_at) == ("waiting", "my plan.txt", NOON)
    assert b"my plan" not in shelf.harness.all_of("t")[document_key("d1")]["name"]
    assert form.fields["key"] == upload_key(PK, "d1")
    assert shelf.attachments.awaits(form.fields["key"], form.fields[OWNER])
    key = shelf.upload()
    claimed = shelf.attachments.claim(key)
    assert claimed is not None
    assert (claimed.body, claimed.name, claimed.head.agent, claimed.attempts) == (b"hello", "my plan.txt", "papers", 1)
    assert shelf.attachments.statuses(shelf.head, ["d1", "d2", "//"]) == {"d1": "processing"}
    assert shelf.finish(claimed, values={"[EMAIL_01234567]": "a@b.org"}, findings=("hidden_text",))
    read = shelf.attachments.read(ANN, "t", "d1")
    assert (read.status, read.name, read.kind, read.pages, read.characters) == ("ready", "my plan.txt", "text", 2, 11)
    assert read.findings == ("hidden_text",)
    assert [one.name for one in shelf.attachments.active(shelf.head)] == ["shown.txt"]
    assert shelf.attachments.pieces(PK, "d1") == PIECES
    assert shelf.harness.store.vault.values(shelf.head) == {"[EMAIL_01234567]": "a@b.org"}


@pytest.mark.parametrize("size", [PART_BYTES // 2, 5 * PART_BYTES], ids=["one part", "several"])
def test_text_and_placeholders_of_any_size_are_stored_and_deleted_together(shelf: Shelf, size: int) -> None:
    pieces, values = (Piece(noise(size)),), {f"[EMAIL_{n:08x}]": f"{n}@example.org" for n in range(2_500)}
    before = shelf.left()
    shelf.ready(pieces=pieces, values=values)
    assert shelf.attachments.pieces(PK, "d1") == pieces
    assert shelf.harness.store.vault.values(shelf.head) == values
    shelf.attachments.remove(ANN, "t", "d1")
    assert shelf.left() == before


def test_a_turn_sees_the_newest_10_documents(shelf: Shelf) -> None:
    for number in range(ACTIVE_DOCUMENTS + 1):
        shelf.harness.clock.now += 1
        shelf.ready(f"d{number}")
    assert [document.id for document in shelf.attachments.active(shelf.head)] == [f"d{n}" for n in range(1, 11)]


def test_a_missing_upload_or_stuck_worker_fails_the_document_in_time(shelf: Shelf) -> None:
    shelf.add("never")
    shelf.add("stuck")
    shelf.attachments.claim(shelf.upload("stuck"))
    shelf.harness.clock.now += FORM_SECONDS + 61
    assert shelf.attachments.statuses(shelf.head, ["never", "stuck"]) == {"never": "failed", "stuck": "processing"}
    shelf.harness.clock.now += WORK_MS / 1000
    told = {one.id: (one.status, one.code) for one in shelf.attachments.documents(ANN, "t")}
    assert told == {"never": ("failed", "not_uploaded"), "stuck": ("failed", "processing_failed")}


def test_the_first_of_two_workers_decides_and_its_failure_is_stored(shelf: Shelf) -> None:
    shelf.add()
    key = shelf.upload()
    one, other = shelf.attachments.claim(key), shelf.attachments.claim(key)
    assert one is not None
    assert other is not None
    assert (one.attempts, other.attempts) == (1, 2)
    assert shelf.attachments.fail(one, "damaged_file")
    assert not shelf.finish(other)
    assert shelf.attachments.claim(key) is None
    assert shelf.attachments.read(ANN, "t", "d1").code == "damaged_file"


def test_a_forged_owner_token_is_rejected(shelf: Shelf) -> None:
    shelf.add()
    key, owner = shelf.attachments.place(ANN, "t", "d1")
    shelf.add("d2")
    for forged in ("", "x", owner[:-4] + "AAAA", shelf.attachments.place(ANN, "t", "d2")[1]):
        assert not shelf.attachments.awaits(key, forged)
        shelf.uploads.put(key, forged, b"evil")
        assert shelf.attachments.claim(key) is None
    shelf.harness.clock.now += FORM_SECONDS + 1
    assert not shelf.attachments.awaits(key, owner)
