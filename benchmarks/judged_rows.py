"""Whether the rows of an answer are those that SQL by hand gives: by the columns that a person needs to see, whatever
the answer calls them, in whichever order they stand and whatever else it shows."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any, TypeAlias

from turnkeep.records import JSON

Rows: TypeAlias = Sequence[Sequence[Any]]
Names: TypeAlias = Sequence[str]

DECIMALS = 6
CENTS = 2
MIDNIGHT = " 00:00:00"


def hold(found: Rows, rows: Rows, *, is_ordered: bool) -> bool:
    """There are `rows`, and all their columns stand in `found`. With `is_ordered` the rows stand as the last column
    wants, ties as they like. Figures count to the second decimal."""
    if not rows:
        return False
    names = [str(at) for at in range(len(rows[0]))]
    order = {"order": names[-1]} if is_ordered else {}
    return agree(found, names, rows, {"columns": [names], "decimals": CENTS, **order})


def agree(found: Rows, names: Names, rows: Rows, right: JSON) -> bool:
    """`rows` with their column `names` are by hand. Of the lists of names in `columns` one has to be in `found`. With
    `order` the rows stand as that column wants, ties as they like, or as by hand where it is true; with `distinct` a
    row may come more than once; `decimals` count."""
    return any(_agree(found, names, rows, chosen, right) for chosen in right["columns"])


def _agree(found: Rows, names: Names, rows: Rows, chosen: Names, right: JSON) -> bool:
    if not found or not rows:
        return not found and not rows
    decimals, is_distinct = right.get("decimals", DECIMALS), right.get("distinct", False)
    wanted = _columns(rows, [names.index(name) for name in chosen], decimals)
    shown = _columns(found, range(len(found[0])), decimals)
    places = [[at for at, cells in enumerate(shown) if _equal(cells, column, is_distinct)] for column in wanted]
    known = list(zip(*wanted, strict=True))
    ranks = _ranks(names, rows, right)
    for picked in product(*places):
        answer = list(zip(*(shown[at] for at in picked), strict=True))
        if _equal(answer, known, is_distinct) and _in_order(answer, known, ranks):
            return True
    return False


def _ranks(names: Names, rows: Rows, right: JSON) -> Sequence[Any]:
    """By which the rows by hand stand; none where their order does not matter."""
    order = right.get("order")
    if order is True:
        return range(len(rows))
    return _columns(rows, [names.index(order)], DECIMALS)[0] if order else ()


def _columns(rows: Rows, places: Sequence[int], decimals: int) -> list[list[Any]]:
    return [[plain(row[at], decimals) for row in rows] for at in places]


def _equal(cells: Sequence[Any], others: Sequence[Any], is_distinct: bool) -> bool:
    return set(cells) == set(others) if is_distinct else Counter(cells) == Counter(others)


def _in_order(answer: Sequence[Any], known: Sequence[Any], ranks: Sequence[Any]) -> bool:
    rank_of = dict(zip(known, ranks, strict=True)) if ranks else {}
    return not ranks or [rank_of[row] for row in answer] == list(ranks)


def plain(cell: Any, decimals: int = DECIMALS) -> Any:
    """Figures to some decimal, also those that stand as text; texts in small letters; a day without its hour."""
    if cell is None:
        return None
    try:
        return round(float(cell), decimals)
    except ValueError:
        return str(cell).replace("T", " ").removesuffix(MIDNIGHT).strip().casefold()
