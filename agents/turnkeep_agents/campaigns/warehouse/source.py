"""The database of the metrics, and the meaning of its errors."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Engine, inspect
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
        return self._sessions.ask(lambda connection: inspect(connection).has_table(table))

    def _refused(self, error: DBAPIError) -> DatabaseDown:
        if is_no_database(error):
            return DatabaseDown(f"{CALLED.name} is not a SQLite database.")
        missing: list[str] = []
        with suppress(SQLAlchemyError, OSError):
            missing = self._sessions.ask_once(
                lambda connection: [each.name for each in REQUIRED if not inspect(connection).has_table(each.name)]
            )
        if missing:
            return DatabaseDown(f"{CALLED.name} lacks these tables or may not show them: {', '.join(missing)}.")
        remedy = "its tables need the documented columns, and its login the right to read them"
        return DatabaseDown(f"{CALLED.name} refused a query: {remedy}.")
