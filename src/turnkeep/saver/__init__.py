"""DynamoDBSaver: threads as an ordinary checkpointer, for graphs that users run themselves."""

from turnkeep.saver.saver import DynamoDBSaver

__all__ = ["DynamoDBSaver"]
