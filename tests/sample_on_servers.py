"""The bundled sample in a real MariaDB and in a real PostgreSQL, behind its row-level security: what a deployment over
a server of its own would have."""

import re
from dataclasses import dataclass
from datetime import date
from itertools import batched
from typing import Any

import psycopg
from psycopg import sql

from mariadb import Server
from postgres import PostgresServer
from turnkeep_agents.database.security.database import sample_joins
from turnkeep_agents.database.security.postgresql import barrier_views_ddl
from turnkeep_agents.database.security.views import Secrets, secure_views_ddl
from turnkeep_demo.database.field_service import COMPANIES, FOLDER, KEY, access, contents, schema

DAY = date(2026, 3, 4)
DATABASE, READER, PASSWORD, SEAL = "fieldservice", "sample_reader", "read-only", "a seal of the tests"
KNOWN = Secrets(KEY, SEAL, COMPANIES)
ROWS_AT_ONCE = 2_000
CIPHER = "cipher-algo=aes256, s2k-mode=1, compress-algo=0"
"""Of pgcrypto. By default a key is hashed 65,536 times and more, for each value: right for passwords, slow for keys."""
TYPES = {" DATETIME": " TIMESTAMP", " BLOB": " BYTEA"}
TABLE = re.compile(r'CREATE TABLE ("\w+")')
KEYED = re.compile(r'^  ("\w+") .*?( REFERENCES "\w+" \("id"\))')


@dataclass(frozen=True)
class SampleOn:
    server: Any

    @property
    def url(self) -> str:
        """With the reader's login."""
        return str(self.server.url(DATABASE, user=READER, password=PASSWORD))

    @property
    def tuning(self) -> dict[str, Any]:
        """What settings of the agent say about it."""
        access, joins = str(FOLDER / "access.json"), str(sample_joins())
        return {"url": self.url, "seal": SEAL, "access": access, "joins": joins}


def columns() -> dict[str, list[str]]:
    """Of the tables that somebody may read."""
    return {table: names for table, names, _ in contents(DAY) if table not in access().rules[0].without}


def load_on_mariadb(server: Server) -> SampleOn:
    """Fills the server, which has to be new; takes two seconds."""
    reader = f"'{READER}'@'127.0.0.1'"
    server.run(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4", f"CREATE USER {reader} IDENTIFIED BY '{PASSWORD}'")
    fill_mariadb(server, DATABASE, DAY)
    server.run(*secure_views_ddl(access(), columns(), DATABASE, reader, KNOWN), database=DATABASE)
    return SampleOn(server)


def load_on_postgres(server: PostgresServer) -> SampleOn:
    """Fills the server, which has to be new; takes three seconds."""
    server.run(f"CREATE DATABASE {DATABASE}", f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
    with server.connect(DATABASE) as connection:
        fill_postgres(connection, DAY)
    server.run(*barrier_views_ddl(access(), columns(), "public", READER, KNOWN), database=DATABASE)
    return SampleOn(server)


def fill_mariadb(server: Server, database: str, today: date) -> None:
    """Makes the tables in the database, which has to be empty, and fills them."""
    connection = server.connect(database)
    with connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = 'ANSI_QUOTES,STRICT_TRANS_TABLES', foreign_key_checks = 0")
        for statement in filter(str.strip, schema().split(";\n")):
            cursor.execute(statement)
        cursor.execute("BEGIN")
        for table, names, rows in contents(today):
            insertion = f'INSERT INTO "{table}" VALUES ({", ".join(["%s"] * len(names))})'
            for some in batched(rows, ROWS_AT_ONCE, strict=False):
                cursor.executemany(insertion, some)
        cursor.execute("COMMIT")


def fill_postgres(connection: psycopg.Connection[Any], today: date) -> None:
    """Makes the tables in the connection's database, which has to be empty, and fills them; keys come last."""
    tables, keys = _statements()
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION pgcrypto")
        cursor.execute(tables.encode())
        for table, _, rows in contents(today, str.encode):
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))) as copy:
                for row in rows:
                    copy.write_row(row)
        for view in access().views:
            _encrypt(cursor, view.table, view.encrypted)
        for statement in keys:
            cursor.execute(statement.encode())


def _statements() -> tuple[str, list[str]]:
    """The tables without their foreign keys, and the keys: two tables may point at each other."""
    text, keys, table = schema(), [], ""
    for ours, theirs in TYPES.items():
        text = text.replace(ours, theirs)
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if found := TABLE.match(line):
            table = found[1]
        elif found := KEYED.match(line):
            lines[place] = line.replace(found[2], "")
            keys.append(f"ALTER TABLE {table} ADD FOREIGN KEY ({found[1]}){found[2]}")
    return "\n".join(lines), keys


def _encrypt(cursor: psycopg.Cursor[Any], table: str, columns: tuple[str, ...]) -> None:
    """What came in clear, by the database itself."""
    put = "{0} = pgp_sym_encrypt(convert_from({0}, 'UTF8'), {1}, {2})"
    sets = [sql.SQL(put).format(sql.Identifier(name), KEY, CIPHER) for name in columns]
    if sets:
        cursor.execute(sql.SQL("UPDATE {} SET {}").format(sql.Identifier(table), sql.SQL(", ").join(sets)))
