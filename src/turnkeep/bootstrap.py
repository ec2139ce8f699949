"""The composition root: settings and clients in, running services out. Builds, but does no I/O."""

import functools
import secrets
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from turnkeep.agents import build_agent
from turnkeep.entries import entries
from turnkeep.locations import SecretSource
from turnkeep.settings import Settings
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.blobs import Blobs, Objects
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.export import Exports
from turnkeep.storage.items import Items
from turnkeep.storage.persons import Persons
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Table
from turnkeep.storage.uploads import KeptUploads, Uploads
from turnkeep.storage.usage import Usage
from turnkeep.turns import Turns

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# What a request waits for its store: three tries, each short, well inside a turn's deadline.
CLIENT_CONFIG: Mapping[str, Any] = {
    "retries": {"mode": "standard", "total_max_attempts": 3},
    "connect_timeout": 1,
    "read_timeout": 3,
    "parameter_validation": False,  # a sixth of a request's CPU time: code builds what is sent
}


@dataclass(frozen=True)
class Services:
    """What the functions and the local server are made of."""

    settings: Settings
    table: Table
    turns: Turns
    cleanup: Cleanup
    sealer: Sealer
    usage: Usage
    attachments: Attachments
    exports: Exports
    persons: Persons


def build(
    settings: Settings,
    *,
    dynamodb: "DynamoDBClient",
    objects: Objects,
    uploads: Uploads | None = None,
    model_key: SecretSource | None = None,
    refresh: Callable[[], Sequence[bytes]] | None = None,
    clock: Callable[[], float] = time.time,
) -> Services:
    """All services of a deployment over the given store. `model_key` takes the place of a key in the settings;
    `refresh` gives the secrets that seal as they are now, where they can change while this runs. `uploads` takes files
    where no route of this server does."""
    if model_key:
        settings = settings.with_key_source(model_key)
    if settings.pii_detector:
        from turnkeep.blocks.pii import add_detector  # noqa: PLC0415 - hardly any deployment has one

        add_detector(settings.pii_detector)
    items, blobs = Items(dynamodb, settings.table_name), Blobs(objects)
    sealer = Sealer(*settings.seal_secrets, refresh=refresh)
    table = Table(
        items,
        blobs,
        sealer,
        clock=clock,
        thread_hours=settings.thread_hours,
        mint=secrets.token_bytes,
        lease_seconds=settings.turn.lease_seconds,
    )
    attachments = Attachments(
        items, uploads or KeptUploads(objects), sealer, threads=table, clock=clock, mint=secrets.token_bytes
    )
    eraser = Eraser(items, blobs, clock=clock)
    cleanup = Cleanup(items, eraser, clock=clock)
    usage = Usage(items, settings.budget, clock=clock, mint=secrets.token_bytes)
    turns = Turns(
        table,
        functools.cache(functools.partial(build_agent, settings=settings)),
        tuning=settings.turn,
        default_agent=settings.default_agent,
        clock=clock,
        mint=lambda: uuid.uuid4().hex,
        private=frozenset(filter(settings.is_private, entries())),
        usage=usage if settings.budget.is_of_users or settings.budget.has_ceiling else None,
        attachments=attachments,
    )
    exports = Exports(
        table,
        attachments,
        usage,
        objects,
        sealer,
        facts={"thread_hours": settings.thread_hours, "limits": settings.budget.model_dump()},
        clock=clock,
        mint=secrets.token_bytes,
    )
    persons = Persons(items, eraser, clock=clock)
    return Services(settings, table, turns, cleanup, sealer, usage, attachments, exports, persons)
