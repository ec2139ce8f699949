"""Turnkeep: conversational agents with memory on serverless AWS. What graphs of one's own take from it is imported when
it is asked for, so that a function that runs no graph does not load LangGraph."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnkeep.saver import DynamoDBSaver

__version__ = "0.1.0"
__all__ = ["DynamoDBSaver"]

_PLACES = {"DynamoDBSaver": "turnkeep.saver"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'turnkeep' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
