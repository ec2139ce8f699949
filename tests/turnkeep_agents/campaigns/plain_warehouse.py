"""A warehouse of plain rows in memory that adds up in Python, and rows to fill it with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.requests import Period, Request
from turnkeep_agents.campaigns.warehouse.sums import Coverage, Flight, Row, Rows, Warehouse

MAY = Period(start=date(2026, 5, 1), end=date(2026, 5, 31), label="May 2026")
APRIL = Period(start=date(2026, 4, 1), end=date(2026, 4, 30), label="April 2026")


@dataclass(frozen=True)
class Day:
    """One row: what one line item did with one creative on one day."""

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
    """The same every day of a period."""
    return [Day(period.start + timedelta(days=day), **values) for day in range(period.days)]


@dataclass
class PlainWarehouse(Warehouse):
    """`asked` records what was grouped by; `left_out` are rows that a loader found dirty."""

    days: Sequence[Day]
    booked: Sequence[Flight] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    most: int = 500
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def coverage(self) -> Coverage:
        known = [each.day for each in self.days]
        return Coverage(min(known), max(known), len(known), self.left_out)

    def rows(
        self,
        by: Sequence[str],
        filters: Mapping[Any, Sequence[str]],
        period: Period | None,
        *,
        limit: int | None = None,
        week_start: int = 6,
    ) -> Rows:
        self.asked.append(tuple(by))
        found: dict[tuple[str, ...], dict[str, float]] = {}
        for each in self.days:
            inside = period is None or period.start <= each.day <= period.end
            if inside and all(getattr(each, name) in values for name, values in filters.items()):
                sums = found.setdefault(tuple(_key(each, name, week_start) for name in by), dict.fromkeys(SUMS, 0.0))
                for name in SUMS:
                    sums[name] += getattr(each, name)
        most = min(limit or self.most, self.most)
        rows = [Row(key, found[key]) for key in sorted(found)]
        return Rows(tuple(rows[:most]), is_cut=len(rows) > most)

    def flights(self, filters: Mapping[Any, Sequence[str]], as_of: date) -> tuple[Flight, ...]:
        running = [flight for flight in self.booked if flight.start <= as_of <= flight.end]
        known = [each for each in self.days if all(getattr(each, name) in names for name, names in filters.items())]
        orders = {each.insertion_order for each in known}
        named = [flight for flight in running if not filters or flight.insertion_order in orders]
        return tuple(replace(flight, spent=self._spent(flight, as_of)) for flight in named)

    def _spent(self, flight: Flight, as_of: date) -> float:
        days = [each for each in self.days if each.insertion_order == flight.insertion_order]
        return sum(each.cost for each in days if flight.start <= each.day <= as_of)


def _key(each: Day, name: str, week_start: int) -> str:
    if name == "week":
        return (each.day - timedelta(days=(each.day.weekday() - week_start) % 7)).isoformat()
    if name == "month":
        return f"{each.day:%Y-%m}"
    return str(getattr(each, name))


def flight(order: str, budget: float, start: date, end: date) -> Flight:
    return Flight(order, budget, start, end, 0)


def request(**values: Any) -> Request:
    return Request(**{"query": "Anything.", "period": MAY, **values})
