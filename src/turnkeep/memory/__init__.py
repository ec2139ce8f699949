"""Memory across threads: LangGraph's BaseStore over the table, with search by filter, by words and by meaning."""

from turnkeep.memory.store import DynamoDBStore

__all__ = ["DynamoDBStore"]
