"""`turnkeep import`: opens both tables, reads the owners of threads, and reports the outcome."""

import argparse
import csv
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import boto3

from turnkeep.graphs.building import read_settings
from turnkeep.records import Principal
from turnkeep.store.blobs import Blobs, S3Objects
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items
from turnkeep.store.keys import is_storable
from turnkeep.store.opening import make_table
from turnkeep.store.store import Store
from turnkeep_local import LocalError
from turnkeep_local.clients import dynamodb_client, open_objects
from turnkeep_local.deployment import explained, open_deployment
from turnkeep_local.dynamodb import open_store, running_store
from turnkeep_local.home import open_home, sole_server
from turnkeep_local.moving.moves import Moves
from turnkeep_local.moving.savers import OldTable
from turnkeep_local.server import local_settings

COLUMNS = "thread_id,tenant,user"


def import_threads(options: argparse.Namespace) -> None:
    """Import threads and print a count of each outcome; raise LocalError if some were left that should move."""
    owners = read_owners(options.owner) if options.owner else {}
    rest = _principal(options.tenant, options.user, "--tenant, --user") if options.tenant or options.user else None
    if not owners and rest is None:
        raise LocalError("The threads have no owner. Set --tenant and --user, or list owners in --owner FILE.csv")
    own = (options.endpoint_url, options.writes_table, options.s3_bucket, options.s3_prefix)
    with explained(), _destination(options) as store:
        old = OldTable(options.package, options.old, *own)
        moves = Moves(old, store, owners, rest, options.agent, report=print, dry_run=options.dry_run)
        tally = moves.run(partial(print, end="\r", file=sys.stderr, flush=True))
    counts = [f"{count:>8}  {outcome}" for outcome, count in tally.threads.items()]
    print("\n".join([*counts, f"{tally.turns:>8}  turns"]), flush=True)
    if tally.left:
        total = tally.threads.total()
        raise LocalError(f"{tally.left} of {total} threads were not imported. Run the same command to retry them.")


@contextmanager
def _destination(options: argparse.Namespace) -> Iterator[Store]:
    """Open the deployment, or the store of this folder, whether its server runs or not."""
    home = None if options.stack or options.table else open_home(os.environ)
    settings = local_settings(home, os.environ) if home else read_settings()
    if settings.is_private(options.agent):
        raise LocalError(f"{options.agent} redacts personal data. Old threads contain it, so it cannot continue them.")
    with ExitStack() as stack:
        if home:
            store = running_store(home, os.environ)
            if store is None:
                stack.enter_context(sole_server(home, "turnkeep import"))
                store = stack.enter_context(open_store(home, os.environ, print))
            client = dynamodb_client(store, os.environ)
            make_table(client, settings.table_name)
            items, codec = Items(client, settings.table_name), Codec(*settings.signing_secrets)
            objects = open_objects(home, os.environ, settings.bucket_name)
        else:
            deployment = stack.enter_context(open_deployment(options))
            bucket = deployment.bucket or os.environ.get("BUCKET_NAME")
            if not bucket:
                raise LocalError("The bucket of the table is unknown. Set BUCKET_NAME, or use --to-stack.")
            items, codec = deployment.items, Codec(refresh=deployment.secrets)
            objects = S3Objects(boto3.client("s3"), bucket)
        facts: Any = {"clock": time.time, "random_bytes": secrets.token_bytes, "thread_hours": settings.thread_hours}
        yield Store(items, Blobs(objects), codec, **facts)


def read_owners(file: Path) -> dict[str, Principal]:
    reader = csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines(), restkey="more", restval="")
    owners: dict[str, Principal] = {}
    for row in reader:
        place = f"{file}:{reader.line_num}"
        if sorted(row) != sorted(COLUMNS.split(",")) or row["thread_id"] in owners:
            raise LocalError(f"{place}: each thread needs one line with the columns {COLUMNS}.")
        owners[row["thread_id"]] = _principal(row["tenant"], row["user"], place)
    return owners


def _principal(tenant: str, user: str, place: str) -> Principal:
    if tenant and user and is_storable(owner := Principal(tenant, user)):
        return owner
    raise LocalError(f"{place}: tenant and user must not be empty, and together under 900 bytes.")
