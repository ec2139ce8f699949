"""Queries as SQL for any dialect, and the database that they run in. Names are bound, never part of the SQL."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, cast

from sqlalchemy import Engine, case, func, inspect, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.sql import ColumnElement, Select

from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.requests import Dimension, Grain, Period
from turnkeep_agents.campaigns.warehouse.tables import (
    COLUMNS,
    REQUIRED,
    advertisers,
    daily_metrics,
    insertion_orders,
    joined,
    line_items,
)
from turnkeep_agents.databases.engines import Called
from turnkeep_agents.databases.errors import DatabaseDown
from turnkeep_agents.databases.sessions import Sessions, is_no_database

CALLED = Called("The metrics warehouse", "CAMPAIGNS__WAREHOUSE")
SUNDAY = 6
MAX_WEEKS = 600


def sums(
    by: Sequence[Dimension | Grain], filters: Mapping[Dimension, Sequence[str]], period: Period, week_start: int
) -> Select[*tuple[Any, ...]]:
    """Select keys, row count, sums. An inner query builds the keys: some databases group by columns only."""
    keys = [_key(name, period, week_start).label(f"key{at}") for at, name in enumerate(by)]
    inner = (
        select(*keys, *(daily_metrics.c[name] for name in SUMS))
        .select_from(joined({*by, *filters} & COLUMNS.keys()))
        .where(daily_metrics.c.date.between(period.start, period.end), *_conditions(filters))
        .subquery()
    )
    grouped = [inner.c[key.name] for key in keys]
    sums = (func.sum(inner.c[name]) for name in SUMS)
    return select(*grouped, func.count(), *sums).group_by(*grouped).order_by(*grouped)


def spending(filters: Mapping[Dimension, Sequence[str]], as_of: date) -> Select[*tuple[Any, ...]]:
    """Select one row for each flight, even if nothing was spent yet."""
    flight = insertion_orders.c
    columns = (flight.name, flight.budget, flight.start_date, flight.end_date)
    days = (daily_metrics.c.line_item_id == line_items.c.id) & daily_metrics.c.date.between(flight.start_date, as_of)
    source = (
        insertion_orders.outerjoin(advertisers, advertisers.c.id == flight.advertiser_id)
        .outerjoin(line_items, line_items.c.insertion_order_id == flight.id)
        .outerjoin(daily_metrics, days)
    )
    running = (flight.start_date <= as_of, flight.end_date >= as_of, flight.budget > 0)
    spent = func.coalesce(func.sum(daily_metrics.c.cost), 0)
    statement = select(*columns, spent).select_from(source).where(*running, *_conditions(filters))
    return statement.group_by(flight.id, *columns).order_by(flight.name, flight.start_date)


def owned() -> Select[*tuple[Any, ...]]:
    """Select the names of insertion orders, each with its advertiser."""
    source = insertion_orders.join(advertisers, advertisers.c.id == insertion_orders.c.advertiser_id)
    return select(insertion_orders.c.name, advertisers.c.name).select_from(source).distinct()


def _conditions(filters: Mapping[Dimension, Sequence[str]]) -> Iterator[ColumnElement[bool]]:
    for name, values in filters.items():
        yield COLUMNS[name].in_(list(values))


def _key(name: Dimension | Grain, period: Period, week_start: int) -> ColumnElement[Any]:
    """Return the key of a group. Weeks and months are matched by their ends: no function for them is portable."""
    if name in COLUMNS:
        return COLUMNS[cast("Dimension", name)]
    if name == "day":
        return daily_metrics.c.date
    is_month, pieces = name == "month", []
    start = period.start - timedelta(days=0 if is_month else (period.start.weekday() - week_start) % 7)
    start = start.replace(day=1) if is_month else start
    while start <= period.end:
        after = (start + timedelta(days=31)).replace(day=1) if is_month else start + timedelta(days=7)
        pieces.append((daily_metrics.c.date < after, f"{start:%Y-%m}" if is_month else start.isoformat()))
        start = after
    return case(*pieces)


def newest(period: Period) -> Period:
    """Return the newest weeks of a period, as many as a query can distinguish."""
    start = max(period.start, period.end - timedelta(weeks=MAX_WEEKS))
    return period.model_copy(update={"start": start})


class Source:
    """One database, opened on first use; all methods raise DatabaseError."""

    def __init__(self, open_engine: Callable[[float], Engine], seconds: float):
        """`seconds`: timeout of one query."""
        self._sessions = Sessions(CALLED, open_engine, seconds, self._refused)

    def fetch(self, statement: Select[*tuple[Any, ...]], limit: int) -> list[Sequence[Any]]:
        """Return at most `limit` rows."""
        limited = statement.limit(limit)
        return self._sessions.ask(lambda connection: [tuple(row) for row in connection.execute(limited).all()])

    def has(self, table: str) -> bool:
        """Return whether a table or view of that name exists."""
        return self._sessions.ask(lambda connection: inspect(connection).has_table(table))

    def _refused(self, error: DBAPIError) -> DatabaseDown:
        if is_no_database(error):
            return DatabaseDown(f"{CALLED.name} is not a SQLite database.")
        missing: list[str] = []
        with suppress(SQLAlchemyError, OSError):
            missing = self._sessions.ask_once(
                lambda connection: [each.name for each in REQUIRED if not inspect(connection).has_table(each.name)]
            )
        if missing:
            return DatabaseDown(f"{CALLED.name} lacks these tables or may not show them: {', '.join(missing)}.")
        remedy = "its tables need the documented columns, and its login the right to read them"
        return DatabaseDown(f"{CALLED.name} refused a query: {remedy}.")
