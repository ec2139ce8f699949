"""Builds a warehouse from one flat CSV. It has no budgets and no flights, so no answers about those."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.warehouse.cells import read_size
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
from turnkeep_agents.campaigns.warehouse.totals import Line

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


def _numbers() -> defaultdict[Any, int]:
    """Return a mapping that assigns numbers to keys as they are requested, starting at 1."""
    return defaultdict(count(1).__next__)


def _contents(lines: Lines, advertiser: str) -> Contents:
    brands, groups, orders, designs, items = (_numbers() for _ in range(5))
    rows: list[tuple[Values, ...]] = []
    for line in lines.usable:
        names = line.names
        campaign = names.get("insertion_order", UNNAMED)
        order = orders[brands[names.get("advertiser", advertiser)], campaign]
        audience = groups[names["audience"]] if "audience" in names else None
        design = _design(line)
        ids = items[order, audience, names.get("line_item", campaign)], designs[design] if design else None
        rows.append((line.day.isoformat(), *ids, *(line.sums[name] for name in SUMS)))
    yield daily_metrics, rows
    yield advertisers, [(number, name) for name, number in brands.items()]
    yield insertion_orders, [(number, *order, None, None, None) for order, number in orders.items()]
    yield audiences, [(number, name) for name, number in groups.items()]
    yield line_items, [(number, *item, None) for item, number in items.items()]
    yield creatives, [(number, *design, None) for design, number in designs.items()]
    yield left_out, list(lines.left_out.items())


def _design(line: Line) -> tuple[str, str | None] | None:
    """Return name and size of the creative: a banner that is named after its size has both."""
    name, size = line.names.get("creative"), line.names.get("size")
    if name is None and size is None:
        return None
    return name or str(size), read_size(size or "") or size or read_size(name or "")
