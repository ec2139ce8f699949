"""Tables as a prompt shows them: short, without columns that no question is about, every foreign key with its target.
Comments and values come from the database: they are cut and stay on one line."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from turnkeep.kit.words import words
from turnkeep_agents.database.joins.link_costs import is_audit_column, is_audit_link
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import Column, JoinGraph, Table
from turnkeep_agents.database.planning.vocabulary import split, stem

LONGEST_COMMENT, LONGEST_VALUES, LONGEST_VALUE, LONGEST_NAME = 90, 120, 40, 128
MOST_SYNONYMS = 4
MOST_NEIGHBOURS = 20
EVERYWHERE_SHARE = 0.3
_AUDIT_MOMENTS = ({"created", "at"}, {"updated", "at"}, {"created", "on"}, {"updated", "on"}, {"modified", "at"})

Spans: TypeAlias = Mapping[str, tuple[str, str]]  # by "table.column": its first and its last date


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
    """Return two lines for each table. `hidden` names, by table, the column with a row's owner. `asked` are words that
    choose the columns of a very wide table."""
    links, everywhere = _links(graph, allowed), _kept_everywhere(graph)
    asked_stems = frozenset(map(stem, words(asked)))
    lines: list[str] = []
    for name in tables:
        table = graph.tables[name]
        columns = list(_askable(table, hidden.get(name, ""), everywhere))
        columns = _most_relevant(table, columns, links.get(name, {}), asked_stems, max_columns)
        texts = (_column(name, one, links.get(name, {}), spans, has_values=has_values) for one in columns)
        left = f"; and {len(table.columns) - len(columns)} more" if len(columns) == max_columns else ""
        also = f" ({', '.join(_line(name, LONGEST_VALUE) for name in table.synonyms[:MOST_SYNONYMS])})"
        comment = f": {_line(table.comment, LONGEST_COMMENT)}" if table.comment else ""
        lines.append(f"{_line(table.name, LONGEST_NAME)}{also if table.synonyms else ''}{comment}")
        lines.append(f"  {'; '.join(texts)}{left}")
    return "\n".join(lines)


def neighbours(graph: JoinGraph, tables: Sequence[str], named: Sequence[str], allowed: Collection[str]) -> list[str]:
    """Return tables that point at the `named` ones and are not shown, such as a log or a list of parts."""
    ends = [link.from_table for link in graph.relationships if link.to_table in named and not is_audit_link(link)]
    return [name for name in dict.fromkeys(ends) if name in allowed and name not in tables][:MOST_NEIGHBOURS]


def main_date(table: Table) -> str:
    """Return the column with the date of a row's event: the first that is not an audit column; "" if there is
    none."""
    dates = [column.name for column in table.columns.values() if column.kind in ("date", "datetime")]
    own = [name for name in dates if not is_audit_moment(name)]
    return (own or dates or [""])[0]


def is_audit_moment(name: str) -> bool:
    return set(name_words(name)) in _AUDIT_MOMENTS


def book_keeping(graph: JoinGraph, tables: Sequence[str]) -> list[str]:
    """Return the audit columns of these tables that most tables have, to be listed once."""
    everywhere = _kept_everywhere(graph)
    columns = dict.fromkeys(name for table in tables for name in graph.tables[table].columns)
    return [name for name in columns if name in everywhere and (is_audit_column(name) or is_audit_moment(name))]


def _kept_everywhere(graph: JoinGraph) -> frozenset[str]:
    counts = Counter(column for table in graph.tables.values() for column in table.columns)
    return frozenset(name for name, count in counts.items() if count >= EVERYWHERE_SHARE * len(graph.tables))


def _links(graph: JoinGraph, allowed: Collection[str]) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    for link in graph.relationships:
        for here, there in link.pairs if link.to_table in allowed else ():
            role = f" [{_line(link.role, LONGEST_VALUE)}]" if link.role else ""
            found.setdefault(link.from_table, {}).setdefault(here, []).append(f"{link.to_table}.{there}{role}")
    return found


def _most_relevant(
    table: Table, columns: list[Column], links: Mapping[str, object], asked: frozenset[str], most: int
) -> list[Column]:
    """Keep the columns that are asked for, then keys and links, in the table's order."""
    if len(columns) <= most:
        return columns

    def rank(column: Column) -> tuple[int, bool]:
        texts = [*split(column.name), *words(" ".join([column.comment, *column.synonyms]))]
        return -len(asked.intersection(map(stem, texts))), column.name not in (*table.primary_key, *links)

    best = sorted(columns, key=rank)[:most]
    return [column for column in columns if column in best]


def _askable(table: Table, hidden: str, kept_everywhere: Collection[str]) -> Iterator[Column]:
    """Yield the columns without tenant and audit columns. An audit column that few tables have is kept: "changedBy" of
    a log of states is what the log is about."""
    has_moment = bool(main := main_date(table)) and not is_audit_moment(main)
    for column in table.columns.values():
        is_audit = is_audit_column(column.name) and column.name in kept_everywhere
        is_audit = is_audit or (has_moment and is_audit_moment(column.name))
        if column.name != hidden and not is_audit:
            yield column


def _column(table: str, column: Column, links: Mapping[str, Sequence[str]], spans: Spans, *, has_values: bool) -> str:
    kind = f" {column.kind}" if column.kind in ("date", "datetime", "boolean") else ""
    target = f" -> {', '.join(dict.fromkeys(links[column.name]))}" if column.name in links else ""
    first, last = spans.get(f"{table}.{column.name}", ("", ""))
    span = f" from {first} to {last}" if first else ""
    values = "|".join(_line(value, LONGEST_VALUE) for value in column.values)
    values = values if len(values) <= LONGEST_VALUES else f"{values[:LONGEST_VALUES].rpartition('|')[0]}|..."
    values = f" = {values}" if values and has_values and column.kind != "boolean" else ""
    comment = f" ({_line(column.comment, LONGEST_COMMENT)})" if column.comment else ""
    return f"{_line(column.name, LONGEST_NAME)}{kind}{span}{target}{values}{comment}"


def _line(text: str, most: int) -> str:
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split()).rstrip(".")
    return plain if len(plain) <= most else f"{plain[: most - 3].rstrip()}..."
