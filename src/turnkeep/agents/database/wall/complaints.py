"""A database's own words about a statement, as far as they may be shown: never a value, a login or a host."""

import re
import sqlite3
from typing import Any

from sqlalchemy.exc import DBAPIError

from turnkeep.databases.engines import Called
from turnkeep.databases.errors import DatabaseDown, DatabaseError, DatabaseSlow, QueryFailed, SchemaChanged

MAX_CHARACTERS = 300

_GONE = tuple(f"no such {thing}" for thing in ("table", "column"))
_BROKEN_FILE = ("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_NOMEM")

_UNKNOWN_NAMES = {1051, 1054, 1109, 1146, 1356}
_FORBIDDEN = {1044, 1142, 1143, 1345, 1370}
_TIMED_OUT = {1317, 1969, 3024}
_LOST = {1053, 1077, 1152, 1927, 2006, 2013, 2014}
_TOLD_AS_THEY_ARE = {
    *(1052, 1055, 1056, 1060, 1063, 1064, 1066, 1109, 1111, 1112, 1115, 1140, 1149, 1176, 1221, 1222, 1235, 1241, 1242),
    *(1247, 1248, 1249, 1250, 1305, 1318, 1327, 1349, 1351, 1582, 1583, 1584, 1621, 1630, 1690, 4015, 4019, 4074, 4107),
}
"""Complaints of MySQL and MariaDB about the text of a statement: they name tables, columns and functions, no values."""
_MANUAL = re.compile(r"; check the manual that corresponds to your \w+ server version for the right syntax to use")
_FORBIDDEN_NAME = re.compile(r"(?:table|column|routine) (['`][^']*?['`](?:\.['`][^']*?['`])*)")

_POSTGRES_UNKNOWN = {"42P01", "42703", "42501"}
_POSTGRES_SLOW = {"57014", "25P03"}


def tell_sqlite(called: Called, error: sqlite3.Error | ValueError, seconds: float) -> DatabaseError:
    name = getattr(error, "sqlite_errorname", "")
    if name in ("SQLITE_INTERRUPT", "SQLITE_BUSY", "SQLITE_LOCKED") or name.startswith("SQLITE_BUSY"):
        return DatabaseSlow(f"{called.name} did not answer within {seconds:g} seconds.")
    if name == "SQLITE_NOTADB":
        return DatabaseDown(f"{called.name} is no SQLite database.")
    if name.startswith(_BROKEN_FILE):
        return DatabaseDown(f"{called.name} cannot be read as it is ({name}).")
    said = _short(str(error))
    return SchemaChanged(said) if said.startswith(_GONE) else QueryFailed(said)


def tell_server(called: Called, error: DBAPIError, seconds: float, schema: str) -> DatabaseError:
    """`schema`: the name of the database, which stands before a table's in its complaints."""
    code, text = _code_and_text(error.orig)
    if code in _TIMED_OUT or code in _POSTGRES_SLOW:
        return DatabaseSlow(f"{called.name} did not answer within {seconds:g} seconds.")
    if error.connection_invalidated or code in _LOST:
        return DatabaseDown(f"{called.name} broke off the connection.")
    if code in _UNKNOWN_NAMES or code in _POSTGRES_UNKNOWN:
        return SchemaChanged(_short(_without(text, schema)))
    if code in _FORBIDDEN:
        named = _FORBIDDEN_NAME.search(_without(text, schema))
        return SchemaChanged(f"{_short(named.group(1)) if named else 'That'} may not be read.")
    if code in _TOLD_AS_THEY_ARE or (isinstance(code, str) and code.startswith("42")):
        return QueryFailed(_short(_without(text, schema)))
    return QueryFailed(f"The database refused the statement (error {code}).")


def _code_and_text(error: Any) -> tuple[int | str, str]:
    match getattr(error, "args", ()):
        case (int(code), str(text), *_):
            return code, text
    diagnosis = getattr(error, "diag", None)
    return getattr(error, "sqlstate", None) or 0, getattr(diagnosis, "message_primary", None) or ""


def _without(text: str, schema: str) -> str:
    text = _MANUAL.sub("", text)
    name = re.escape(schema)
    return re.sub(rf"(?:`{name}`|\b{name})\.(?=[`\w])", "", text) if schema else text


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_CHARACTERS else f"{flat[:MAX_CHARACTERS]}..."
