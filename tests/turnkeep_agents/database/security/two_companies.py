"""A small database of two companies: as a SQLite file, on MariaDB, and on PostgreSQL, where names are folded to lower
case. Every text of the second company contains the canary."""

import json
import sqlite3
import traceback
from collections.abc import Iterable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from mariadb import Server
from postgres import PostgresServer
from turnkeep.records import Principal
from turnkeep_agents.database.access import load_access
from turnkeep_agents.database.security.ciphers import _folded, encrypt
from turnkeep_agents.database.security.database import Database, open_databases
from turnkeep_agents.database.security.postgresql import barrier_views_ddl
from turnkeep_agents.database.security.views import Secrets, secure_views_ddl
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseError

OWN, OTHER, STRANGER = "acme", "brightwater", "nobody"
CANARY = "Canary"  # in every text of the second company, and in a table that no one may read
KEY = "the key of the tests"
FOLDED = _folded(KEY.encode())
SEAL = "the seal of the tests"
READER, PASSWORD = "'reader'@'127.0.0.1'", "s3cret"
SECRETS = ("reader", PASSWORD, "127.0.0.1", SEAL, KEY, "/tmp")
KNOWN = Secrets(KEY, SEAL, {OWN: "1", OTHER: "2"})
HASTY_SECONDS = 0.25  # for statements that must be stopped; the others get enough time on a busy machine
TODAY, ANN = date(2026, 6, 18), Principal(OWN, "ann")
LIMITS = {"query_seconds": 20, "max_rows": 100, "max_bytes": 20_000}
ODD = "größe & `order`"

TABLES = {
    "employee": "id INT PRIMARY KEY, companyId INT, crewId INT, firstName {blob}, lastName {blob}, wage DECIMAL(8,2)",
    "crew": "id INT PRIMARY KEY, companyId INT, name VARCHAR(60)",
    "workOrder": "id INT PRIMARY KEY, companyId INT, crewId INT, title VARCHAR(60), openedOn DATE, done {blob}",
    "trade": "id INT PRIMARY KEY, name VARCHAR(60)",
    ODD: "id INT PRIMARY KEY, {select} VARCHAR(60), {ae} INT",
    "audit": "id INT PRIMARY KEY, note VARCHAR(60)",
}
COLUMNS = {
    table: [column.split()[0] for column in columns.split(", ")]
    for table, columns in TABLES.items()
    if table != "audit"
} | {ODD: ["id", "select", "Ä e"]}
ACCESS = {
    "views": [
        {"table": "employee", "view": "secure_employee", "company_column": "companyId"}
        | {"encrypted": ["firstName", "lastName"]},
        {"table": "crew", "view": "secure_crew", "company_column": "companyId"},
        {"table": "workOrder", "view": "secure_workorder", "company_column": "companyId"},
    ],
    "rules": [{"tables": ["*"], "without": ["audit"]}],
}


def message_of(caught: pytest.ExceptionInfo[DatabaseError]) -> str:
    """Return the message, after searching it and its traceback for secrets."""
    whole = "".join(traceback.format_exception(caught.value))
    assert not [secret for secret in SECRETS if secret in str(caught.value)]
    assert "pymysql" not in whole
    assert "psycopg.errors" not in whole
    return str(caught.value)


def opened(tuning: DatabaseSettings, **changes: Any) -> Database:
    return open_databases(tuning.model_copy(update=changes))(TODAY)


def hasty(tuning: DatabaseSettings) -> Database:
    return opened(tuning, query_seconds=HASTY_SECONDS)


def rows() -> Iterable[tuple[str, list[tuple[Any, ...]]]]:
    yield "employee", [*people(1, range(1, 41), "Ann"), *people(2, range(1001, 1041), CANARY)]
    yield "crew", [(n, 1, f"Crew {n}") for n in range(1, 5)] + [(1000 + n, 2, f"{CANARY} {n}") for n in range(1, 5)]
    yield "workOrder", [*orders(1, range(1, 61), "Repair"), *orders(2, range(1001, 1061), CANARY)]
    yield "trade", [(1, "Roofing"), (2, "Plumbing")]
    yield ODD, [(1, "é", 3), (2, "100 % 'quoted'", 4)]
    yield "audit", [(1, f"{CANARY} of everybody")]


