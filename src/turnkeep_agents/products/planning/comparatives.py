"""When a turn wants the most of something, more of it, or the like: the cheapest of these, something lighter, another
like it. More than what? Than what is named, what was spoken of, or all that was listed."""

import re
from collections.abc import Sequence

from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.filters import PRICE, Condition, Filters, Op, merge, narrows, number_of
from turnkeep_agents.products.planning.plans import Plan
from turnkeep_agents.products.planning.searches import search_by
from turnkeep_agents.products.planning.situation import Situation
from turnkeep_agents.products.reading.measures import money

SIMILAR_PRICE = 0.35

_SIMILAR = re.compile(
    r"\b(similar|alternatives?|comparable|(something|anything|one|ones|phone|model|products?) like|instead of"
    r"|resembl\w+)\b",
    re.IGNORECASE,
)
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_OR = re.compile(r"\b(or|than)\b", re.IGNORECASE)
_WHICH = re.compile(r"^\W*(?:(?:ok|okay|and|so|then)\W+)*(?:which|what|who)\b", re.IGNORECASE)


def pick_best(now: Situation) -> Plan | None:
    """The cheapest of what was listed, of what is named, or of what an unclear phrase can mean."""
    order, filters = now.wishes.order, now.filters
    is_against_named = now.wishes.is_relative and len(now.wishes.ids) == 1 and now.says(_THAN)
    if order is None or filters["categories"] or is_against_named:
        return None
    options = next((vague["ids"] for vague in now.unclear if len(vague["ids"]) > 1), [])
    among = now.ids if len(now.ids) > 1 else options
    is_choice = _WHICH.search(now.message) is not None or (
        now.wishes.is_superlative and not narrows(now.search["filters"])
    )
    if not among and not now.ids and is_choice and now.is_follow_up and not narrows(filters):
        among = list(now.several)
    if len(among) < 2 or (now.wishes.is_relative and len(now.ids) == 2 and now.says(_OR)):
        return None
    rest = Filters(**{**filters, "lines": [], "brands": [], "order": order, "words": []})
    return search_by(now, rest, "it picks from what was named", among=among, is_best_only=True, uses_history=True)


def similar(now: Situation) -> Plan | None:
    if not now.says(_SIMILAR) or now.wishes.is_relative:
        return None
    products = now.catalogue.get(now.ids or (now.focus[:1] if now.is_follow_up else ()))
    if not products:
        return None
    filters = Filters(**{**now.filters, "lines": [], "order": None, "words": []})
    filters["categories"] = filters["categories"] or [products[0].category]
    if not any(PRICE in condition["attributes"] for condition in filters["conditions"]):
        filters["conditions"] = [*filters["conditions"], *_around_price(products[0].price)]
    more = {"kind": "similar", "reference": products[0].id, "left_out": [products[0].id]}
    return search_by(
        now, filters, "it looks for something similar", uses_history=now.uses_history or not now.ids, **more
    )


def relative(now: Situation) -> Plan | None:
    """Cheaper, lighter, newer: than a product that is named, than what was spoken of, than all that was listed."""
    order = now.wishes.order
    if order is None or not now.wishes.is_relative or len(now.ids) > 1:
        return None
    is_measure = bool(now.ids) and (now.says(_THAN) or now.uses_history)
    about = now.ids if is_measure else now.focus if len(now.focus) == 1 else now.several
    kinds = now.filters["categories"]
    spoken = [product for product in now.catalogue.get(about) if not kinds or product.category in kinds]
    best = _extreme(spoken, order["by"], descending=order["descending"])
    if best is None:
        filters = Filters(**{**now.filters, "order": order})
        return search_by(now, filters, "it names what the catalogue holds", uses_history=False) if kinds else None
    product, attribute, value = best
    limit = _limit(product, attribute, value, is_floor=order["descending"])
    conditions = [*now.filters["conditions"], limit]
    filters = Filters(**{**now.filters, "lines": [], "conditions": conditions, "order": order})
    filters = _added(now, filters, product)
    uses_history = not now.wishes.ids or now.points
    more = {"reference": product.id, "left_out": [product.id], "is_best_only": False}
    return search_by(now, filters, "it wants more or less of something", uses_history=uses_history, **more)


def _added(now: Situation, filters: Filters, product: Product) -> Filters:
    """With those of the last search, where that was for the same kind of product."""
    before = now.search["filters"]
    kinds = filters["categories"] or [product.category]
    if kinds == before["categories"] and not (now.wishes.ids and not now.points):
        return merge(before, filters, now.catalogue)
    return Filters(**{**filters, "categories": kinds})


def _around_price(price: float) -> list[Condition]:
    low, high = float(round(price * (1 - SIMILAR_PRICE))), float(round(price * (1 + SIMILAR_PRICE)))
    floor = Condition(attributes=[PRICE], op="min", values=[], number=low, unit="", said=money(low))
    return [floor, Condition(attributes=[PRICE], op="max", values=[], number=high, unit="", said=money(high))]


def _extreme(
    products: Sequence[Product], names: Sequence[str], *, descending: bool
) -> tuple[Product, str, float] | None:
    """Of several products the one that all that is looked for has to beat."""
    values = [(number_of(product, name), product, name) for product in products for name in names]
    known = [(value, product, name) for value, product, name in values if value is not None]
    if not known:
        return None
    value, product, name = (max if descending else min)(known, key=lambda found: found[0])
    return product, name, value


def _limit(product: Product, attribute: str, value: float, *, is_floor: bool) -> Condition:
    measure = product.measure(attribute) if attribute != PRICE else None
    said, unit = (product.told(attribute), measure.unit) if measure else (money(value), "")
    op: Op = "over" if is_floor else "under"
    return Condition(attributes=[attribute], op=op, values=[], number=value, unit=unit, said=said)
