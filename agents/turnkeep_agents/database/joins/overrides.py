"""Corrections written by hand: links to add, rate or remove, names of tables and columns, and tables to hide. They win
over every other source; a name that the database lacks is an error."""

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import Field

from turnkeep.settings import UnusableFile
from turnkeep_agents.database.joins.link_costs import missing
from turnkeep_agents.database.joins.records import Cardinality, JoinGraph, Relationship, Table
from turnkeep_agents.database.json_files import Shape, Text, read_shape

REMEDY = 'It may hold "relationships", "remove", "tables" and "hidden", as docs/database-joins.md says.'

_WILD = frozenset("*?[")  # a pattern may match no table yet, but a name must


class Ends(Shape):
    """All links from one table to another, or those over the named columns."""

    from_table: Text
    to_table: Text
    from_column: str = ""
    to_column: str = ""

    def fit(self, link: Relationship) -> bool:
        columns = self.from_column in ("", link.from_column) and self.to_column in ("", link.to_column)
        return columns and (link.from_table, link.to_table) == (self.from_table, self.to_table)


class Corrected(Shape):
    """A link to add, or the changes to an existing one."""

    from_table: Text
    from_column: Text
    to_table: Text
    to_column: Text
    confidence: float | None = Field(None, ge=0, le=1)
    cardinality: Cardinality | None = None
    role: str | None = None
    others: tuple[tuple[Text, Text], ...] = ()


class TableNotes(Shape):
    """Fields that are not set stay as the database has them."""

    comment: str | None = None
    comments: dict[Text, str] = Field(default_factory=dict)
    synonyms: tuple[Text, ...] | None = None
    column_synonyms: dict[Text, tuple[Text, ...]] = Field(default_factory=dict)


class Overrides(Shape):
    version: Literal[1] = 1
    relationships: tuple[Corrected, ...] = ()
    remove: tuple[Ends, ...] = ()
    tables: dict[Text, TableNotes] = Field(default_factory=dict)
    hidden: tuple[Text, ...] = ()


def with_overrides(graph: JoinGraph, path: Path) -> JoinGraph:
    """Apply the corrections: remove first, then change and add. Raises UnusableFile."""
    wanted = read_shape(path, Overrides, REMEDY)
    links = list(graph.relationships)
    for place, ends in enumerate(wanted.remove):
        kept = [link for link in links if not ends.fit(link)]
        if len(kept) == len(links):
            raise UnusableFile(f"{path}: remove[{place}]: there is no such relationship. Compare the spelling.")
        links = kept
    for place, correction in enumerate(wanted.relationships):
        links = _corrected(graph, links, correction, f"{path}: relationships[{place}]")
    tables = _noted(graph, wanted.tables, path)
    for place, pattern in enumerate(wanted.hidden):
        if not _WILD.intersection(pattern) and pattern not in tables:
            raise UnusableFile(f"{path}: hidden[{place}]: the database has no table {pattern}. Compare the spelling.")
    tables = {name: one for name, one in tables.items() if not any(fnmatchcase(name, each) for each in wanted.hidden)}
    seen = tuple(link for link in links if link.from_table in tables and link.to_table in tables)
    return replace(graph, tables=tables, relationships=seen)


def _corrected(graph: JoinGraph, links: list[Relationship], wanted: Corrected, place: str) -> list[Relationship]:
    changes = {name: getattr(wanted, name) for name in ("confidence", "cardinality", "role")}
    changes = {name: value for name, value in changes.items() if value is not None}
    ends = wanted.from_table, wanted.from_column, wanted.to_table, wanted.to_column
    link = Relationship(*ends, type="manual", others=wanted.others)
    for unknown in missing(graph, link):
        raise UnusableFile(f"{place}: the database has no {unknown}. Compare the spelling.")
    same = [each for each in links if each.ends == link.ends]
    if not same:
        return [*links, replace(link, **changes)]
    if "confidence" in changes:
        changes["type"] = "manual"
    return [replace(each, **changes) if each in same else each for each in links]


def _noted(graph: JoinGraph, notes: Mapping[str, TableNotes], path: Path) -> dict[str, Table]:
    tables = dict(graph.tables)
    for name, note in notes.items():
        if name not in tables:
            raise UnusableFile(f"{path}: tables.{name}: the database has no table {name}. Compare the spelling.")
        unknown = {*note.comments, *note.column_synonyms} - set(tables[name].columns)
        if unknown:
            raise UnusableFile(f"{path}: tables.{name}: it has no column {min(unknown)}. Compare the spelling.")
        tables[name] = _described(tables[name], note)
    return tables


def _described(table: Table, note: TableNotes) -> Table:
    columns = {
        column.name: replace(
            column,
            comment=note.comments.get(column.name, column.comment),
            synonyms=note.column_synonyms.get(column.name, column.synonyms),
        )
        for column in table.columns.values()
    }
    comment = table.comment if note.comment is None else note.comment
    synonyms = table.synonyms if note.synonyms is None else note.synonyms
    return replace(table, columns=columns, comment=comment, synonyms=synonyms)
