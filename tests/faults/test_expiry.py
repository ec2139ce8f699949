"""A thread lives 24 hours after its last turn, whatever DynamoDB's TTL has or has not taken away."""

import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from turnkeep.errors import NotFound, Superseded
from turnkeep.records import Principal, Turn
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.items import Items
from turnkeep.storage.keys import HEAD, SHARDS, WATERMARK, hour, partition
from turnkeep.storage.links import Segment
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Begun, Loaded, Saved, Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from turnkeep.local.objects import FolderObjects

ANN = Principal("acme", "ann")
START = 1_900_000_000.0
HOURS = 3600.0


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


class Store:
    """A table with a clock that only moves when told, and the shortest way to keep a turn."""

    def __init__(self, dynamodb: "DynamoDBClient", name: str, folder: "FolderObjects"):
        self.client, self.name, self.clock = dynamodb, name, Clock()
        self.items = Items(dynamodb, name)
        self.table = self.make_table(self.items, folder)
        self.folder = folder
        self.cleanup = self.make_cleanup(self.items)
        self.cleanup.begin_at(hour(int(START * 1000)))

    def make_table(self, items: Items, folder: "FolderObjects") -> Table:
        return Table(items, Blobs(folder), Sealer(b"secret"), clock=self.clock, mint=lambda n: uuid.uuid4().bytes[:n])

    def make_cleanup(self, items: Items) -> Cleanup:
        return Cleanup(items, Eraser(items, Blobs(self.folder), clock=self.clock), clock=self.clock)

    def begin(self, thread_id: str, text: str) -> Begun:
        begun = self.table.begin(ANN, thread_id, key=uuid.uuid4().hex, body=b"", message=text, create=True)
        assert isinstance(begun, Begun)
        return begun

    def commit(self, begun: Begun, text: str, loaded: Loaded | None = None) -> None:
        loaded = loaded or self.table.load(begun.head, 10)
        number = 2 * loaded.number
        messages = [{"type": kind, "data": {"content": text}} for kind in ("human", "ai")]
        saved = Saved(
            checkpoint_id=f"{begun.head.seq:032d}",
            checkpoint={"state": b"", "lengths": [["", "messages", number + 2]]},
            segments=(Segment("", "messages", number, messages),),
        )
        turn = Turn(
            thread_id=None,
            number=0,
            agent="papers",
            message=text,
            reply=text,
            status="complete",
            created_at=self.clock(),
            duration_ms=1,
            provider="demo",
            model="demo",
        )
        plan, _ = self.table.prepare(begun, loaded, saved, turn)
        self.table.apply(plan)

    def keep(self, thread_id: str, text: str) -> None:
        self.commit(self.begin(thread_id, text), text)

    def lying(self, thread_id: str) -> list[Any]:
        pk = partition(ANN, thread_id)
        return [item for page in self.items.pages_of(pk, "SK", "ttl") for item in page]


@pytest.fixture
def store(dynamodb: "DynamoDBClient", table_name: str, folder_objects: "FolderObjects") -> Store:
    return Store(dynamodb, table_name, folder_objects)


def test_a_thread_with_a_turn_every_20_hours_keeps_all_of_a_week(store: Store) -> None:
    texts = [f"turn {n}" for n in range(1, 10)]
    for text in texts:
        store.keep("week", text)
        store.clock.now += 20 * HOURS
        store.cleanup.sweep()
        gone = [item for item in store.lying("week") if item["ttl"] < store.clock.now]
        store.items.write_many(deletes=[(partition(ANN, "week"), item["SK"]) for item in gone])
    assert [turn.message for turn in store.table.read_turns(ANN, "week", limit=100)] == texts


def test_after_24_hours_and_a_second_a_thread_is_gone_from_every_read_while_its_items_lie_there(store: Store) -> None:
    store.keep("idle", "hello")
    store.clock.now += 24 * HOURS - 1
    assert store.table.read_thread(ANN, "idle").turn_count == 1
    store.clock.now += 2
    reads: list[Callable[[], object]] = [
        lambda: store.table.read_thread(ANN, "idle"),
        lambda: store.table.read_turns(ANN, "idle", limit=10),
        lambda: store.table.read_turn(ANN, "idle", 1),
        lambda: store.table.update_thread(ANN, "idle", {"a": 1}),
        lambda: store.table.delete_thread(ANN, "idle"),
        lambda: store.table.begin(ANN, "idle", key="k", body=b"", message="again"),
    ]
    for read in reads:
        with pytest.raises(NotFound):
            read()
    assert store.table.search_threads(ANN) == []
    assert len(store.lying("idle")) == 3


