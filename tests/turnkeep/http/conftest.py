"""The API over a table in memory, with real turns; only the agents are made for the tests."""

from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest
from app_over import app_over
from echoing import Clock
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from memory_items import MemoryItems

from turnkeep.store.items import Items
from turnkeep_local.objects import FolderObjects


@pytest.fixture
def items() -> Items:
    return MemoryItems()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_app(items: Items, folder_objects: FolderObjects, clock: Clock) -> Callable[..., FastAPI]:
    return partial(app_over, items, folder_objects, clock)


@pytest.fixture
def app(make_app: Callable[..., FastAPI]) -> FastAPI:
    return make_app()


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
        yield client
