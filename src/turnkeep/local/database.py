"""The wall of a user's own database, as statements for its administrator: Turnkeep prints them and runs none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from turnkeep.agents.database.access import Access, AccessError, load_access
from turnkeep.agents.database.joins.files import JoinGraphError, load_graph
from turnkeep.agents.database.manual.files import read_files
from turnkeep.agents.database.wall.views import Secrets, secure_file_ddl, secure_views_ddl
from turnkeep.blocks.documents import CorpusError
from turnkeep.local import LocalError
from turnkeep.records import Principal
from turnkeep.settings import DatabaseTuning

ACCOUNT = re.compile(r"'[^'\\]+'@'[^'\\]+'")
KEY, TENANT, COMPANY = (
    "REPLACE: the key of AES_ENCRYPT",
    "REPLACE: a tenant, or * for every other",
    "REPLACE: its company",
)
"""What stands in the statements where we know nothing, and shall not."""


def check_files(tuning: DatabaseTuning) -> None:
    """Raises LocalError where a file of the settings cannot be used. A server alone would meet it with the first
    question, and tell the one who asks no more than that something is wrong."""
    try:
        if tuning.access:
            load_access(Path(tuning.access))
        if tuning.joins:
            load_graph(Path(tuning.joins))
        if tuning.manual:
            read_files(Path(tuning.manual))
    except (AccessError, JoinGraphError, CorpusError) as error:
        raise LocalError(str(error)) from error


@dataclass(frozen=True)
class Wanted:
    """`joins` is a saved join graph, which names the columns; `reader` an account as 'name'@'host'; `seal` a new secret
    that Turnkeep is to know as DATABASE__SEAL; empty for a wall that is there and keeps its own."""

    access: Path
    joins: Path
    dialect: Literal["mysql", "sqlite"]
    database: str
    reader: str
    seal: str


def print_wall(wanted: Wanted) -> str:
    """The statements as a script; raises LocalError."""
    access, columns = _known(wanted)
    known = Secrets(KEY, wanted.seal, {TENANT: COMPANY}) if wanted.seal else None
    if wanted.dialect == "sqlite":
        if known is None:
            raise LocalError("The views of a SQLite file are made for each statement; there is nothing to run again.")
        return _script(_HEAD[:1], secure_file_ddl(known))
    if not wanted.database:
        raise LocalError("--database is missing: the schema on the server that holds the tables.")
    if not ACCOUNT.fullmatch(wanted.reader):
        raise LocalError("The reader is an account that is there already, written as 'name'@'host' with the quotes.")
    statements = secure_views_ddl(access, columns, wanted.database, wanted.reader, known)
    if known is None:
        return _script(_AGAIN, statements)
    return _script([*_HEAD, f"DATABASE__SEAL={wanted.seal} is for Turnkeep, and for nobody else."], statements)


_HEAD = [
    "To be run by an administrator after the values that begin with REPLACE were replaced. Turnkeep never needs them.",
    "A row of wall_company for each tenant. The reader loses all other rights that it has.",
    "After a change of the schema, run what --again prints: it leaves key, companies and seal as they are.",
]
_AGAIN = ["To be run by an administrator. Key, companies and seal stay; the reader loses all other rights that it has."]


def _known(wanted: Wanted) -> tuple[Access, Mapping[str, Sequence[str]]]:
    """The access, and the columns of the tables that somebody may read."""
    try:
        access, graph = load_access(wanted.access), load_graph(wanted.joins)
    except (AccessError, JoinGraphError) as error:
        raise LocalError(str(error)) from error
    readable = _readable(access, graph.tables)
    columns = {name: list(table.columns) for name, table in graph.tables.items() if name in readable}
    for view in access.views:
        named = [name for name in (view.company_column, *view.encrypted) if name]
        missing = [name for name in named if name not in columns.get(view.table, named)]
        if missing:
            raise LocalError(f"{wanted.access}: {view.table} has no column {missing[0]} in {wanted.joins}.")
    return access, columns


def _readable(access: Access, tables: Iterable[str]) -> frozenset[str]:
    """By any caller."""
    names, somebody = frozenset(tables), Principal("", "")
    rules = (replace(rule, tenant="*", user="*") for rule in access.rules)
    return frozenset().union(*(Access(rules=(rule,)).allowed(somebody, names) for rule in rules))


def _script(head: Iterable[str], statements: Iterable[str]) -> str:
    """As the `mysql` client reads it, which has to be told where a procedure ends."""
    lines = [f"-- {line}" for line in head]
    for statement in statements:
        lines += ["DELIMITER $$", f"{statement}$$", "DELIMITER ;"] if ";" in statement else [f"{statement};"]
    return "\n".join(lines)
