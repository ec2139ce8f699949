"""Small warehouses for tests, as files."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from turnkeep_agents.campaigns.warehouse import tables
from turnkeep_agents.campaigns.warehouse.queries import Source
from turnkeep_agents.campaigns.warehouse.sums import Warehouse
from turnkeep_agents.databases.engines import open_file

FIRST = date(2026, 5, 1)


@dataclass(frozen=True)
class Flown:
    """A flight of one line item that costs the same every day, `days` days from its start on."""

    name: str
    budget: float | None
    start: date
    end: date
    cost: float = 10
    days: int = 0
    audience: str = "Everybody"
    advertiser: str = "Acme"


def write(file: Path, contents: tables.Contents) -> Path:
    file.write_bytes(tables.pack(contents))
    return file


def flown(file: Path, flights: Sequence[Flown]) -> Path:
    contents: list[Any] = []
    for at, flight in enumerate(flights, 1):
        days = [flight.start + timedelta(days=day) for day in range(flight.days)]
        window = flight.start.isoformat(), flight.end.isoformat()
        contents += [
            (tables.advertisers, [(at, flight.advertiser)]),
            (tables.insertion_orders, [(at, at, flight.name, flight.budget, *window)]),
            (tables.audiences, [(at, flight.audience)]),
            (tables.line_items, [(at, at, at, f"{flight.name} item", "Display")]),
            (tables.daily_metrics, [(day.isoformat(), at, None, 100, 1, flight.cost, 0, 0) for day in days]),
        ]
    return write(file, contents)


def on_days(file: Path, days: Sequence[date]) -> Path:
    """A warehouse of nothing but daily rows whose line items nobody knows."""
    return write(file, [(tables.daily_metrics, [(day.isoformat(), 7, 8, 100, 2, 1.5, 1, 4) for day in days])])


def opened(file: Path, *, seconds: float = 5, max_rows: int = 500, **more: Any) -> Warehouse:
    return Warehouse(Source(partial(open_file, lambda: file), seconds), max_rows, **more)
