"""Background runs. Lambda keeps each invocation until it succeeds, or has failed three times. One says which run it is
for, in words that only a function of this deployment can read."""

import asyncio
import os
import time
from functools import partial
from typing import Any

from turnkeep.aws.loading import loading

MARGIN_SECONDS = 5  # for a run that is too slow to say so

with loading():
    from turnkeep.api.loopback import serve_nodes
    from turnkeep.aws.deployment import app_over, deployed, tell_of_files
    from turnkeep.observability import correlate, guard_output, logger, place
    from turnkeep.turns.runs import NotDone

    guard_output()
    services = deployed(os.environ)
    tell_of_files(services.settings)
    serve_nodes(partial(app_over, services, os.environ))
    loop = asyncio.new_event_loop()


def handler(event: Any, context: Any) -> None:
    """Raises NotDone where the run is to be tried again."""
    correlate(context.aws_request_id)
    deadline = time.monotonic() + context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS
    try:
        loop.run_until_complete(services.runs.work(event["run"], deadline))
    except NotDone:
        raise NotDone from None
    except Exception as error:  # noqa: BLE001 - its text may quote a message
        logger.error("background run broken off", error=type(error).__name__, place=place(error))
        raise NotDone from None
