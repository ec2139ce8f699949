"""The hourly sweep of expired threads. Its event is not read: what is due stands in the table alone. It loads nothing
that requests need and holds no secret, for what it deletes it never opens."""

import functools
import os
import time
from dataclasses import asdict
from typing import Any

from turnkeep.aws.loading import LateClient, loading

AT_ONCE = 16  # threads deleted side by side; more would not be faster, a vCPU is busy by then
MARGIN_MS = 20_000  # enough for a thread of some thousand turns; what is left of a longer one, the next sweep deletes

with loading():
    import boto3
    from botocore.config import Config

    from turnkeep.observability import correlate, guard_output
    from turnkeep.storage.blobs import Blobs, S3Objects
    from turnkeep.storage.cleanup import Cleanup
    from turnkeep.storage.erasure import Eraser
    from turnkeep.storage.items import Items

    guard_output()
    # Where DynamoDB throttles, sixteen that wait up to eight seconds each are slow enough; "adaptive" was slower still.
    patience: dict[str, Any] = {"retries": {"mode": "standard", "total_max_attempts": 5}, "connect_timeout": 1}
    patient = Config(**patience, read_timeout=5, max_pool_connections=AT_ONCE + 1)
    items = Items(boto3.client("dynamodb", config=patient), os.environ["TABLE_NAME"])
    s3: Any = LateClient(functools.partial(boto3.client, "s3", config=patient))
    blobs = Blobs(S3Objects(s3, os.environ["BUCKET_NAME"]))
    cleanup = Cleanup(items, Eraser(items, blobs, clock=time.time), clock=time.time, at_once=AT_ONCE)


def handler(event: Any, context: Any) -> dict[str, int | bool]:
    """What was done, for the log of whoever invokes it by hand; raises where the store does not answer."""
    correlate(context.aws_request_id)
    return asdict(cleanup.sweep(lambda: context.get_remaining_time_in_millis() > MARGIN_MS))