def people(company: int, numbers: range, name: str) -> list[tuple[Any, ...]]:
    return [
        (n, company, crew_of(n), encrypt(f"{name} {n}", KEY), encrypt(f"{name}son", KEY), 1000 + n / 4) for n in numbers
    ]


def orders(company: int, numbers: range, title: str) -> list[tuple[Any, ...]]:
    return [(n, company, crew_of(n), f"{title} {n}", f"2026-03-{n % 28 + 1:02d}", b"\1") for n in numbers]


def crew_of(number: int) -> int:
    return number // 1000 * 1000 + number % 4 + 1


def write_access(folder: Path, *, is_folded: bool = False) -> Path:
    file, text = folder / "access.json", json.dumps(ACCESS)
    if is_folded:
        for name in {*TABLES, "companyId", "firstName", "lastName"} - {ODD}:
            text = text.replace(f'"{name}"', f'"{name.lower()}"')
    file.write_text(text)
    return file


def write_file(folder: Path) -> Path:
    file = folder / "two companies.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE wall_key (secret)")
        connection.execute("INSERT INTO wall_key VALUES (?)", (KEY,))
        connection.execute("CREATE TABLE wall_company (tenant, company)")
        connection.executemany("INSERT INTO wall_company VALUES (?, ?)", [(OWN, 1), (OTHER, 2)])
        for table, values in rows():
            name, columns = quoted(table, '"'), TABLES[table].format(blob="BLOB", select='"select"', ae='"Ä e"')
            connection.execute(f"CREATE TABLE {name} ({columns})")
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(values[0]))})", values)
        connection.execute("CREATE VIEW secure_employee AS SELECT * FROM employee")
        connection.execute("CREATE VIEW everybody AS SELECT * FROM employee")
        connection.execute("COMMIT")
    return file


def fill_server(server: Server, database: str, access: Path) -> None:
    server.run(f"DROP DATABASE IF EXISTS {database}", f"CREATE DATABASE {database} CHARACTER SET utf8mb4")
    with closing(server.connect(database)) as connection, connection.cursor() as cursor:
        for table, values in rows():
            name, columns = quoted(table, "`"), TABLES[table].format(blob="BLOB", select="`select`", ae="`Ä e`")
            cursor.execute(f"CREATE TABLE {name} ({columns})")
            cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(values[0]))})", values)
        cursor.execute(f"create user if not exists {READER} IDENTIFIED BY '{PASSWORD}'")
        for statement in secure_views_ddl(load_access(access), COLUMNS, database, READER, KNOWN):
            cursor.execute(statement)


def fill_postgres(server: PostgresServer, database: str, access: Path) -> None:
    server.run(f"DROP DATABASE IF EXISTS {database}", f"CREATE DATABASE {database}")
    if not server.run("SELECT FROM pg_roles WHERE rolname = 'reader'"):
        server.run(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
    with closing(server.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION pgcrypto")
        for table, values in rows():
            columns = TABLES[table].format(blob="BYTEA", select='"select"', ae='"Ä e"')
            name = quoted(table, '"') if table == ODD else table
            cursor.execute(f"CREATE TABLE {name} ({columns})")
            cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(values[0]))})", values)
        for column in ("firstName", "lastName"):
            clear = f"convert_from(decrypt({column}, %s, 'aes-ecb'), 'UTF8')"
            cursor.execute(f"UPDATE employee SET {column} = pgp_sym_encrypt({clear}, %s, 's2k-mode=1')", (FOLDED, KEY))
        known = {table if table == ODD else table.lower(): names for table, names in COLUMNS.items()}
        columns_of = {t: n if t == ODD else [name.lower() for name in n] for t, n in known.items()}
        for statement in barrier_views_ddl(load_access(access), columns_of, "public", "reader", KNOWN):
            cursor.execute(statement)


def quoted(name: str, mark: str) -> str:
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"
