from typing import TYPE_CHECKING, Any

import pytest
from desk import ANN, Desk
from memory_items import MemoryItems

from turnkeep.memory import DynamoDBStore
from turnkeep.storage.items import Items

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnkeep_local.objects import FolderObjects


@pytest.fixture(params=["in memory", "DynamoDB"])
def desk(request: pytest.FixtureRequest, folder_objects: "FolderObjects") -> Desk:
    """A table with a clock in the test's hand."""
    items: Items = MemoryItems() if request.param == "in memory" else request.getfixturevalue("items")
    return Desk(items, folder_objects)


@pytest.fixture
def open_store(desk: Desk) -> "Callable[..., DynamoDBStore]":
    def opened(who: Any = ANN, **more: Any) -> DynamoDBStore:
        return DynamoDBStore(memories=desk.memories(who), **more)

    return opened


@pytest.fixture
def store(open_store: "Callable[..., DynamoDBStore]") -> DynamoDBStore:
    return open_store()
