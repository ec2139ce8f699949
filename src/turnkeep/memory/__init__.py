"""Memory across threads: LangGraph's BaseStore over the table, with search by filter, words and meaning."""

from turnkeep.memory.store import DynamoDBStore

__all__ = ["DynamoDBStore"]
