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
KEY, KEY_ON_POSTGRESQL, TENANT, COMPANY = (  # placeholders for what Turnkeep must not know
    "REPLACE: the key of AES_ENCRYPT",
    "REPLACE: the key of pgp_sym_encrypt",
    "REPLACE: a tenant, or * for every other",
    "REPLACE: its company",
)


@dataclass(frozen=True)
class Wanted:
    """`joins` is a saved join graph, which lists the columns. `database` is the schema of the tables, `public` by
    default on PostgreSQL. `reader` is an account as 'name'@'host', or a role. `signing_key` is new, for DATABASE__SEAL;
    empty if there is one already."""

    access: Path
    joins: Path
    dialect: Literal["mysql", "postgresql", "sqlite"]
    database: str
    reader: str
    signing_key: str


def security_script(wanted: Wanted) -> str:
    """Return the statements as a script; raise LocalError."""
    access, columns = _known(wanted)
    key = KEY_ON_POSTGRESQL if wanted.dialect == "postgresql" else KEY
    known = Secrets(key, wanted.signing_key, {TENANT: COMPANY}) if wanted.signing_key else None
    if wanted.dialect == "sqlite":
        if known is None:
            raise LocalError("The views of a SQLite file are made for each statement; there is nothing to run again.")
        return _script(_HEAD[:1], secure_file_ddl(known))
    if wanted.dialect == "postgresql":
        return _for_postgresql(wanted, access, columns, known)
    if not wanted.database:
        raise LocalError("--database is missing: the schema on the server that holds the tables.")
    if not ACCOUNT.fullmatch(wanted.reader):
        raise LocalError("The reader is an existing account, written as 'name'@'host' with the quotes.")
    return _script(_head(wanted), secure_views_ddl(access, columns, wanted.database, wanted.reader, known))


def _for_postgresql(wanted: Wanted, access: Access, columns: Mapping[str, Sequence[str]], known: Secrets | None) -> str:
    if not ROLE.fullmatch(wanted.reader):
        raise LocalError("The reader is an existing role that may log in, written without quotes.")
    statements = barrier_views_ddl(access, columns, wanted.database or "public", wanted.reader, known)
    whole = ["BEGIN", *statements, "COMMIT"]
    return "\n".join(
        [*(f"-- {line}" for line in _head(wanted)), "\\set ON_ERROR_STOP on", *(f"{one};" for one in whole)]
    )


_HEAD = [
    "Run this as an administrator after replacing the values that begin with REPLACE. Turnkeep never needs them.",
    "Add a row to wall_company for each tenant. The reader loses all its other rights.",
    "After a change of the schema, run what --again prints: it keeps key, companies and signing key.",
]
_AGAIN = ["Run this as an administrator. Key, companies and signing key stay; the reader loses all its other rights."]


def _head(wanted: Wanted) -> list[str]:
    if not wanted.signing_key:
        return _AGAIN
    return [*_HEAD, f"DATABASE__SEAL={wanted.signing_key} is for Turnkeep only."]


def _known(wanted: Wanted) -> tuple[Access, Mapping[str, Sequence[str]]]:
    """Return the access rules, and the columns of the tables that any caller may read."""
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
    names, anyone = frozenset(tables), Principal("", "")
    rules = (replace(rule, tenant="*", user="*") for rule in access.rules)
    return frozenset().union(*(Access(rules=(rule,)).allowed(anyone, names) for rule in rules))


def _script(head: Iterable[str], statements: Iterable[str]) -> str:
    """Format for the `mysql` client, which needs a delimiter around procedures."""
    lines = [f"-- {line}" for line in head]
    for statement in statements:
        lines += ["DELIMITER $$", f"{statement}$$", "DELIMITER ;"] if ";" in statement else [f"{statement};"]
    return "\n".join(lines)
