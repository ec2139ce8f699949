"""Serves the routes that do not stream: proxy events of API Gateway in, whole answers out."""

import os

from turnkeep.aws.loading import loading

with loading():
    from turnkeep.aws.deployment import deployed_app
    from turnkeep.aws.gateway import Buffered
    from turnkeep.observability import guard_output

    guard_output()
    handler = Buffered(deployed_app(os.environ))
