"""DynamoDBStore keeps what it is given, whole, for as long as it is to live, and for one principal alone."""

import threading
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from desk import Desk, noise
from langgraph.store.base import GetOp, PutOp, SearchOp

from turnkeep import DynamoDBStore
from turnkeep.errors import InvalidRequest, StateCorrupt
from turnkeep.storage import memories
from turnkeep.storage.keys import memory_item

LARGE = noise(1_200_000)
NAMES = [
    ("a:b", "c"),
    ("a", "b", "c"),
    ("a/b", "c"),
    ("a%2Fb", "c"),
    ("a%", "é", "c"),
    ("a", "b/", "c"),
    ("A", "b", "c"),
]
type Open = Callable[..., DynamoDBStore]


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


def stored(desk: Desk) -> list[str]:
    """The keys of all items but tombstones."""
    items = desk.items.between(desk.memories(desk.who)._pk, " ", "~")
    return [item["SK"] for item in items if item.get("expires") != 0]


def test_no_two_places_are_one(store: DynamoDBStore) -> None:
    for number, namespace in enumerate(NAMES):
        store.put(namespace, "c", {"n": number})
    assert [store.get(namespace, "c").value["n"] for namespace in NAMES] == [*range(len(NAMES))]  # type: ignore[union-attr]
    assert store.list_namespaces() == sorted(NAMES)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"n": {"$gt": 1}}, ["b", "c"]),
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
    assert keys(store.search(("n",), filter=wanted)) == found


def test_an_operator_that_there_is_not_is_told(store: DynamoDBStore) -> None:
    store.put(("n",), "a", {"n": 1})
    with pytest.raises(InvalidRequest, match=r"Send \$eq"):
        store.search(("n",), filter={"n": {"$near": 1}})


@pytest.mark.parametrize("value", ["short", LARGE])
@pytest.mark.parametrize("how", ["get", "search"])
def test_reading_lets_it_live_on(store: DynamoDBStore, desk: Desk, how: str, value: str) -> None:
    store.put(("n",), "k", {"value": value}, ttl=2)
    read = {"get": lambda: store.get(("n",), "k"), "search": lambda: store.search(("n",), query="k")}[how]
    for _ in range(3):
        desk.clock.now += 100
        assert read()
    desk.clock.now += 119
    assert store.get(("n",), "k", refresh_ttl=False)
    ttls = {item["ttl"] for item in desk.items.between(desk.memories(desk.who)._pk, " ", "~")}
    assert min(ttls) > desk.clock.now


def test_the_configured_life_is_that_of_what_names_none(open_store: Open, desk: Desk) -> None:
    store = open_store(ttl={"default_ttl": 1, "refresh_on_read": False})
    store.put(("n",), "k", {})
    store.put(("n",), "ever", {}, ttl=None)
    desk.clock.now += 50
    assert store.get(("n",), "k")
    desk.clock.now += 10
    assert keys(store.search(("n",))) == ["ever"]


def test_what_is_put_anew_keeps_when_it_was_made_unless_it_had_expired(store: DynamoDBStore, desk: Desk) -> None:
    store.put(("n",), "k", {"v": LARGE}, ttl=1)
    made = store.get(("n",), "k").created_at  # type: ignore[union-attr]
    desk.clock.now += 30
    store.put(("n",), "k", {"v": LARGE + "!"}, ttl=1)
    item = store.get(("n",), "k")
    assert item
    assert (item.created_at, (item.updated_at - made).seconds) == (made, 30)
    desk.clock.now += 61
    store.put(("n",), "k", {"v": 3})
    item = store.get(("n",), "k")
    assert item
    assert item.created_at == item.updated_at
    assert stored(desk) == ["ITEM#n//k"]


def test_a_large_value_lies_aside_and_goes_with_its_item(store: DynamoDBStore, desk: Desk) -> None:
    store.put(("n",), "k", {"v": LARGE})
    assert len(stored(desk)) > 2
    assert store.get(("n",), "k").value == {"v": LARGE} == store.search(("n",))[0].value  # type: ignore[union-attr]
    store.put(("n",), "k", {"v": "short"})
    assert stored(desk) == ["ITEM#n//k"]
    store.put(("n",), "k", {"v": LARGE})
    store.delete(("n",), "k")
    store.delete(("n",), "k")
    assert stored(desk) == []
    store.put(("n",), "k", {"v": LARGE}, ttl=1)
    desk.clock.now += 61
    store.put(("n",), "k", {"v": LARGE})
    store.delete(("n",), "k")
    assert stored(desk) == []


