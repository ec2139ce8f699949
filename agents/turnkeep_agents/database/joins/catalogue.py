"""Read columns and foreign keys from a database's catalogue. What the catalogue cannot return, such as a view over a
dropped table, is left out and reported, so that the rest can be read."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Connection, text
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.exc import DBAPIError, NoSuchTableError, SQLAlchemyError, UnreflectableTableError

from turnkeep_agents.database.joins.records import Table

Omit: TypeAlias = Callable[[str], None]  # takes what is left out, with the reason in brackets
Reflected: TypeAlias = Mapping[Any, Any]

UNREADABLE = "the database itself cannot read it: repair or drop it there"
_LISTS_TABLES = (3, 37)
_VIRTUAL = "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('virtual', 'shadow')"


def by_name(reflected: Reflected) -> dict[str, Any]:
    """Drop the name of the schema, which is the default one."""
    return {name: found for (_, name), found in reflected.items()}


def virtual_tables(connection: Connection, omit: Omit) -> frozenset[str]:
    """Return SQLite's virtual tables and their shadow tables. A full-text index copies other tables, and row-level
    security lets no statement read it."""
    if connection.dialect.name != "sqlite" or (connection.dialect.server_version_info or ()) < _LISTS_TABLES:
        return frozenset()
    types = dict(tuple(row) for row in connection.execute(text(_VIRTUAL)))
    for name in sorted(name for name, type_ in types.items() if type_ == "virtual"):
        omit(f"the virtual table {name} and what it keeps (only plain tables and views are read)")
    return frozenset(types)


def columns_of_tables(connection: Connection, inspector: Inspector, names: Sequence[str], omit: Omit) -> Reflected:
    """Return columns by table, one table after another if one query fails. Raises the first error if none can be
    read."""
    if not names:
        return {}
    try:
        found = by_name(inspector.get_multi_columns(filter_names=names))
    except DBAPIError as error:
        _roll_back(connection, error)
        found = columns_one_by_one(connection, inspector, names, lambda _: None)
        if not found:
            raise
    for name in names:
        if name not in found:
            omit(f"the table {name} ({UNREADABLE})")
    return found


def columns_one_by_one(
    connection: Connection, inspector: Inspector, names: Iterable[str], omit: Omit
) -> dict[str, list[Any]]:
    """Pass the names of unreadable tables to `omit`."""
    found: dict[str, list[Any]] = {}
    for name in names:
        try:
            found[name] = list(inspector.get_columns(name))
        except (DBAPIError, NoSuchTableError, UnreflectableTableError) as error:
            _roll_back(connection, error)
            omit(name)
    return found


def usable_keys(
    inspector: Inspector, tables: Mapping[str, Table], without: Collection[str], omit: Omit
) -> Iterator[tuple[Table, Table, Reflected]]:
    """Yield the foreign keys with both ends in `tables`; skip keys to tables in `without` silently."""
    folded = {name.casefold(): name for name in tables}
    declared = by_name(inspector.get_multi_foreign_keys(filter_names=list(tables))) if tables else {}
    for name, keys in sorted(declared.items()):
        for key in (key for key in keys if key["constrained_columns"]):
            pointed = key["referred_table"]
            target = tables.get(pointed) or tables.get(folded.get(pointed.casefold(), ""))
            is_here = key["referred_schema"] in (None, inspector.default_schema_name)
            wrong = _wrong_with(key, target) if is_here else f"{key['referred_schema']}.{pointed} is of another schema"
            if target and not wrong:
                yield tables[name], target, key
            elif pointed not in without:
                omit(f"the foreign key {name}.{', '.join(key['constrained_columns'])} to {pointed} ({wrong})")


def _wrong_with(key: Reflected, target: Table | None) -> str:
    if target is None:
        return "the database lacks it"
    spelt = {column.casefold() for column in target.columns}
    unknown = [column for column in key["referred_columns"] if column.casefold() not in spelt]
    if unknown:
        return f"it has no column {unknown[0]}"
    starts, ends = len(key["constrained_columns"]), len(key["referred_columns"])
    return "" if starts == ends else f"its key has {ends} columns, and not {starts}"


def _roll_back(connection: Connection, error: SQLAlchemyError) -> None:
    """Make the connection usable again; raise `error` if it is lost."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        raise error
    connection.rollback()
