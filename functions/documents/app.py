"""What has come into the bucket: files that users uploaded become documents, exports that they asked for are written.
Events may come twice, late, or not in order; what is done already is passed over."""

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_plus

from turnkeep.aws.loading import loading

MARGIN_MS = 20_000  # for an export that is too long to say so

with loading():
    from turnkeep.aws.deployment import deployed
    from turnkeep.blocks.parsing import keep_children_out
    from turnkeep.documents import Pipeline
    from turnkeep.observability import correlate, guard_output, logger, place

    guard_output()
    keep_children_out()
    services = deployed(os.environ)
    exports = services.exports
    process = Pipeline(services.attachments, services.settings).process


class NotDone(Exception):
    """Lambda calls again, twice; the log says what happened."""


def handler(event: Any, context: Any) -> None:
    """Raises NotDone where one of the records is left, after all were tried."""
    correlate(context.aws_request_id)
    keys = [unquote_plus(record["s3"]["object"]["key"]) for record in event["Records"]]
    left = [key for key in keys if not is_done(key, lambda: context.get_remaining_time_in_millis() > MARGIN_MS)]
    if left:
        raise NotDone(f"{len(left)} of {len(keys)}")


def is_done(key: str, has_time: Callable[[], bool]) -> bool:
    try:
        if key.startswith("uploads/"):
            process(key)
        elif key.startswith("exports/"):
            exports.work(key, has_time)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other records go on; its text may quote a file
        logger.error("record not done", error=type(error).__name__, place=place(error))
        return False
    return True
