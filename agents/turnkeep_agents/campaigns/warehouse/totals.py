"""Removes export rows that are sums of others, by missing names or by their figures."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TypeAlias

from turnkeep_agents.campaigns.metrics import SUMS

TOTAL = "of totals"
NAMELESS = "without a campaign, where others have one"
MEASURES = 3  # non-zero ones, which must all be sums
ROUNDED = 0.01  # tolerance per row, for amounts
AMOUNTS = ("cost", "revenue")


_Whole: TypeAlias = tuple[dict[str, float], int]


@dataclass(frozen=True)
class Line:
    """`names` contains the fields that have a column and a name in it."""

    day: date
    names: Mapping[str, str]
    sums: Mapping[str, float]


def without_sums(lines: Sequence[Line], left_out: Counter[str]) -> list[Line]:
    is_named = any("insertion_order" in line.names for line in lines)
    named = [line for line in lines if not is_named or "insertion_order" in line.names]
    kept = _without_parts(named)  # first, because the total of a day would count them twice
    for group in (lambda line: line.day, lambda _: None):
        wholes = _added(kept, group)
        kept = [line for line in kept if not _is_sum(line, *wholes[group(line)])]
    left_out.update([NAMELESS] * (len(lines) - len(named)) + [TOTAL] * (len(named) - len(kept)))
    return kept


def _without_parts(lines: Sequence[Line]) -> list[Line]:
    """Remove rows that are sums of rows of their day with the same names and more."""
    for names in {tuple(line.names) for line in lines}:
        key = partial(_key, names=names)
        wholes = _added((line for line in lines if line.names.keys() > set(names)), key)
        kept = []
        for line in lines:
            totals, count = wholes.get(key(line), ({}, 0)) if tuple(line.names) == names else ({}, 0)
            if not _is_sum(line, {name: total + line.sums[name] for name, total in totals.items()}, count + 1):
                kept.append(line)
        lines = kept
    return list(lines)


def _key(line: Line, names: Sequence[str]) -> Hashable:
    return line.day, *(line.names[name] for name in names)


def _added(lines: Iterable[Line], group: Callable[[Line], Hashable]) -> dict[Hashable, _Whole]:
    """Return the sums of each group and how many rows it has."""
    found: dict[Hashable, _Whole] = {}
    for line in lines:
        totals, count = found.get(group(line), (dict.fromkeys(SUMS, 0.0), 0))
        found[group(line)] = {name: totals[name] + line.sums[name] for name in SUMS}, count + 1
    return found


def _is_sum(line: Line, totals: Mapping[str, float], count: int) -> bool:
    """Return whether the row is half of `totals`, the sums of it and of at least two others."""
    if count < 3 or sum(line.sums[name] > 0 for name in SUMS) < MEASURES:
        return False
    margin = {name: ROUNDED * count if name in AMOUNTS else 1e-6 * count for name in SUMS}
    return all(abs(totals[name] - 2 * line.sums[name]) <= margin[name] for name in SUMS)
