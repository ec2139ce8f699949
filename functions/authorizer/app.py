"""The authorizer of the API: who calls, by API key or JWT. It stands before every request, so it loads what its kind
needs and nothing of the API, and is built at import, where Lambda gives a whole processor."""

import os
from typing import Any

from turnkeep.aws.loading import loading

with loading():
    from turnkeep.aws.authorizer import build_authorizer, quiet_refusals
    from turnkeep.observability import guard_output

    guard_output()
    quiet_refusals()
    authorize = build_authorizer(os.environ)


def handler(event: Any, context: Any) -> dict[str, Any]:
    return authorize(event)
