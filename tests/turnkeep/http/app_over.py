"""Builds the API over the stores of a test, with real turns."""

import secrets
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from echoing import Clock, echo_agent

from bare_app import bare_app
from turnkeep.memory import DynamoDBStore
from turnkeep.settings import Settings
from turnkeep.store.attachments import Attachments
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.erasure import Eraser
from turnkeep.store.export import Exports
from turnkeep.store.items import Items
from turnkeep.store.memories import Memories
from turnkeep.store.store import Store
from turnkeep.store.uploads import KeptUploads
from turnkeep.store.usage import Usage
from turnkeep.store.users import UserEraser
from turnkeep.turns import Turns
from turnkeep.turns.background import Runs
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from fastapi import FastAPI

    from turnkeep.graphs.agent import Agent


def app_over(
    items: Items,
    folder_objects: FolderObjects,
    clock: Clock,
    agent_of: "Callable[[str], Agent]" = echo_agent,
    **changes: Any,
) -> "FastAPI":
    settings = Settings(seal_key="secret-of-the-test")  # type: ignore[arg-type]
    blobs, codec = Blobs(folder_objects, items), Codec(b"secret-of-the-test")
    store = Store(items, blobs, codec, clock=clock, random_bytes=secrets.token_bytes)
    uploads = KeptUploads(folder_objects)
    attachments = Attachments(store.heads, store.vault, uploads)
    memories = partial(Memories, items, codec, clock=clock)
    stores: Any = lambda principal: DynamoDBStore(memories=memories(principal))  # noqa: E731
    turns = Turns(
        store,
        cache(agent_of),
        tuning=settings.turn,
        default_agent="papers",
        clock=clock,
        names=frozenset({"papers", "broken", "database", "products"}),
        attachments=attachments,
        stores=stores,
    )
    facts: dict[str, Any] = {"store": store, "turns": turns, "attachments": attachments, "settings": settings}
    facts |= {"codec": codec, "runs": Runs(turns, store)}
    usage = Usage(store.heads, settings.budget)
    exports = Exports(store, attachments, usage, folder_objects, memories=memories, facts={})
    facts |= {
        "stores": stores,
        "exports": exports,
        "user_eraser": UserEraser(Eraser(items, blobs, clock=clock)),
    }
    app = bare_app(**facts | changes)
    app.state.attachments, app.state.exports, app.state.user_eraser = attachments, exports, facts["user_eraser"]
    app.state.store, app.state.runs = store, facts["runs"]
    return app
