"""The authorizer of the API, for API keys or JWTs. It runs before every request, so it loads only what its kind needs
and nothing of the API. It is built at import, when Lambda gives a whole processor."""

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
