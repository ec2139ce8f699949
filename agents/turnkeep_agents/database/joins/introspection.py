"""The join graph of a live database, as its catalogue tells it. Where the catalogue declares no foreign keys, names
have to tell: see `inference`. Needs a login that may read the catalogue, which that of the agent's reader need not."""

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, inspect, text, types
from sqlalchemy.dialects.mysql import TINYINT, YEAR
from sqlalchemy.dialects.postgresql import DOMAIN
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.exc import CompileError, SAWarning

from turnkeep_agents.database.joins.catalogue import (
    UNREADABLE,
    Omit,
    Reflected,
    by_name,
    columns_of_tables,
    columns_one_by_one,
    usable_keys,
    virtual_tables,
)
from turnkeep_agents.database.joins.inference import infer
from turnkeep_agents.database.joins.merging import merged
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table
from turnkeep_agents.database.joins.values import Reading, with_values_of

Progress: TypeAlias = Callable[[str], None]

DECRYPTING = ("decrypt", "pgp_sym", "pgp_pub")

_KINDS: tuple[tuple[type[types.TypeEngine[Any]], Kind], ...] = (
    (types.Boolean, "boolean"),
    (types.Integer, "integer"),
    (YEAR, "integer"),
    (types.Numeric, "number"),
    (types.Float, "number"),
    (types.DateTime, "datetime"),
    (types.Date, "date"),
    (types.Time, "time"),
    (types.LargeBinary, "binary"),
    (types.BINARY, "binary"),
    (types.VARBINARY, "binary"),
    (types.Uuid, "text"),
    (types.String, "text"),
)


def introspect(
    engine: Engine,
    *,
    with_values: bool = False,
    hidden: Collection[str] = (),
    tenant_columns: Mapping[str, str] = MappingProxyType({}),
    without: Collection[str] = (),
    with_decrypting_views: bool = False,
    progress: Progress = lambda _: None,
    omit: Omit = lambda _: None,
) -> JoinGraph:
    """All tables and views of the database's default schema with their keys and links. `with_values` reads which texts
    stand in columns that hold few: not those of `hidden` tables and columns (`table.column`), and of a table for which
    `tenant_columns` name the column that says whose a row is, only what several tenants have. Of `without` nothing is
    told; views that decrypt are left out unless asked for. `omit` is told what else is left out."""
    with engine.connect() as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # types that only the server knows are "other" here
        inspector = inspect(connection)
        views = _names_of_views(inspector)
        progress(f"reading {len(inspector.get_table_names())} tables and {len(views)} views")
        shown = [view for view in views if with_decrypting_views or not _decrypts(inspector, view)]
        hides = {*without, *_partitions(connection), *virtual_tables(connection, omit)}
        found = _tables(connection, inspector, hides, omit) | _views(connection, inspector, shown, omit)
        tables = _without(found, hides)
        declared = tuple(_link(*key) for key in usable_keys(inspector, tables, hides, omit))
        progress(f"{len(tables)} tables, {len(declared)} foreign keys")
        links = merged(declared, infer(tables, declared))
        if with_values:
            reading = Reading(connection, links, frozenset(hidden), tenant_columns)
            tables = with_values_of(reading, tables, progress)
    return JoinGraph(tables, links)


def in_clear(graph: JoinGraph, encrypted: Mapping[str, Collection[str]]) -> JoinGraph:
    """The graph as the secure views show it: their columns that are bytes in the tables, by table, are text there."""
    tables = {
        table.name: replace(table, columns={**table.columns, **_as_text(table, encrypted.get(table.name, ()))})
        for table in graph.tables.values()
    }
    return replace(graph, tables=tables)


def _as_text(table: Table, names: Iterable[str]) -> dict[str, Column]:
    return {name: replace(table.columns[name], kind="text") for name in names if name in table.columns}


def _without(tables: Mapping[str, Table], names: Collection[str]) -> dict[str, Table]:
    return {name: tables[name] for name in sorted(tables.keys() - set(names))}


def _names_of_views(inspector: Inspector) -> list[str]:
    views = inspector.get_view_names()
    with suppress(NotImplementedError):  # PostgreSQL alone has views that are kept
        views += inspector.get_materialized_view_names()
    return views


