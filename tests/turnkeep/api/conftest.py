"""The API over a table in memory and the real life of a turn; only the agents are made for the test. What goes through
HTTP to a real table is told in tests/whole, tests/clients and tests/faults."""

import secrets
from collections.abc import AsyncIterator, Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest
from echoing import Clock, echo_agent
from httpx import ASGITransport, AsyncClient
from memory_items import MemoryItems

from bare_app import bare_app
from turnkeep.memory import DynamoDBStore
from turnkeep.settings import Settings
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.export import Exports
from turnkeep.storage.items import Items
from turnkeep.storage.memories import Memories
from turnkeep.storage.persons import Persons
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Table
from turnkeep.storage.uploads import KeptUploads
from turnkeep.storage.usage import Usage
from turnkeep.turns import Turns
from turnkeep.turns.runs import Runs
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from fastapi import FastAPI

    from turnkeep.agents import Agent


@pytest.fixture
def items() -> Items:
    return MemoryItems()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_app(items: Items, folder_objects: FolderObjects, clock: Clock) -> "Callable[..., FastAPI]":
    def make(
        table_kind: type[Table] = Table, agent_of: "Callable[[str], Agent]" = echo_agent, **changes: Any
    ) -> "FastAPI":
        settings = Settings(seal_key="secret-of-the-test")  # type: ignore[arg-type]
        blobs, sealer = Blobs(folder_objects, items), Sealer(b"secret-of-the-test")
        table = table_kind(items, blobs, sealer, clock=clock, mint=secrets.token_bytes)
        uploads = KeptUploads(folder_objects)
        attachments = Attachments(items, uploads, sealer, threads=table, clock=clock)
        turns = Turns(
            table,
            cache(agent_of),
            tuning=settings.turn,
            default_agent="papers",
            clock=clock,
            names=frozenset({"papers", "broken", "database", "products"}),
            attachments=attachments,
        )
        facts: dict[str, Any] = {"table": table, "turns": turns, "attachments": attachments, "settings": settings}
        facts |= {"sealer": sealer, "runs": Runs(turns, table)}
        usage = Usage(items, settings.budget, clock=clock, mint=secrets.token_bytes)
        memories = partial(Memories, items, sealer, clock=clock, mint=secrets.token_bytes)
        more: Any = {"memories": memories, "facts": {}, "clock": clock, "mint": secrets.token_bytes}
        exports = Exports(table, attachments, usage, folder_objects, sealer, **more)
        facts["stores"] = lambda principal: DynamoDBStore(memories=memories(principal))
        facts |= {"exports": exports, "persons": Persons(items, Eraser(items, blobs, clock=clock), clock=clock)}
        app = bare_app(**facts | changes)
        app.state.attachments, app.state.exports, app.state.persons = attachments, exports, facts["persons"]
        app.state.table, app.state.runs = table, facts["runs"]
        return app

    return make


@pytest.fixture
def app(make_app: "Callable[..., FastAPI]") -> "FastAPI":
    return make_app()


@pytest.fixture
async def client(app: "FastAPI") -> AsyncIterator[AsyncClient]:
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
        yield client
