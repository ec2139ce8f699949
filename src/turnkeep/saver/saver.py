"""DynamoDBSaver, as LangGraph calls it."""

from langgraph.checkpoint.base import BaseCheckpointSaver


class DynamoDBSaver(BaseCheckpointSaver[str]):
    """A checkpointer over the table of the API."""
