"""From an upload to a document. The file never remains after processing."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from harness import ANN, Harness, noise
from memory_items import MemoryItems

from turnkeep.documents.parsing.parsed import Unparsable
from turnkeep.documents.pipeline import Pipeline
from turnkeep.errors import DocumentNotFound, NotFound, StoreUnavailable
from turnkeep.records import Attachment, Parsed, Piece
from turnkeep.settings import Settings
from turnkeep.store.attachments import ACTIVE_DOCUMENTS, PART_BYTES, WORK_MS, Attachments, Claimed
from turnkeep.store.keys import partition
from turnkeep.store.uploads import FORM_SECONDS, KeptUploads
from turnkeep_local.objects import FolderObjects

CANARY = "canary.mario@example.org"
NAME = f"Letter of {CANARY}.txt"


class Office:
    """A thread `t`, uploads to it and a worker; `before` is called with the name of each request to table or bucket."""

    def __init__(self, objects: FolderObjects, agent: str | None = None):
        self.before: Callable[[str], None] = lambda name: None
        self.folder = objects
        self.harness = Harness(_Observed(MemoryItems(), self), _Observed(objects, self))  # type: ignore[arg-type]
        self.uploads = KeptUploads(self.harness.objects)
        self.attachments = Attachments(self.harness.store.heads, self.harness.store.vault, self.uploads)
        self.harness.store.threads.create(ANN, "t", agent=agent)
        self.parsed: Any = Parsed("text", (Piece(f"Write to {CANARY}.", 1, f"About {CANARY}"),), 1)

    def add(self, document: str, name: str = NAME) -> None:
        self.attachments.add(ANN, "t", document, name=name, size=5, content_type=None)

    def upload(self, name: str = NAME, document: str = "d") -> str:
        self.add(document, name)
        key, owner = self.attachments.place(partition(ANN, "t"), document)
        self.uploads.put(key, owner, b"hello")
        return key

    def claim(self, key: str) -> Claimed:
        claimed = self.attachments.claim(key)
        assert claimed
        return claimed

    def process(self, key: str) -> None:
        Pipeline(self.attachments, Settings(), parse=self.parse).process(key)

    def parse(self, body: bytes, name: str) -> Parsed:
        if isinstance(self.parsed, BaseException):
            raise self.parsed
        return self.parsed

    def document(self) -> Attachment:
        return self.attachments.read(ANN, "t", "d")

    def outcome(self) -> tuple[str, str | None]:
        document = self.document()
        return document.status, document.code

    def active(self) -> tuple[Attachment, ...]:
        return self.attachments.active(self.harness.store.heads.read(ANN, "t"))

    def files(self) -> list[str]:
        return [file.name for file in self.folder._folder.rglob("*") if file.is_file()]

    def stored(self) -> str:
        """Return the stored items and texts, with signed values decoded and encrypted values unchanged."""
        items = self.harness.items.between(partition(ANN, "t"), " ", "~")
        pieces = self.attachments.pieces(partition(ANN, "t"), "d")
        active = self.active()
        return f"{items}{pieces}{active}"


class _Observed:
    """The same object; `before` is called first."""

    def __init__(self, real: Any, office: Office):
        self._real, self._office = real, office

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._real, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._office.before(name)
            return method(*args, **kwargs)

        return call


@pytest.fixture
def office(folder_objects: FolderObjects) -> Office:
    return Office(folder_objects, agent="papers")


@pytest.mark.parametrize("agent", ["papers", None])
def test_text_heading_and_name_are_redacted_for_private_threads(agent, folder_objects, monkeypatch):
    monkeypatch.setenv("PAPERS__PII", "true")
    office = Office(folder_objects, agent=agent)
    office.process(office.upload())
    (piece,) = office.attachments.pieces(partition(ANN, "t"), "d")
    placeholder = piece.text.removeprefix("Write to ").removesuffix(".")
    assert placeholder.startswith("[EMAIL_")
    assert piece.heading == f"About {placeholder}"
    assert office.active()[0].name == f"Letter of {placeholder}.txt"
    assert CANARY not in office.stored()
    assert office.harness.store.vault.values(office.harness.store.heads.read(ANN, "t")) == {placeholder: CANARY}
    assert office.document().name == NAME


def test_personal_data_in_a_file_name_is_redacted(folder_objects, monkeypatch):
    monkeypatch.setenv("PAPERS__PII", "true")
    office = Office(folder_objects)
    office.process(office.upload("bonifico_IT60X0542811101000000123456-marzo.pdf"))
    (active,) = office.active()
    assert re.fullmatch(r"bonifico_\[IBAN_[0-9a-f]{8}\]-marzo\.pdf", active.name)


def test_a_thread_of_another_agent_stores_the_text_unchanged(office, monkeypatch):
    monkeypatch.setenv("DATABASE__PII", "true")
    office.process(office.upload())
    assert CANARY in office.stored()


def test_nothing_is_stored_if_detection_fails(office, monkeypatch):
    monkeypatch.setenv("PAPERS__PII", "true")
    monkeypatch.setattr("turnkeep.pii.redacted", lambda *args, **more: 1 / 0)
    key = office.upload()
    with pytest.raises(ZeroDivisionError):
        office.process(key)
    assert office.outcome() == ("failed", "processing_failed")
    assert (office.files(), CANARY in office.stored()) == ([], False)


@pytest.mark.parametrize(
    ("parsed", "code"),
    [(Unparsable("encrypted_file"), "encrypted_file"), (Parsed("text", (Piece(noise(7_000_000)),)), "too_large")],
    ids=["no text", "too long"],
)
def test_a_file_without_text_or_with_too_much_becomes_a_failed_document(parsed, code, office):
    office.parsed = parsed
    office.process(office.upload())
    assert (office.outcome(), office.files()) == (("failed", code), [])


def test_a_file_is_deleted_after_two_workers_died(office):
    key = office.upload()
    for _ in range(2):
        office.attachments.claim(key)
    assert office.files()
    office.process(key)
    assert (office.outcome(), office.files()) == (("failed", "parser_failed"), [])


def fails(name: str) -> None:
    if name == "transact":
        raise StoreUnavailable


def test_a_file_is_processed_again_after_a_store_failure(office):
    key, office.before = office.upload(), fails
    with pytest.raises(StoreUnavailable):
        office.process(key)
    assert office.files()
    office.before = lambda name: None
    office.process(key)
    assert (office.outcome(), office.files()) == (("ready", None), [])


def test_the_file_is_deleted_after_the_last_attempt(office):
    key, office.before = office.upload(), fails
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            office.process(key)
    assert office.files() == []
    office.before = lambda name: None
    assert office.outcome()[0] == "processing"
    office.harness.clock.now += 16 * 60
    assert office.outcome() == ("failed", "processing_failed")


def test_unexpected_uploads_are_deleted(office):
    key = office.upload()
    office.process(key)
    office.uploads.put(key, "forged", b"again")
    office.process(key)
    office.uploads.put("uploads/aa/bb", "", b"foreign")
    office.process("uploads/aa/bb")
    office.process("uploads/aa/cc")
    assert (office.outcome(), office.files()) == (("ready", None), [])


@pytest.mark.parametrize("end", ["thread", "document"])
@pytest.mark.parametrize("step", range(8))
def test_an_erasure_between_two_steps_of_the_worker_leaves_nothing(step: int, end: str, office: Office) -> None:
    key, steps = office.upload(), iter(range(99))

    def erase() -> None:
        office.before = lambda name: None
        if end == "thread":
            office.harness.store.threads.delete(ANN, "t")
        else:
            office.attachments.remove(ANN, "t", "d")

    office.before = lambda name: erase() if next(steps) == step else None
    office.process(key)
    if next(steps) <= step:  # the worker took fewer steps
        erase()
    left = office.harness.items.between(partition(ANN, "t"), "ASIDE#", "ASIDE#~")
    assert (left, office.files()) == ([], [])
    with pytest.raises(NotFound if end == "thread" else DocumentNotFound):
        office.document()


@pytest.mark.parametrize("size", [PART_BYTES // 2, 5 * PART_BYTES], ids=["one part", "several"])
def test_text_and_placeholders_of_any_size_are_stored_and_deleted_together(office: Office, size: int) -> None:
    parsed, values = (
        Parsed("text", (Piece(noise(size)),)),
        {f"[EMAIL_{n:08x}]": f"{n}@example.org" for n in range(2_500)},
    )
    before, key = office.harness.all_of("t").keys(), office.upload()
    assert office.attachments.finish(office.claim(key), parsed, values=values, name="a.txt")
    assert office.attachments.pieces(partition(ANN, "t"), "d") == parsed.pieces
    assert office.harness.store.vault.values(office.harness.store.heads.read(ANN, "t")) == values
    office.attachments.remove(ANN, "t", "d")
    assert (office.harness.all_of("t").keys(), office.files()) == (before, [])


def test_a_turn_sees_the_newest_10_documents(office: Office) -> None:
    for number in range(ACTIVE_DOCUMENTS + 1):
        office.harness.clock.now += 1
        office.process(office.upload(document=f"d{number}"))
    assert [document.id for document in office.active()] == [f"d{n}" for n in range(1, 11)]


def test_a_missing_upload_or_stuck_worker_fails_the_document_in_time(office: Office) -> None:
    office.add("never")
    office.claim(office.upload(document="stuck"))
    head = office.harness.store.heads.read(ANN, "t")
    office.harness.clock.now += FORM_SECONDS + 61
    assert office.attachments.statuses(head, ["never", "stuck"]) == {"never": "failed", "stuck": "processing"}
    office.harness.clock.now += WORK_MS / 1000
    found = {one.id: (one.status, one.code) for one in office.attachments.documents(ANN, "t")}
    assert found == {"never": ("failed", "not_uploaded"), "stuck": ("failed", "processing_failed")}


def test_the_first_of_two_workers_decides_and_its_failure_is_stored(office: Office) -> None:
    key = office.upload()
    one, other = office.claim(key), office.claim(key)
    assert (one.attempts, other.attempts) == (1, 2)
    assert office.attachments.fail(one, "damaged_file")
    assert not office.attachments.finish(other, Parsed("text", (Piece("x"),)), name="a.txt")
    assert office.attachments.claim(key) is None
    assert office.outcome() == ("failed", "damaged_file")
