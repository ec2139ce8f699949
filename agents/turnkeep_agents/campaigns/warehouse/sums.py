"""Sums from the metrics warehouse: synchronous and thread-safe."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import Any, TypeVar, cast

from sqlalchemy import func, select
from sqlalchemy.sql import ColumnElement

from turnkeep.demo import maker
from turnkeep.settings import source_of
from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.requests import Dimension, Grain, Period
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.warehouse.queries import CALLED, SUNDAY, Source, newest, owned, spending, sums
from turnkeep_agents.campaigns.warehouse.tables import COLUMNS, daily_metrics, left_out
from turnkeep_agents.databases.engines import open_file, open_url
from turnkeep_agents.databases.errors import DatabaseDown

T = TypeVar("T")


SAMPLE_FILE = "campaigns.sample:sample_file"  # builds the sample's SQLite file for a day
NO_NAME = "not given"
MAX_NAMES = 5_000
FRESH_SECONDS = 300  # how long coverage and names are cached


@dataclass(frozen=True)
class Coverage:
    """`left_out` maps reasons to the number of rows left out of all sums."""

    first: date
    last: date
    rows: int
    left_out: Mapping[str, int]

    def part_of(self, period: Period) -> Period | None:
        """Return the part of a period that has data."""
        start, end = max(period.start, self.first), min(period.end, self.last)
        return Period(start=start, end=end, label=period.label) if start <= end else None


@dataclass(frozen=True)
class Row:
    """`key` contains the values of the group: days and first days of weeks in ISO, months as 2026-05."""

    key: tuple[str, ...]
    sums: Mapping[str, float]


@dataclass(frozen=True)
class Rows:
    """`is_cut`: there were more than the limit."""

    rows: tuple[Row, ...]
    is_cut: bool


@dataclass(frozen=True)
class Flight:
    """A booking of an insertion order that runs on the requested day; `spent` is up to and including that day."""

    insertion_order: str
    budget: float
    start: date
    end: date
    spent: float


class Warehouse:
    """Queries of the warehouse. Methods raise DatabaseError and no other exception."""

    def __init__(self, source: Source, max_rows: int, clock: Callable[[], float] = time.monotonic):
        self._source, self._max_rows, self._clock = source, max_rows, clock
        self._kept: dict[str, tuple[float, Any]] = {}

    def coverage(self) -> Coverage:
        """Return the first and last day with data."""
        return self._fresh("coverage", self._coverage)

    def names(self) -> Mapping[Dimension, tuple[str, ...]]:
        """Return the names in each dimension, sorted, as the warehouse spells them."""
        return self._fresh("names", lambda: {name: self._names(column) for name, column in COLUMNS.items()})

    def owners(self) -> Mapping[str, tuple[str, ...]]:
        """Return the advertisers of each insertion order, by name."""
        return self._fresh("owners", self._owners)

    def rows(
        self,
        by: Sequence[Dimension | Grain],
        filters: Mapping[Dimension, Sequence[str]],
        period: Period | None,
        *,
        limit: int | None = None,
        week_start: int = SUNDAY,
    ) -> Rows:
        """Return sums sorted by key; `by=()` returns one row, or none without matches. `week_start`: 0 is Monday."""
        most = min(limit or self._max_rows, self._max_rows)
        covered = self._covered(period)
        if covered is None:
            return Rows((), is_cut=False)
        shown = newest(covered) if {"week", "month"} & set(by) else covered
        found = self._source.fetch(sums(by, filters, shown, week_start), most + 1)
        rows = []
        for values in (values for values in found[:most] if values[len(by)]):  # keys, number of rows, sums
            key = tuple(NO_NAME if value is None else str(value) for value in values[: len(by)])
            numbers = (float(value or 0) for value in values[len(by) + 1 :])
            rows.append(Row(key, dict(zip(SUMS, numbers, strict=True))))
        return Rows(tuple(sorted(rows, key=lambda row: row.key)), is_cut=len(found) > most or shown != covered)

    def flights(self, filters: Mapping[Dimension, Sequence[str]], as_of: date) -> tuple[Flight, ...]:
        """Return the flights with a budget that run on `as_of` and match `filters`, with their spend, by name."""
        found = self._source.fetch(spending(filters, as_of), self._max_rows)
        return tuple(
            Flight(str(name), float(budget), start, end, float(spent)) for name, budget, start, end, spent in found
        )

    def _fresh(self, name: str, read: Callable[[], T]) -> T:
        at, value = self._kept.get(name, (float("-inf"), None))
        if self._clock() - at >= FRESH_SECONDS:
            value = read()
            self._kept[name] = self._clock(), value
        return cast("T", value)

    def _coverage(self) -> Coverage:
        days = daily_metrics.c.date
        first, last, rows = self._source.fetch(select(func.min(days), func.max(days), func.count()), 1)[0]
        if not rows:
            raise DatabaseDown("The metrics warehouse holds no daily metrics.")
        without = self._source.fetch(select(left_out), self._max_rows) if self._source.has(left_out.name) else []
        return Coverage(first, last, int(rows), {str(reason): int(count) for reason, count in without})

    def _names(self, column: ColumnElement[str]) -> tuple[str, ...]:
        found = self._source.fetch(select(column).where(column.is_not(None)).distinct().order_by(column), MAX_NAMES)
        return tuple(sorted(str(name) for (name,) in found))

    def _owners(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, set[str]] = {}
        for name, advertiser in self._source.fetch(owned(), MAX_NAMES):
            found.setdefault(str(name), set()).add(str(advertiser))
        return {name: tuple(sorted(advertisers)) for name, advertisers in sorted(found.items())}

    def _covered(self, period: Period | None) -> Period | None:
        """Return the part of the period that has data."""
        known = self.coverage()
        return known.part_of(period or Period(start=known.first, end=known.last, label="all days"))


def open_warehouses(tuning: CampaignsSettings) -> Callable[[date], Warehouse]:
    """Return the warehouse as of a day; the sample ends the day before. Raises UnusableFile without either."""
    url = tuning.warehouse.get_secret_value()
    if url:
        opened = partial(open_url, CALLED, url, current=source_of(tuning.warehouse))
        own = Warehouse(Source(opened, tuning.query_seconds), tuning.max_rows)
        return lambda _: own

    find = maker(SAMPLE_FILE, CALLED.setting)

    @lru_cache(maxsize=4)
    def sample_on(today: date) -> Warehouse:
        source = Source(partial(open_file, partial(find, today)), tuning.query_seconds)
        return Warehouse(source, tuning.max_rows)

    return sample_on
