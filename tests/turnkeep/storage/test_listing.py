"""A user's list of threads is whole and costs what it shows."""

import uuid
from typing import TYPE_CHECKING

import pytest

from turnkeep.local.objects import FolderObjects
from turnkeep.records import Principal
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.items import Items
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BOB = Principal("acme", "bob")
THREADS = 103


class Clock:
    """A millisecond passes with every look."""

    def __init__(self) -> None:
        self.now = 1_900_000_000.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


class CountedItems(Items):
    """Says how many items were asked for by their keys."""

    asked = 0

    def get_many(self, keys):  # type: ignore[no-untyped-def]
        wanted = list(keys)
        self.asked += len(wanted)
        return super().get_many(wanted)


@pytest.fixture
def items(dynamodb: "DynamoDBClient", table_name: str) -> CountedItems:
    return CountedItems(dynamodb, table_name)


@pytest.fixture
def table(items: CountedItems, folder_objects: FolderObjects) -> Table:
    return Table(items, Blobs(folder_objects), Sealer(b"k"), clock=Clock(), mint=lambda n: uuid.uuid4().bytes[:n])


def test_no_thread_is_lost_where_a_page_of_the_list_ends(table: Table) -> None:
    names = [f"thread-{number:03d}" for number in range(THREADS)]
    for name in names:
        table.create_thread(BOB, name)

    assert [thread.thread_id for thread in table.search_threads(BOB, limit=200)] == names[::-1]
    assert [thread.thread_id for thread in table.search_threads(BOB, limit=4, offset=48)] == names[::-1][48:52]


def test_a_short_list_reads_no_more_threads_than_it_shows(table: Table, items: CountedItems) -> None:
    for number in range(30):
        table.create_thread(BOB, f"thread-{number:03d}")

    table.search_threads(BOB, limit=5, offset=2)

    assert items.asked == 7
