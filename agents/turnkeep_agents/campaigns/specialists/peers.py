"""The parts of rates, and peers: the others in the same insertion order, because goods differ in their rates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from turnkeep_agents.campaigns.metrics import METRICS, SUMS, Sums
from turnkeep_agents.campaigns.specialists.formatting import in_sentence
from turnkeep_agents.campaigns.warehouse.sums import Row

BASES = {
    "ctr": ("clicks", "impressions"),
    "cvr": ("conversions", "clicks"),
    "cpc": ("cost", "clicks"),
    "cpm": ("cost", "impressions"),
    "cpa": ("cost", "conversions"),
    "roas": ("revenue", "cost"),
}
"""Numerator and denominator of each rate."""


def change(metric: str, now: Sums, before: Sums | None) -> float | None:
    """Return the change as a share of the earlier value; None if that was zero or cannot be computed."""
    new, old = METRICS[metric].value(now), METRICS[metric].value(before) if before else None
    return (new - old) / old if new is not None and old else None


def tracked(metrics: Sequence[str], total: Sums) -> list[str]:
    """Return the metrics without those never counted, such as revenue."""
    return [name for name in metrics if METRICS[name].value(total)]


def uncounted(metrics: Sequence[str], total: Sums) -> list[str]:
    """Return the sums that these metrics need and that were never counted."""
    needed = [name for metric in metrics for name in (metric, *BASES.get(metric, ()))]
    return [name for name in dict.fromkeys(needed) if name in ("conversions", "revenue") and not total[name]]


def why_not(metric: str) -> str:
    base = BASES[metric][1]
    return f"as there {'is' if base == 'cost' else 'are'} no {in_sentence(base)}"


def ranked(rows: Sequence[Row], metric: str, *, is_best_first: bool = True) -> list[Row]:
    """Sort by a metric, where a low price is better than a high one; values that cannot be computed come last."""
    is_high_first = is_best_first is not (METRICS[metric].is_good_high is False)

    def rank(row: Row) -> tuple[bool, float]:
        value = METRICS[metric].value(row.sums)
        return (value is None, 0 if value is None else -value if is_high_first else value)

    return sorted(rows, key=rank)


LEAST_DEVIATIONS = 3.0
"""Standard deviations by which a number of events must be off to be more than chance. With a hundred things compared in
parallel, two deviations would flag several wrongly."""


@dataclass(frozen=True)
class Peer:
    """A thing within an insertion order; `others` are the sums of everything else in it."""

    within: str
    key: tuple[str, ...]
    sums: Sums
    others: Sums

    @property
    def name(self) -> str:
        return " with ".join(self.key)

    @property
    def whose(self) -> str:
        """Return the name with its insertion order, to distinguish it from equal names in others."""
        return self.name if not self.within or self.within in self.name else f"{self.name} in {self.within}"

    def expected(self, part: str, whole: str) -> float:
        """Return this one's `whole` times the others' ratio of the two sums; 0 if they have none."""
        return self.sums[whole] * self.others[part] / self.others[whole] if self.others[whole] else 0.0


def is_far_below(number: float, expected: float) -> bool:
    """Return whether the number of events is below the expected one by more than chance."""
    return expected - number >= LEAST_DEVIATIONS * sqrt(expected)


def added(parts: Iterable[Sums]) -> dict[str, float]:
    kept = list(parts)
    return {name: sum(sums[name] for sums in kept) for name in SUMS}


def peers(rows: Sequence[Row]) -> list[Peer]:
    """Build peers from rows whose key begins with the insertion order."""
    orders: dict[str, list[Row]] = {}
    for row in rows:
        orders.setdefault(row.key[0], []).append(row)
    whole = {order: added(row.sums for row in found) for order, found in orders.items()}
    return [
        Peer(row.key[0], row.key[1:], row.sums, {name: whole[row.key[0]][name] - row.sums[name] for name in SUMS})
        for row in rows
    ]


def success(total: Sums) -> str:
    return "roas" if total["revenue"] else "cpa" if total["conversions"] else "ctr"


def best_peer(peer: Peer, all_: Sequence[Peer], metric: str, least: tuple[str, float]) -> Peer | None:
    """Return the best other one by a metric in the same insertion order, among those with enough of a sum."""
    name, number = least
    others = [each for each in all_ if each.within == peer.within and each is not peer and each.sums[name] >= number]
    known = [(value, each) for each in others if (value := METRICS[metric].value(each.sums)) is not None]
    is_low_best = METRICS[metric].is_good_high is False
    return min(known, key=lambda pair: pair[0] if is_low_best else -pair[0])[1] if known else None
