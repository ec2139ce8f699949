"""The streaming routes. Our runtime client calls `stream`, through `wrapper`; `handler` returns the whole answer, for a
runtime without streaming."""

import os

from turnkeep.aws.loading import loading

with loading():
    from turnkeep.aws.deployment import deployed_app
    from turnkeep.aws.gateway import Buffered
    from turnkeep.aws.streaming import Streaming
    from turnkeep.observability import guard_output

    guard_output()
    app = deployed_app(os.environ)
    handler = Buffered(app)
    stream = Streaming(app)
