"""Random operations on DynamoDBStore and on LangGraph's InMemoryStore find the same."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from langgraph.store.memory import InMemoryStore
from memory_items import MemoryItems

from turnkeep.memory import DynamoDBStore
from turnkeep.records import Principal
from turnkeep.store.codec import Codec
from turnkeep.store.memories import Memories

LABELS = st.sampled_from(["a", "b", "ab", "a:b", "a/b", "*", "%2F", "é", "a//", " "])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "k/", "/k", "//", "%", "", "K"])
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["x", "y", ""]))
VALUES = st.dictionaries(
    st.sampled_from(["n", "m"]), st.one_of(PLAIN, st.lists(PLAIN, max_size=2), st.fixed_dictionaries({"in": PLAIN}))
)
NUMBERS = st.integers(-3, 3)
FILTERS = st.one_of(
    st.none(),
    st.dictionaries(st.sampled_from(["n", "m"]), PLAIN, max_size=2),
    st.fixed_dictionaries({"n": st.fixed_dictionaries({"in": PLAIN})}),
    st.fixed_dictionaries({"m": st.dictionaries(st.sampled_from(["$eq", "$ne"]), PLAIN, min_size=1)}),
    st.fixed_dictionaries({"r": st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), NUMBERS, min_size=1)}),
)


class Memory(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = 1_800_000_000.0
        memories = Memories(MemoryItems(), Codec(b"x"), Principal("t", "u"), clock=lambda: self.now)
        self.ours, self.theirs = DynamoDBStore(memories=memories), InMemoryStore()
        self.ends: dict[tuple[tuple[str, ...], str], float] = {}

    @rule(namespace=NAMESPACES, key=KEYS, value=VALUES, rank=NUMBERS, ttl=st.sampled_from([None, None, 1, 3]))
    def put(self, namespace: tuple[str, ...], key: str, value: Any, rank: int, ttl: float | None) -> None:
        value = {**value, "r": rank}  # what a comparison needs: InMemoryStore raises where there is no number
        self.ours.put(namespace, key, value, ttl=ttl)
        self.theirs.put(namespace, key, value)
        self.ends[namespace, key] = self.now + ttl * 60 if ttl else float("inf")

    @rule(namespace=NAMESPACES, key=KEYS)
    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        for store in (self.ours, self.theirs):
            store.delete(namespace, key)
        self.ends.pop((namespace, key), None)

    @rule(minutes=st.sampled_from([0.5, 1, 2]))
    def wait(self, minutes: float) -> None:
        self.now += minutes * 60
        for namespace, key in [place for place, end in self.ends.items() if end <= self.now]:
            self.theirs.delete(namespace, key)
            del self.ends[namespace, key]

    @rule(namespace=NAMESPACES, key=KEYS)
    def get(self, namespace: tuple[str, ...], key: str) -> None:
        ours, theirs = self.ours.get(namespace, key, refresh_ttl=False), self.theirs.get(namespace, key)
        assert (ours and ours.value) == (theirs and theirs.value)

    @rule(
        prefix=st.lists(LABELS, max_size=2).map(tuple),
        wanted=FILTERS,
        limit=st.integers(1, 4),
        offset=st.integers(0, 3),
        query=st.sampled_from([None, None, "x"]),
    )
    def search(self, prefix: tuple[str, ...], wanted: Any, limit: int, offset: int, query: str | None) -> None:
        more: Any = {"filter": wanted, "refresh_ttl": False}
        ours = self.ours.search(prefix, limit=limit, offset=offset, query=query, **more)
        theirs = self.theirs.search(prefix, limit=1000, **more)
        every = {(item.namespace, item.key): item.value for item in theirs}
        assert all(every[item.namespace, item.key] == item.value for item in ours)
        assert len({(item.namespace, item.key) for item in ours}) == min(limit, max(len(every) - offset, 0))
        if query is None:
            whole = self.ours.search(prefix, limit=1000, **more)
            assert ours == whole[offset : offset + limit]

    @rule(
        prefix=st.none() | NAMESPACES,
        suffix=st.none() | NAMESPACES,
        depth=st.sampled_from([None, 1, 2]),
        limit=st.integers(1, 3),
        offset=st.integers(0, 2),
    )
    def namespaces(self, prefix: Any, suffix: Any, depth: int | None, limit: int, offset: int) -> None:
        fresh = InMemoryStore()  # the other one goes on to list namespaces that are empty
        for namespace, key in self.ends:
            fresh.put(namespace, key, {})
        asked: Any = {"prefix": prefix, "suffix": suffix, "max_depth": depth, "limit": limit, "offset": offset}
        assert self.ours.list_namespaces(**asked) == fresh.list_namespaces(**asked)

    @invariant()
    def holds_what_lives(self) -> None:
        assert {(item.namespace, item.key) for item in self.ours.search((), limit=1000, refresh_ttl=False)} == {
            *self.ends
        }


TestMemory = Memory.TestCase
TestMemory.settings = settings(settings.get_profile("quick"), max_examples=60, stateful_step_count=25)
