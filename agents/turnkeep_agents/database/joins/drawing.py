"""Drawings of a join graph for people, in Mermaid's language. Names are text there, whatever they hold."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from turnkeep_agents.database.joins.costs import is_audit_link
from turnkeep_agents.database.joins.links import sound_links
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

MOST_NEIGHBOURS = 20
SHOWN_COLUMNS = 12

_ENDS = {"N:1": "}o--||", "1:1": "|o--||", "1:N": "||--o{", "N:N": "}o--o{"}


def draw(graph: JoinGraph, tables: Collection[str] = ()) -> str:
    """The whole graph, or what is around `tables`. KeyError for a table that the graph does not hold."""
    return mermaid(around(graph, tables) if tables else graph)


def around(graph: JoinGraph, tables: Collection[str]) -> JoinGraph:
    """The named tables with those next to them, other than by who made a row; the nearest of many are those that are
    next to most. KeyError for a table that the graph does not hold."""
    for table in tables:
        if table not in graph.tables:
            raise KeyError(table)
    near: dict[str, int] = {}
    for link in sound_links(graph):
        ends = {link.from_table, link.to_table}
        if not ends.isdisjoint(tables) and not is_audit_link(link):
            for other in ends.difference(tables):
                near[other] = near.get(other, 0) + 1
    nearest = sorted(near, key=lambda table: (-near[table], table))[:MOST_NEIGHBOURS]
    kept = {name: table for name, table in graph.tables.items() if name in tables or name in nearest}
    links = tuple(link for link in graph.relationships if link.from_table in kept and link.to_table in kept)
    return replace(graph, tables=kept, relationships=links)


def mermaid(graph: JoinGraph) -> str:
    """An entity relationship diagram in Mermaid's language, with the columns that join."""
    return "\n".join(["erDiagram", *_entities(graph), *map(_line, sound_links(graph))]) + "\n"


def _entities(graph: JoinGraph) -> Iterator[str]:
    joining: dict[str, list[str]] = {}
    for link in sound_links(graph):
        for a, b in link.pairs:
            joining.setdefault(link.from_table, []).append(a)
            joining.setdefault(link.to_table, []).append(b)
    for name, table in graph.tables.items():
        shown = [column for column in table.columns if column in table.primary_key or column in joining.get(name, ())]
        yield f"    {_entity(name)} {{"
        for column in shown[:SHOWN_COLUMNS]:
            marks = "PK" if column in table.primary_key else "FK"
            yield f"        {table.columns[column].kind} {_word(column)} {marks}"
        yield "    }"


def _line(link: Relationship) -> str:
    said = link.role or " + ".join(a for a, _ in link.pairs)
    return f"    {_entity(link.from_table)} {_ENDS[link.cardinality]} {_entity(link.to_table)} : {_quoted(said)}"


def _entity(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) else _quoted(name)


def _word(name: str) -> str:
    """Mermaid takes no quotes round attributes."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name) if re.match(r"[A-Za-z]", name) else "c_" + re.sub(r"\W", "_", name)


def _quoted(text: str) -> str:
    return '"' + re.sub(r"[\"\\%{}<>\n\r]", "_", text) + '"'
