"""Columns and foreign keys as a catalogue tells them. What it cannot tell, as of a view over a table that is gone, is
left out and named, so that all else can be read."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Connection, text
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.exc import DBAPIError, NoSuchTableError, SQLAlchemyError, UnreflectableTableError

from turnkeep_agents.database.joins.records import Table

Omit: TypeAlias = Callable[[str], None]
"""Told what is left out, with the reason in brackets."""
Reflected: TypeAlias = Mapping[Any, Any]

UNREADABLE = "the database itself cannot read it: mend or drop it there"
_LISTS_TABLES = (3, 37)
_VIRTUAL = "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('virtual', 'shadow')"


def by_name(reflected: Reflected) -> dict[str, Any]:
    """Without the name of the schema, which is the default one."""
    return {name: found for (_, name), found in reflected.items()}


def virtual_tables(connection: Connection, omit: Omit) -> frozenset[str]:
    """Of SQLite, with the tables that they keep their rows in: an index for searching texts is another copy of what
    stands in tables, and row-level security lets no statement reach it."""
    if connection.dialect.name != "sqlite" or (connection.dialect.server_version_info or ()) < _LISTS_TABLES:
        return frozenset()
    types = dict(tuple(row) for row in connection.execute(text(_VIRTUAL)))
    for name in sorted(name for name, type_ in types.items() if type_ == "virtual"):
        omit(f"the virtual table {name} and what it keeps (only plain tables and views are read)")
    return frozenset(types)


def columns_of_tables(connection: Connection, inspector: Inspector, names: Sequence[str], omit: Omit) -> Reflected:
    """By table. Where all at once cannot be had, one after another; raises what the first raised where none can."""
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
    """`omit` is told the names of those that cannot be read."""
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
    """The foreign keys whose both ends are among `tables`; those to a table of `without` are passed over in silence."""
    folded = {name.casefold(): name for name in tables}
    declared = by_name(inspector.get_multi_foreign_keys(filter_names=list(tables))) if tables else {}
    for name, keys in sorted(declared.items()):
        for key in filter(_has_columns, keys):
            pointed = key["referred_table"]
            target = tables.get(pointed) or tables.get(folded.get(pointed.casefold(), ""))
            is_here = key["referred_schema"] in (None, inspector.default_schema_name)
            wrong = _wrong_with(key, target) if is_here else f"{key['referred_schema']}.{pointed} is of another schema"
            if target and not wrong:
                yield tables[name], target, key
            elif pointed not in without:
                omit(f"the foreign key {name}.{', '.join(key['constrained_columns'])} to {pointed} ({wrong})")


def _has_columns(key: Reflected) -> bool:
    return bool(key["constrained_columns"])


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
    """So that the next can be asked; raises `error` where nobody is there any more."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        raise error
    connection.rollback()
