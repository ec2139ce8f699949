"""Wishes that no product can fulfil, whatever the catalogue holds. They are said, not searched for."""

from collections.abc import Iterator
from itertools import combinations

from turnkeep_agents.products.filters import PRICE, Condition, Filters
from turnkeep_agents.products.reading.wishes import Wishes
from turnkeep_agents.products.telling import tell

_FLOORS, _CEILINGS = ("min", "over"), ("max", "under")


def find_contradiction(wishes: Wishes) -> str | None:
    """The first one as a sentence that ends in a question."""
    return next(_contradictions(wishes), None)


def without_contradiction(filters: Filters) -> Filters:
    """What is left to go on from when the wishes have been asked about."""
    bad = [id(one) for pair in combinations(filters["conditions"], 2) if _exclude(*pair) for one in pair]
    kept = [one for one in filters["conditions"] if id(one) not in bad and not _is_below_zero(one)]
    brands = [name for name in filters["brands"] if name not in filters["not_brands"]]
    return Filters(**{**filters, "conditions": kept, "brands": brands, "lines": []})


def _contradictions(wishes: Wishes) -> Iterator[str]:
    filters = wishes.filters
    if wishes.foreign_line:
        brand, name = wishes.foreign_line
        yield f"{name} is not made by {brand}. Do you mean {name}, or something by {brand}?"
    for condition in filters["conditions"]:
        if _is_below_zero(condition):
            yield f"Nothing can cost {tell(condition)}. What price do you have in mind?"
    for one, other in combinations(filters["conditions"], 2):
        if _exclude(one, other):
            yield f"Nothing can {_verb(one)} {tell(one)} and {tell(other)} at once. Which of the two should count?"
    for brand in filters["brands"]:
        if brand in filters["not_brands"]:
            yield f"You ask for {brand} and rule it out. Should it be {brand} or not?"


def _is_below_zero(condition: Condition) -> bool:
    number, op = condition["number"], condition["op"]
    is_below = number < 0 or (number == 0 and op == "under")
    return PRICE in condition["attributes"] and (op not in _FLOORS) and is_below


def _verb(condition: Condition) -> str:
    if PRICE in condition["attributes"]:
        return "cost"
    return "be" if condition["op"] in ("is", "not") else "have"


def _exclude(one: Condition, other: Condition) -> bool:
    if not set(one["attributes"]) & set(other["attributes"]):
        return False
    if {one["op"], other["op"]} == {"is", "not"}:
        return bool(set(one["values"]) & set(other["values"]))
    floor, ceiling = (one, other) if one["op"] in _FLOORS else (other, one)
    if floor["op"] not in _FLOORS or ceiling["op"] not in _CEILINGS:
        return False
    is_closed = floor["op"] == "min" and ceiling["op"] == "max"
    return floor["number"] > ceiling["number"] or (floor["number"] == ceiling["number"] and not is_closed)
