"""The few checks of SQL's text in row-level security, next to what the database enforces: a statement is a SELECT, and
names no schema of the server, where other sessions of the same login could be watched."""

import re

from turnkeep_agents.databases.errors import QueryFailed

_SPACE = r"(?:\s|\(|--[^\n]*\n|#[^\n]*\n|/\*(?![!M]).*?\*/)*"
_READS = re.compile(rf"{_SPACE}(?:select|with)\b", re.IGNORECASE | re.DOTALL)
_OF_THE_SERVER = re.compile(r"information_schema|performance_schema", re.IGNORECASE)
# catalogs, functions for administrators, settings, and what runs SQL in texts or in names that we do not read
_OF_POSTGRESQL = re.compile(
    r"(?<![^\W\d])(?:information_schema|pg_\w*|dblink\w*|(?:set_config|ts_stat|ts_rewrite)\b"
    r"|(?:query|table|cursor|schema|database)_to_xml\w*|u&(?=['\"]))",
    re.IGNORECASE,
)

MAX_CHARACTERS = 20_000


def check_statement(sql: str, *, is_postgresql: bool = False) -> None:
    if len(sql) > MAX_CHARACTERS:
        raise QueryFailed(f"A statement has at most {MAX_CHARACTERS} characters.")
    if "\0" in sql or re.search(r"[\ud800-\udfff]", sql):
        raise QueryFailed("A statement has no zero bytes and no halves of characters.")
    if not _READS.match(sql):
        raise QueryFailed("Only a SELECT is run.")
    if named := (_OF_POSTGRESQL if is_postgresql else _OF_THE_SERVER).search(sql):
        raise QueryFailed(f"{named.group().lower()} may not be read.")
