"""What is right, for benchmarks/demo_questions.py: sums over the sample's SQLite file and filters over the catalogue
file, in plain code that shares nothing with the agents."""

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from turnkeep.records import JSON

SUMS = ("impressions", "clicks", "cost", "conversions", "revenue")
RATES = {
    "ctr": ("clicks", "impressions", 1),
    "cvr": ("conversions", "clicks", 1),
    "cpc": ("cost", "clicks", 1),
    "cpm": ("cost", "impressions", 1000),
    "cpa": ("cost", "conversions", 1),
    "roas": ("revenue", "cost", 1),
}
ROWS = """
    SELECT m.date AS day, a.name AS advertiser, o.name AS insertion_order, l.name AS line_item, u.name AS audience,
        c.name AS creative, c.size AS size, m.impressions, m.clicks, m.cost, m.conversions, m.revenue
    FROM daily_metrics m JOIN line_items l ON l.id = m.line_item_id JOIN audiences u ON u.id = l.audience_id
    JOIN insertion_orders o ON o.id = l.insertion_order_id JOIN advertisers a ON a.id = o.advertiser_id
    JOIN creatives c ON c.id = m.creative_id
"""
FLIGHTS = "SELECT name, budget, start_date, end_date FROM insertion_orders"
TIRED_WEEKS, TIRED_SHARE = 6, 0.8
"""A creative is tired whose click rate of the last week is under this share of that of the first one."""

type Row = Mapping[str, Any]


@dataclass(frozen=True)
class Facts:
    """The sample of one day: `rows` are of a creative in a line item on a day, with all names."""

    rows: Sequence[Row]
    flights: Sequence[Row]

    @property
    def last_day(self) -> str:
        return str(max(row["day"] for row in self.rows))


def read_facts(path: Path) -> Facts:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        base.row_factory = sqlite3.Row
        return Facts([dict(row) for row in base.execute(ROWS)], [dict(row) for row in base.execute(FLIGHTS)])


def expected(facts: Facts, spec: JSON) -> dict[str, float]:
    """The value of each name by which `spec` breaks down, in its order; one without name where it does not. Names
    without a value are left out."""
    first, last = spec["days"]
    where = spec.get("where", {})
    groups: dict[str, list[Row]] = {}
    for row in facts.rows:
        if first <= row["day"] <= last and all(row[name] in values for name, values in where.items()):
            groups.setdefault(_group(row, spec.get("by")), []).append(row)
    values = {name: _value(rows, spec["metric"]) for name, rows in groups.items()}
    known = {name: value for name, value in values.items() if value is not None}
    if "order" not in spec:
        return dict(sorted(known.items()))
    return dict(sorted(known.items(), key=lambda item: item[1], reverse=spec["order"] == "high"))


def _group(row: Row, by: str | None) -> str:
    if by == "month":
        return date.fromisoformat(row["day"]).strftime("%B %Y")
    return str(row[by]) if by else ""


def _value(rows: Iterable[Row], metric: str) -> float | None:
    sums = dict.fromkeys(SUMS, 0.0)
    for row in rows:
        for name in SUMS:
            sums[name] += row[name]
    if metric in SUMS:
        return sums[metric]
    above, below, times = RATES[metric]
    return times * sums[above] / sums[below] if sums[below] else None


def budget_figure(facts: Facts, insertion_order: str, figure: str) -> float:
    """Of the flight that runs on the last day: `left` of its budget, or `pacing`, what is spent as a share of what
    should be by now."""
    now = facts.last_day
    flights = [flight for flight in facts.flights if flight["name"] == insertion_order]
    flight = next(one for one in flights if one["start_date"] <= now <= one["end_date"])
    where, days = {"insertion_order": [insertion_order]}, [flight["start_date"], now]
    spent = expected(facts, {"metric": "cost", "where": where, "days": days})[""]
    if figure == "left":
        return float(flight["budget"]) - spent
    start, end = date.fromisoformat(flight["start_date"]), date.fromisoformat(flight["end_date"])
    gone = (date.fromisoformat(now) - start).days + 1
    return spent / (float(flight["budget"]) * gone / ((end - start).days + 1))


def tired_creatives(facts: Facts, advertiser: str) -> list[str]:
    """Whose click rate fell most over the last weeks, the worst first."""
    end = date.fromisoformat(facts.last_day)
    where = {"advertiser": [advertiser]}
    first, last = (
        expected(facts, {"metric": "ctr", "where": where, "by": "creative", "days": _week(end, back)})
        for back in (TIRED_WEEKS - 1, 0)
    )
    shares = {name: last[name] / first[name] for name in first if last.get(name)}
    return sorted((name for name, share in shares.items() if share < TIRED_SHARE), key=lambda name: shares[name])


def _week(end: date, back: int) -> list[str]:
    last = end - timedelta(weeks=back)
    return [(last - timedelta(days=6)).isoformat(), last.isoformat()]


def read_catalogue(path: Path) -> list[JSON]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def matching(catalogue: Sequence[JSON], where: Sequence[Sequence[Any]]) -> list[JSON]:
    """The products that meet each `[field, operator, value]`."""
    return [product for product in catalogue if all(_meets(product.get(field), *rest) for field, *rest in where)]


def _meets(found: Any, operator: str, value: Any) -> bool:
    if found is None:
        return False
    match operator:
        case "=":
            return bool(found == value)
        case "!=":
            return bool(found != value)
        case "has":
            return bool(value in found)
    difference = number(found) - float(value)
    return {"<": difference < 0, "<=": difference <= 0, ">": difference > 0, ">=": difference >= 0}[operator]


def first_of(products: Sequence[JSON], field: str, end: str) -> set[str]:
    """The ids of those with the lowest or highest number in `field`."""
    numbers = {product["id"]: number(product[field]) for product in products if field in product}
    best = (max if end == "high" else min)(numbers.values())
    return {id_ for id_, found in numbers.items() if found == best}


def number(value: Any) -> float:
    """The first number of a text such as "27 in"; what is a number stays one."""
    if isinstance(value, int | float):
        return float(value)
    found = re.search(r"\d+(\.\d+)?", str(value))
    if not found:
        raise ValueError(value)
    return float(found[0])
