"""A database as whoever runs Turnkeep knows it, by its file or by name and host, and what is wrong with it in words.
Nothing of a login is told, nor what a driver says: that may quote the whole URL."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine
from sqlalchemy.exc import DBAPIError

from turnkeep.databases.engines import Called, file_of, open_url, parse_url
from turnkeep.databases.errors import DatabaseError

CALLED = Called("The database", "DATABASE__URL")

_FILES = {
    "SQLITE_NOTADB": "is no SQLite database, or an encrypted one. Name another file.",
    "SQLITE_CORRUPT": "is damaged. Put a copy in its place, or mend it by `sqlite3 FILE .recover`.",
    "SQLITE_BUSY": "is being written by another program. Try again when that is done.",
    "SQLITE_LOCKED": "is being written by another program. Try again when that is done.",
    "SQLITE_IOERR": "cannot be read to its end. Check the disk.",
}
_NEEDS_ITS_FOLDER = (
    "keeps a log beside it (WAL), and its folder may not be written to. Give the right to write there, or take the log "
    "away by `PRAGMA journal_mode = DELETE`."
)
_WAL_VERSION = slice(18, 20)
"""Bytes of the head of a file; 2 where it keeps a log beside it."""

_LOGIN = "refuses user and password. Correct them in the URL."
_RIGHTS = "may not be read by the user of the URL. Grant it the right to."
_NO_NAME = "is not on that server. Correct the name in the URL."
_NOBODY = "cannot be reached: no server answers there. Start it, or correct host and port in the URL."
_SILENT = "does not answer. Check the server, and that host and port of the URL are its own."
_FULL = "takes no more connections just now. Try again later."

_CODES: dict[int | str | None, str] = {
    1044: _RIGHTS, 1045: _LOGIN, 1698: _LOGIN, 1130: "takes no calls from this machine. Allow its address there.",
    1049: _NO_NAME, 2003: _NOBODY, 2005: _NOBODY, 2006: _SILENT, 2013: _SILENT, 1040: _FULL, 1203: _FULL,
    "28P01": _LOGIN, "28000": _LOGIN, "3D000": _NO_NAME, "42501": _RIGHTS, "53300": _FULL, "57014": _SILENT,
}  # fmt: skip
"""By the numbers of MySQL and the states of PostgreSQL."""
_WORDS = (
    (re.compile(r"password authentication|no password|role .* does not exist|pg_hba"), _LOGIN),
    (re.compile(r"database .* does not exist"), _NO_NAME),
    (re.compile(r"too many c"), _FULL),
    (re.compile(r"refused|resolve|translate|not known|unreachable|no route"), _NOBODY),
    (re.compile(r"time"), _SILENT),
)
"""Of PostgreSQL's drivers, which have no state for what failed before the login."""


def place_of(url: str) -> str:
    """The file, or the database and its host; raises DatabaseDown for what is no URL."""
    parsed = parse_url(CALLED, url)
    if parsed.get_backend_name() == "sqlite":
        return str(file_of(parsed).absolute()) if parsed.database else "A URL without a file"
    return _on_server(parsed, is_plain=url.count("@") < 2)


@contextmanager
def opened(url: str, seconds: float) -> Iterator[Engine]:
    """For statements of at most `seconds`, and a connection that may take no longer."""
    engine = open_url(CALLED, url, seconds)
    try:
        yield engine
    finally:
        engine.dispose()


def trouble_of(url: str, error: Exception) -> str:
    """What is wrong and what to do, in one or two sentences."""
    if isinstance(error, DatabaseError):
        return str(error)
    parsed = parse_url(CALLED, url)
    if parsed.get_backend_name() != "sqlite":
        return f"{place_of(url)} {_wrong_with_server(error)}"
    if not parsed.database:
        return "The URL names no file. Write sqlite:////folder/file, with four slashes for a path from the root."
    file = file_of(parsed).absolute()
    return f"{file} {_wrong_with_file(file, error)}"


def _on_server(url: URL, *, is_plain: bool) -> str:
    """A password that was written with an `@` in it is read in part as a host."""
    if not is_plain or "@" in (url.database or ""):
        return "The database of the URL"
    name, host = url.database or "The server", url.host or "this machine"
    return f"{name} at {host}:{url.port}" if url.port else f"{name} at {host}"


def _wrong_with_file(file: Path, error: Exception) -> str:
    if not file.exists():
        return "does not exist. Correct the path: four slashes begin at the root, three where the command was given."
    if file.is_dir():
        return "is a folder. Name the file in it."
    if not os.access(file, os.R_OK):
        return "may not be read by this user. Give the right to by chmod."
    name = getattr(_cause(error), "sqlite_errorname", "")
    told = next((told for begins, told in _FILES.items() if name.startswith(begins)), "")
    return told or (_NEEDS_ITS_FOLDER if _has_log(file) else "cannot be read. Check that it is a SQLite database.")


def _has_log(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(20)[_WAL_VERSION] == b"\x02\x02"


def _wrong_with_server(error: Exception) -> str:
    cause = _cause(error)
    first = next(iter(getattr(cause, "args", ())), None)
    code = first if isinstance(first, int) else getattr(cause, "sqlstate", None)  # a state says less than a number
    if code in _CODES:
        return _CODES[code]
    said = str(cause).lower() if code is None and isinstance(error, DBAPIError) else ""
    told = next((told for pattern, told in _WORDS if pattern.search(said)), "")
    known = f" (error {code})" if code else ""
    return told or f"could not be read{known}. Check that it runs, and that the login may read its catalogue."


def _cause(error: Exception) -> Any:
    """The driver's own error."""
    return error.orig if isinstance(error, DBAPIError) else error
