"""Database errors for users: without URL, login, host, or any SQL but the user's own."""


class DatabaseError(Exception):
    """The database returned no rows."""


class DatabaseDown(DatabaseError):
    """The database is unreachable, or does not match the settings."""


class DatabaseSlow(DatabaseError):
    """The database did not answer in time."""


class DatabaseBusy(DatabaseSlow):
    """Another program writes to the database file: the same question may succeed soon."""


class TenantUnknown(DatabaseError):
    """The database keeps rows by company, and has none for the caller."""


class QueryFailed(DatabaseError):
    """The database rejected the SQL; the message has no row values, so a model may see it."""


class SchemaChanged(QueryFailed):
    """A table or column is missing or not permitted: the known schema may be old."""
