"""Background runs. Lambda keeps each invocation until it succeeds or has failed three times. It names its run in a
token that only functions of this deployment can read."""

import asyncio
import os
import time
from functools import partial
from typing import Any

from turnkeep.aws.loading import loading

MARGIN_SECONDS = 5  # so that a run that is too slow can record it

with loading():
    from turnkeep.aws.deployment import app_over, deployed, launch_workers, log_unusable_files
    from turnkeep.http.loopback import serve_nodes
    from turnkeep.observability import correlate, guard_output, logger, place
    from turnkeep.turns.background import NotDone

    guard_output()
    services = deployed(os.environ)
    launch_workers(services, os.environ.get("AWS_LAMBDA_FUNCTION_NAME"))  # itself, for the rest of a long queue
    log_unusable_files(services.settings)
    serve_nodes(partial(app_over, services, os.environ))
    loop = asyncio.new_event_loop()


def handler(event: Any, context: Any) -> None:
    """Execute the queued runs of a thread. Raise NotDone if this must be retried."""
    correlate(context.aws_request_id)
    deadline = time.monotonic() + context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS
    try:
        loop.run_until_complete(services.runs.work(event["run"], deadline))
    except NotDone:
        raise NotDone from None
    except Exception as error:  # noqa: BLE001 - its text may quote a message
        logger.error("background run failed", error=type(error).__name__, place=place(error))
        raise NotDone from None
