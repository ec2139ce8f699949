"""Metrics, and how each follows from sums. A rate is always the ratio of two sums, never a mean of rates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

SUMS = ("impressions", "clicks", "cost", "conversions", "revenue")  # the additive columns of the warehouse

Sums: TypeAlias = Mapping[str, float]
Unit: TypeAlias = Literal["count", "money", "percent", "ratio"]


@dataclass(frozen=True)
class Metric:
    """`value` returns None where it would divide by zero; a percentage is returned as a share of 1."""

    label: str
    unit: Unit
    value: Callable[[Sums], float | None]
    is_good_high: bool | None = None
    short: str = ""


def _sum(column: str) -> Callable[[Sums], float | None]:
    return lambda sums: float(sums[column])


def _ratio(above: str, below: str, times: float = 1) -> Callable[[Sums], float | None]:
    return lambda sums: times * sums[above] / sums[below] if sums[below] else None


METRICS: Mapping[str, Metric] = {
    "impressions": Metric("impressions", "count", _sum("impressions")),
    "clicks": Metric("clicks", "count", _sum("clicks"), True),
    "cost": Metric("spend", "money", _sum("cost")),
    "conversions": Metric("conversions", "count", _sum("conversions"), True),
    "revenue": Metric("revenue", "money", _sum("revenue"), True),
    "ctr": Metric("click-through rate", "percent", _ratio("clicks", "impressions"), True, "CTR"),
    "cvr": Metric("conversion rate", "percent", _ratio("conversions", "clicks"), True, "CVR"),
    "cpc": Metric("cost per click", "money", _ratio("cost", "clicks"), False, "CPC"),
    "cpm": Metric("cost per thousand impressions", "money", _ratio("cost", "impressions", 1000), False, "CPM"),
    "cpa": Metric("cost per conversion", "money", _ratio("cost", "conversions"), False, "CPA"),
    "roas": Metric("return on ad spend", "ratio", _ratio("revenue", "cost"), True, "ROAS"),
}
