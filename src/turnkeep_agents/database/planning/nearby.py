"""What a database holds, for somebody who asked for what it does not hold: the nearest tables and what they say."""

from collections.abc import Collection, Sequence

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import JoinGraph, Table

MOST_TABLES, MOST_COLUMNS = 3, 8
_KEYS = frozenset({"id", "uuid", "guid", "key"})
_KEPT_BY_MACHINES = frozenset({"created", "updated", "modified", "deleted", "company", "tenant"})


def nearby(graph: JoinGraph, ranked: Sequence[str], allowed: Collection[str]) -> list[str]:
    """The first of the ranked tables in words, each with columns that may be asked for."""
    tables = [graph.tables[name] for name in ranked if name in graph.tables and name in allowed]
    return [_told(table) for table in tables[:MOST_TABLES]]


def _told(table: Table) -> str:
    columns = [" ".join(_askable(name)) for name in table.columns if not is_audit_column(name)]
    shown = list(dict.fromkeys(filter(None, columns)))[:MOST_COLUMNS]
    return f"{_words(table.name)} ({', '.join(shown)})" if shown else _words(table.name)


def _words(name: str) -> str:
    return " ".join(name_words(name)) or name


def _askable(column: str) -> tuple[str, ...]:
    """What a column is called by, of one that points at rows what those are; nothing where only machines ask for it."""
    words = name_words(column)
    if not _KEPT_BY_MACHINES.isdisjoint(words):
        return ()
    return words[:-1] if words[-1:] and words[-1] in _KEYS else words
