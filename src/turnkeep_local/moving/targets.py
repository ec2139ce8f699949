"""Where threads move to: a deployment, or the folder of this machine that `turnkeep dev` serves."""

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import boto3

from turnkeep.agents import read_settings
from turnkeep.settings import Settings
from turnkeep.storage.blobs import Blobs, Objects, S3Objects
from turnkeep.storage.items import Items
from turnkeep.storage.sealing import Sealer
from turnkeep_local import LocalError
from turnkeep_local.clients import TABLE_SECONDS, dynamodb_client, open_objects
from turnkeep_local.deployed.account import Deployment
from turnkeep_local.dynamodb import open_store, running_store
from turnkeep_local.home import open_home, sole_server
from turnkeep_local.moving.arrivals import Arrivals
from turnkeep_local.server import local_settings
from turnkeep_local.tables import create_table, find_template


def deployed(deployment: Deployment, environ: Mapping[str, str], bucket: str | None, agent: str) -> Arrivals:
    """Raises LocalError where nothing says where large values lie, or that threads of the agent may lie there."""
    bucket = bucket or deployment.bucket or environ.get("BUCKET_NAME")
    if not bucket:
        raise LocalError("Name the bucket of large values beside the table: --to-bucket NAME, or its stack: --to-stack")
    objects = S3Objects(boto3.client("s3"), bucket)
    return _arrivals(deployment.items, objects, deployment.sealer, read_settings(), agent)


@contextmanager
def on_this_machine(environ: Mapping[str, str], agent: str) -> Iterator[Arrivals]:
    """The store of this folder, beside a server that runs or, for as long as this takes, in place of one."""
    home = open_home(environ)
    settings = local_settings(home, environ)
    with ExitStack() as stack:
        store = running_store(home, environ)
        if store is None:
            stack.enter_context(sole_server(home, "turnkeep import"))
            store = stack.enter_context(open_store(home, environ, print))
        client = dynamodb_client(store, environ, seconds=TABLE_SECONDS)
        create_table(client, settings.table_name, find_template())
        items, objects = Items(client, settings.table_name), open_objects(home, environ, settings.bucket_name)
        yield _arrivals(items, objects, Sealer(*settings.seal_secrets), settings, agent)


def _arrivals(items: Items, objects: Objects, sealer: Sealer, settings: Settings, agent: str) -> Arrivals:
    if settings.is_private(agent):
        raise LocalError(f"Personal data is hidden from {agent}, and in the old threads it is not: they cannot move.")
    time_and_chance: Mapping[str, Any] = {"clock": time.time, "mint": secrets.token_bytes}
    return Arrivals(items, Blobs(objects), sealer, thread_hours=settings.thread_hours, **time_and_chance)
