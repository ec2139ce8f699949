"""The hourly sweep of expired threads. It ignores its event: only the table knows what is due. It loads nothing that
requests need, and no secret, because it never decrypts what it deletes."""

import functools
import os
import time
from dataclasses import asdict
from typing import Any

from turnkeep.aws.loading import LateClient, loading

AT_ONCE = 16  # threads deleted in parallel; more would not be faster, since one vCPU is busy by then
MARGIN_MS = 20_000  # enough for a thread of some thousand turns; the next sweep deletes the rest of a longer one

with loading():
    from botocore.config import Config
    from botocore.session import Session

    from turnkeep.observability import correlate, guard_output
    from turnkeep.store.blobs import Blobs, S3Objects
    from turnkeep.store.cleanup import Cleanup
    from turnkeep.store.erasure import Eraser
    from turnkeep.store.items import Items

    guard_output()
    # When DynamoDB throttles, sixteen waits of up to eight seconds are slow enough; "adaptive" was even slower.
    patience: dict[str, Any] = {"retries": {"mode": "standard", "total_max_attempts": 5}, "connect_timeout": 1}
    patient = Config(**patience, read_timeout=5, max_pool_connections=AT_ONCE + 1)
    session = Session()
    items = Items(session.create_client("dynamodb", config=patient), os.environ["TABLE_NAME"])
    s3: Any = LateClient(functools.partial(session.create_client, "s3", config=patient))
    blobs = Blobs(S3Objects(s3, os.environ["BUCKET_NAME"]))
    cleanup = Cleanup(Eraser(items, blobs, clock=time.time), at_once=AT_ONCE)


def handler(event: Any, context: Any) -> dict[str, int | bool]:
    """Return the counts of the sweep, for operators who invoke it manually; raise if the store does not answer."""
    correlate(context.aws_request_id)
    return asdict(cleanup.sweep(lambda: context.get_remaining_time_in_millis() > MARGIN_MS))
