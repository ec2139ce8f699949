"""DynamoDBSaver: the store of threads as an ordinary checkpointer, for graphs that people run themselves."""

from turnkeep.saver.saver import DynamoDBSaver

__all__ = ["DynamoDBSaver"]
