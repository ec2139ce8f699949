"""What has come into the bucket: files that users uploaded become documents, exports that they asked for are written.
Events may come twice, late, or not in order; what is done already is passed over."""

import os
from typing import Any
from urllib.parse import unquote_plus

from turnkeep.aws.loading import loading

MARGIN_MS = 20_000  # what is left of a long export, the next attempt writes

with loading():
    from turnkeep.aws.deployment import deployed
    from turnkeep.documents import Pipeline
    from turnkeep.observability import correlate, guard_output, logger, place

    guard_output()
    services = deployed(os.environ).services
    process = Pipeline(services.attachments, services.settings).process


class NotDone(Exception):
    """Lambda calls again, twice; the log says what happened."""


def handler(event: Any, context: Any) -> None:
    """Raises NotDone where one of the records is left, after all were tried."""
    correlate(context.aws_request_id)
    keys = [unquote_plus(record["s3"]["object"]["key"]) for record in event["Records"]]
    left = [key for key in keys if not is_done(key)]
    if left:
        raise NotDone(f"{len(left)} of {len(keys)}")


def is_done(key: str) -> bool:
    try:
        if key.startswith("uploads/"):
            process(key)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other records go on; its text may quote a file
        logger.error("record not done", error=type(error).__name__, place=place(error))
        return False
    return True
