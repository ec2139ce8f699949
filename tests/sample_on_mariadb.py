"""The embedded sample in a real MariaDB, behind its wall: what a deployment over a server of its own would have."""

import json
from dataclasses import asdict, dataclass
from datetime import date
from itertools import batched
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, create_engine, insert
from sqlalchemy.dialects import mysql

from mariadb import Server
from turnkeep_agents.database.sample.sample import SAMPLE_ACCESS, SAMPLE_KEY, companies, contents
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.wall.database import SAMPLE_JOINS
from turnkeep_agents.database.wall.views import Secrets, secure_views_ddl

DAY = date(2026, 3, 4)
DATABASE, READER, PASSWORD, SEAL = "fieldservice", "sample_reader", "read-only", "a seal of the tests"
DIALECT = mysql.dialect(paramstyle="format")
ROWS_AT_ONCE = 2_000


@dataclass(frozen=True)
class SampleServer:
    server: Server
    access: Path

    @property
    def url(self) -> str:
        """With the reader's login."""
        return self.server.url(DATABASE, user=READER, password=PASSWORD)

    @property
    def tuning(self) -> dict[str, Any]:
        """What settings of the agent say about it."""
        return {"url": self.url, "seal": SEAL, "access": str(self.access), "joins": str(SAMPLE_JOINS)}


def load_sample(server: Server, folder: Path) -> SampleServer:
    """Fills the server, which has to be new; takes two seconds."""
    server.run(
        f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4",
        f"CREATE USER {READER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
    )
    engine = create_engine(server.url(DATABASE))
    with engine.connect() as connection:
        load_into(connection, DAY)
    engine.dispose()
    server.run(*wall_statements(DATABASE, f"'{READER}'@'127.0.0.1'", SEAL), database=DATABASE)
    access = folder / "access.json"
    access.write_text(json.dumps(asdict(SAMPLE_ACCESS)))
    return SampleServer(server, access)


def load_into(connection: Connection, today: date) -> None:
    """Makes the tables in the connection's database, which has to be empty, and fills them; commits."""
    connection.exec_driver_sql("SET foreign_key_checks = 0")
    _tables().create_all(connection, checkfirst=False)
    for table, rows in contents(today):
        insertion = str(insert(table).compile(dialect=DIALECT))
        for some in batched((tuple(row) for row in rows), ROWS_AT_ONCE, strict=False):
            connection.exec_driver_sql(insertion, list(some))
    connection.exec_driver_sql("SET foreign_key_checks = 1")
    connection.commit()


def _tables() -> MetaData:
    """A copy: once SQLAlchemy has added a key to a table that stands, it leaves the key out of all tables it makes."""
    copied = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(copied)
    return copied


def wall_statements(database: str, reader: str, seal: str) -> list[str]:
    """What an administrator runs afterwards, so that `reader`, as 'name'@'host', can read the secure views alone."""
    hidden = SAMPLE_ACCESS.rules[0].without
    columns = {table.name: list(table.columns.keys()) for table in metadata.tables.values() if table.name not in hidden}
    known = Secrets(SAMPLE_KEY, seal, {tenant: str(company) for tenant, company in companies().items()})
    return secure_views_ddl(SAMPLE_ACCESS, columns, database, reader, known)
