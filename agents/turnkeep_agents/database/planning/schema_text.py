"""Tables as a prompt shows them: short, without what no question is about, every foreign key with its target. Comments
and values come out of the database: they stay on one line and are cut short."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from turnkeep.blocks.words import words
from turnkeep_agents.database.joins.links import is_audit_column, is_audit_link
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table
from turnkeep_agents.database.planning.identifiers import split, stem

LONGEST_COMMENT, LONGEST_VALUES, LONGEST_VALUE, LONGEST_NAME = 90, 120, 40, 128
MOST_SYNONYMS = 4
MOST_NEIGHBOURS = 20
EVERYWHERE_SHARE = 0.3
_AUDIT_MOMENTS = ({"created", "at"}, {"updated", "at"}, {"created", "on"}, {"updated", "on"}, {"modified", "at"})

Spans: TypeAlias = Mapping[str, tuple[str, str]]
"""By "table.column": the first and the last date there is."""


def schema_text(
    graph: JoinGraph,
    tables: Sequence[str],
    *,
    allowed: Collection[str],
    hidden: Mapping[str, str],
    spans: Spans,
    asked: str,
    has_values: bool,
    max_columns: int,
) -> str:
    """Two lines for each table. `hidden`: by table, the column that settles whose rows may be read; `asked`: words by
    which the columns of a very wide table are chosen."""
    links, everywhere = _links(graph, allowed), _kept_everywhere(graph)
    said = frozenset(map(stem, words(asked)))
    lines: list[str] = []
    for name in tables:
        table = graph.tables[name]
        columns = _shown(
            table, hidden.get(name, ""), links.get(name, {}), said, max_columns, kept_everywhere=everywhere
        )
        told = (_column(name, one, links.get(name, {}), spans, has_values=has_values) for one in columns)
        left = f"; and {len(table.columns) - len(columns)} more" if len(columns) == max_columns else ""
        lines += [_head(table), f"  {'; '.join(told)}{left}"]
    return "\n".join(lines)


def neighbours(graph: JoinGraph, tables: Sequence[str], named: Sequence[str], allowed: Collection[str]) -> list[str]:
    """Tables that point at the `named` ones and are not shown, as a log or a list of parts does: who needs one asks."""
    ends = [link.from_table for link in graph.relationships if link.to_table in named and not is_audit_link(link)]
    return [name for name in dict.fromkeys(ends) if name in allowed and name not in tables][:MOST_NEIGHBOURS]


def main_date(table: Table) -> str:
    """The column that tells when a row happened, "" where there is none: the first date that is no book-keeping."""
    dates = [column.name for column in table.columns.values() if column.kind in ("date", "datetime")]
    own = [name for name in dates if not is_audit_moment(name)]
    return (own or dates or [""])[0]


def is_audit_moment(name: str) -> bool:
    return set(name_words(name)) in _AUDIT_MOMENTS


def book_keeping(graph: JoinGraph, tables: Sequence[str]) -> list[str]:
    """Who made or changed a row of these, and when: columns that are told once, and not with each table."""
    everywhere = _kept_everywhere(graph)
    columns = dict.fromkeys(name for table in tables for name in graph.tables[table].columns)
    return [name for name in columns if name in everywhere and (is_audit_column(name) or is_audit_moment(name))]


def _kept_everywhere(graph: JoinGraph) -> frozenset[str]:
    """The columns that a good part of all tables has."""
    counts = Counter(column for table in graph.tables.values() for column in table.columns)
    return frozenset(name for name, count in counts.items() if count >= EVERYWHERE_SHARE * len(graph.tables))


def _links(graph: JoinGraph, allowed: Collection[str]) -> dict[str, dict[str, list[str]]]:
    """By table and column: what the column points at, with its role."""
    found: dict[str, dict[str, list[str]]] = {}
    for link in graph.relationships:
        for here, there in link.pairs if link.to_table in allowed else ():
            found.setdefault(link.from_table, {}).setdefault(here, []).append(_target(link, there))
    return found


def _target(link: Relationship, column: str) -> str:
    return f"{link.to_table}.{column}{f' [{_line(link.role, LONGEST_VALUE)}]' if link.role else ''}"


def _head(table: Table) -> str:
    also = f" ({', '.join(_line(name, LONGEST_VALUE) for name in table.synonyms[:MOST_SYNONYMS])})"
    comment = f": {_line(table.comment, LONGEST_COMMENT)}" if table.comment else ""
    return f"{_line(table.name, LONGEST_NAME)}{also if table.synonyms else ''}{comment}"


def _shown(
    table: Table,
    hidden: str,
    links: Mapping[str, object],
    said: frozenset[str],
    most: int,
    *,
    kept_everywhere: Collection[str],
) -> list[Column]:
    """Without tenant and book-keeping; of very many those that are asked for, keys and links, in the table's order."""
    columns = list(_askable(table, hidden, kept_everywhere))
    if len(columns) <= most:
        return columns
    keys = {*table.primary_key, *links}
    best = sorted(columns, key=lambda one: (-len(said & _stems(one)), one.name not in keys))[:most]
    return [column for column in columns if column in best]


def _askable(table: Table, hidden: str, kept_everywhere: Collection[str]) -> Iterator[Column]:
    """Who made a row is no book-keeping where few tables say it: "changedBy" of a log of states is what it is about."""
    has_moment = bool(main := main_date(table)) and not is_audit_moment(main)
    for column in table.columns.values():
        is_audit = is_audit_column(column.name) and column.name in kept_everywhere
        is_audit = is_audit or (has_moment and is_audit_moment(column.name))
        if column.name != hidden and not is_audit:
            yield column


def _stems(column: Column) -> frozenset[str]:
    texts = [column.comment, *column.synonyms]
    return frozenset(map(stem, [*split(column.name), *(word for text in texts for word in words(text))]))


def _column(table: str, column: Column, links: Mapping[str, Sequence[str]], spans: Spans, *, has_values: bool) -> str:
    kind = f" {column.kind}" if column.kind in ("date", "datetime", "boolean") else ""
    target = f" -> {', '.join(dict.fromkeys(links[column.name]))}" if column.name in links else ""
    first, last = spans.get(f"{table}.{column.name}", ("", ""))
    span = f" from {first} to {last}" if first else ""
    values = _values(column) if has_values and column.kind != "boolean" else ""
    comment = f" ({_line(column.comment, LONGEST_COMMENT)})" if column.comment else ""
    return f"{_line(column.name, LONGEST_NAME)}{kind}{span}{target}{values}{comment}"


def _values(column: Column) -> str:
    said = "|".join(_line(value, LONGEST_VALUE) for value in column.values)
    if not said:
        return ""
    return f" = {said}" if len(said) <= LONGEST_VALUES else f" = {said[:LONGEST_VALUES].rpartition('|')[0]}|..."


def _line(text: str, most: int) -> str:
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split()).rstrip(".")
    return plain if len(plain) <= most else f"{plain[: most - 3].rstrip()}..."
