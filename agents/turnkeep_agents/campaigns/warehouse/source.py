"""The database of the metrics, and the meaning of its errors."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.sql import Select

from turnkeep_agents.campaigns.warehouse.tables import REQUIRED
from turnkeep_agents.databases.engines import Called
from turnkeep_agents.databases.errors import DatabaseDown
from turnkeep_agents.databases.sessions import Sessions, is_no_database

CALLED = Called("The metrics warehouse", "CAMPAIGNS__WAREHOUSE")


class Source:
    """One database, opened on first use; all methods raise DatabaseError."""

    def __init__(self, open_engine: Callable[[float], Engine], seconds: float):
        """`seconds`: timeout of one query."""
        self._sessions = Sessions(CALLED, open_engine, seconds, self._refused)

    def fetch(self, statement: Select[*tuple[Any, ...]], limit: int) -> list[Sequence[Any]]:
        """Return at most `limit` rows."""
        limited = statement.limit(limit)
        return self._sessions.ask(lambda connection: [tuple(row) for row in connection.execute(limited).all()])

    def has(self, table: str) -> bool:
        """Return whether a table or view of that name exists."""
        return self._sessions.ask(lambda connection: _has(connection, table))

    def _refused(self, error: DBAPIError) -> DatabaseDown:
        return DatabaseDown(f"{CALLED.name} {self._wrong_inside(error)}.")

    def _wrong_inside(self, error: DBAPIError) -> str:
        if is_no_database(error):
            return "is no SQLite database"
        if missing := self._missing():
            return f"lacks these tables or may not show them: {', '.join(missing)}"
        return "refused a query: its tables need the documented columns, and its login the right to read them"

    def _missing(self) -> list[str]:
        try:
            return self._sessions.ask_once(
                lambda connection: [table.name for table in REQUIRED if not _has(connection, table.name)]
            )
        except (SQLAlchemyError, OSError):
            return []


def _has(connection: Connection, table: str) -> bool:
    return inspect(connection).has_table(table)
