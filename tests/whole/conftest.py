"""One table for the whole folder: every test has a user of its own, so that none sees another's threads."""

import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from whole_site import NOW, Site
from wire import WireServer

from hand_clock import HandClock
from turnkeep.store.opening import make_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="session")
def whole_table(dynamodb: "DynamoDBClient") -> Iterator[str]:
    name = f"turnkeep-{uuid.uuid4().hex}"
    make_table(dynamodb, name)
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture
async def site(dynamodb_url: str, whole_table: str, tmp_path: Path) -> AsyncIterator[Site]:
    async with AsyncExitStack() as stack:
        yield Site(dynamodb_url, whole_table, tmp_path, f"u-{uuid.uuid4().hex}", HandClock(NOW), stack)


@pytest.fixture
def model() -> Iterator[WireServer]:
    """A model's server that plays what a test appends to its script."""
    with WireServer() as server:
        yield server
