"""The embedded data as pandas frames, and every figure written anew with pandas: nothing here asks the product's SQL or
its metrics, so that both can be held against each other. Each figure works on a frame and on its groups alike."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

type Figure = Callable[[Any], Any]

TABLES = ("advertisers", "insertion_orders", "line_items", "audiences", "creatives", "daily_metrics")


def read_tables(file: Path) -> dict[str, pd.DataFrame]:
    """Every table of a SQLite file as it lies there."""
    with closing(sqlite3.connect(file)) as connection:
        return {name: pd.read_sql_query(f'SELECT * FROM "{name}"', connection) for name in TABLES}


def daily_rows(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row for each line item, creative and day, by day, with the names of all that it belongs to."""
    items = tables["line_items"].rename(columns={"id": "line_item_id", "name": "line_item"})
    orders = tables["insertion_orders"].rename(columns={"id": "insertion_order_id", "name": "insertion_order"})
    sellers = tables["advertisers"].rename(columns={"id": "advertiser_id", "name": "advertiser"})
    groups = tables["audiences"].rename(columns={"id": "audience_id", "name": "audience"})
    designs = tables["creatives"].rename(columns={"id": "creative_id", "name": "creative"})
    rows = tables["daily_metrics"]
    for names, key in (
        (items, "line_item_id"),
        (orders, "insertion_order_id"),
        (sellers, "advertiser_id"),
        (groups, "audience_id"),
        (designs, "creative_id"),
    ):
        rows = rows.merge(names, on=key, how="left", validate="many_to_one")
    return rows.set_index(pd.to_datetime(rows["date"])).sort_index()


def total(name: str) -> Figure:
    return lambda rows: rows[name].sum()


def ratio(above: str, below: str, of: int = 1) -> Figure:
    return lambda rows: rows[above].sum() / (rows[below].sum() / of)


impressions, clicks, cost = total("impressions"), total("clicks"), total("cost")
conversions, revenue = total("conversions"), total("revenue")
ctr, cvr = ratio("clicks", "impressions"), ratio("conversions", "clicks")
cpc, cpm, cpa = ratio("cost", "clicks"), ratio("cost", "impressions", 1000), ratio("cost", "conversions")
roas = ratio("revenue", "cost")


def by_month(rows: pd.DataFrame) -> Any:
    """Groups called as an answer calls a month, such as "May 2026"."""
    return rows.groupby(rows.index.strftime("%B %Y"))


def by_week(rows: pd.DataFrame, first_weekday: int = 6) -> Any:
    """Groups called as an answer calls a week, also one that begins before the rows do; 0 is Monday."""
    starts = rows.index - pd.to_timedelta((rows.index.day_of_week - first_weekday) % 7, unit="D")
    return rows.groupby([f"week of {start.day} {start:%B %Y}" for start in starts])


def flights(tables: dict[str, pd.DataFrame], as_of: str) -> pd.DataFrame:
    """The bookings that run on a day, by name of the insertion order: budget, what was `spent` up to that day, that as
    a share of what an even spend would have reached (`pacing`), and what it comes to at the end at the daily spend of
    the last seven days, or of all days of a younger booking (`projected_spend`)."""
    day = pd.Timestamp(as_of)
    orders = tables["insertion_orders"].astype({"start_date": "datetime64[s]", "end_date": "datetime64[s]"})
    found = orders[(orders["start_date"] <= day) & (orders["end_date"] >= day)].set_index("id")
    rows = tables["daily_metrics"].merge(tables["line_items"], left_on="line_item_id", right_on="id")
    rows = rows[pd.to_datetime(rows["date"]) <= day]
    recent = rows[pd.to_datetime(rows["date"]) > day - pd.Timedelta(days=7)]
    days = (found["end_date"] - found["start_date"]).dt.days + 1
    gone = (day - found["start_date"]).dt.days + 1
    found["spent"] = cost(rows.groupby("insertion_order_id"))
    found["pacing"] = found["spent"] / (found["budget"] * gone / days)
    a_day = cost(recent.groupby("insertion_order_id")) / gone.clip(upper=7)
    found["projected_spend"] = found["spent"] + a_day * (days - gone)
    return found.set_index("name")