def _partitions(connection: Connection) -> Iterable[str]:
    """Parts of PostgreSQL's tables, which it calls tables too: their rows are those of the whole."""
    if connection.dialect.name != "postgresql":
        return ()
    parts = "SELECT relname FROM pg_class WHERE relispartition AND relnamespace = current_schema()::regnamespace"
    return connection.execute(text(parts)).scalars()


def _tables(connection: Connection, inspector: Inspector, hides: Collection[str], omit: Omit) -> dict[str, Table]:
    names = [name for name in inspector.get_table_names() if name not in hides]
    reflected = columns_of_tables(connection, inspector, names, omit)
    if not reflected:
        return {}
    only = list(reflected)
    keys = by_name(inspector.get_multi_pk_constraint(filter_names=only))
    constraints = by_name(inspector.get_multi_unique_constraints(filter_names=only))
    # the automatic ones are SQLite's only; others do not care
    indexes = by_name(inspector.get_multi_indexes(filter_names=only, include_auto_indexes=True))
    comments = _comments(inspector, only)
    tables = {}
    for name in only:
        key = tuple((keys.get(name) or {}).get("constrained_columns") or ())
        unique = _unique(key, constraints.get(name) or (), indexes.get(name) or ())
        found = _columns(inspector, reflected[name])
        in_order = tuple(column for column in found if column in unique)
        tables[name] = Table(name, found, key, in_order, comments.get(name, ""))
    return tables


def _views(connection: Connection, inspector: Inspector, names: Iterable[str], omit: Omit) -> dict[str, Table]:
    found = columns_one_by_one(connection, inspector, names, lambda name: omit(f"the view {name} ({UNREADABLE})"))
    return {name: Table(name, _columns(inspector, reflected)) for name, reflected in found.items()}


def _columns(inspector: Inspector, reflected: Iterable[Reflected]) -> dict[str, Column]:
    return {column["name"]: _column(column, inspector.dialect) for column in reflected}


def _unique(key: tuple[str, ...], constraints: Iterable[Reflected], indexes: Iterable[Reflected]) -> set[str]:
    whole = [tuple(constraint["column_names"]) for constraint in constraints]
    whole += [
        tuple(index["column_names"])
        for index in indexes
        if index.get("unique") and not any(name.endswith("_where") for name in index.get("dialect_options") or ())
    ]
    return {columns[0] for columns in [key, *whole] if len(columns) == 1 and columns[0]}


def _decrypts(inspector: Inspector, view: str) -> bool:
    definition = None
    with suppress(NotImplementedError):
        definition = inspector.get_view_definition(view)
    return any(word in (definition or "").lower() for word in DECRYPTING)


def _comments(inspector: Inspector, names: Sequence[str]) -> dict[str, str]:
    try:
        found = inspector.get_multi_table_comment(filter_names=names)
    except NotImplementedError:  # SQLite has none
        return {}
    return {name: (comment or {}).get("text") or "" for name, comment in by_name(found).items()}


def _column(reflected: Reflected, dialect: Dialect) -> Column:
    spelt = reflected["type"]
    try:
        told = str(spelt.compile(dialect=dialect))
    except CompileError:
        told = ""
    return Column(reflected["name"], kind_of(spelt), told, reflected.get("comment") or "")


def kind_of(spelt: types.TypeEngine[Any]) -> Kind:
    """What can be done with a column of this type. MySQL has no boolean but a number of one digit; PostgreSQL's domains
    are types by another name."""
    if isinstance(spelt, TINYINT) and spelt.display_width == 1:
        return "boolean"
    if isinstance(spelt, DOMAIN):
        return kind_of(spelt.data_type)
    return next((kind for base, kind in _KINDS if isinstance(spelt, base)), "other")


def _link(table: Table, target: Table, key: Reflected) -> Relationship:
    """Servers that fold names may spell the target's columns in another case than its own table does."""
    spelt = {name.casefold(): name for name in target.columns}
    ends = [name if name in target.columns else spelt[name.casefold()] for name in key["referred_columns"]]
    (first, *more) = zip(key["constrained_columns"], ends, strict=True)
    columns = set(key["constrained_columns"])
    is_unique = columns == set(table.primary_key) or not columns.isdisjoint(table.unique_columns)
    return Relationship(
        table.name, first[0], target.name, first[1], cardinality="1:1" if is_unique else "N:1", others=tuple(more)
    )
