"""Row-level security of a user's own database, as statements for its administrator: Turnkeep prints them and runs
none."""

import argparse
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from turnkeep.records import Principal
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


def secure(options: argparse.Namespace) -> None:
    print(security_script(options, "" if options.again else secrets.token_hex(32)))


def security_script(options: argparse.Namespace, signing_key: str) -> str:
    """Return the statements as a script; raise LocalError. `signing_key` is new, for DATABASE__SEAL; empty if there is
    one already."""
    access, columns = _known(options)
    key = KEY_ON_POSTGRESQL if options.dialect == "postgresql" else KEY
    known = Secrets(key, signing_key, {TENANT: COMPANY}) if signing_key else None
    if options.dialect == "sqlite":
        if known is None:
            raise LocalError("The views of a SQLite file are made for each statement; there is nothing to run again.")
        return _script(_HEAD[:1], secure_file_ddl(known))
    head = [*_HEAD, f"DATABASE__SEAL={signing_key} is for Turnkeep only."] if signing_key else _AGAIN
    if options.dialect == "postgresql":
        if not ROLE.fullmatch(options.reader):
            raise LocalError("The reader is an existing role that may log in, written without quotes.")
        statements = barrier_views_ddl(access, columns, options.database or "public", options.reader, known)
        lines = [f"{each};" for each in ("BEGIN", *statements, "COMMIT")]
        return "\n".join([*(f"-- {line}" for line in head), "\\set ON_ERROR_STOP on", *lines])
    if not options.database:
        raise LocalError("--database is missing: the schema on the server that holds the tables.")
    if not ACCOUNT.fullmatch(options.reader):
        raise LocalError("The reader is an existing account, written as 'name'@'host' with the quotes.")
    return _script(head, secure_views_ddl(access, columns, options.database, options.reader, known))


_HEAD = [
    "Run this as an administrator after replacing the values that begin with REPLACE. Turnkeep never needs them.",
    "Add a row to wall_company for each tenant. The reader loses all its other rights.",
    "After a change of the schema, run what --again prints: it keeps key, companies and signing key.",
]
_AGAIN = ["Run this as an administrator. Key, companies and signing key stay; the reader loses all its other rights."]


def _known(options: argparse.Namespace) -> tuple[Access, Mapping[str, Sequence[str]]]:
    """Return the access rules, and the columns of the tables that any caller may read."""
    access, graph = load_access(options.access), load_graph(options.joins)
    read = readable(access, graph.tables)
    columns = {name: list(table.columns) for name, table in graph.tables.items() if name in read}
    for view in access.views:
        if view.table not in graph.tables:  # misspelt, the table itself would be granted without its view
            raise LocalError(f"{options.access}: {options.joins} has no table {view.table}. Compare the spelling.")
        named = [name for name in (view.company_column, *view.encrypted) if name]
        missing = [name for name in named if name not in columns.get(view.table, named)]
        if missing:
            raise LocalError(f"{options.access}: {view.table} has no column {missing[0]} in {options.joins}.")
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
