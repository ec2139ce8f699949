"""Whether the rows of an answer are those that SQL by hand gives: by the columns that a person needs to see, whatever
the answer calls them and whatever else it shows."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

from turnkeep.records import JSON

type Cells = Sequence[Sequence[Any]]
type Names = Sequence[str]

DECIMALS = 6
MIDNIGHT = " 00:00:00"


def agree(found: Cells, names: Names, rows: Cells, right: JSON) -> bool:
    """`rows` with their column `names` are by hand. Of the lists of names in `columns` one has to be in `found`. With
    `order` the rows stand as that column wants, ties as they like; with `distinct` a row may come more than once."""
    return any(_agree(found, names, rows, chosen, right) for chosen in right["columns"])


def _agree(found: Cells, names: Names, rows: Cells, chosen: Names, right: JSON) -> bool:
    if not found or not rows:
        return not found and not rows
    wanted = _columns(rows, [names.index(name) for name in chosen])
    is_distinct = right.get("distinct", False)
    shown = _columns(found, range(len(found[0])))
    places = [[at for at, cells in enumerate(shown) if _equal(cells, column, is_distinct)] for column in wanted]
    for picked in product(*places):
        answer = list(zip(*(shown[at] for at in picked), strict=True))
        known = list(zip(*wanted, strict=True))
        if _equal(answer, known, is_distinct):
            return "order" not in right or _in_order(answer, known, _columns(rows, [names.index(right["order"])])[0])
    return False


def _columns(rows: Cells, places: Sequence[int]) -> list[list[Any]]:
    return [[plain(row[at]) for row in rows] for at in places]


def _equal(cells: Sequence[Any], others: Sequence[Any], is_distinct: bool) -> bool:
    return set(cells) == set(others) if is_distinct else Counter(cells) == Counter(others)


def _in_order(answer: Sequence[Any], known: Sequence[Any], ranks: Sequence[Any]) -> bool:
    rank_of = dict(zip(known, ranks, strict=True))
    return [rank_of[row] for row in answer] == list(ranks)


def plain(cell: Any) -> Any:
    """Figures to the sixth decimal, also those that stand as text; texts in small letters; a day without its hour."""
    if cell is None:
        return None
    try:
        return round(float(cell), DECIMALS)
    except ValueError:
        return str(cell).replace("T", " ").removesuffix(MIDNIGHT).strip().casefold()
