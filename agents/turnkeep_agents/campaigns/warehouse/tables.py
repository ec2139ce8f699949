"""The tables of a warehouse. A user's database must offer tables or views with these names and columns. Also packs
tables as the bytes of a SQLite file.

A flight is one row of `insertion_orders`: an insertion order that is booked monthly has one row per month, all with one
name. `left_out` may be missing; it counts the rows that a loader could not use, by reason."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import closing
from typing import TypeAlias

from sqlalchemy import Column, Date, Double, Index, Integer, MetaData, String, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql import ColumnElement, FromClause

from turnkeep_agents.campaigns.requests import Dimension

Values: TypeAlias = str | int | float | bytes | None
Contents: TypeAlias = Iterable[tuple[Table, Iterable[Sequence[Values]]]]

DIALECT = sqlite.dialect()

metadata = MetaData()

advertisers = Table("advertisers", metadata, Column("id", Integer, primary_key=True), Column("name", String(200)))

insertion_orders = Table(
    "insertion_orders",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("advertiser_id", Integer),
    Column("name", String(200)),
    Column("budget", Double, nullable=True),  # of this flight, in the currency of the warehouse
    Column("start_date", Date, nullable=True),
    Column("end_date", Date, nullable=True),  # the last day of the flight
)

audiences = Table("audiences", metadata, Column("id", Integer, primary_key=True), Column("name", String(200)))

line_items = Table(
    "line_items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("insertion_order_id", Integer),
    Column("audience_id", Integer, nullable=True),
    Column("name", String(200)),
    Column("type", String(50), nullable=True),
)

creatives = Table(
    "creatives",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200)),
    Column("size", String(50), nullable=True),  # width x height in pixels, such as 300x250
    Column("format", String(50), nullable=True),
)

daily_metrics = Table(
    "daily_metrics",
    metadata,
    Column("date", Date),
    Column("line_item_id", Integer),
    Column("creative_id", Integer, nullable=True),
    Column("impressions", Integer),
    Column("clicks", Integer),
    Column("cost", Double),
    Column("conversions", Double),
    Column("revenue", Double),
)
Index("daily_metrics_by_date", daily_metrics.c.date)

left_out = Table("left_out", metadata, Column("reason", String(200)), Column("rows", Integer))

REQUIRED = tuple(table for table in metadata.sorted_tables if table is not left_out)

COLUMNS: Mapping[Dimension, ColumnElement[str]] = {
    "advertiser": advertisers.c.name,
    "insertion_order": insertion_orders.c.name,
    "line_item": line_items.c.name,
    "audience": audiences.c.name,
    "creative": creatives.c.name,
    "size": creatives.c.size,
}
"""The name column of each dimension."""


def joined(dimensions: Set[str]) -> FromClause:
    """Join the tables of `dimensions`. Joins are outer: a row with an unknown line item counts in every total."""
    source: FromClause = daily_metrics
    if dimensions & {"line_item", "insertion_order", "advertiser", "audience"}:
        source = source.outerjoin(line_items, line_items.c.id == daily_metrics.c.line_item_id)
    if dimensions & {"insertion_order", "advertiser"}:
        source = source.outerjoin(insertion_orders, insertion_orders.c.id == line_items.c.insertion_order_id)
    if "advertiser" in dimensions:
        source = source.outerjoin(advertisers, advertisers.c.id == insertion_orders.c.advertiser_id)
    if "audience" in dimensions:
        source = source.outerjoin(audiences, audiences.c.id == line_items.c.audience_id)
    if dimensions & {"creative", "size"}:
        source = source.outerjoin(creatives, creatives.c.id == daily_metrics.c.creative_id)
    return source


def pack(contents: Contents) -> bytes:
    """Return a file with all tables. Rows have the column order of their table, and dates in ISO."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for table in metadata.sorted_tables:
            connection.execute(str(CreateTable(table).compile(dialect=DIALECT)))
        for table, rows in contents:
            connection.executemany(str(table.insert().compile(dialect=DIALECT)), rows)
        for index in (index for table in metadata.sorted_tables for index in table.indexes):
            connection.execute(str(CreateIndex(index).compile(dialect=DIALECT)))
        connection.execute("COMMIT")
        return connection.serialize()
