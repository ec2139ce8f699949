"""Turnkeep: conversational agents with memory on serverless AWS. Its names load LangGraph on first use only."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnkeep.errors import ActionUnknown
    from turnkeep.memory import DynamoDBStore
    from turnkeep.saver import DynamoDBSaver
    from turnkeep.turns.side_effects import once

__version__ = "0.1.0"
__all__ = ["ActionUnknown", "DynamoDBSaver", "DynamoDBStore", "once"]

_PLACES = {
    "ActionUnknown": "turnkeep.errors",
    "DynamoDBSaver": "turnkeep.saver",
    "DynamoDBStore": "turnkeep.memory",
    "once": "turnkeep.turns.side_effects",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'turnkeep' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
