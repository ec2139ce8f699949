"""Row-level security of a user's own database, as statements for its administrator: Turnkeep prints them and runs
none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from turnkeep.records import Principal
from turnkeep.settings import UnusableFile
from turnkeep_agents.database.access import Access, load_access
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.security.postgresql import barrier_views_ddl
from turnkeep_agents.database.security.views import Secrets, secure_file_ddl, secure_views_ddl
from turnkeep_local import LocalError

ACCOUNT = re.compile(r"'[^'\\]+'@'[^'\\]+'")
ROLE = re.compile(r"[^'\"\\@]+")
KEY, KEY_ON_POSTGRESQL, TENANT, COMPANY = (
    "REPLACE: the key of AES_ENCRYPT",
    "REPLACE: the key of pgp_sym_encrypt",
    "REPLACE: a tenant, or * for every other",
    "REPLACE: its company",
)
"""What stands in the statements where we know nothing, and shall not."""


@dataclass(frozen=True)
class Wanted:
    """`joins` is a saved join graph, which names the columns; `database` the schema of the tables, on PostgreSQL
    `public` where it is empty; `reader` an account as 'name'@'host', on PostgreSQL a role; `seal` a new secret that
    Turnkeep is to know as DATABASE__SEAL; empty for one that is there and keeps its own."""

    access: Path
    joins: Path
    dialect: Literal["mysql", "postgresql", "sqlite"]
    database: str
    reader: str
    seal: str


def print_wall(wanted: Wanted) -> str:
    """The statements as a script; raises LocalError."""
    access, columns = _known(wanted)
    key = KEY_ON_POSTGRESQL if wanted.dialect == "postgresql" else KEY
    known = Secrets(key, wanted.seal, {TENANT: COMPANY}) if wanted.seal else None
    if wanted.dialect == "sqlite":
        if known is None:
            raise LocalError("The views of a SQLite file are made for each statement; there is nothing to run again.")
        return _script(_HEAD[:1], secure_file_ddl(known))
    if wanted.dialect == "postgresql":
        return _for_postgresql(wanted, access, columns, known)
    if not wanted.database:
        raise LocalError("--database is missing: the schema on the server that holds the tables.")
    if not ACCOUNT.fullmatch(wanted.reader):
        raise LocalError("The reader is an account that is there already, written as 'name'@'host' with the quotes.")
    return _script(_head(wanted), secure_views_ddl(access, columns, wanted.database, wanted.reader, known))


def _for_postgresql(wanted: Wanted, access: Access, columns: Mapping[str, Sequence[str]], known: Secrets | None) -> str:
    if not ROLE.fullmatch(wanted.reader):
        raise LocalError("The reader is a role that is there already and may log in, written without quotes.")
    statements = barrier_views_ddl(access, columns, wanted.database or "public", wanted.reader, known)
    whole = ["BEGIN", *statements, "COMMIT"]
    return "\n".join(
        [*(f"-- {line}" for line in _head(wanted)), "\\set ON_ERROR_STOP on", *(f"{one};" for one in whole)]
    )


_HEAD = [
    "To be run by an administrator after the values that begin with REPLACE were replaced. Turnkeep never needs them.",
    "A row of wall_company for each tenant. The reader loses all other rights that it has.",
    "After a change of the schema, run what --again prints: it leaves key, companies and seal as they are.",
]
_AGAIN = ["To be run by an administrator. Key, companies and seal stay; the reader loses all other rights that it has."]


def _head(wanted: Wanted) -> list[str]:
    """Comments above a server's statements."""
    if not wanted.seal:
        return _AGAIN
    return [*_HEAD, f"DATABASE__SEAL={wanted.seal} is for Turnkeep, and for nobody else."]


def _known(wanted: Wanted) -> tuple[Access, Mapping[str, Sequence[str]]]:
    """The access, and the columns of the tables that somebody may read."""
    try:
        access, graph = load_access(wanted.access), load_graph(wanted.joins)
    except UnusableFile as error:
        raise LocalError(str(error)) from error
    read = readable(access, graph.tables)
    columns = {name: list(table.columns) for name, table in graph.tables.items() if name in read}
    for view in access.views:
        if view.table not in graph.tables:  # misspelt, the table itself would be granted without its view
            raise LocalError(f"{wanted.access}: {wanted.joins} has no table {view.table}. Compare the spelling.")
        named = [name for name in (view.company_column, *view.encrypted) if name]
        missing = [name for name in named if name not in columns.get(view.table, named)]
        if missing:
            raise LocalError(f"{wanted.access}: {view.table} has no column {missing[0]} in {wanted.joins}.")
    return access, columns


def readable(access: Access, tables: Iterable[str]) -> frozenset[str]:
    """Those that any caller may read."""
    names, somebody = frozenset(tables), Principal("", "")
    rules = (replace(rule, tenant="*", user="*") for rule in access.rules)
    return frozenset().union(*(Access(rules=(rule,)).allowed(somebody, names) for rule in rules))


def _script(head: Iterable[str], statements: Iterable[str]) -> str:
    """As the `mysql` client reads it, which has to be told where a procedure ends."""
    lines = [f"-- {line}" for line in head]
    for statement in statements:
        lines += ["DELIMITER $$", f"{statement}$$", "DELIMITER ;"] if ";" in statement else [f"{statement};"]
    return "\n".join(lines)
