"""Lists of threads are complete, cost what they return, and are searched in bounded steps."""

import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest
from harness import Harness
from memory_items import MemoryItems

from turnkeep.errors import InvalidRequest
from turnkeep.records import Principal
from turnkeep.store import listing
from turnkeep.store.attributes import Item
from turnkeep.store.items import Items
from turnkeep.store.keys import HEAD, partition
from turnkeep.store.listing import Found
from turnkeep.store.store import Store
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ANN, BOB = Principal("acme", "ann"), Principal("acme", "bob")


class CountedItems(MemoryItems):
    """Counts the items that are read by their keys."""

    asked = 0

    def get_many(self, keys: Iterable[tuple[str, str]]) -> list[Item]:
        wanted = list(keys)
        self.asked += len(wanted)
        return super().get_many(wanted)


@pytest.fixture
def items() -> CountedItems:
    return CountedItems()


def store_over(items: Items, objects: FolderObjects) -> Store:
    """A millisecond passes with every look at the clock."""
    milliseconds = itertools.count(1_900_000_000_000)
    return Harness(items, objects, clock=lambda: next(milliseconds) / 1000).store  # type: ignore[arg-type]


@pytest.fixture
def store(items: CountedItems, folder_objects: FolderObjects) -> Store:
    return store_over(items, folder_objects)


@pytest.fixture
def stored(dynamodb: "DynamoDBClient", table_name: str, folder_objects: FolderObjects) -> Store:
    """On DynamoDB Local."""
    return store_over(Items(dynamodb, table_name), folder_objects)


def fill(store: Store, count: int, who: Principal = BOB) -> list[str]:
    """Makes threads, every tenth marked; gives their names, newest first."""
    names = [f"thread-{number:04d}" for number in range(count)]
    for number, name in enumerate(names):
        store.threads.create(who, name, metadata={"tenth": number % 10 == 0})
    return names[::-1]


def names_of(found: Found) -> list[str]:
    return [thread.thread_id for thread in found]


def follow(store: Store, **wanted: Any) -> list[list[str]]:
    """The answers to one search, each but the first asked for with the cursor of the one before."""
    answers, cursor = [], None
    while not answers or cursor:
        found = store.listing.search(BOB, **wanted, cursor=cursor)
        answers.append(names_of(found))
        cursor = found.cursor
    return answers


def test_no_thread_is_lost_at_a_page_boundary(stored: Store) -> None:
    names = fill(stored, 103)
    assert names_of(stored.listing.search(BOB, limit=200)) == names
    assert names_of(stored.listing.search(BOB, limit=4, offset=48)) == names[48:52]
    assert [name for answer in follow(stored, limit=20, offset=2) for name in answer] == names[2:]
    assert follow(stored, limit=6, metadata={"tenth": True}) == [names[2::10][:6], names[62::10]]


def test_a_short_list_reads_only_the_threads_that_it_returns(store: Store, items: CountedItems) -> None:
    fill(store, 30)
    store.listing.search(BOB, limit=5, offset=2)
    assert items.asked == 7


def test_a_search_is_bounded_and_continues_at_its_cursor(
    store: Store, items: CountedItems, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "SEARCHED_THREADS", 100)
    names = fill(store, 250)
    seen = []
    for wanted in ({"metadata": {"none": "x"}, "limit": 1}, {"offset": 150, "limit": 100}, {"status": "busy"}):
        items.asked = 0
        seen.append(follow(store, **wanted))
        assert items.asked == len(names)
    assert seen == [[[], [], []], [[], names[150:200], names[200:]], [[], [], []]]


def broken(**changes: object) -> Callable[[Item], Item]:
    return lambda head: {name: value for name, value in {**head, **changes}.items() if value is not None}


@pytest.mark.parametrize(
    "spoil", [broken(n=None), broken(v=99), broken(expires="9"), broken(sig=b"forged"), broken(n=7)]
)
def test_unreadable_threads_are_skipped_and_counted(
    spoil: Callable[[Item], Item], store: Store, items: CountedItems
) -> None:
    names = fill(store, 8)
    for name in names[2:4]:
        items.put(spoil(items.get(partition(BOB, name), HEAD) or {}))
    found = store.listing.search(BOB)
    assert (names_of(found), found.unreadable) == (names[:2] + names[4:], 2)


def test_a_fractional_number_makes_only_its_thread_unreadable(
    dynamodb: "DynamoDBClient", table_name: str, stored: Store
) -> None:
    names = fill(stored, 3)
    dynamodb.update_item(
        TableName=table_name,
        Key={"PK": {"S": partition(BOB, names[1])}, "SK": {"S": HEAD}},
        UpdateExpression="SET expires = :half",
        ExpressionAttributeValues={":half": {"N": "1900000000000.5"}},
    )
    found = stored.listing.search(BOB)
    assert (names_of(found), found.unreadable) == ([names[0], names[2]], 1)


@pytest.mark.parametrize("cursor", ["x", "0.1", "0.1.a#b", "-1.1.a", "0.1.a.b", "\u0660.1.a", "999999.1.a"])
def test_an_invalid_cursor_is_rejected(cursor: str, store: Store) -> None:
    with pytest.raises(InvalidRequest, match="X-Pagination-Next"):
        store.listing.search(BOB, cursor=cursor)


def test_a_cursor_of_another_user_lists_the_callers_own_threads(store: Store) -> None:
    fill(store, 5)
    names = fill(store, 5, ANN)
    theirs = store.listing.search(BOB, limit=2).cursor
    assert set(names_of(store.listing.search(ANN, cursor=theirs))) <= set(names)
