from typing import TYPE_CHECKING, Any

import pytest
from harness import ANN, Harness
from memory_items import MemoryItems

from turnkeep.memory import DynamoDBStore
from turnkeep.store.items import Items

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnkeep_local.objects import FolderObjects


@pytest.fixture(params=["in memory", "DynamoDB"])
def harness(request: pytest.FixtureRequest, folder_objects: "FolderObjects") -> Harness:
    """A table with a clock in the test's hand."""
    items: Items = MemoryItems() if request.param == "in memory" else request.getfixturevalue("items")
    return Harness(items, folder_objects)


@pytest.fixture
def open_store(harness: Harness) -> "Callable[..., DynamoDBStore]":
    def opened(who: Any = ANN, **more: Any) -> DynamoDBStore:
        return DynamoDBStore(memories=harness.memories(who), **more)

    return opened


@pytest.fixture
def store(open_store: "Callable[..., DynamoDBStore]") -> DynamoDBStore:
    return open_store()
