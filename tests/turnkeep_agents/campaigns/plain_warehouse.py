"""Warehouses of plain rows: SQLite databases in memory and in files."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import StaticPool, create_engine

from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.requests import Period, Request
from turnkeep_agents.campaigns.warehouse import tables
from turnkeep_agents.campaigns.warehouse.queries import Source
from turnkeep_agents.campaigns.warehouse.sums import Flight, Warehouse
from turnkeep_agents.databases.engines import open_file

FIRST = date(2026, 5, 1)
MAY = Period(start=date(2026, 5, 1), end=date(2026, 5, 31), label="May 2026")
APRIL = Period(start=date(2026, 4, 1), end=date(2026, 4, 30), label="April 2026")


@dataclass(frozen=True)
class Day:
    """Metrics of one line item with one creative on one day."""

    day: date
    insertion_order: str = "Shoes"
    advertiser: str = "Acme"
    line_item: str = "Shoes all"
    audience: str = "Everybody"
    creative: str = "Boot 300x250"
    size: str = "300x250"
    impressions: float = 1_000
    clicks: float = 10
    cost: float = 5
    conversions: float = 1
    revenue: float = 20


def run(period: Period, **values: Any) -> list[Day]:
    """Return the same row for every day of a period."""
    return [Day(period.start + timedelta(days=day), **values) for day in range(period.days)]


def plain_warehouse(days: Sequence[Day], booked: Sequence[Flight] = (), left_out: Mapping[str, int] = {}) -> Warehouse:
    ids: dict[tuple[str, ...], int] = {}

    def numbered(*names: str) -> int:
        return ids.setdefault(names, len(ids))

    flights = {each.insertion_order: (each.budget, f"{each.start}", f"{each.end}") for each in booked}
    found: dict[Any, dict[Any, None]] = {table: {} for table in tables.REQUIRED}
    metrics = []
    for each in days:
        order, audience = numbered(each.advertiser, each.insertion_order), numbered(each.audience)
        item = numbered(each.insertion_order, each.audience, each.line_item)
        creative, flight = numbered(each.creative, each.size), flights.get(each.insertion_order, (None,) * 3)
        for table, row in (
            (tables.advertisers, (numbered(each.advertiser), each.advertiser)),
            (tables.insertion_orders, (order, numbered(each.advertiser), each.insertion_order, *flight)),
            (tables.audiences, (audience, each.audience)),
            (tables.line_items, (item, order, audience, each.line_item, None)),
            (tables.creatives, (creative, each.creative, each.size, None)),
        ):
            found[table][row] = None
        metrics.append((f"{each.day}", item, creative, *(getattr(each, name) for name in SUMS)))
    contents = [*found.items(), (tables.daily_metrics, metrics), (tables.left_out, left_out.items())]
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(tables.pack(contents))
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    return Warehouse(Source(lambda _: engine, 5), 500)


def on_days(file: Path, days: Sequence[date]) -> Path:
    """A warehouse of daily rows alone, whose line items are unknown."""
    file.write_bytes(tables.pack([(tables.daily_metrics, [(f"{day}", 7, 8, 100, 2, 1.5, 1, 4) for day in days])]))
    return file


def opened(file: Path, *, max_rows: int = 500, **more: Any) -> Warehouse:
    return Warehouse(Source(partial(open_file, lambda: file), 5), max_rows, **more)


def flight(order: str, budget: float, start: date, end: date) -> Flight:
    return Flight(order, budget, start, end, 0)


def request(**values: Any) -> Request:
    return Request(**{"query": "Anything.", "period": MAY, **values})
