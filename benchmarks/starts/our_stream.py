"""The function `stream` with the runtime client that calls it."""

from app import stream  # type: ignore[import-not-found]

from turnkeep.aws.runtime_client import StreamingRuntimeClient

__all__ = ["StreamingRuntimeClient", "stream"]
