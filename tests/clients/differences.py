"""Where this server answers otherwise than `langgraph dev`, and why; docs/clients.md tells it too. A pattern is
"scene: step | path of the field", or "threads.method | path" for what an SDK gave."""

DIFFERENCES: dict[str, tuple[str, ...]] = {}
