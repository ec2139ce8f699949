"""When a turn searches the catalogue, with which filters, and what of them it takes over from the search before."""

import re
from collections.abc import Sequence
from typing import Any

from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import KINDS
from turnkeep_agents.products.facts import AVAILABILITY
from turnkeep_agents.products.filters import (
    PRICE,
    Filters,
    find,
    holds,
    is_empty,
    merge,
    narrows,
)
from turnkeep_agents.products.planning.lookups import MOST_LOOKED_UP
from turnkeep_agents.products.planning.plans import Pending, Plan, ask, look_for, respond, tell_about
from turnkeep_agents.products.planning.situation import Situation
from turnkeep_agents.products.reading.lexicon import roots
from turnkeep_agents.products.reading.wishes import Wishes

KNOWN_SHARE, WANTED_SHARE = 0.5, 0.3
MOST_BRANDS = 20
WHICH_KIND = "Which products, or which kind of product, do you mean?"

_MORE = re.compile(
    r"\b((show|list|give|any|some|see|what)( me| us)?( \w+)? (more|others?|else)\b"
    r"(?! (about|details?|info\w*|expensive|storage|memory))|(anything|something|what) else"
    r"|another (one|option|choice)|more (options|of (them|these|those)|results|choices)|next (ones?|page|few)|the rest"
    r"|^\W*(more|others?|next)\W*$)",
    re.IGNORECASE,
)
_DETAILS = re.compile(
    r"\b(more|details?|detailed|describe|description|explain|elaborate|specs?|specifications?|features?|info\w*|continue"
    r"|about|go on|tell)\b",
    re.IGNORECASE,
)
_BRANDS = re.compile(r"\bbrands?\b|\b(which|what) (makers?|manufacturers?|companies)\b|\bwho makes\b", re.IGNORECASE)
_ADDS = re.compile(
    r"^\W*(and|or|but|also|then|plus|what about|how about|the same|same)\b|\b(instead|too|as well)\W*$", re.IGNORECASE
)
_IS_NEW = re.compile(r"(?<!\bas )\ban? (\w+ )?(gift|present)\b", re.IGNORECASE)
_SHOPS = re.compile(
    r"\b(sell|buy|carry|stock|offer|recommend|suggest|purchase|shop|shopping|looking for|need|want|have|got|find"
    r"|show)\b",
    re.IGNORECASE,
)


def name_product(now: Situation) -> Plan | None:
    if not now.ids or (now.filters["categories"] and now.broadens):
        return None
    return _about(now, now.ids[:MOST_LOOKED_UP], "it names a product", uses_history=now.uses_history)


def ask_of_focus(now: Situation) -> Plan | None:
    """An attribute or a value asked of the one product that was spoken of."""
    filters = now.filters
    if len(now.focus) != 1 or not now.is_follow_up or now.broadens or now.wishes.unknown or filters["order"]:
        return None
    has_subject = filters["categories"] or filters["brands"] or filters["lines"] or filters["not_brands"]
    has_price = any(PRICE in condition["attributes"] for condition in filters["conditions"])
    if has_subject or has_price or not (now.wishes.asked or filters["conditions"]) or not _fit(now, now.focus):
        return None
    return _about(now, now.focus, "it asks about what was spoken of", uses_history=True)


def go_on_listing(now: Situation) -> Plan | None:
    if not _MORE.search(now.message) or is_empty(now.search["filters"]) or now.filters["categories"] or now.ids:
        return None
    filters = merge(now.search["filters"], now.filters, now.catalogue)
    reason, shown = "it wants more of the last search", now.search["shown"]
    return search_by(now, filters, reason, left_out=shown, uses_history=True, is_best_only=False)


def filter_products(now: Situation) -> Plan | None:
    filters, before = now.filters, now.search["filters"]
    orders_again = filters["order"] is not None and now.is_follow_up and narrows(before)
    if not narrows(filters) and not orders_again:
        return None
    if _inherits(now):
        merged = merge(before, filters, now.catalogue)
        return search_by(now, merged, "it goes on from the last search", uses_history=True)
    return search_by(now, filters, "it names what the catalogue holds", uses_history=False)


def _inherits(now: Situation) -> bool:
    """Whether the filters before still hold: a message that names a kind of product has to lean on them, one that
    names none has only to fit them."""
    filters, before = now.filters, now.search["filters"]
    if not narrows(before) or filters["lines"] or now.wishes.has_own_head or _IS_NEW.search(now.message):
        return False
    if filters["categories"] or _is_other_kind(filters, before):
        return _ADDS.search(now.message) is not None and now.is_follow_up
    mine = _of_categories(now, before["categories"])
    has_brand = not filters["brands"] or any(product.brand in filters["brands"] for product in mine)
    return has_brand and _can_hold(filters, mine)


def _fit(now: Situation, ids: Sequence[str]) -> bool:
    """Whether a product of the same category can have the values that are asked for."""
    return _can_hold(now.filters, _of_categories(now, [product.category for product in now.catalogue.get(ids)]))


def _of_categories(now: Situation, categories: Sequence[str]) -> list[Product]:
    return [product for product in now.catalogue.products if not categories or product.category in categories]


