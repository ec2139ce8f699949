"""The app with agents whose graphs do a little of everything, and its background runs; LangGraph's stock SDK on it."""

import secrets
import uuid
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import TYPE_CHECKING

import pytest
from desk_graph import desk_agent
from echoing import Clock
from httpx import ASGITransport, AsyncClient
from langgraph_sdk.client import LangGraphClient

from turnkeep.settings import Settings
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.items import Items
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Table
from turnkeep.turns import Turns
from turnkeep.turns.runs import Runs

if TYPE_CHECKING:
    from fastapi import FastAPI

    from turnkeep_local.objects import FolderObjects

DESKS = frozenset({"papers", "products"})


@pytest.fixture
def app(make_app: "Callable[..., FastAPI]", items: Items, folder_objects: "FolderObjects", clock: Clock) -> "FastAPI":
    sealer = Sealer(b"secret-of-the-test")
    table = Table(items, Blobs(folder_objects), sealer, clock=clock, mint=secrets.token_bytes)
    turns = Turns(
        table,
        cache(desk_agent),
        tuning=Settings().turn,
        default_agent="papers",
        clock=clock,
        mint=lambda: uuid.uuid4().hex,
        names=DESKS,
    )
    runs = Runs(turns, table, mint=lambda: uuid.uuid4().hex)
    return make_app(table=table, turns=turns, runs=runs)


@pytest.fixture
async def sdk(app: "FastAPI") -> AsyncIterator[LangGraphClient]:
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as http:
        yield LangGraphClient(http)
