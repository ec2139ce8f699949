"""The join graph as a JSON file: tables with columns, and relationships. Other facts about a table are written only
where there are any."""

import json
import os
import secrets
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import Field, model_validator

from turnkeep.settings import UnusableFile
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table
from turnkeep_agents.database.json_files import Shape, Text, read_shape

REBUILD = "Build it again with `turnkeep joins build --out FILE`."

Texts: TypeAlias = tuple[str, ...]


class TableShape(Shape):
    columns: tuple[Text, ...]
    unique_columns: Texts = ()
    primary_key: Texts = ()
    types: dict[str, str] = Field(default_factory=dict)
    kinds: dict[str, Kind] = Field(default_factory=dict)
    comment: str = ""
    comments: dict[str, str] = Field(default_factory=dict)
    synonyms: Texts = ()
    column_synonyms: dict[str, Texts] = Field(default_factory=dict)
    values: dict[str, Texts] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_known_columns(self) -> "TableShape":
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("a column is named twice")
        named = {*self.unique_columns, *self.primary_key, *self.types, *self.kinds, *self.comments}
        unknown = {*named, *self.column_synonyms, *self.values} - set(self.columns)
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not among the columns")
        return self


class GraphShape(Shape):
    version: Literal[1] = 1
    tables: dict[Text, TableShape]
    relationships: tuple[Relationship, ...]


def load_graph(path: Path) -> JoinGraph:
    """Read a graph; raises UnusableFile. Keeps links that lead nowhere, for `validate`."""
    shape = read_shape(path, GraphShape, REBUILD)
    return JoinGraph({name: _table(name, table) for name, table in shape.tables.items()}, shape.relationships)


def save_graph(graph: JoinGraph, path: Path) -> None:
    """Write a graph atomically; raises UnusableFile."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        draft.write_text(as_json(graph))
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UnusableFile(f"{path} cannot be written: {error.strerror}. Name another file.") from None


def as_json(graph: JoinGraph) -> str:
    """Write each table and each relationship on its own line, so that two versions can be compared."""
    dump = partial(json.dumps, ensure_ascii=False)
    tables = ",\n".join(f"    {dump(name)}: {dump(_table_shape(table))}" for name, table in graph.tables.items())
    filled = (
        {name: value for name, value in asdict(link).items() if value not in ("", ())} for link in graph.relationships
    )
    links = ",\n".join(f"    {dump(link)}" for link in filled)
    return f'{{\n  "version": 1,\n  "tables": {{\n{tables}\n  }},\n  "relationships": [\n{links}\n  ]\n}}\n'


def _table(name: str, shape: TableShape) -> Table:
    columns = {
        column: Column(
            column,
            shape.kinds.get(column, "other"),
            shape.types.get(column, ""),
            shape.comments.get(column, ""),
            shape.column_synonyms.get(column, ()),
            shape.values.get(column, ()),
        )
        for column in shape.columns
    }
    return Table(name, columns, shape.primary_key, shape.unique_columns, shape.comment, shape.synonyms)


def _table_shape(table: Table) -> dict[str, Any]:
    columns = table.columns.values()
    extra = {
        "primary_key": table.primary_key,
        "types": {column.name: column.type for column in columns if column.type},
        "kinds": {column.name: column.kind for column in columns if column.kind != "other"},
        "comment": table.comment,
        "comments": {column.name: column.comment for column in columns if column.comment},
        "synonyms": table.synonyms,
        "column_synonyms": {column.name: column.synonyms for column in columns if column.synonyms},
        "values": {column.name: column.values for column in columns if column.values},
    }
    known = {"columns": list(table.columns), "unique_columns": table.unique_columns}
    return known | {name: value for name, value in extra.items() if value}