def test_a_thread_never_outlives_thirty_days(store: Store) -> None:
    for _ in range(44):
        store.keep("long", "still here")
        store.clock.now += 16 * HOURS
    store.keep("long", "one day before its end")
    thread = store.table.read_thread(ANN, "long")
    assert thread.expires_at == thread.created_at + 30 * 24 * HOURS


def test_cleanup_deletes_what_is_expired_to_the_last_item_and_object(store: Store, tmp_path: Path) -> None:
    store.keep("old", "x" * 10)
    store.keep("old", secrets.token_hex(400_000))
    store.clock.now += 20 * HOURS
    store.keep("young", "hello")
    store.clock.now += 5 * HOURS
    assert any(path.is_file() for path in (tmp_path / "objects").rglob("*"))
    swept = store.cleanup.sweep()
    assert (swept.threads, swept.finished) == (1, True)
    assert store.lying("old") == []
    assert [turn.message for turn in store.table.read_turns(ANN, "young", limit=10)] == ["hello"]
    assert not [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]


def test_a_living_thread_moves_to_its_next_hour_and_is_found_there(store: Store) -> None:
    store.keep("moving", "one")
    store.clock.now += 23 * HOURS
    store.keep("moving", "two")
    store.clock.now += 2 * HOURS
    assert store.cleanup.sweep().moved == 1
    store.clock.now += 23 * HOURS
    assert store.cleanup.sweep().threads == 1
    assert store.lying("moving") == []


class Reviving(Items):
    """Calls back between the moment when cleanup has found a thread and the moment when it claims it."""

    on_found: Callable[[], None] = staticmethod(lambda: None)

    def index(self, name: str, attribute: str, value: str, *, newest_first: bool = False) -> Iterator[Any]:
        for entry in list(super().index(name, attribute, value, newest_first=newest_first)):
            self.on_found()
            yield entry


def test_cleanup_that_meets_a_revived_thread_leaves_it_whole(store: Store) -> None:
    items = Reviving(store.client, store.name)
    cleanup = store.make_cleanup(items)
    for round_number in range(20):
        thread_id = f"revived-{round_number}"
        store.keep(thread_id, "one")
        begun = store.begin(thread_id, "two")
        store.clock.now += 24 * HOURS + 1
        items.on_found = lambda begun=begun: store.commit(begun, "two")  # type: ignore[misc]
        cleanup.sweep()
        items.on_found = lambda: None
        assert [turn.message for turn in store.table.read_turns(ANN, thread_id, limit=10)] == ["one", "two"]
        store.table.delete_thread(ANN, thread_id)


def test_what_was_made_anew_during_the_sweep_is_not_swept(store: Store) -> None:
    class Recreating(Items):
        def pages_of(self, pk: str, *attributes: str) -> Iterator[list[Any]]:
            for page in super().pages_of(pk, *attributes):
                store.keep("again", "new life")
                yield page

    store.keep("again", "old life")
    store.clock.now += 25 * HOURS
    items = Recreating(store.client, store.name)
    store.make_cleanup(items).sweep()
    assert [turn.message for turn in store.table.read_turns(ANN, "again", limit=10)] == ["new life"]


class Killed(Exception):
    pass


class Dying(Items):
    """Dies before its n-th write."""

    left = 0

    def _call(self, operation: str, **arguments: Any) -> Any:
        if operation not in ("query", "get_item"):
            self.left -= 1
            if self.left < 0:
                raise Killed
        return super()._call(operation, **arguments)


def test_a_sweep_killed_before_any_of_its_writes_is_finished_by_the_next(store: Store) -> None:
    writes = 0
    for point in range(50):
        thread_id = f"killed-{point}"
        for n in range(3):
            store.keep(thread_id, f"turn {n}")
        store.clock.now += 25 * HOURS
        items = Dying(store.client, store.name)
        items.left = point
        try:
            store.make_cleanup(items).sweep()
        except Killed:
            writes += 1
        with pytest.raises(NotFound):
            store.table.read_thread(ANN, thread_id)
        store.cleanup.sweep()
        assert store.lying(thread_id) == []
        if writes <= point:
            break
    assert writes >= 3


def test_a_sweep_without_time_goes_on_where_it_stopped(store: Store) -> None:
    for n in range(5):
        store.keep(f"many-{n}", "hello")
    store.clock.now += 25 * HOURS

    def left() -> int:
        return sum(bool(store.lying(f"many-{n}")) for n in range(5))

    for until in (4, 3, 2, 1):
        swept = store.cleanup.sweep(lambda until=until: left() > until)  # type: ignore[misc]
        assert (swept.threads, swept.finished, left()) == (1, False, until)
    assert store.cleanup.sweep().finished
    assert left() == 0


