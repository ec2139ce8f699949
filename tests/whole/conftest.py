"""One table for the whole folder: every test has a user of its own, so that none sees another's threads."""

import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wire import WireServer

TESTS = Path(__file__).parents[1]
pytest.register_assert_rewrite("canary_site", "canary_drive")

from whole_site import NOW, Site, Visitor  # noqa: E402 - needs the rewriting above

from hand_clock import HandClock  # noqa: E402
from turnkeep.storage.opening import make_table  # noqa: E402

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


@pytest.fixture
async def visitor(site: Site) -> Visitor:
    """Talks to the demo model."""
    return await site.open()
