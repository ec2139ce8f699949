"""What the model's calls come to: products and what the catalogue says of them, one text for each thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from turnkeep_agents.products.catalogue import facts
from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.names import look_up, shown_in
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.catalogue.search import Wish, across_prices, by_number, find, remarks_on
from turnkeep_agents.products.reading import Availability, Call, Compare, Named, Price, Search, wish_of

MOST_DESCRIBED, MOST_COMPARED, MOST_REFERENCES = 2, 4, 2
NEAREST = "The nearest, which lack something:"


@dataclass(frozen=True)
class Result:
    """`ids` in the order in which they are told."""

    texts: tuple[str, ...]
    ids: tuple[str, ...] = ()


def run(call: Call, catalogue: Catalogue, today: date, *, top_k: int) -> Result:
    """`top_k` is how many products a search shows at most."""
    if isinstance(call, Search):
        return _search(call, catalogue, today, top_k)
    assert isinstance(call, Named)  # noqa: S101
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
    """What is named alone is told of; beside other wishes it is told before what fits these."""
    named, wish = look_up(call.names, catalogue), wish_of(call, catalogue)
    known = named.products or shown_in(call.wish, catalogue)
    is_open = not (wish.category or wish.brands or call.limits)
    if is_open and (call.names or (known and wish == Wish())):
        by = by_number(wish.sort, is_descending=wish.is_descending) if wish.sort else known.index
        products = sorted(known, key=by)[:top_k]
        return Result((*_cards(products, today), *named.remarks), tuple(each.id for each in products))
    texts, shown = _found(call, wish, catalogue, today, top_k=top_k, but=known)
    references = known[:MOST_REFERENCES]
    before = [*named.remarks, *(f"Named: {facts.card(product, today)}" for product in references)]
    return Result((*before, *texts), tuple(product.id for product in [*shown, *references]))


def _found(
    call: Search, wish: Wish, catalogue: Catalogue, today: date, *, top_k: int, but: Sequence[Product]
) -> tuple[list[str], list[Product]]:
    found, size = find(wish, catalogue, but), min(max(call.limit or top_k, 1), top_k)
    is_broad = bool(wish.category) and wish == Wish(wish.category) and size > 1
    fitting = across_prices(found.fitting, size) if is_broad else found.fitting
    shown = fitting[size * (max(call.page, 1) - 1) :][:size]
    near = found.near[: size - len(shown)] if call.page < 2 and (wish.terms or not fitting) else []
    cards = ["; ".join([facts.card(each, today), *remarks_on(each, wish)]) for each in [*shown, *near]]
    head = _head(fitting, shown, wish, is_broad=is_broad)
    return [head, *cards[: len(shown)], *([NEAREST] if near else []), *cards[len(shown) :]], [*shown, *near]


def _head(fitting: Sequence[Product], shown: Sequence[Product], wish: Wish, *, is_broad: bool) -> str:
    """ "10 fit, from $89 to $499; 4 shown, the best first:" """
    if not shown:
        return f"All {len(fitting)} products that fit were shown." if fitting else "Nothing fits all of it."
    prices = sorted(product.price for product in fitting)
    spread = f", from {money(prices[0])} to {money(prices[-1])}" if prices[0] < prices[-1] else ""
    order = "the best of each price range" if is_broad else "the best first"
    if wish.sort:
        order = f"by {wish.sort}, the {'highest' if wish.is_descending else 'lowest'} first"
    return f"{len(fitting)} fit{spread}; {len(shown)} shown, {order}:"
