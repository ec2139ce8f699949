"""What products are looked for: plain data that lasts in a thread, how two turns of it add up, which products fit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict

from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.reading.lexicon import Phrase, roots, without_count

PRICE = "price"
ABOUT_PRICE, ABOUT_MEASURE, ABOUT_INCHES, ABOUT_COUNT = 0.15, 0.03, 0.5, 0.01
MOST_CONDITIONS, MOST_WORDS = 8, 12

type Op = Literal["is", "not", "min", "max", "over", "under", "about"]


class Condition(TypedDict):
    """One of `attributes` is (not) one of `values`, or is a number in base units of `unit`. `said` is what was said."""

    attributes: list[str]
    op: Op
    values: list[str]
    number: float
    unit: str
    said: str


class Order(TypedDict):
    """By the first of these attributes that a product has."""

    by: list[str]
    descending: bool
    said: str


class Filters(TypedDict):
    """`lines` are parts of names, such as that of a family; `words` are searched for, all else has to hold."""

    categories: list[str]
    brands: list[str]
    not_brands: list[str]
    lines: list[str]
    conditions: list[Condition]
    in_stock: bool
    order: Order | None
    words: list[str]


def no_filters() -> Filters:
    return Filters(
        categories=[], brands=[], not_brands=[], lines=[], conditions=[], in_stock=False, order=None, words=[]
    )


def is_empty(filters: Filters) -> bool:
    return not any(filters.values())


def narrows(filters: Filters) -> bool:
    """Whether it says what is looked for, and not only in which order."""
    return any(value for name, value in filters.items() if name not in ("order", "words"))


def merge(earlier: Filters, new: Filters, catalogue: Catalogue) -> Filters:
    """What a follow-up looks for: all that was said before, but where it says something else."""
    categories = new["categories"] or earlier["categories"]
    brands = new["brands"] or [name for name in earlier["brands"] if name not in new["not_brands"]]
    denied = dict.fromkeys([*earlier["not_brands"], *new["not_brands"]])
    is_same_kind = categories == earlier["categories"]
    kept = [
        condition for condition in earlier["conditions"] if not _is_replaced(condition, new["conditions"], catalogue)
    ]
    if not is_same_kind:
        kept = [condition for condition in kept if _is_known(condition, categories, catalogue)]
    has_other_subject = bool(new["brands"] or new["lines"] or not is_same_kind)
    return Filters(
        categories=categories,
        brands=brands,
        not_brands=[name for name in denied if name not in new["brands"]],
        lines=new["lines"] if has_other_subject else earlier["lines"],
        conditions=[*kept, *new["conditions"]][-MOST_CONDITIONS:],
        in_stock=new["in_stock"] or earlier["in_stock"],
        order=new["order"] or earlier["order"],
        words=new["words"] or (earlier["words"] if is_same_kind else []),
    )


def find(filters: Filters, catalogue: Catalogue) -> list[Product]:
    """The products that fit, in the order of the catalogue; words are left to the search."""
    return [product for product in catalogue.products if not misses(product, filters, catalogue)]


def misses(product: Product, filters: Filters, catalogue: Catalogue) -> list[str]:
    """The filters that a product does not meet, by their key; a condition as `conditions.<its place>`."""
    found = [key for key, is_met in _CHECKS.items() if not is_met(product, filters, catalogue)]
    each = enumerate(filters["conditions"])
    return [*found, *(f"conditions.{at}" for at, condition in each if not holds(condition, product))]


def holds(condition: Condition, product: Product) -> bool:
    if condition["op"] in ("is", "not"):
        return _has_value(condition, product) == (condition["op"] == "is")
    values = [number_of(product, name, condition["unit"]) for name in condition["attributes"]]
    return any(_fits(condition, value) for value in values if value is not None)


def number_of(product: Product, attribute: str, unit: str = "") -> float | None:
    """The price or a measure in base units; None where the product has none in `unit`."""
    if attribute == PRICE:
        return product.price
    measure = product.measure(attribute)
    is_same_kind = measure is not None and unit in ("", measure.unit)
    return measure.value if measure and is_same_kind else None


def sort_key(order: Order) -> Callable[[Product], tuple[bool, float]]:
    """Products without the attribute come last."""

    def key(product: Product) -> tuple[bool, float]:
        values = (number_of(product, name) for name in order["by"])
        value = next((value for value in values if value is not None), None)
        if value is None:
            return True, 0.0
        return False, -value if order["descending"] else value

    return key


def has_phrase(values: Sequence[str], phrase: Phrase) -> bool:
    """Whether one of the values begins with the phrase, also behind a count, or is it, written together."""
    each = [found for value in values for found in {roots(value), without_count(roots(value))}]
    return any(value[: len(phrase)] == phrase or "".join(value) == "".join(phrase) for value in each)


def _fits(condition: Condition, value: float) -> bool:
    number = condition["number"]
    match condition["op"]:
        case "min":
            return value >= number
        case "max":
            return value <= number
        case "over":
            return value > number
        case "under":
            return value < number
    if PRICE in condition["attributes"]:
        return abs(value - number) <= ABOUT_PRICE * number
    by_unit = {"in": ABOUT_INCHES, "": ABOUT_COUNT}
    return abs(value - number) <= by_unit.get(condition["unit"], ABOUT_MEASURE * number)


def _has_value(condition: Condition, product: Product) -> bool:
    wanted = [tuple(value.split()) for value in condition["values"]]
    own = [product.attributes.get(name, ()) for name in condition["attributes"]]
    return any(has_phrase(values, phrase) for values in own for phrase in wanted)


def _is_replaced(condition: Condition, new: Sequence[Condition], catalogue: Catalogue) -> bool:
    return any(_replaces(other, condition, catalogue) for other in new)


def _replaces(new: Condition, old: Condition, catalogue: Catalogue) -> bool:
    """Of what a product has only one of, and of colours, the last word counts; other values, floors and ceilings add
    up."""
    if new == old:
        return True
    shared = set(new["attributes"]) & set(old["attributes"])
    every = {*new["attributes"], *old["attributes"]}
    if "values" in (_kind(new), _kind(old)):
        is_taken_back = new["op"] != old["op"] and bool(set(new["values"]) & set(old["values"]))
        return bool(shared) and _kind(new) == _kind(old) and (is_taken_back or every <= catalogue.choices)
    return bool(shared) and bool(_sides(new) & _sides(old))


def _kind(condition: Condition) -> str:
    return "values" if condition["op"] in ("is", "not") else "number"


def _sides(condition: Condition) -> set[str]:
    match condition["op"]:
        case "min" | "over":
            return {"floor"}
        case "max" | "under":
            return {"ceiling"}
    return {"floor", "ceiling"}


def _is_known(condition: Condition, categories: Sequence[str], catalogue: Catalogue) -> bool:
    """Whether any product of these categories has what the condition is about."""
    ours = [product for product in catalogue.products if product.category in categories]
    if condition["op"] in ("is", "not"):
        return any(_has_value(condition, product) for product in ours)
    return any(number_of(p, name, condition["unit"]) is not None for p in ours for name in condition["attributes"])


def _is_of_category(product: Product, filters: Filters, catalogue: Catalogue) -> bool:
    return not filters["categories"] or product.category in filters["categories"]


def _is_of_brand(product: Product, filters: Filters, catalogue: Catalogue) -> bool:
    return not filters["brands"] or product.brand in filters["brands"]


def _is_not_of_brand(product: Product, filters: Filters, catalogue: Catalogue) -> bool:
    return product.brand not in filters["not_brands"]


def _is_of_line(product: Product, filters: Filters, catalogue: Catalogue) -> bool:
    return not filters["lines"] or any(product.id in catalogue.names.line(line) for line in filters["lines"])


def _is_in_stock(product: Product, filters: Filters, catalogue: Catalogue) -> bool:
    return not filters["in_stock"] or product.stock.is_in


_CHECKS: Mapping[str, Callable[[Product, Filters, Catalogue], bool]] = {
    "categories": _is_of_category,
    "brands": _is_of_brand,
    "not_brands": _is_not_of_brand,
    "lines": _is_of_line,
    "in_stock": _is_in_stock,
}
