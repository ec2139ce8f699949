"""What can be measured, and how it follows from sums. A rate is always the ratio of two sums, never a mean of rates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

SUMS = ("impressions", "clicks", "cost", "conversions", "revenue")
"""The additive columns of the warehouse."""

type Sums = Mapping[str, float]
type Unit = Literal["count", "money", "percent", "ratio"]


@dataclass(frozen=True)
class Metric:
    """`value` gives None where it would divide by zero; a percentage is given as a share of 1. `names` are what people
    call it, the label first."""

    names: tuple[str, ...]
    unit: Unit
    value: Callable[[Sums], float | None]
    is_good_high: bool | None = None

    @property
    def label(self) -> str:
        return self.names[0]


def _sum(column: str) -> Callable[[Sums], float | None]:
    return lambda sums: float(sums[column])


def _ratio(above: str, below: str, times: float = 1) -> Callable[[Sums], float | None]:
    return lambda sums: times * sums[above] / sums[below] if sums[below] else None


METRICS: Mapping[str, Metric] = {
    "impressions": Metric(("impressions", "views", "displays"), "count", _sum("impressions")),
    "clicks": Metric(("clicks",), "count", _sum("clicks"), True),
    "cost": Metric(("spend", "cost", "costs", "spent", "spending"), "money", _sum("cost")),
    "conversions": Metric(("conversions", "sales", "orders", "purchases"), "count", _sum("conversions"), True),
    "revenue": Metric(("revenue", "income", "turnover"), "money", _sum("revenue"), True),
    "ctr": Metric(
        ("click-through rate", "CTR", "click rate", "clickthrough"), "percent", _ratio("clicks", "impressions"), True
    ),
    "cvr": Metric(("conversion rate", "CVR"), "percent", _ratio("conversions", "clicks"), True),
    "cpc": Metric(("cost per click", "CPC"), "money", _ratio("cost", "clicks"), False),
    "cpm": Metric(("cost per thousand impressions", "CPM"), "money", _ratio("cost", "impressions", 1000), False),
    "cpa": Metric(("cost per conversion", "CPA"), "money", _ratio("cost", "conversions"), False),
    "roas": Metric(("return on ad spend", "ROAS", "return on spend"), "ratio", _ratio("revenue", "cost"), True),
}
