from types import SimpleNamespace

import pytest
from sqlalchemy.exc import DBAPIError

from turnkeep_agents.database.security.complaints import MAX_CHARACTERS, server_error
from turnkeep_agents.databases.engines import Called
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow, QueryFailed, SchemaChanged

SLOW = "The database did not answer within 5 seconds."
REFUSED = "refused the statement (error {})."
DENIED = "command denied to user 'reader'"
CALLED = Called("The database", "DATABASE__URL")


class MySQLError(Exception):
    pass


class PostgresError(Exception):
    def __init__(self, state: str, text: str):
        super().__init__(f'{text}\nLINE 1: SELECT "reader"')
        self.sqlstate, self.diag = state, SimpleNamespace(message_primary=text)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (MySQLError(1054, "Unknown column 'field.crew.x' in 'ON'"), SchemaChanged, "Unknown column 'crew.x' in 'ON'"),
        (MySQLError(1146, "Table 'field.nope' doesn't exist"), SchemaChanged, "Table 'nope' doesn't exist"),
        (
            MySQLError(1142, f"SELECT {DENIED}@'10.0.0.7' for table `field`.`crew`"),
            SchemaChanged,
            "`crew` may not be read.",
        ),
        (MySQLError(1044, f"{DENIED}@'%' to database 'other'"), SchemaChanged, "That may not be read."),
        (MySQLError(1105, "XPATH syntax error: '~Ann'"), QueryFailed, REFUSED.format("1105")),
        (MySQLError(1292, "Truncated incorrect DOUBLE value: 'Ann'"), QueryFailed, REFUSED.format("1292")),
        (MySQLError(1969, "Query execution was interrupted"), DatabaseSlow, SLOW),
        (MySQLError(2013, "Lost connection to 10.0.0.7"), DatabaseDown, "The database closed the connection."),
        (PostgresError("57014", "canceling statement due to statement timeout"), DatabaseSlow, SLOW),
        (PostgresError("57P01", "terminating connection"), DatabaseDown, "The database closed the connection."),
        (PostgresError("42501", "permission denied for view pay"), SchemaChanged, "permission denied for view pay"),
        (PostgresError("P0001", "Ann is told"), QueryFailed, REFUSED.format("P0001")),
        (Exception("connection to 10.0.0.7 as reader"), QueryFailed, REFUSED.format("0")),
    ],
)
def test_an_error_shows_no_values_logins_or_hosts(error: Exception, kind: type[Exception], text: str) -> None:
    shown = server_error(CALLED, DBAPIError("SELECT 1", (), error), 5, "field")
    assert type(shown) is kind
    assert str(shown) == text or (text.startswith("refused") and str(shown).endswith(text))


def test_a_long_error_is_cut() -> None:
    shown = server_error(CALLED, DBAPIError("SELECT 1", (), MySQLError(1064, "near 'x" + "x" * 10_000)), 5, "field")
    assert len(str(shown)) == MAX_CHARACTERS + len("...")
