"""Builds a warehouse from one flat CSV. It has no budgets and no flights, so no answers about those."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.warehouse.columns import read_size
from turnkeep_agents.campaigns.warehouse.lines import Lines, Options, read_lines
from turnkeep_agents.campaigns.warehouse.tables import (
    Contents,
    Values,
    advertisers,
    audiences,
    creatives,
    daily_metrics,
    insertion_orders,
    left_out,
    line_items,
    pack,
)

ADVERTISER = "My campaigns"
UNNAMED = "not given"


@dataclass(frozen=True)
class Loaded:
    """`warehouse` is a SQLite file, made of `lines`."""

    warehouse: bytes
    lines: Lines
    first: date
    last: date


def load_csv(file: Path, options: Options, today: date) -> Loaded:
    """Raises CorpusError."""
    lines = read_lines(file, options, today)
    days = [line.day for line in lines.usable]
    return Loaded(pack(_contents(lines, options.advertiser or ADVERTISER)), lines, min(days), max(days))


def _contents(lines: Lines, advertiser: str) -> Contents:
    # Each assigns numbers to its keys as they are requested, starting at 1.
    brands, groups, orders, designs, items = (defaultdict[Any, int](count(1).__next__) for _ in range(5))
    rows: list[tuple[Values, ...]] = []
    for line in lines.usable:
        names = line.names
        campaign = names.get("insertion_order", UNNAMED)
        order = orders[brands[names.get("advertiser", advertiser)], campaign]
        audience = groups[names["audience"]] if "audience" in names else None
        name, size = names.get("creative"), names.get("size")
        design = name or str(size), read_size(size or "") or size or read_size(name or "")  # "300x250" names both
        ids = items[order, audience, names.get("line_item", campaign)], designs[design] if name or size else None
        rows.append((line.day.isoformat(), *ids, *(line.sums[name] for name in SUMS)))
    yield daily_metrics, rows
    yield advertisers, [(number, name) for name, number in brands.items()]
    yield insertion_orders, [(number, *order, None, None, None) for order, number in orders.items()]
    yield audiences, [(number, name) for name, number in groups.items()]
    yield line_items, [(number, *item, None) for item, number in items.items()]
    yield creatives, [(number, *design, None) for design, number in designs.items()]
    yield left_out, list(lines.left_out.items())
