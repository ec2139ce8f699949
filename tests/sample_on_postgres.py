"""The embedded sample in a real PostgreSQL, behind its wall: what a deployment over a server of its own would have."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import ForeignKeyConstraint, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import AddConstraint, CreateTable, SetColumnComment, SetTableComment

from postgres import PostgresServer
from turnkeep_agents.database.sample.sample import SAMPLE_ACCESS, SAMPLE_KEY, companies, contents
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.sample.tables.columns import secrets_of
from turnkeep_agents.database.wall.ciphers import decrypt
from turnkeep_agents.database.wall.database import SAMPLE_JOINS
from turnkeep_agents.database.wall.postgresql import barrier_views_ddl
from turnkeep_agents.database.wall.views import Secrets

DAY = date(2026, 3, 4)
DATABASE, READER, PASSWORD, SEAL = "fieldservice", "sample_reader", "read-only", "a seal of the tests"
DIALECT = postgresql.dialect()
CIPHER = "cipher-algo=aes256, s2k-mode=1, compress-algo=0"
"""Of pgcrypto. By default a key is hashed 65,536 times and more, for each value: right for passwords, slow for keys."""


@dataclass(frozen=True)
class SampleOnPostgres:
    server: PostgresServer
    access: Path

    @property
    def url(self) -> str:
        """With the reader's login."""
        return self.server.url(DATABASE, user=READER, password=PASSWORD)

    @property
    def tuning(self) -> dict[str, Any]:
        """What settings of the agent say about it."""
        return {"url": self.url, "seal": SEAL, "access": str(self.access), "joins": str(SAMPLE_JOINS)}


def load_sample(server: PostgresServer, folder: Path) -> SampleOnPostgres:
    """Fills the server, which has to be new; takes three seconds."""
    server.run(f"CREATE DATABASE {DATABASE}", f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
    with server.connect(DATABASE) as connection:
        load_into(connection, DAY)
    server.run(*wall_statements(READER, SEAL), database=DATABASE)
    access = folder / "access.json"
    access.write_text(json.dumps(asdict(SAMPLE_ACCESS)))
    return SampleOnPostgres(server, access)


def load_into(connection: psycopg.Connection[Any], today: date) -> None:
    """Makes the tables in the connection's database, which has to be empty, and fills them; keys come last."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION pgcrypto")
        for table in metadata.sorted_tables:
            cursor.execute(_text(CreateTable(table, include_foreign_key_constraints=[])))
        for table, rows in contents(today):
            _copy(cursor, table, rows)
        for table in metadata.sorted_tables:
            _encrypt(cursor, table)
            for statement in _afterwards(table):
                cursor.execute(statement)


def wall_statements(reader: str, seal: str) -> list[str]:
    """What an administrator runs afterwards, so that `reader` can read the views alone."""
    hidden = SAMPLE_ACCESS.rules[0].without
    columns = {table.name: list(table.columns.keys()) for table in metadata.tables.values() if table.name not in hidden}
    known = Secrets(SAMPLE_KEY, seal, {tenant: str(company) for tenant, company in companies().items()})
    return barrier_views_ddl(SAMPLE_ACCESS, columns, "public", reader, known)


def _copy(cursor: psycopg.Cursor[Any], table: Table, rows: Iterable[Sequence[Any]]) -> None:
    secret = secrets_of(table)
    shown = [_shown if column.name in secret else _as_it_is for column in table.columns]
    with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table.name))) as copy:
        for row in rows:
            copy.write_row([show(value) for show, value in zip(shown, row, strict=True)])


def _as_it_is(value: Any) -> Any:
    return value


def _shown(value: bytes | None) -> bytes | None:
    """In clear, until the database itself encrypts it."""
    return None if value is None else decrypt(value, SAMPLE_KEY).encode()


def _encrypt(cursor: psycopg.Cursor[Any], table: Table) -> None:
    put = "{0} = pgp_sym_encrypt(convert_from({0}, 'UTF8'), {1}, {2})"
    sets = [sql.SQL(put).format(sql.Identifier(name), SAMPLE_KEY, CIPHER) for name in secrets_of(table)]
    if sets:
        cursor.execute(sql.SQL("UPDATE {} SET {}").format(sql.Identifier(table.name), sql.SQL(", ").join(sets)))


def _afterwards(table: Table) -> Iterable[bytes]:
    for constraint in table.constraints:
        if isinstance(constraint, ForeignKeyConstraint):
            yield _text(AddConstraint(constraint, isolate_from_table=False))
    if table.comment:
        yield _text(SetTableComment(table))
    for column in table.columns:
        if column.comment:
            yield _text(SetColumnComment(column))


def _text(construct: Any) -> bytes:
    return str(construct.compile(dialect=DIALECT)).encode()