def test_a_sweep_without_time_in_empty_hours_goes_on_where_it_stopped(store: Store) -> None:
    store.keep("far", "hello")
    store.clock.now += 25 * HOURS
    store.cleanup.begin_at(hour(int((START - 10 * HOURS) * 1000)))
    runs = 0
    finished = False
    while not finished and runs < 10:
        looks = iter([True] * 7)
        finished = store.cleanup.sweep(lambda looks=looks: next(looks, False)).finished  # type: ignore[misc]
        runs += 1
    assert 4 < runs < 8
    assert store.lying("far") == []


class Counting(Items):
    """Remembers the operations that it sent."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.sent: list[str] = []

    def _call(self, operation: str, **arguments: Any) -> Any:
        self.sent.append(operation)
        return super()._call(operation, **arguments)


def test_a_new_table_is_swept_with_few_requests(
    dynamodb: "DynamoDBClient", table_name: str, folder_objects: "FolderObjects"
) -> None:
    items = Counting(dynamodb, table_name)
    cleanup = Cleanup(items, Eraser(items, Blobs(folder_objects), clock=time.time), clock=time.time)
    assert cleanup.sweep().finished
    assert len(items.sent) <= 3 + 2 * SHARDS  # two hours, where the table was made at the very end of one
    items.sent.clear()
    assert cleanup.sweep().finished
    assert "describe_table" not in items.sent


@pytest.mark.parametrize(("age_days", "looks_back_days"), [(400, 31), (5, 5), (0, 0)])
def test_without_a_mark_a_sweep_begins_where_something_may_still_lie(
    store: Store, age_days: int, looks_back_days: int
) -> None:
    class Made(Items):
        def created(self) -> int:
            return int((START - age_days * 24 * HOURS) * 1000)

    store.items.write_many(deletes=[(WATERMARK["PK"], WATERMARK["SK"])])
    items = Made(store.client, store.name)
    swept = store.make_cleanup(items).sweep(lambda: False)
    begun = store.items.get(WATERMARK["PK"], WATERMARK["SK"])
    assert begun is not None
    assert begun["hour"] == hour(int((START - looks_back_days * 24 * HOURS) * 1000))
    assert swept.finished is (looks_back_days == 0)


def test_the_oldest_age_is_that_of_the_thread_that_waited_longest(store: Store) -> None:
    store.keep("first", "hello")
    store.clock.now += 3 * HOURS
    store.keep("second", "hello")
    store.keep("alive", "hello")
    store.clock.now += 20 * HOURS
    store.keep("alive", "still here")
    store.clock.now += 7 * HOURS
    swept = store.cleanup.sweep()
    assert (swept.threads, swept.moved, swept.oldest_ms) == (2, 1, 6 * HOURS * 1000)
    assert store.cleanup.sweep().oldest_ms == 0


def test_a_thread_whose_claim_died_goes_on_growing_old(store: Store) -> None:
    store.keep("claimed", "hello")
    store.clock.now += 25 * HOURS
    items = Dying(store.client, store.name)
    items.left = 1
    with pytest.raises(Killed):
        store.make_cleanup(items).sweep()
    store.clock.now += 2 * HOURS
    swept = store.cleanup.sweep()
    assert (swept.threads, swept.oldest_ms) == (1, 3 * HOURS * 1000)


def test_what_its_user_deleted_was_never_overdue(store: Store) -> None:
    store.begin("leased", "hello")
    store.table.delete_thread(ANN, "leased")
    store.clock.now += 3 * HOURS
    swept = store.cleanup.sweep()
    assert (swept.threads, swept.oldest_ms) == (1, 0)


def test_of_what_a_sweep_leaves_the_age_is_that_of_the_hour_where_it_stopped(store: Store) -> None:
    store.keep("left", "hello")
    store.clock.now += 30 * HOURS
    store.cleanup.begin_at(hour(int((START + 24 * HOURS) * 1000)))
    swept = store.cleanup.sweep(lambda: False)
    into_the_hour = START % HOURS
    assert (swept.threads, swept.oldest_ms) == (0, (6 * HOURS + into_the_hour) * 1000)
    assert store.cleanup.sweep().oldest_ms == 6 * HOURS * 1000


def test_a_writer_that_wakes_after_its_thread_was_swept_changes_nothing(store: Store) -> None:
    store.keep("late", "one")
    begun = store.begin("late", "two")
    store.clock.now += 25 * HOURS
    store.cleanup.sweep()
    loaded = Loaded(number=1, last=begun.head.last)
    with pytest.raises(Superseded):
        store.commit(begun, "two", loaded)
    with pytest.raises(NotFound):
        store.table.read_thread(ANN, "late")
    assert HEAD not in [item["SK"] for item in store.lying("late")]
