"""Figures computed in one step from others: sums, differences, ratios, percentages, multiples."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import floor, log10

from turnkeep.kit.figures import Figure

CLOSE = 0.000_001
MOST_OPERANDS = 40


def equals(figure: Figure, values: Sequence[float], *, is_exact: bool = False) -> bool:
    """Return whether it is one of the values, also if rounded to its last digit and by at most one percent."""
    for own, step in zip(figure.values, figure.steps, strict=True):
        share = 0.01 if figure.unit != "%" or step > 1 else 1.0  # "29 %" of 29.45
        for value in values:
            most = 0.0 if is_exact else min(step / 2 * 1.0001, share * abs(value))
            if abs(own - value) <= max(CLOSE, most):
                return True
    return False


def may_be(figure: Figure, known: Figure) -> bool:
    """Return whether the units can match. Database rows have no units; a whole number there is not a percentage."""
    is_bare = not known.unit and (figure.unit != "%" or min(known.steps) < 1)
    return figure.unit == known.unit or not figure.unit or is_bare


def is_same(figure: Figure, known: Figure) -> bool:
    return may_be(figure, known) and equals(figure, known.values)


def is_narrow(figure: Figure, values: Sequence[float], share: float) -> bool:
    """Return whether `values` are at most this share of all figures with as many digits, such as 10 % to 99 %."""
    size, step = abs(figure.values[0]), figure.steps[0]
    if any(abs(value - size) <= CLOSE for value in values):
        step = min(step, 1.0)  # 840 is then not a rounded figure
    low = 10.0 ** floor(log10(size)) if size else 1.0
    reachable = {round(value / step) for value in values if low <= value < 10 * low}
    return len(reachable) <= share * 9 * low / step


def of_group(group: Sequence[Figure], unit: str) -> Iterator[float]:
    return of_pairs(combinations(group[:MOST_OPERANDS], 2), unit)


def of_pairs(pairs: Iterable[tuple[Figure, Figure]], unit: str) -> Iterator[float]:
    for one, other in pairs:
        kind, above, below = one.unit or other.unit, one.values[0], other.values[0]
        is_alike = one.unit == other.unit or "" in (one.unit, other.unit)
        if is_alike and (kind == unit or ("%" not in (kind, unit) and "" in (kind, unit))):
            yield from (above + below, abs(above - below))
        yield from _ratios(one, other, unit)
        yield from _ratios(other, one, unit)


def _ratios(one: Figure, other: Figure, unit: str) -> Iterator[float]:
    """Yield ratios in this unit. Money comes from money: £40 of 5 % or of 8, but no count from £40."""
    above, below = one.values[0], other.values[0]
    is_alike = one.unit == other.unit or "" in (one.unit, other.unit)
    if unit == "%":
        is_ratio = below and is_alike and "%" not in (one.unit, other.unit)
        yield from (100 * above / below, 100 * abs(above - below) / below) if is_ratio else ()
    elif other.unit == "%" and one.unit in ("", unit):
        part = above * below / 100
        yield from (part, above - part, above + part)
    elif not other.unit and one.unit in ("", unit):
        yield from (above / below, above * below) if below else ()
    elif not unit and one.unit == other.unit and below:
        yield above / below


def computed(value: float, unit: str = "") -> Figure:
    return Figure(-1, "", (float(value),), unit, (1.0 if value == int(value) else 0.0,))
