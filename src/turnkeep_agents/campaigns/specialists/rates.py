"""What rates are made of and how they are compared. A rate over little is no rank, and one over nothing is none."""

from collections.abc import Sequence

from turnkeep_agents.campaigns.metrics import METRICS, Sums
from turnkeep_agents.campaigns.specialists.spelling import in_sentence
from turnkeep_agents.campaigns.warehouse.sums import Row

BASES = {
    "ctr": ("clicks", "impressions"),
    "cvr": ("conversions", "clicks"),
    "cpc": ("cost", "clicks"),
    "cpm": ("cost", "impressions"),
    "cpa": ("cost", "conversions"),
    "roas": ("revenue", "cost"),
}
"""The sums that a rate is the ratio of."""


def change(metric: str, now: Sums, before: Sums | None) -> float | None:
    """Of a metric, as a share of what it was; None where it was nothing or cannot be computed."""
    new, old = METRICS[metric].value(now), METRICS[metric].value(before) if before else None
    return (new - old) / old if new is not None and old else None


def tracked(metrics: Sequence[str], total: Sums) -> list[str]:
    """Without what was never counted, such as revenue where there is none."""
    return [name for name in metrics if METRICS[name].value(total)]


def uncounted(metrics: Sequence[str], total: Sums) -> list[str]:
    """The sums that these metrics need and that nobody counted."""
    needed = [name for metric in metrics for name in (metric, *BASES.get(metric, ()))]
    return [name for name in dict.fromkeys(needed) if name in ("conversions", "revenue") and not total[name]]


def why_not(metric: str) -> str:
    """Why a rate cannot be computed."""
    base = BASES[metric][1]
    return f"as there {'is' if base == 'cost' else 'are'} no {in_sentence(base)}"


def ranked(rows: Sequence[Row], metric: str, *, is_best_first: bool = True) -> list[Row]:
    """By a metric, where a low price is better than a high one; what cannot be computed comes last."""
    is_high_first = is_best_first is not (METRICS[metric].is_good_high is False)

    def rank(row: Row) -> tuple[bool, float]:
        value = METRICS[metric].value(row.sums)
        return (value is None, 0 if value is None else -value if is_high_first else value)

    return sorted(rows, key=rank)
