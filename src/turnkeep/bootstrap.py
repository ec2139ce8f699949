"""The composition root: settings and clients in, running services out. Builds, but does no I/O."""

import functools
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from turnkeep.entries import default_agent, entries, graph_file
from turnkeep.errors import AgentUnavailable
from turnkeep.graphs.building import build_agent, log_unusable
from turnkeep.records import Principal
from turnkeep.services import Services
from turnkeep.settings import Settings, UnusableFile
from turnkeep.store.attachments import Attachments
from turnkeep.store.blobs import Blobs, Objects
from turnkeep.store.cleanup import Cleanup
from turnkeep.store.codec import Codec
from turnkeep.store.direct import Direct
from turnkeep.store.export import Exports
from turnkeep.store.items import Items
from turnkeep.store.memories import Memories
from turnkeep.store.store import Store
from turnkeep.store.uploads import KeptUploads, Uploads
from turnkeep.store.usage import Usage
from turnkeep.store.users import UserEraser
from turnkeep.turns import Turns
from turnkeep.turns.background import Runs

if TYPE_CHECKING:
    from botocore.credentials import Credentials
    from langgraph.store.base import BaseStore
    from mypy_boto3_dynamodb import DynamoDBClient

# A request's limits for its store: three short tries, well inside a turn's deadline.
CLIENT_CONFIG: Mapping[str, Any] = {
    "retries": {"mode": "standard", "total_max_attempts": 3},
    "connect_timeout": 1,
    "read_timeout": 3,
    "parameter_validation": False,  # a sixth of a request's CPU time: code builds what is sent
}


def store_config(settings: Settings) -> Mapping[str, Any]:
    """Return the configuration of DynamoDB's client. `Direct` makes the first of the three tries."""
    tries = 2 if settings.dynamodb_direct else 3
    return {**CLIENT_CONFIG, "retries": {"mode": "standard", "total_max_attempts": tries}}


def build(
    settings: Settings,
    *,
    dynamodb: "DynamoDBClient",
    objects: Objects,
    credentials: "Credentials | None" = None,
    uploads: Uploads | None = None,
    refresh: Callable[[], Sequence[bytes]] | None = None,
    clock: Callable[[], float] = time.time,
) -> Services:
    """Build all services. `credentials`: those of `dynamodb`. `refresh`: the key ring's current secrets. `uploads`:
    receives files unless a route does."""
    if settings.pii_detector:
        from turnkeep.pii import add_detector  # noqa: PLC0415 - few deployments have one

        add_detector(settings.pii_detector)
    direct = Direct.of(dynamodb, credentials) if settings.dynamodb_direct else None
    items = Items(dynamodb, settings.table_name, direct=direct)
    blobs, codec = Blobs(objects, items), Codec(*settings.signing_secrets, refresh=refresh)
    hours, seconds, chance = settings.thread_hours, settings.turn.lease_seconds, secrets.token_bytes
    store = Store(items, blobs, codec, clock=clock, random_bytes=chance, thread_hours=hours, lease_seconds=seconds)
    attachments = Attachments(store.heads, store.vault, uploads or KeptUploads(objects))
    usage = Usage(store.heads, settings.budget)
    memories = functools.partial(Memories, items, codec, clock=clock)
    stores = _stores(memories, clock)
    turns = Turns(
        store,
        functools.cache(functools.partial(build_agent, settings=settings)),
        tuning=settings.turn,
        default_agent=default_agent(settings.default_agent),
        clock=clock,
        private=frozenset(filter(settings.is_private, entries())),
        usage=usage if settings.budget.is_of_users or settings.budget.has_ceiling else None,
        attachments=attachments,
        stores=stores,
    )
    facts = {"thread_hours": hours, "limits": settings.budget.model_dump()}
    return Services(
        settings=settings,
        store=store,
        turns=turns,
        runs=Runs(turns, store, settings.turn.debounce_seconds),
        cleanup=Cleanup(store.heads.eraser),
        attachments=attachments,
        exports=Exports(store, attachments, usage, objects, memories=memories, facts=facts),
        user_eraser=UserEraser(store.heads.eraser),
        stores=stores,
    )


def _stores(memories: Callable[..., Memories], clock: Callable[[], float]) -> "Callable[[Principal], BaseStore]":
    """Return the factory of each caller's store, as of the beginning of a run or a request."""

    @functools.cache
    def options() -> Mapping[str, Any]:
        file = graph_file()
        if file is None or not file.store:
            return {}
        from turnkeep.graphs.own import attribute_of  # noqa: PLC0415
        from turnkeep.memory.search import options_of  # noqa: PLC0415 - LangGraph, only on the paths that need it

        try:
            return options_of(file, functools.partial(attribute_of, file))
        except UnusableFile as error:
            log_unusable("store", error)
            raise AgentUnavailable from error

    def store_of(principal: Principal) -> "BaseStore":
        from turnkeep.memory import DynamoDBStore  # noqa: PLC0415

        return DynamoDBStore(memories=memories(principal, began=int(clock() * 1000)), **options())

    return store_of
