"""The sample's join graph, made as one's own would be: read from a database, then associations, then corrections.
`joins.json` is what it gives; comments come from the tables' definitions, since SQLite keeps none."""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Column as SqlColumn
from sqlalchemy import create_engine
from sqlalchemy.engine import Engine
from sqlalchemy.pool import StaticPool

from turnkeep_agents.database.joins.associations import with_associations
from turnkeep_agents.database.joins.files import as_json
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.overrides import with_overrides
from turnkeep_agents.database.joins.records import Column, JoinGraph, Table
from turnkeep_agents.database.sample.access import KEY_TABLES
from turnkeep_agents.database.sample.rows.lookups import COMPANY
from turnkeep_agents.database.sample.sample import contents
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.sample.tables.columns import AUDITS, COMPANY_COLUMN, SECRET, VALUES
from turnkeep.databases.files import pack

FOLDER = Path(__file__).parent
DAY = date(2026, 3, 4)
"""The day whose values the graph shows. They are states and kinds, which other days have as well."""


def sample_graph() -> JoinGraph:
    """With the values of the first company alone: those of the second are nobody's business."""
    engine = _engine()
    graph = introspect(engine, with_values=True, without=KEY_TABLES)
    engine.dispose()
    graph, left_out = with_associations(graph, FOLDER / "associations.json")
    if left_out:
        raise ValueError(f"the associations do not fit the tables: {left_out}")
    tables = {name: _described(table) for name, table in graph.tables.items()}
    return with_overrides(replace(graph, tables=tables), FOLDER / "overrides.json")


def write_joins() -> None:
    """To be called after every change of the tables, the associations or the overrides."""
    (FOLDER / "joins.json").write_text(as_json(sample_graph()))


def _engine() -> Engine:
    held = sqlite3.connect(":memory:", check_same_thread=False)
    held.deserialize(pack(metadata, contents(DAY, (COMPANY,))))
    return create_engine("sqlite://", creator=lambda: held, poolclass=StaticPool)


def _described(table: Table) -> Table:
    defined = metadata.tables[table.name]
    columns: Mapping[str, Column] = {
        name: _shown(column, defined.columns[name]) for name, column in table.columns.items()
    }
    return replace(table, columns=columns, comment=defined.comment or "")


def _shown(column: Column, defined: SqlColumn[Any]) -> Column:
    """As the secure views show it, with all states that it can have."""
    said = "" if column.name in (*AUDITS, COMPANY_COLUMN) else defined.comment or ""
    shown = replace(column, comment=said, values=defined.info.get(VALUES, column.values))
    return replace(shown, kind="text", type="VARCHAR") if SECRET in defined.info else shown
