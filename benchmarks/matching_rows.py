"""Whether the rows of an answer hold those that SQL by hand gives, whatever the columns are called and in whichever
order they stand."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import Any

type Rows = Sequence[Sequence[Any]]


def hold(found: Rows, expected: Rows, *, is_ordered: bool) -> bool:
    """Some columns of `found` are the columns of `expected`, row by row. With `is_ordered` the last column has the
    same order too: rows of one figure may change places."""
    if len(found) != len(expected) or not expected:
        return False
    wanted = [tuple(map(plain, row)) for row in expected]
    columns = [[plain(row[place]) for row in found] for place in range(len(found[0]))]
    return any(_equal(chosen, wanted, is_ordered=is_ordered) for chosen in permutations(columns, len(wanted[0])))


def plain(cell: Any) -> Any:
    """Figures to the second decimal, times to the minute."""
    if isinstance(cell, int | float):
        return round(float(cell), 2)
    return str(cell).replace("T", " ")[:16] if cell is not None else None


def _equal(chosen: Sequence[Sequence[Any]], wanted: list[tuple[Any, ...]], *, is_ordered: bool) -> bool:
    rows = list(zip(*chosen, strict=True))
    in_order = not is_ordered or [row[-1] for row in rows] == [row[-1] for row in wanted]
    return in_order and Counter(rows) == Counter(wanted)
