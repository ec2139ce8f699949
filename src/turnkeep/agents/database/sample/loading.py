"""The sample in a MariaDB or MySQL of one's own, for trying the agent against a server."""

from datetime import date
from itertools import batched

from sqlalchemy import Connection, insert
from sqlalchemy.dialects import mysql

from turnkeep.agents.database.sample.sample import SAMPLE_ACCESS, SAMPLE_KEY, companies, contents
from turnkeep.agents.database.sample.tables import metadata
from turnkeep.agents.database.wall.views import Secrets, secure_views_ddl

DIALECT = mysql.dialect(paramstyle="format")
ROWS_AT_ONCE = 2_000


def load_into(connection: Connection, today: date) -> None:
    """Makes the tables in the connection's database, which has to be empty, and fills them; commits."""
    connection.exec_driver_sql("SET foreign_key_checks = 0")
    metadata.create_all(connection, checkfirst=False)
    for table, rows in contents(today):
        insertion = str(insert(table).compile(dialect=DIALECT))
        for some in batched((tuple(row) for row in rows), ROWS_AT_ONCE, strict=False):
            connection.exec_driver_sql(insertion, list(some))
    connection.exec_driver_sql("SET foreign_key_checks = 1")
    connection.commit()


def wall_statements(database: str, reader: str, seal: str) -> list[str]:
    """What an administrator runs afterwards, so that `reader`, as 'name'@'host', can read the secure views alone."""
    hidden = SAMPLE_ACCESS.rules[0].without
    columns = {table.name: list(table.columns.keys()) for table in metadata.tables.values() if table.name not in hidden}
    known = Secrets(SAMPLE_KEY, seal, {tenant: str(company) for tenant, company in companies().items()})
    return secure_views_ddl(SAMPLE_ACCESS, columns, database, reader, known)
