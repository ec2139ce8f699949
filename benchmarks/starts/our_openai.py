"""The function `api` and what its first turn loads and builds where the model is OpenAI's; no model is called."""

from app import handler  # type: ignore[import-not-found]

import turnkeep.turns.graph
from turnkeep.graphs.building import build_agent
from turnkeep.settings import Settings

__all__ = ["agent", "handler", "turnkeep"]

agent = build_agent("papers", Settings())
