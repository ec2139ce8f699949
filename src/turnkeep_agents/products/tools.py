"""What the model's calls come to: products and what the catalogue says of them, one text for each thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from turnkeep_agents.products.catalogue import facts
from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.names import look_up, within
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.catalogue.search import PRICE, Found, Wish, by_number, find, misses, remarks_on
from turnkeep_agents.products.reading import Availability, Call, Compare, Named, Price, Search, wish_of

NOTHING = "Nothing fits; the nearest:"
MOST_DESCRIBED, MOST_COMPARED, MOST_REFERENCES = 2, 4, 2


@dataclass(frozen=True)
class Result:
    """`ids` in the order in which they are told."""

    texts: tuple[str, ...]
    ids: tuple[str, ...] = ()


def run(call: Call, catalogue: Catalogue, today: date, *, top_k: int) -> Result:
    """`top_k` is how many products a search shows at most."""
    if isinstance(call, Search):
        return _search(call, catalogue, today, top_k)
    if isinstance(call, Named):
        return _named(call, catalogue, today, top_k)
    raise TypeError(f"no tool runs {type(call).__name__}")


def _named(call: Named, catalogue: Catalogue, today: date, top_k: int) -> Result:
    found = look_up(call.names, catalogue)
    products = found.products[: MOST_COMPARED if isinstance(call, Compare) else top_k]
    texts = _told(call, products, today) if products else []
    return Result((*texts, *found.remarks), tuple(product.id for product in products))


def _told(call: Named, products: Sequence[Product], today: date) -> list[str]:
    if isinstance(call, Compare) and len(products) > 1:
        return [facts.compare(products, today)]
    if isinstance(call, Price):
        return facts.prices(products, _quantities(call, products))
    if isinstance(call, Availability):
        return facts.availability(products, today)
    return _cards(products, today)


def _quantities(call: Price, products: Sequence[Product]) -> list[int]:
    """None of them where a name may be several products: then no sum is told."""
    if len(products) != len(call.names):
        return [0] * len(products)
    given = [max(0, count) for count in call.quantities[: len(products)]]
    return given + [1] * (len(products) - len(given))


def _cards(products: Sequence[Product], today: date) -> list[str]:
    return [facts.card(product, today, is_whole=len(products) <= MOST_DESCRIBED) for product in products]


def _search(call: Search, catalogue: Catalogue, today: date, top_k: int) -> Result:
    named = look_up(call.names, catalogue)
    wish = wish_of(call, catalogue)
    known = named.products or within(call.wish, catalogue)
    is_open = not (wish.category or wish.brands or call.limits)
    if known and is_open and (call.names or wish == Wish()):
        by = by_number(wish.sort, is_descending=wish.is_descending) if wish.sort else None
        products = sorted(known, key=by) if by else known
        return Result((*_cards(products[:top_k], today), *named.remarks), tuple(each.id for each in products[:top_k]))
    if call.names and not known and is_open:
        return Result(tuple(named.remarks))
    found = find(wish, catalogue, but=known)
    shown = _page(call, found, top_k)
    references = [f"Named: {facts.card(product, today)}" for product in known[:MOST_REFERENCES]]
    cards = ["; ".join([facts.card(product, today), *remarks_on(product, wish)]) for product in shown]
    texts = (*named.remarks, *references, _head(found, shown, wish), *cards)
    return Result(texts, tuple(product.id for product in [*shown, *known[:MOST_REFERENCES]]))


def _page(call: Search, found: Found, top_k: int) -> Sequence[Product]:
    size = min(max(call.limit or top_k, 1), top_k)
    start = size * (max(call.page, 1) - 1)
    return found.fitting[start : start + size]


def _head(found: Found, shown: Sequence[Product], wish: Wish) -> str:
    """ "10 products fit, from $89 to $499; 5 shown, the best rated first:" """
    if found.is_nearest:
        is_term = bool(shown) and not misses(shown[0], wish)
        return (
            f"No product says all of {', '.join(wish.terms)}; the nearest:" if is_term else "Nothing fits; the nearest:"
        )
    if not shown:
        return f"All {len(found.fitting)} products that fit were shown."
    prices = sorted(product.price for product in found.fitting)
    spread = f", from {money(prices[0])} to {money(prices[-1])}" if prices[0] < prices[-1] else ""
    order = f"by {wish.sort}, {'highest' if wish.is_descending else 'lowest'} first" if wish.sort else "the best first"
    is_cheapest = wish.sort == PRICE and not wish.is_descending
    order = "the cheapest first" if is_cheapest else order
    return f"{len(found.fitting)} fit{spread}; {len(shown)} shown, {order}:"
