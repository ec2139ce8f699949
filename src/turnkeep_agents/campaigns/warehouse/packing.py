"""A warehouse as the bytes of a SQLite file."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import TypeAlias

from sqlalchemy import MetaData, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

Values: TypeAlias = str | int | float | bytes | None
Contents: TypeAlias = Iterable[tuple[Table, Iterable[Sequence[Values]]]]

DIALECT = sqlite.dialect()


def pack(metadata: MetaData, contents: Contents) -> bytes:
    """The file's bytes. Rows have the columns of their table in order, dates in ISO; tables may come in pieces."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for table in metadata.sorted_tables:
            connection.execute(str(CreateTable(table).compile(dialect=DIALECT)))
        for table, rows in contents:
            connection.executemany(str(table.insert().compile(dialect=DIALECT)), rows)
        for index in (index for table in metadata.sorted_tables for index in table.indexes):
            connection.execute(str(CreateIndex(index).compile(dialect=DIALECT)))
        connection.execute("COMMIT")
        return connection.serialize()
