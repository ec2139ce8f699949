"""The bundled field service company as a SQLite file, as of the Monday of a week: `schema.sql`, and `rows/*.csv`, whose
days are relative to that Monday, so that weekdays never change."""

import csv
import hashlib
import re
import sqlite3
from calendar import monthrange
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias

from turnkeep_agents.database.access import Access, load_access
from turnkeep_agents.database.security.ciphers import encrypt
from turnkeep_agents.database.security.view_sql import ANY_TENANT
from turnkeep_agents.database.security.views import Secrets, secure_file_ddl
from turnkeep_demo.files import built_once, temporary_folder

FOLDER = Path(__file__).parents[1] / "samples" / "field_service"
KEY = "the sample is no secret"  # of the encrypted columns; nothing in the sample is secret
CANARY_TENANT = "brightwater"
COMPANIES = {ANY_TENANT: "1", CANARY_TENANT: "2"}
"""The company whose rows a tenant sees. Every text of the second begins with its tenant, so a leak is visible."""

SAME = "="  # a cell that repeats the cell before it
DAY = re.compile(r"([+-]\d+)d(?: (\d+)(:\d\d)?)?")
"""Days from the Monday: "-45d" or, with a time, "+3d 9:30" and "+3d 9"."""
MONTH = re.compile(r"(first|last|year|month)([+-]\d+)")
"""Relative to the Monday's month: "first-3" and "last+1" are days, "year-3" and "month-3" are numbers."""
HOLIDAY = re.compile(r"([+-]\d+)y(-\d\d-\d\d)")
"""A day of another year: "-1y-12-25"."""

Values: TypeAlias = str | int | float | bytes | None
Rows: TypeAlias = Iterator[tuple[Values, ...]]


def sample_file(today: date, folder: Path | None = None) -> Path:
    """Return the SQLite file of the week of `today`, built on first use; raises OSError."""
    monday = _monday(today)
    return built_once(f"database {_version()} {monday}", lambda: packed(monday), folder or temporary_folder("database"))


def packed(today: date) -> bytes:
    """Return the bytes of the file, with the data of row-level security: the key, and each tenant's company."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(f"BEGIN; {schema()}")
        for table, columns, rows in contents(today):
            marks = ", ".join("?" * len(columns))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)  # noqa: S608
        for statement in [*secure_file_ddl(Secrets(KEY, "", COMPANIES)), "COMMIT"]:
            connection.execute(statement)
        return connection.serialize()


def schema() -> str:
    return (FOLDER / "schema.sql").read_text(encoding="utf-8")


def access() -> Access:
    return load_access(FOLDER / "access.json")


@cache
def encrypted(text: str) -> bytes:
    return encrypt(text, KEY)


def contents(today: date, cipher: Callable[[str], Values] = encrypted) -> Iterator[tuple[str, list[str], Rows]]:
    """Yield each table with its columns and rows; `cipher` encrypts a text of an encrypted column."""
    secrets = {view.table: view.encrypted for view in access().views}
    stored = partial(_stored, monday=_monday(today))
    for file in sorted((FOLDER / "rows").glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            columns, *rows = csv.reader(lines)
        hidden = [columns.index(name) for name in secrets.get(file.stem, ())]
        yield file.stem, columns, (_row(row, hidden, stored, cipher) for row in rows)


def _row(
    cells: list[str], hidden: list[int], stored: Callable[[str], Values], cipher: Callable[[str], Values]
) -> tuple[Values, ...]:
    values: list[Values] = []
    for place, cell in enumerate(cells):
        if cell and place in hidden:
            values.append(cipher(cell))
        else:
            values.append(values[-1] if cell == SAME else stored(cell))
    return tuple(values)


@cache
def _stored(cell: str, monday: date) -> Values:
    if found := DAY.fullmatch(cell):
        day = monday + timedelta(int(found[1]))
        return f"{day} {found[2]:0>2}{found[3] or ':00'}:00" if found[2] else day.isoformat()
    if found := MONTH.fullmatch(cell):
        return _of_month(found[1], monday.year * 12 + monday.month - 1 + int(found[2]))
    if found := HOLIDAY.fullmatch(cell):
        return f"{monday.year + int(found[1])}{found[2]}"
    return cell or None


def _of_month(what: str, count: int) -> Values:
    year, month = count // 12, count % 12 + 1
    if what in ("year", "month"):
        return year if what == "year" else month
    return date(year, month, 1 if what == "first" else monthrange(year, month)[1]).isoformat()


def _monday(today: date) -> date:
    return today - timedelta(today.weekday())


@cache
def _version() -> str:
    """Return a digest of schema and rows, so that no file of other rows is used."""
    digest = hashlib.sha256(schema().encode())
    for file in sorted((FOLDER / "rows").glob("*.csv")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