def _can_hold(filters: Filters, products: Sequence[Product]) -> bool:
    wanted = [condition for condition in filters["conditions"] if condition["op"] == "is"]
    return all(any(holds(one, product) for product in products) for one in wanted)


def _is_other_kind(filters: Filters, before: Filters) -> bool:
    """Espresso machines after stand mixers: another value of what a product is only one of."""
    return _has_kind(filters) and (_has_kind(before) or not before["categories"])


def _has_kind(filters: Filters) -> bool:
    values = [one["attributes"] for one in filters["conditions"] if one["op"] == "is"]
    return any(all(set(roots(name)) & KINDS for name in names) for names in values)


def look_for_unknown(now: Situation) -> Plan | None:
    """A name that is none of the catalogue's, where it is one that a shop is asked for."""
    has_part = any(unknown.near for unknown in now.wishes.unknown)
    is_shopping = bool(_SHOPS.search(now.message)) or now.tool_word is not None
    if not has_part and not (now.wishes.unknown and is_shopping):
        return None
    return search_by(now, now.filters, "it names a product that is not in the catalogue", uses_history=False)


def go_on(now: Situation) -> Plan | None:
    """A follow-up without a word of the catalogue, on products that were spoken of."""
    if not now.is_follow_up or not now.focus or now.filters["words"] or now.wishes.strange:
        return None
    if now.wishes.asked or (len(now.focus) == 1 and _DETAILS.search(now.message)):
        return _about(now, now.focus, "it goes on about what was spoken of", uses_history=True)
    return None


def guess(now: Situation) -> Plan:
    """Its words may be those of descriptions; a model may know better."""
    if now.wishes.order and not now.filters["words"] and not now.wishes.strange:
        return ask(WHICH_KIND, "it wants the most of nothing", Pending(tool=None, ids=[]))
    if not now.filters["words"] and not now.wishes.asked:
        return respond("it names nothing of the catalogue", is_sure=False)
    plan = search_for(now, "its words may describe a product")
    return Plan(**{**plan, "is_sure": False})


def search_for(now: Situation, reason: str) -> Plan:
    """A search for whatever it wants, as it stands."""
    return search_by(now, now.filters, reason, uses_history=False)


def by_words(now: Situation, plan: Plan) -> Plan:
    """A guess made sure."""
    return plan if are_known(now.message, now.wishes) else respond("its words are not of the catalogue")


def are_known(message: str, wishes: Wishes) -> bool:
    """Whether most words are those of the catalogue's texts; one in three is enough for who wants to buy."""
    known = len(wishes.filters["words"])
    needed = WANTED_SHARE if _SHOPS.search(message) else KNOWN_SHARE
    return known > needed * (known + len(wishes.strange))


def _about(now: Situation, ids: Sequence[str], reason: str, *, uses_history: bool) -> Plan:
    by_word = {"price": PRICE, "availability": AVAILABILITY}
    tools = [[by_word[now.tool_word]]] if now.tool_word in by_word else []
    return tell_about(ids, now.filters, [*now.wishes.asked, *tools], reason, uses_history=uses_history)


def search_by(now: Situation, filters: Filters, reason: str, *, uses_history: bool, **more: Any) -> Plan:
    """A search with all that the message says besides its filters; `more` has the last word."""
    wishes = now.wishes
    found = {
        "limit": wishes.limit,
        "rank": wishes.rank,
        "is_best_only": wishes.is_superlative and wishes.limit is None,
        "unknown": [unknown.text for unknown in wishes.unknown],
        "near": list(dict.fromkeys(id_ for unknown in wishes.unknown for id_ in unknown.near)),
        "is_strange": _is_strange(wishes),
        "remarks": _remarks(now),
    }
    return look_for(filters, reason, uses_history=uses_history, **{**found, **more})


def _not_known(text: str) -> str:
    if text.islower():
        return f"The catalogue does not mention “{text}”."
    return f"Nothing called “{text}” is in the catalogue."


def _is_strange(wishes: Wishes) -> bool:
    has_kind = wishes.filters["categories"] or wishes.filters["lines"] or _has_kind(wishes.filters)
    is_named = any(not unknown.text.islower() for unknown in wishes.unknown) and not wishes.filters["brands"]
    return not has_kind and (is_named or any(unknown.is_kind for unknown in wishes.unknown))


def _remarks(now: Situation) -> list[str]:
    """What of a message could not be looked for."""
    said = [f"I read “{word}” as “{meant}”." for word, meant in now.wishes.misspelt]
    said += [_not_known(unknown.text) for unknown in now.wishes.unknown]
    said += [f"The catalogue says nothing about {text}." for text in now.wishes.ignored]
    if now.wishes.has_foreign_money:
        said.append("Prices here are in US dollars, so I read the amount as dollars.")
    if _BRANDS.search(now.message) and not now.filters["brands"]:
        brands = sorted({product.brand for product in find(now.filters, now.catalogue) if product.brand})
        said.append(f"Brands: {', '.join(brands[:MOST_BRANDS])}.")
    return said
