"""The join graph as JSON: the plain shape of tables with columns and relationships, and beside it what else is known of
a table, each only where there is something. A broken file is refused with its place and the way to mend it."""

import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from turnkeep.settings import UnusableFile
from turnkeep_agents.database.joins.records import Cardinality, Column, JoinGraph, Kind, Origin, Relationship, Table

S = TypeVar("S", bound="Shape")


REBUILD = "Build it anew with `turnkeep joins build --out FILE`."

Text: TypeAlias = Annotated[str, Field(min_length=1)]
Texts: TypeAlias = tuple[str, ...]


class JoinGraphError(UnusableFile):
    """A file that cannot be used; the message names file, place and remedy."""


class Shape(BaseModel):
    """A part of a file. Fields that nobody knows are errors: a misspelt one would be lost in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TableShape(Shape):
    columns: tuple[Text, ...]
    unique_columns: Texts = ()
    primary_key: Texts = ()
    types: dict[str, str] = {}
    kinds: dict[str, Kind] = {}
    comment: str = ""
    comments: dict[str, str] = {}
    synonyms: Texts = ()
    column_synonyms: dict[str, Texts] = {}
    values: dict[str, Texts] = {}

    @model_validator(mode="after")
    def _names_known_columns(self) -> "TableShape":
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("a column is named twice")
        named = {*self.unique_columns, *self.primary_key, *self.types, *self.kinds, *self.comments}
        unknown = {*named, *self.column_synonyms, *self.values} - set(self.columns)
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not among the columns")
        return self


class RelationshipShape(Shape):
    from_table: Text
    from_column: Text
    to_table: Text
    to_column: Text
    type: Origin = "foreign_key"
    confidence: float = Field(1.0, ge=0, le=1)
    cardinality: Cardinality = "N:1"
    role: str = ""
    others: tuple[tuple[Text, Text], ...] = ()


class GraphShape(Shape):
    version: Literal[1] = 1
    tables: dict[Text, TableShape]
    relationships: tuple[RelationshipShape, ...]


def load_graph(path: Path) -> JoinGraph:
    """The graph in a file; raises JoinGraphError. Relationships that lead nowhere are kept: `validate` tells of
    them."""
    shape = read_shape(path, GraphShape, REBUILD)
    tables = {name: _table(name, table) for name, table in shape.tables.items()}
    return JoinGraph(tables, tuple(relationship(link) for link in shape.relationships), shape.version)


def read_shape(path: Path, shape: type[S], remedy: str) -> S:
    """The JSON object in a file, checked; raises JoinGraphError."""
    text = _text_of(path, remedy)
    try:
        found = json.loads(text, object_pairs_hook=_without_repeats)
    except RecursionError:
        raise JoinGraphError(f"{path} is nested too deeply to be a file of joins. {remedy}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise JoinGraphError(f"{path} is not valid JSON: {error.msg} at {where}. {remedy}") from None
    except ValueError as error:
        raise JoinGraphError(f"{path}: {error}. {remedy}") from None
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        raise JoinGraphError(f"{path}, {_first_fault(error)}. {remedy}") from None


def relationship(shape: RelationshipShape) -> Relationship:
    """A link as a file has it."""
    return Relationship(**shape.model_dump())


def save_graph(graph: JoinGraph, path: Path) -> None:
    """Writes the graph; after a crash the file is whole or as before. Raises JoinGraphError where it cannot be."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        draft.write_text(as_json(graph))
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise JoinGraphError(f"{path} cannot be written: {error.strerror}. Name another file.") from None


def as_json(graph: JoinGraph) -> str:
    """The text of the file: a table and a relationship on one line each, so that two versions can be compared."""
    tables = ",\n".join(f"    {_said(name)}: {_said(_table_shape(table))}" for name, table in graph.tables.items())
    links = ",\n".join(f"    {_said(_link_shape(link))}" for link in graph.relationships)
    return (
        f'{{\n  "version": {graph.version},\n  "tables": {{\n{tables}\n  }},\n  "relationships": [\n{links}\n  ]\n}}\n'
    )


def _said(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text_of(path: Path, remedy: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise JoinGraphError(f"{path} does not exist. {remedy}") from None
    except UnicodeDecodeError:
        raise JoinGraphError(f"{path} is not UTF-8 text. {remedy}") from None
    except OSError as error:
        raise JoinGraphError(f"{path} cannot be read: {error.strerror}. {remedy}") from None


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands there twice")
    return found


_PLAINER = {"extra_forbidden": "no such field is known: correct its name or remove it"}


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"]).lstrip(".")
    told = _PLAINER.get(fault["type"], fault["msg"].removeprefix("Value error, "))
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{place or 'as a whole'}: {told[0].lower()}{told[1:]}{more}"


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


def _link_shape(link: Relationship) -> dict[str, Any]:
    shape = {
        "from_table": link.from_table,
        "from_column": link.from_column,
        "to_table": link.to_table,
        "to_column": link.to_column,
        "type": link.type,
        "confidence": link.confidence,
        "cardinality": link.cardinality,
    }
    extra = {"role": link.role, "others": link.others}
    return shape | {name: value for name, value in extra.items() if value}
