"""When a turn takes a wish back: the touchscreen, any limit on the price, or all that was looked for."""

import re
from collections.abc import Iterator

from turnkeep_agents.products.filters import PRICE, Condition, Filters, is_empty, narrows, no_filters
from turnkeep_agents.products.planning.plans import Plan, ask, no_pending
from turnkeep_agents.products.planning.searches import search_by
from turnkeep_agents.products.planning.situation import Situation

WHAT_NOW = "Gladly, no wish counts any more. What kind of product are you looking for?"

_STARTS_ANEW = re.compile(
    r"^\W*(?:(?:ok|okay|please|let['\u2019]?s|let us|can we|i(?:['\u2019]d)? (?:want|like) to)\W+)*"
    r"(?:start (?:over|again|afresh|anew|from scratch)|reset|(?:a )?new search"
    r"|(?:clear|forget|drop|remove) (?:everything|it all|all(?: of)?(?: (?:that|this|it|(?:the |my )?\w+))?"
    r"|(?:the |my )?(?:filters|search|wishes)))\W*(?:please)?\W*$",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:forget|ignore|drop|remove|scrap|never ?mind|regardless of|no matter)\b"
    r"|(?:n['\u2019]?t| not| no longer) (?:really )?(?:matter|care about|care for|mind|important|necessary|required)\b"
    r"|n['\u2019]?t (?:have|need) to (?:be|have|come with|cost)\b",
    re.IGNORECASE,
)
_ANY = re.compile(r"\b(?:any|whatever|every|all)\b", re.IGNORECASE)
_PRICE = re.compile(r"\b(?:prices?|budget|costs?|how much|money)\b", re.IGNORECASE)
_BRAND = re.compile(r"\b(?:brands?|makers?|manufacturers?)\b", re.IGNORECASE)
_STOCK = re.compile(r"\b(?:stock|availability|available)\b", re.IGNORECASE)


def start_anew(now: Situation) -> Plan | None:
    if not _STARTS_ANEW.search(now.message):
        return None
    return ask(WHAT_NOW, "it starts anew", no_pending(), filters=no_filters())


def take_back(now: Situation) -> Plan | None:
    """Of a wish that was never uttered nothing is taken back: such a message is read in another way."""
    before, is_any = now.search["filters"], _ANY.search(now.message) is not None
    takes_back = _TAKES_BACK.search(now.message) is not None
    if is_empty(before) or now.ids or now.filters["categories"] or not (takes_back or is_any):
        return None
    rest = _without(before, now, has_values=takes_back)
    if rest == before:
        return None
    reason = "it takes a wish back"
    if not narrows(rest):
        return ask(WHAT_NOW, reason, no_pending(), filters=rest)
    return search_by(now, rest, reason, uses_history=True, limit=None, is_best_only=False, remarks=[])


def _without(before: Filters, now: Situation, *, has_values: bool) -> Filters:
    """With "any" only what is named by its kind is meant: any colour, but not any in blue."""
    gone = list(_taken_back(before, now, has_values=has_values))
    brands = {*now.filters["brands"], *now.filters["not_brands"]} if has_values else set[str]()
    is_any_brand = _BRAND.search(now.message) is not None
    return Filters(
        **{
            **before,
            "conditions": [one for one in before["conditions"] if one not in gone],
            "brands": [name for name in before["brands"] if name not in brands and not is_any_brand],
            "not_brands": [name for name in before["not_brands"] if name not in brands and not is_any_brand],
            "in_stock": before["in_stock"] and not (has_values and _STOCK.search(now.message)),
        }
    )


def _taken_back(before: Filters, now: Situation, *, has_values: bool) -> Iterator[Condition]:
    named = {name for names in now.wishes.asked for name in names}
    named |= {PRICE} if _PRICE.search(now.message) else set()
    said = now.filters["conditions"] if has_values else []
    for one in before["conditions"]:
        names = set(one["attributes"])
        if named & names or any(_is_about_same(one, other) for other in said):
            yield one


def _is_about_same(one: Condition, other: Condition) -> bool:
    if not set(one["attributes"]) & set(other["attributes"]):
        return False
    return set(one["values"]) & set(other["values"]) != set() or not (one["values"] or other["values"])
