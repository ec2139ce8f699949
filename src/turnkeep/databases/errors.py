"""What can go wrong with a database, told for the user: no URL, no login, no host, and no SQL but the user's own."""


class DatabaseError(Exception):
    """It gave no rows."""


class DatabaseDown(DatabaseError):
    """It cannot be reached, or is not what the settings say."""


class DatabaseSlow(DatabaseError):
    """It did not answer in time."""


class DatabaseBusy(DatabaseSlow):
    """Another program writes to its file: the same question may do soon."""


class TenantUnknown(DatabaseError):
    """It keeps rows by company, and has none for the caller."""


class QueryFailed(DatabaseError):
    """The database's own complaint about the SQL, without values of its rows: fit to be shown to a model."""


class SchemaChanged(QueryFailed):
    """It has no such table or column, or may not show it: what we know of its schema may be old."""
