"""Where this server answers otherwise than `langgraph dev`, and why. The reasons stand in docs/clients.md too; a pattern
is "scene: step | path of the field", or "sdk.method | path"."""

DIFFERENCES: dict[str, tuple[str, ...]] = {}
