"""A database's error messages as far as they may be shown: never a value, a login or a host."""

import re
import sqlite3
from typing import Any

from sqlalchemy.exc import DataError, DBAPIError

from turnkeep_agents.databases.engines import Called
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseError, QueryFailed, SchemaChanged
from turnkeep_agents.databases.sessions import is_locked, is_no_database, sqlite_name, too_busy, too_slow

MAX_CHARACTERS = 300

_GONE = tuple(f"no such {thing}" for thing in ("table", "column"))
_BROKEN_FILE = {
    "SQLITE_CORRUPT": "its file is damaged",
    "SQLITE_IOERR": "its file cannot be read to the end",
    "SQLITE_CANTOPEN": "its file is not there or cannot be opened",
    "SQLITE_READONLY": "it keeps a log next to its file, and may not write there",
    "SQLITE_FULL": "there is no room on the disk",
    "SQLITE_NOMEM": "there is not enough memory",
}
TOO_BIG = (
    "One of its texts is longer than what is read at once: 100,000 bytes of a text that a function works with,"
    " 1,000,000 of any other. Leave that column out."
)

_UNKNOWN_NAMES = {1051, 1054, 1109, 1146, 1356}
_FORBIDDEN = {1044, 1142, 1143, 1345, 1370}
_TIMED_OUT = {1317, 1969, 3024}
_LOST = {1053, 1077, 1152, 1927, 2006, 2013, 2014}
_SHOWN = {  # errors of MySQL and MariaDB about the text of a statement: they name tables and columns, no values
    *(1052, 1055, 1056, 1060, 1063, 1064, 1066, 1109, 1111, 1112, 1115, 1140, 1149, 1176, 1221, 1222, 1235, 1241, 1242),
    *(1247, 1248, 1249, 1250, 1305, 1318, 1327, 1349, 1351, 1582, 1583, 1584, 1621, 1630, 1690, 4015, 4019, 4074, 4107),
}
_MANUAL = re.compile(r"; check the manual that corresponds to your \w+ server version for the right syntax to use")
_FORBIDDEN_NAME = re.compile(r"(?:table|column|routine) (['`][^']*?['`](?:\.['`][^']*?['`])*)")

_POSTGRES_UNKNOWN = {"42P01", "42703", "42501"}
_POSTGRES_SLOW = {"57014", "25P03"}
_POSTGRES_LOST = {"57P01", "57P02", "57P03"}
_POSTGRES_SHOWN = {"0A000", "21000", "22012"}  # next to class 42, which is about the text of a statement


def is_too_big(error: sqlite3.Error | ValueError) -> bool:
    return sqlite_name(error) == "SQLITE_TOOBIG"


def is_ended(error: sqlite3.Error | ValueError) -> bool:
    return sqlite_name(error) == "SQLITE_INTERRUPT"


def sqlite_error(called: Called, error: sqlite3.Error | ValueError, seconds: float) -> DatabaseError:
    name = sqlite_name(error)
    if is_too_big(error):
        return QueryFailed(TOO_BIG)
    if is_locked(error):
        return too_busy(called)
    if is_ended(error):
        return too_slow(called, seconds)
    if is_no_database(error):
        return DatabaseDown(f"{called.name} is not a SQLite database.")
    if name.startswith(tuple(_BROKEN_FILE)):
        wrong = next(reason for code, reason in _BROKEN_FILE.items() if name.startswith(code))
        return DatabaseDown(f"{called.name} cannot be read: {wrong}.")
    message = _short(str(error))
    return SchemaChanged(message) if message.startswith(_GONE) else QueryFailed(message)


def server_error(called: Called, error: DBAPIError, seconds: float, schema: str) -> DatabaseError:
    """`schema` is the database's name, which precedes table names in its messages."""
    code, text = _code_and_text(error.orig)
    if code in _TIMED_OUT or code in _POSTGRES_SLOW:
        return too_slow(called, seconds)
    if error.connection_invalidated or code in _LOST or code in _POSTGRES_LOST:
        return DatabaseDown(f"{called.name} closed the connection.")
    text = _MANUAL.sub("", text)
    if schema:
        text = re.sub(rf"(?:`{re.escape(schema)}`|\b{re.escape(schema)})\.(?=[`\w])", "", text)
    return _of_statement(error, code, text)


def _of_statement(error: DBAPIError, code: int | str, text: str) -> DatabaseError:
    if code in _UNKNOWN_NAMES or code in _POSTGRES_UNKNOWN:
        return SchemaChanged(_short(text))
    if code in _FORBIDDEN:
        named = _FORBIDDEN_NAME.search(text)
        return SchemaChanged(f"{_short(named.group(1)) if named else 'That'} may not be read.")
    if code in _SHOWN or code in _POSTGRES_SHOWN or (isinstance(code, str) and code.startswith("42")):
        return QueryFailed(_short(text))
    if code == 0 and isinstance(error, DataError):  # an error of the driver, not the database
        return QueryFailed("The result holds values that cannot be read.")
    return QueryFailed(f"The database refused the statement (error {code}).")


def _code_and_text(error: Any) -> tuple[int | str, str]:
    match getattr(error, "args", ()):
        case (int(code), str(text), *_):
            return code, text
    diagnosis = getattr(error, "diag", None)
    return getattr(error, "sqlstate", None) or 0, getattr(diagnosis, "message_primary", None) or ""


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_CHARACTERS else f"{flat[:MAX_CHARACTERS]}..."
