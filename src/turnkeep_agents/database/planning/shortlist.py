"""Tables as a prompt shows them. Comments and values come out of the database: they are data, cut short, on one line
and in quotes, so that a sentence among them stays a quoted word of the schema."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from turnkeep_agents.database.joins.records import Column, JoinGraph, Table
from turnkeep_agents.database.planning.identifiers import split, stem
from turnkeep.blocks.documents import Document
from turnkeep.blocks.words import words

LONGEST_NAME, LONGEST_COMMENT, LONGEST_VALUE = 128, 120, 40
MOST_VALUES, MOST_SYNONYMS = 12, 6
_NOT_SHOWN = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def documents_of(
    graph: JoinGraph,
    tables: Sequence[str],
    *,
    max_columns: int = 50,
    question: str = "",
    has_values: bool = True,
    allowed: Collection[str] | None = None,
) -> list[Document]:
    """A document for each of `tables` that the graph holds, its id the table's name. Of a table with more than
    `max_columns` the keys, the links and what `question` speaks of are shown, the rest is counted. Values of columns
    are shown where `has_values`, links to tables that are `allowed` (None: all)."""
    links = _links(graph, graph.tables if allowed is None else allowed)
    said = frozenset(map(stem, words(question)))
    shown = [graph.tables[name] for name in dict.fromkeys(tables) if name in graph.tables]
    return [_document(table, links.get(table.name, {}), said, max_columns, has_values=has_values) for table in shown]


def quoted(text: str, most: int) -> str:
    """`text` on one line between double quotes, none within, at most `most` characters long."""
    plain = _NOT_SHOWN.sub(" ", text).replace('"', "'").strip()
    return f'"{plain if len(plain) <= most else plain[: most - 3].rstrip() + "..."}"'


def _links(graph: JoinGraph, allowed: Collection[str]) -> dict[str, dict[str, list[str]]]:
    """By table and column: what the column points at."""
    found: dict[str, dict[str, list[str]]] = {}
    for link in graph.relationships:
        for here, there in link.pairs if link.to_table in allowed else ():
            found.setdefault(link.from_table, {}).setdefault(here, []).append(f"{link.to_table}.{there}")
    return found


def _document(
    table: Table, links: Mapping[str, Sequence[str]], said: frozenset[str], most: int, *, has_values: bool
) -> Document:
    kept = _kept(table, links, said, most)
    lines = [_column(column, table, links.get(column.name, ()), has_values=has_values) for column in kept]
    left = len(table.columns) - len(kept)
    lines += [f"and {left} more columns"] if left > 0 else []
    name = _NOT_SHOWN.sub(" ", table.name)[:LONGEST_NAME]
    return Document(
        id=table.name, title=" ".join([name, *_called(table.synonyms), *_said(table.comment)]), text="\n".join(lines)
    )


def _kept(table: Table, links: Mapping[str, Sequence[str]], said: frozenset[str], most: int) -> list[Column]:
    """The columns that matter most, in the order of the table."""
    columns = list(table.columns.values())
    if len(columns) <= most:
        return columns
    asked = {column.name: len(said & _stems(column)) for column in columns}
    keys = {*table.primary_key, *links}
    best = sorted(columns, key=lambda column: (-asked[column.name], column.name not in keys))[:most]
    names = {column.name for column in best}
    return [column for column in columns if column.name in names]


def _stems(column: Column) -> frozenset[str]:
    texts = [column.comment, *column.synonyms, *column.values]
    return frozenset(map(stem, [*split(column.name), *(word for text in texts for word in words(text))]))


def _column(column: Column, table: Table, links: Sequence[str], *, has_values: bool) -> str:
    """One line: name, type, key, what it points at, what it is called, its values, its comment."""
    kind = column.type or (column.kind if column.kind != "other" else "")
    facts = [_NOT_SHOWN.sub(" ", column.name)[:LONGEST_NAME], _NOT_SHOWN.sub(" ", kind)[:LONGEST_VALUE]]
    facts += ["key"] if column.name in table.primary_key else []
    facts += ["unique"] if column.name in table.unique_columns and table.primary_key != (column.name,) else []
    facts += [f"-> {', '.join(dict.fromkeys(links))}"] if links else []
    facts += _called(column.synonyms)
    if column.values and has_values:
        values = [quoted(value, LONGEST_VALUE) for value in column.values[:MOST_VALUES]]
        facts.append(f"one of {', '.join(values)}" + (", ..." if len(column.values) > MOST_VALUES else ""))
    return " ".join(filter(None, [*facts, *_said(column.comment)]))


def _called(synonyms: Iterable[str]) -> list[str]:
    names = [quoted(name, LONGEST_VALUE) for name in list(synonyms)[:MOST_SYNONYMS]]
    return [f"also called {', '.join(names)}"] if names else []


def _said(comment: str) -> list[str]:
    return [f"comment: {quoted(comment, LONGEST_COMMENT)}"] if comment.strip() else []