@pytest.mark.parametrize("desk", ["DynamoDB"], indirect=True)
def test_of_writers_at_once_one_wins_whole(desk: Desk, open_store: Open) -> None:
    values = [f"{n}" * (700_000 if n % 2 else 3) + noise(650_000) * (n % 2) for n in range(4)]
    seen: list[Any] = []

    def write(value: str) -> None:
        for _ in range(3):
            open_store().put(("n",), "k", {"v": value})
            item = open_store().get(("n",), "k")
            seen.append(item and item.value["v"])

    threads = [threading.Thread(target=write, args=(value,)) for value in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 12
    assert {*seen} <= {*values}
    last = open_store().get(("n",), "k")
    assert last
    parts = [sk for sk in stored(desk) if sk.startswith("PART#")]
    assert bool(parts) == (len(last.value["v"]) > 300_000)


def test_a_value_that_an_older_secret_sealed_is_read_and_put_again_under_the_newest(
    store: DynamoDBStore, desk: Desk
) -> None:
    store.put(("n",), "k", {"v": LARGE})
    desk.codec.renew([b"newer", b"secret"])
    assert store.get(("n",), "k")
    store.put(("n",), "k", {"v": 2})
    desk.codec.renew([b"newer"])
    assert keys(store.search(("n",))) == ["k"]


def test_parts_of_the_older_layout_are_read_and_deleted_with_their_item(store: DynamoDBStore, desk: Desk) -> None:
    pk = desk.memories(desk.who)._pk
    for replace in (lambda: store.put(("n",), "k", {"v": LARGE}), lambda: store.delete(("n",), "k")):
        store.put(("n",), "k", {"v": LARGE})
        for item in desk.items.between(pk, " ", "~"):
            name = item.get("part") or item["SK"][5:-5]
            older = {"SK": item["SK"].replace(name, "00ff00ff00ff00ff")} | (
                {"part": "00ff00ff00ff00ff"} if "part" in item else {}
            )
            desk.items.write_many(deletes=[(pk, item["SK"])])
            desk.items.write_many(puts=[item | older])
        assert store.get(("n",), "k").value == {"v": LARGE}  # type: ignore[union-attr]
        replace()
        assert not [sk for sk in stored(desk) if "00ff" in sk]
    assert stored(desk) == []


def test_a_value_that_was_moved_or_altered_is_found_out(store: DynamoDBStore, desk: Desk, log: StringIO) -> None:
    store.put(("n",), "a", {"rich": False})
    store.put(("n",), "b", {"rich": True})
    pk = desk.memories(desk.who)._pk
    a, b = (desk.items.get(pk, memory_item(("n",), key)) for key in "ab")
    desk.items.put({**(a or {}), "data": (b or {})["data"]})
    with pytest.raises(StateCorrupt, match="Put it anew"):
        store.get(("n",), "a")
    assert keys(store.search(("n",))) == ["b"]
    assert "memories unreadable" in log.getvalue()
    store.put(("n",), "a", {"rich": 1})
    assert keys(store.search(("n",))) == ["a", "b"]


@pytest.mark.parametrize(
    ("namespace", "key", "value", "told"),
    [
        (("x" * 600, "y" * 500), "k", {}, "at most 1,000 bytes"),
        (("x",), "\ud800", {}, "Unicode"),
        (("x",), "k", {"v": object()}, "what JSON has"),
        (("x",), "k", {"v": 2**70}, "64 bits"),
        (("x",), "k", {"v": "\ud800"}, "what JSON has"),
    ],
)
def test_what_cannot_be_kept_is_told(
    store: DynamoDBStore, namespace: tuple[str, ...], key: str, value: Any, told: str
) -> None:
    with pytest.raises(InvalidRequest, match=told):
        store.put(namespace, key, value)
    assert store.list_namespaces() == []


def test_a_value_that_is_no_object_is_kept_too(store: DynamoDBStore) -> None:
    store.put(("n",), "k", "just text")  # type: ignore[arg-type]
    assert store.get(("n",), "k").value == "just text"  # type: ignore[union-attr]
    assert keys(store.search(("n",), query="text")) == ["k"]
    assert store.search(("n",), filter={"text": 1}) == []


@pytest.mark.parametrize(("limit", "text"), [("MOST_READ_BYTES", noise(15_000)), ("MOST_OPENED_BYTES", "y" * 10_000)])
def test_a_search_stops_at_a_bound_as_stored_and_as_unpacked(
    store: DynamoDBStore, desk: Desk, monkeypatch: pytest.MonkeyPatch, limit: str, text: str
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


def test_it_can_be_opened_by_the_name_of_a_table(dynamodb: Any, table_name: str) -> None:
    one = DynamoDBStore(table_name, client=dynamodb, seal_key="secret", user="u")
    one.setup()
    one.put(("n",), "k", {"v": 1})
    assert DynamoDBStore(table_name, client=dynamodb, seal_key="secret", user="u").get(("n",), "k")
    with pytest.raises(StateCorrupt):
        DynamoDBStore(table_name, client=dynamodb, seal_key="other", user="u").get(("n",), "k")
