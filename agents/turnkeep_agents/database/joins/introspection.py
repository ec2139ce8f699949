"""Build the join graph of a live database from its catalogue; `inference` guesses links from names where the catalogue
declares none. Needs a login that may read the catalogue, which the agent's reader need not."""

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, inspect, text, types
from sqlalchemy.dialects.mysql import TINYINT, YEAR
from sqlalchemy.dialects.postgresql import DOMAIN
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
from turnkeep_agents.database.joins.known_values import Reading, with_values_of
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table, merged

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
    progress: Progress = lambda _: None,
    omit: Omit = lambda _: None,
) -> JoinGraph:
    """Return the tables and views of the default schema with their keys and links. `with_values` also reads the texts
    of columns that hold few, except those of `hidden` tables and columns (`table.column`). `tenant_columns` names, by
    table, the column with a row's owner: only values of several tenants are read there. Tables in `without` and
    decrypting views are left out; `omit` takes what else is."""
    with engine.connect() as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # types that only the server knows become "other"
        inspector = inspect(connection)
        views = inspector.get_view_names()
        with suppress(NotImplementedError):  # only PostgreSQL has materialized views
            views += inspector.get_materialized_view_names()
        progress(f"reading {len(inspector.get_table_names())} tables and {len(views)} views")
        shown = [view for view in views if not _decrypts(inspector, view)]
        hides = {*without, *_partitions(connection), *virtual_tables(connection, omit)}
        found = _tables(connection, inspector, hides, omit)
        omit_view = lambda name: omit(f"the view {name} ({UNREADABLE})")  # noqa: E731
        for name, reflected in columns_one_by_one(connection, inspector, shown, omit_view).items():
            found[name] = Table(name, _columns(inspector, reflected))
        tables = {name: found[name] for name in sorted(found.keys() - hides)}
        declared = tuple(_link(*key) for key in usable_keys(inspector, tables, hides, omit))
        progress(f"{len(tables)} tables, {len(declared)} foreign keys")
        links = merged(declared, infer(tables, declared))
        if with_values:
            reading = Reading(connection, links, frozenset(hidden), tenant_columns)
            tables = with_values_of(reading, tables, progress)
    return JoinGraph(tables, links)


def in_clear(graph: JoinGraph, encrypted: Mapping[str, Collection[str]]) -> JoinGraph:
    """Return the graph as the secure views show it: encrypted columns are text there."""
    tables = dict(graph.tables)
    for table in graph.tables.values():
        names = [name for name in encrypted.get(table.name, ()) if name in table.columns]
        texts: dict[str, Column] = {name: replace(table.columns[name], kind="text") for name in names}
        tables[table.name] = replace(table, columns={**table.columns, **texts})
    return replace(graph, tables=tables)


def _partitions(connection: Connection) -> Iterable[str]:
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
    # only SQLite has automatic ones
    indexes = by_name(inspector.get_multi_indexes(filter_names=only, include_auto_indexes=True))
    comments: dict[str, Any] = {}
    with suppress(NotImplementedError):  # SQLite has none
        comments = by_name(inspector.get_multi_table_comment(filter_names=only))
    tables = {}
    for name in only:
        key = tuple((keys.get(name) or {}).get("constrained_columns") or ())
        unique = _unique(key, constraints.get(name) or (), indexes.get(name) or ())
        found = _columns(inspector, reflected[name])
        in_order = tuple(column for column in found if column in unique)
        tables[name] = Table(name, found, key, in_order, (comments.get(name) or {}).get("text") or "")
    return tables


def _columns(inspector: Inspector, reflected: Iterable[Reflected]) -> dict[str, Column]:
    found = {}
    for one in reflected:
        try:
            spelling = str(one["type"].compile(dialect=inspector.dialect))
        except CompileError:
            spelling = ""
        found[one["name"]] = Column(one["name"], kind_of(one["type"]), spelling, one.get("comment") or "")
    return found


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


def kind_of(spelt: types.TypeEngine[Any]) -> Kind:
    """Return what can be done with a column. MySQL's boolean is a one-digit number; PostgreSQL's domains wrap other
    types."""
    if isinstance(spelt, TINYINT) and spelt.display_width == 1:
        return "boolean"
    if isinstance(spelt, DOMAIN):
        return kind_of(spelt.data_type)
    return next((kind for base, kind in _KINDS if isinstance(spelt, base)), "other")


def _link(table: Table, target: Table, key: Reflected) -> Relationship:
    """Servers that fold names may spell the target's columns in a case that its own table does not use."""
    spelt = {name.casefold(): name for name in target.columns}
    ends = [name if name in target.columns else spelt[name.casefold()] for name in key["referred_columns"]]
    (first, *more) = zip(key["constrained_columns"], ends, strict=True)
    columns = set(key["constrained_columns"])
    is_unique = columns == set(table.primary_key) or not columns.isdisjoint(table.unique_columns)
    return Relationship(
        table.name, first[0], target.name, first[1], cardinality="1:1" if is_unique else "N:1", others=tuple(more)
    )
