"""The bundled sample in a real MariaDB, behind its row-level security: what a deployment over a server of its own
would have."""

from dataclasses import dataclass
from datetime import date
from itertools import batched
from pathlib import Path
from typing import Any

from mariadb import Server
from turnkeep_agents.database.security.database import sample_joins
from turnkeep_agents.database.security.views import Secrets, secure_views_ddl
from turnkeep_demo.database.field_service import COMPANIES, FOLDER, KEY, access, contents, schema

DAY = date(2026, 3, 4)
DATABASE, READER, PASSWORD, SEAL = "fieldservice", "sample_reader", "read-only", "a seal of the tests"
ROWS_AT_ONCE = 2_000


@dataclass(frozen=True)
class SampleServer:
    server: Server

    @property
    def url(self) -> str:
        """With the reader's login."""
        return self.server.url(DATABASE, user=READER, password=PASSWORD)

    @property
    def access(self) -> Path:
        return FOLDER / "access.json"

    @property
    def tuning(self) -> dict[str, Any]:
        """What settings of the agent say about it."""
        return {"url": self.url, "seal": SEAL, "access": str(self.access), "joins": str(sample_joins())}


def load_sample(server: Server) -> SampleServer:
    """Fills the server, which has to be new; takes two seconds."""
    server.run(
        f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4",
        f"CREATE USER {READER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
    )
    load_into(server, DATABASE, DAY)
    server.run(*wall_statements(DATABASE, f"'{READER}'@'127.0.0.1'", SEAL), database=DATABASE)
    return SampleServer(server)


def load_into(server: Server, database: str, today: date) -> None:
    """Makes the tables in the database, which has to be empty, and fills them."""
    connection = server.connect(database)
    with connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = 'ANSI_QUOTES,STRICT_TRANS_TABLES', foreign_key_checks = 0")
        for statement in filter(str.strip, schema().split(";\n")):
            cursor.execute(statement)
        cursor.execute("BEGIN")
        for table, columns, rows in contents(today):
            insertion = f'INSERT INTO "{table}" VALUES ({", ".join(["%s"] * len(columns))})'
            for some in batched(rows, ROWS_AT_ONCE, strict=False):
                cursor.executemany(insertion, some)
        cursor.execute("COMMIT")


def wall_statements(database: str, reader: str, seal: str) -> list[str]:
    """What an administrator runs afterwards, so that `reader`, as 'name'@'host', can read the secure views alone."""
    rules = access()
    columns = {table: names for table, names, _ in contents(DAY) if table not in rules.rules[0].without}
    known = Secrets(KEY, seal, {tenant: str(company) for tenant, company in COMPANIES.items()})
    return secure_views_ddl(rules, columns, database, reader, known)
