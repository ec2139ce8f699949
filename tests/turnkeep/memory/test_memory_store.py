"""DynamoDBStore keeps values whole, for their time to live, and for one principal."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from harness import Harness, noise
from langgraph.store.base import GetOp, PutOp, SearchOp

from turnkeep import DynamoDBStore
from turnkeep.errors import InvalidRequest, StateCorrupt
from turnkeep.store import memories
from turnkeep.store.keys import memory_item

FITS, TOO_LARGE = noise(699_000), noise(701_000)  # 57 % of it compressed
type Open = Callable[..., DynamoDBStore]


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"n": {"$gte": 2, "$lt": 3}}, ["b"]),
        ({"day": {"$lte": "2026-11-23"}}, ["a"]),
        ({"home": {"floor": {"$gte": 3}}}, ["b"]),
        ({"tags": ["x", "y"]}, ["c"]),
        ({"tags": ["x"]}, []),
    ],
)
def test_filters(store: DynamoDBStore, wanted: Any, found: list[str]) -> None:
    store.put(("n",), "a", {"n": 1, "day": "2026-11-20", "home": {"town": "Pisa", "floor": 1}})
    store.put(("n",), "b", {"n": 2, "day": "2026-11-24", "home": {"town": "Bari", "floor": 3}})
    store.put(("n",), "c", {"n": 3, "tags": ["x", "y"], "home": "none"})
    store.put(("n",), "d", {"n": "many"})
    store.put(("n",), "e", "just text")  # type: ignore[arg-type]
    assert keys(store.search(("n",), filter=wanted)) == found
    assert store.get(("n",), "e").value == "just text"  # type: ignore[union-attr]


@pytest.mark.parametrize("how", ["get", "search"])
def test_reading_refreshes_the_ttl(store: DynamoDBStore, harness: Harness, how: str) -> None:
    store.put(("n",), "k", {"value": 1}, ttl=2)
    read = {"get": lambda: store.get(("n",), "k"), "search": lambda: store.search(("n",), query="k")}[how]
    for _ in range(3):
        harness.clock.now += 100
        assert read()
    harness.clock.now += 119
    assert store.get(("n",), "k", refresh_ttl=False)
    [item] = harness.items.between(harness.memories(harness.who)._pk, " ", "~")
    assert item["ttl"] > harness.clock.now


def test_the_default_ttl_applies_without_a_ttl(open_store: Open, harness: Harness) -> None:
    store = open_store(ttl={"default_ttl": 1, "refresh_on_read": False})
    store.put(("n",), "k", {})
    store.put(("n",), "ever", {}, ttl=None)
    harness.clock.now += 50
    assert store.get(("n",), "k")
    harness.clock.now += 10
    assert keys(store.search(("n",))) == ["ever"]


def test_an_overwrite_keeps_created_at_unless_the_old_value_expired(store: DynamoDBStore, harness: Harness) -> None:
    store.put(("n",), "k", {"v": 1}, ttl=1)
    made = store.get(("n",), "k").created_at  # type: ignore[union-attr]
    harness.clock.now += 30
    store.put(("n",), "k", {"v": 2}, ttl=1)
    item = store.get(("n",), "k")
    assert item
    assert (item.created_at, (item.updated_at - made).seconds) == (made, 30)
    harness.clock.now += 61
    store.put(("n",), "k", {"v": 3})
    item = store.get(("n",), "k")
    assert item
    assert item.created_at == item.updated_at


def test_a_value_over_390_kb_is_refused_and_leaves_the_one_before(store: DynamoDBStore) -> None:
    store.put(("n" * 990,), "k", {"v": FITS}, ttl=1)
    with pytest.raises(InvalidRequest, match=r"at most 390 KB.*several keys"):
        store.put(("n" * 990,), "k", {"v": TOO_LARGE})
    assert store.search(("n" * 990,))[0].value == {"v": FITS}


def test_a_value_signed_with_an_older_secret_is_readable(store: DynamoDBStore, harness: Harness) -> None:
    store.put(("n",), "k", {"v": 1})
    harness.codec.renew([b"newer", b"secret"])
    assert store.get(("n",), "k")
    store.put(("n",), "k", {"v": 2})
    harness.codec.renew([b"newer"])
    assert keys(store.search(("n",))) == ["k"]


def test_a_moved_or_altered_value_is_detected(store: DynamoDBStore, harness: Harness, log: StringIO) -> None:
    store.put(("n",), "a", {"rich": False})
    store.put(("n",), "b", {"rich": True})
    pk = harness.memories(harness.who)._pk
    a, b = (harness.items.get(pk, memory_item(("n",), key)) for key in "ab")
    harness.items.put({**(a or {}), "data": (b or {})["data"]})
    with pytest.raises(StateCorrupt, match="Store it again"):
        store.get(("n",), "a")
    assert keys(store.search(("n",))) == ["b"]
    assert "memories unreadable" in log.getvalue()
    store.put(("n",), "a", {"rich": 1})
    assert keys(store.search(("n",))) == ["a", "b"]


@pytest.mark.parametrize(
    ("namespace", "key", "value", "told"),
    [
        (("x",), "\ud800", {}, "Unicode"),
        (("x",), "k", {"v": object()}, "must be JSON"),
        (("x",), "k", {"v": "\ud800"}, "must be JSON"),
    ],
)
def test_an_invalid_place_or_value_is_rejected(
    store: DynamoDBStore, namespace: tuple[str, ...], key: str, value: Any, told: str
) -> None:
    with pytest.raises(InvalidRequest, match=told):
        store.put(namespace, key, value)
    assert store.list_namespaces() == []


@pytest.mark.parametrize(("limit", "text"), [("MOST_READ_BYTES", noise(15_000)), ("MOST_OPENED_BYTES", "y" * 10_000)])
def test_a_search_is_bounded_in_stored_and_unpacked_bytes(
    store: DynamoDBStore, harness: Harness, monkeypatch: pytest.MonkeyPatch, limit: str, text: str
) -> None:
    monkeypatch.setattr(memories, limit, 50_000)
    for number in range(8):
        store.put(("n", str(number % 2)), str(number), {"v": text})
    for asked in ({"filter": {"v": "other"}}, {"query": "y"}):
        with pytest.raises(InvalidRequest, match="narrower"):
            store.search(("n",), **asked)  # type: ignore[arg-type]
    assert len(store.search(("n",), limit=2)) == 2
    assert len(store.search(("n", "1"), query="y", limit=2)) == 2


def test_a_batch_reads_before_it_writes_and_takes_the_last_of_a_place(store: DynamoDBStore) -> None:
    store.put(("n",), "k", {"v": 0})
    puts = [PutOp(("n",), "k", {"v": 1}), PutOp(("n",), "k", {"v": 2})]
    got, *_, found = store.batch([GetOp(("n",), "k"), *puts, SearchOp(("n",))])
    assert got.value == found[0].value == {"v": 0}  # type: ignore[union-attr, index]
    assert store.get(("n",), "k").value == {"v": 2}  # type: ignore[union-attr]


def test_a_store_can_be_opened_by_table_name(dynamodb: Any, table_name: str) -> None:
    one = DynamoDBStore(table_name, client=dynamodb, seal_key="secret", user="u")
    one.setup()
    one.put(("n",), "k", {"v": 1})
    assert DynamoDBStore(table_name, client=dynamodb, seal_key="secret", user="u").get(("n",), "k")
    with pytest.raises(StateCorrupt):
        DynamoDBStore(table_name, client=dynamodb, seal_key="other", user="u").get(("n",), "k")
