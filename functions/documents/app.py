"""Processes new objects of the bucket: turns uploads into documents, and writes requested exports. Events may arrive
twice, late or out of order; finished work is skipped."""

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_plus

from turnkeep.aws.loading import loading

MARGIN_MS = 20_000  # so that an export that takes too long is logged

with loading():
    from turnkeep.aws.deployment import deployed
    from turnkeep.documents.parsing.process import keep_children_out
    from turnkeep.documents.pipeline import Pipeline
    from turnkeep.observability import correlate, guard_output, logger, place

    guard_output()
    keep_children_out()
    services = deployed(os.environ)
    exports = services.exports
    process = Pipeline(services.attachments, services.settings).process


class NotDone(Exception):
    """Makes Lambda invoke the function again, up to twice; the log has the cause."""


def handler(event: Any, context: Any) -> None:
    """Process all records. Raise NotDone if any of them failed."""
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
    except Exception as error:  # noqa: BLE001 - after any error the other records continue; its text may quote a file
        logger.error("record failed", error=type(error).__name__, place=place(error))
        return False
    return True
