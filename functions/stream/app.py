"""The routes whose answers leave while they are made. `stream` is what our runtime client calls, by way of `wrapper`;
`handler` returns the whole answer, for a runtime that knows no more."""

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
