"""A query ranks by meaning with an index, else by words. Memories that do not match come last."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.store.memory import InMemoryStore

from turnkeep.errors import ModelError
from turnkeep.memory import DynamoDBStore
from turnkeep.memory.search import options_of
from turnkeep.settings import UnusableFile

if TYPE_CHECKING:
    from langgraph.store.base import IndexConfig

type Open = Callable[..., DynamoDBStore]
TOPICS = ("cat", "car", "sea")


def embed(texts: Sequence[str]) -> list[list[float]]:
    """How often each topic is named."""
    return [[float(text.count(topic)) + 0.01 for topic in TOPICS] for text in texts]


async def aembed(texts: Sequence[str]) -> list[list[float]]:
    return embed(texts)


INDEX: "IndexConfig" = {"dims": 3, "embed": embed, "fields": ["text", "notes[*]"]}


def fill(store: Any) -> None:
    store.put(("n",), "a", {"text": "a cat and a cat by the sea"})
    store.put(("n",), "b", {"text": "a car", "notes": ["to the sea", "a cat in it"]})
    store.put(("n",), "c", {"text": "cat"}, index=False)
    store.put(("n",), "d", {"text": "nothing", "other": "car"}, index=["other"])


def ranked(found: Sequence[Any]) -> list[tuple[str, float | None]]:
    return [(item.key, item.score and round(item.score, 4)) for item in found]


@pytest.mark.parametrize("query", ["cat", "car", "sea", "car by the sea"])
def test_semantic_search_ranks_as_in_memory_store_does(open_store: Open, query: str) -> None:
    ours, theirs = open_store(index=INDEX), InMemoryStore(index=INDEX)
    for store in (ours, theirs):
        fill(store)
    assert ranked(ours.search(("n",), query=query)) == ranked(theirs.search(("n",), query=query))
    assert ranked(ours.search(("n",), query=query, filter={"text": "a car"})) == ranked(
        theirs.search(("n",), query=query, filter={"text": "a car"})
    )
    pages = [ours.search(("n",), query=query, limit=1, offset=n) for n in range(5)]
    assert [item.key for page in pages for item in page] == [item.key for item in ours.search(("n",), query=query)]


async def test_an_asynchronous_embedding_model_works(open_store: Open) -> None:
    store = open_store(index={**INDEX, "embed": aembed})
    await store.aput(("n",), "a", {"text": "sea"})
    await store.aput(("n",), "b", {"text": "cat"})
    assert [item.key for item in await store.asearch(("n",), query="cat")] == ["b", "a"]


@pytest.mark.parametrize("query", ["feline", "cats", "CAT"])
def test_words_rank_by_their_stems(open_store: Open, query: str) -> None:
    store = open_store()
    store.put(("n",), "a", {"text": "she sails"})
    store.put(("n",), "pet", {"text": "a cat, a feline, he likes cats"})
    found = store.search(("n",), query=query)
    assert [item.key for item in found] == ["pet", "a"]
    assert (found[0].score or 0) > 0
    assert found[1].score is None


def test_a_failing_embedding_model_raises_model_error_and_stores_nothing(open_store: Open) -> None:
    def broken(texts: Sequence[str]) -> list[list[float]]:
        raise ConnectionError("refused")

    store = open_store(index={"dims": 3, "embed": broken})
    with pytest.raises(ModelError, match="ConnectionError"):
        store.put(("n",), "a", {"text": "x"})
    assert store.get(("n",), "a") is None


def test_vectors_of_another_size_are_rejected(open_store: Open) -> None:
    with pytest.raises(ModelError, match="returns 3 numbers, `dims` is 1536"):
        open_store(index={"dims": 1536, "embed": embed}).put(("n",), "a", {"text": "x"})


def test_memories_embedded_by_another_model_come_last(open_store: Open) -> None:
    store = open_store(index={"dims": 2, "embed": lambda texts: [[1.0, 0.0] for _ in texts]})
    store.put(("n",), "a", {"text": "cat"})
    later = open_store(index=INDEX)
    later.put(("n",), "b", {"text": "cat"})
    assert [item.key for item in later.search(("n",), query="cat")] == ["b", "a"]


class File:
    path = "langgraph.json"

    def __init__(self, **store: Any):
        self.store = store


def options(**store: Any) -> dict[str, Any]:
    file: Any = File(**store)
    return options_of(file, lambda source, name: {("./vectors.py", "embed"): embed}[source, name])


def test_langgraph_json_configures_index_and_ttl(open_store: Open) -> None:
    given = options(index={"embed": "./vectors.py:embed", "dims": 3, "fields": ["text"]}, ttl={"default_ttl": 5})
    store = open_store(**given)
    fill(store)
    assert store.ttl_config == {"default_ttl": 5}
    assert next(item.key for item in store.search(("n",), query="sea")) == "a"
    assert options() == {"ttl": None}


@pytest.mark.parametrize("index", [{}, [], {"embed": 3}, {"embed": "nobody:model", "dims": 3}])
def test_an_unusable_index_is_reported_with_its_file(index: Any) -> None:
    with pytest.raises(UnusableFile, match=r"langgraph\.json: `store\.index"):
        options(index=index)
