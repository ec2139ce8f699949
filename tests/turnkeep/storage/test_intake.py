"""Documents in their thread's partition: bounds, and that nothing of them outlives document or thread, whoever works on
them meanwhile."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from desk import ANN, NOON, Desk, noise
from memory_items import MemoryItems

from turnkeep.attachments import Piece
from turnkeep.errors import NotFound
from turnkeep.storage.attachments import ACTIVE_DOCUMENTS, WORK_MS, Attachments
from turnkeep.storage.head import Head
from turnkeep.storage.intake import PART_BYTES, Claimed
from turnkeep.storage.items import Items
from turnkeep.storage.keys import HEAD, document_key, partition, upload_key
from turnkeep.storage.uploads import FORM_SECONDS, OWNER, KeptUploads
from turnkeep_local.objects import FolderObjects

PK = partition(ANN, "t")
PIECES = (Piece("first", 1, "Leave"), Piece("second", 2))


class Shelf:
    """A thread, its documents, and a worker."""

    claimed: Claimed | None = None

    def __init__(self, items: Items, objects: FolderObjects):
        self.desk = Desk(items, objects)
        self.objects = objects
        self.uploads = KeptUploads(objects)
        self.attachments = Attachments(self.desk.store.heads, self.desk.store.vault, self.uploads)
        self.desk.say("t")

    @property
    def head(self) -> Head:
        return self.desk.store.heads.read(ANN, "t")

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
        return sorted(self.desk.all_of("t")), files


@pytest.fixture
def shelf(items: Items, folder_objects: FolderObjects) -> Shelf:
    return Shelf(items, folder_objects)


def test_a_document_goes_from_its_form_to_its_text(shelf: Shelf) -> None:
    document, form = shelf.attachments.add(ANN, "t", "d1", name="my plan.txt", size=5, content_type="text/plain")
    assert (document.status, document.name, document.created_at) == ("waiting", "my plan.txt", NOON)
    assert b"my plan" not in shelf.desk.all_of("t")[document_key("d1")]["name"]
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
    assert shelf.desk.store.vault.values(shelf.head) == {"[EMAIL_01234567]": "a@b.org"}


@pytest.mark.parametrize("size", [PART_BYTES // 2, 5 * PART_BYTES], ids=["one part", "several"])
def test_text_and_map_of_any_size_come_back_and_go_together(shelf: Shelf, size: int) -> None:
    pieces, values = (Piece(noise(size)),), {f"[EMAIL_{n:08x}]": f"{n}@example.org" for n in range(2_500)}
    before = shelf.left()
    shelf.ready(pieces=pieces, values=values)
    assert shelf.attachments.pieces(PK, "d1") == pieces
    assert shelf.desk.store.vault.values(shelf.head) == values
    shelf.attachments.remove(ANN, "t", "d1")
    assert shelf.left() == before


def test_a_turn_sees_the_newest_10_documents(shelf: Shelf) -> None:
    for number in range(ACTIVE_DOCUMENTS + 1):
        shelf.desk.clock.now += 1
        shelf.ready(f"d{number}")
    assert [document.id for document in shelf.attachments.active(shelf.head)] == [f"d{n}" for n in range(1, 11)]


def test_what_does_not_come_or_is_never_finished_fails_with_time(shelf: Shelf) -> None:
    shelf.add("never")
    shelf.add("stuck")
    shelf.attachments.claim(shelf.upload("stuck"))
    shelf.desk.clock.now += FORM_SECONDS + 61
    assert shelf.attachments.statuses(shelf.head, ["never", "stuck"]) == {"never": "failed", "stuck": "processing"}
    shelf.desk.clock.now += WORK_MS / 1000
    told = {one.id: (one.status, one.code) for one in shelf.attachments.documents(ANN, "t")}
    assert told == {"never": ("failed", "not_uploaded"), "stuck": ("failed", "processing_failed")}


def test_of_two_workers_the_first_one_counts_and_a_failure_is_told(shelf: Shelf) -> None:
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


def test_only_what_the_store_wrote_itself_names_a_thread(shelf: Shelf) -> None:
    shelf.add()
    key, owner = shelf.attachments.place(ANN, "t", "d1")
    shelf.add("d2")
    for forged in ("", "x", owner[:-4] + "AAAA", shelf.attachments.place(ANN, "t", "d2")[1]):
        assert not shelf.attachments.awaits(key, forged)
        shelf.uploads.put(key, forged, b"evil")
        assert shelf.attachments.claim(key) is None
    shelf.desk.clock.now += FORM_SECONDS + 1
    assert not shelf.attachments.awaits(key, owner)


# Whoever works on them meanwhile


class Interleaved(MemoryItems):
    """Lets the other party act before the `at`-th call."""

    def __init__(self) -> None:
        super().__init__()
        self.at, self.calls = -1, 0
        self.act: Callable[[], object] = lambda: None

    def created(self) -> int:
        return int(NOON * 1000)

    def arm(self, at: int, act: Callable[[], object]) -> None:
        self.at, self.calls, self.act = at, 0, act

    def __getattribute__(self, name: str) -> Any:
        if name in ("get", "get_many", "put", "update", "delete", "between", "transact", "pages_of", "write_many"):
            number = object.__getattribute__(self, "calls")
            self.calls = number + 1
            if number == object.__getattribute__(self, "at"):
                self.at = -1
                self.act()
        return object.__getattribute__(self, name)


def delete(shelf: Shelf) -> None:
    shelf.desk.store.threads.delete(ANN, "t")


def expire(shelf: Shelf) -> None:
    shelf.desk.clock.now += 25 * 3600
    shelf.desk.cleanup.sweep()
    shelf.desk.clock.now += 3600


def renew(shelf: Shelf) -> None:
    """Deleted, and made anew under the same id."""
    delete(shelf)
    shelf.desk.say("t")


def remove(shelf: Shelf) -> None:
    shelf.attachments.remove(ANN, "t", "d1")


def work(shelf: Shelf) -> None:
    shelf.process(upload_key(PK, "d1"))


ENDS: dict[str, Callable[[Shelf], None]] = {"delete": delete, "expire": expire, "renew": renew, "remove": remove}


@pytest.fixture
def meeting(tmp_path: Path) -> Callable[[], tuple[Shelf, Interleaved]]:
    numbers = count()

    def make() -> tuple[Shelf, Interleaved]:
        items = Interleaved()
        shelf = Shelf(items, FolderObjects(tmp_path / str(next(numbers))))
        shelf.add()
        shelf.upload()
        return shelf, items

    return make


@pytest.mark.parametrize("end", ENDS)
def test_an_end_between_any_two_steps_of_the_worker_leaves_nothing(
    meeting: Callable[[], tuple[Shelf, Interleaved]], end: str
) -> None:
    steps = met(meeting, work, ENDS[end])
    assert steps >= 3


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("has_claimed", [False, True], ids=["comes then", "has claimed it before"])
def test_the_worker_between_any_two_steps_of_an_end_leaves_nothing(
    meeting: Callable[[], tuple[Shelf, Interleaved]], end: str, has_claimed: bool
) -> None:
    def claiming() -> tuple[Shelf, Interleaved]:
        shelf, items = meeting()
        shelf.claimed = shelf.attachments.claim(upload_key(PK, "d1"))
        return shelf, items

    def finish(shelf: Shelf) -> None:
        assert shelf.claimed is not None
        shelf.finish(shelf.claimed)

    steps = met(claiming, ENDS[end], finish) if has_claimed else met(meeting, ENDS[end], work)
    assert steps >= 2


def met(meeting: Callable[[], tuple[Shelf, Interleaved]], mine: Any, others: Any) -> int:
    """Lets `others` act before each call of `mine` in turn; gives how many there were."""
    for at in count():
        shelf, items = meeting()
        items.arm(at, lambda shelf=shelf: others(shelf))  # type: ignore[misc]
        mine(shelf)
        if items.at != -1:
            return at
        shelf.attachments.drop(upload_key(PK, "d1"))  # as the event of a file that came late has it
        keys, files = shelf.left()
        assert [key for key in keys if key.startswith("ASIDE#")] == [], at
        assert files == [], at
    raise AssertionError


@pytest.mark.parametrize("step", range(3))
def test_a_worker_that_dies_at_any_step_beside_a_deletion_leaves_nothing(
    meeting: Callable[[], tuple[Shelf, Interleaved]], step: int
) -> None:
    def die() -> None:
        raise SystemExit

    shelf, items = meeting()
    items.arm(step, die)
    with pytest.raises(SystemExit):
        work(shelf)
    delete(shelf)
    assert shelf.left() == ([], [])


def test_a_document_is_not_added_to_a_thread_that_is_being_deleted(meeting: Any) -> None:
    for at in count():
        shelf, items = meeting()
        items.arm(at, lambda shelf=shelf: delete(shelf))
        try:
            shelf.add("d2")
        except NotFound:
            assert shelf.left() == ([], []), at
        else:
            assert HEAD not in shelf.left()[0] or items.at != -1, at
        if items.at != -1:
            return
