"""Results of the model's calls: cards, tables of differences, prices and stock. Answers take their facts from here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeAlias

from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.product import PRICE, YES, Product
from turnkeep_agents.products.catalogue.products import Catalogue, look_up, shown_in
from turnkeep_agents.products.catalogue.search import (
    RATING,
    Wish,
    across_prices,
    by_number,
    find,
    remarks_on,
    unmentioned,
)
from turnkeep_agents.products.reading import Availability, Call, Compare, Named, Price, Search, wish_of

MOST_DESCRIBED, MOST_COMPARED, MOST_REFERENCES, MOST_NEAR = 2, 4, 2, 2
MOST_DIFFERENCES = 12
NEAREST = "The nearest, which lack something:"

Result: TypeAlias = tuple[list[str], list[Product]]  # texts, and the products in the same order


@dataclass(frozen=True)
class Tools:
    """`most`: how many products a search shows; `is_among_others`: one of several searches of a message, which often
    share a budget."""

    catalogue: Catalogue
    today: date
    most: int
    is_among_others: bool = False

    def run(self, call: Call) -> Result:
        if isinstance(call, Search):
            return self._search(call)
        assert isinstance(call, Named)  # noqa: S101
        found, remarks = look_up(call.names, self.catalogue)
        products = found[: MOST_COMPARED if isinstance(call, Compare) else self.most]
        return [*(self._described(call, products) if products else []), *remarks], products

    def _described(self, call: Named, products: Sequence[Product]) -> list[str]:
        if isinstance(call, Compare) and len(products) > 1:
            return [compare(products, self.today)]
        if isinstance(call, Price):
            given = [max(0, count) for count in call.quantities[: len(products)]]
            counts = given + [1] * (len(products) - len(given))
            # Without a total, if a name matches no product or several.
            return prices(products, counts if len(products) == len(call.names) else [0] * len(products))
        if isinstance(call, Availability):
            return availability(products, self.today)
        return self._cards(products)

    def _cards(self, products: Sequence[Product]) -> list[str]:
        return [card(product, self.today, is_whole=len(products) <= MOST_DESCRIBED) for product in products]

    def _search(self, call: Search) -> Result:
        """Describe the named products alone; with other criteria, before the products that match these."""
        (named, remarks), wish = look_up(call.names, self.catalogue), wish_of(call, self.catalogue)
        known = named or shown_in(call.wish, self.catalogue)
        is_open = not (wish.category or wish.brands or call.limits)
        if is_open and (call.names or (known and wish == Wish())):
            by = by_number(wish.sort, is_descending=wish.is_descending) if wish.sort else known.index
            products = sorted(known, key=by)[: self.most]
            return [*self._cards(products), *remarks], products
        nothing = unmentioned(wish, self.catalogue)
        remarks += [f"Of {wish.category} the catalogue says nothing about “{' or '.join(term)}”." for term in nothing]
        wish = replace(wish, terms=tuple(term for term in wish.terms if term not in nothing))
        texts, shown = self._found(call, wish, but=known)
        references = known[:MOST_REFERENCES]
        before = [*remarks, *(f"Named: {card(product, self.today)}" for product in references)]
        return [*before, *texts], [*shown, *references]

    def _found(self, call: Search, wish: Wish, *, but: Sequence[Product]) -> Result:
        fitting, nearby = find(wish, self.catalogue, but)
        size = min(max(call.limit or self.most, 1), self.most)
        is_broad = size > 1 and bool(wish.category) and not wish.sort and (self.is_among_others or not call.limits)
        fitting = across_prices(fitting, size) if is_broad else fitting
        shown = fitting[size * (max(call.page, 1) - 1) :][:size]
        near = nearby[: min(size - len(shown), MOST_NEAR)] if call.page < 2 and (wish.terms or not fitting) else []
        both = [(card(each, self.today, has_kind=not wish.category), each) for each in [*shown, *near]]
        cards = ["; ".join([card, *remarks_on(each, wish)]) for card, each in both]
        texts = [_head(fitting, shown, wish, is_broad=is_broad), *cards[: len(shown)]]
        return [*texts, *([NEAREST] if near else []), *cards[len(shown) :]], [*shown, *near]


def _head(fitting: Sequence[Product], shown: Sequence[Product], wish: Wish, *, is_broad: bool) -> str:
    """ "Of phones 10 fit, from $89 to $499; 4 shown, the best first:" """
    kind = f"Of {wish.category or 'all products'}"
    if not shown:
        return f"{kind} all {len(fitting)} that fit were shown." if fitting else f"{kind} nothing fits all of it."
    prices = sorted(product.price for product in fitting)
    spread = f", from {money(prices[0])} to {money(prices[-1])}" if prices[0] < prices[-1] else ""
    order = "the best of each price range" if is_broad else "the best first"
    if wish.sort:
        order = f"by {wish.sort}, the {'highest' if wish.is_descending else 'lowest'} first"
    return f"{kind} {len(fitting)} fit{spread}; {len(shown)} shown, {order}:"


def card(product: Product, today: date, *, is_whole: bool = False, has_kind: bool = True) -> str:
    """Return a product on one line; `is_whole` adds its description."""
    own = [name if values == (YES,) else f"{name} {', '.join(values)}" for name, values in product.attributes.items()]
    kind = f" ({product.category})" if has_kind else ""
    line = "; ".join([f"{product.name}{kind}: {money(product.price)}, {product.stock.phrase(today)}", *own])
    return f"{line}. {product.description}" if is_whole and product.description else line


def prices(products: Sequence[Product], quantities: Sequence[int]) -> list[str]:
    lines = [f"{product.name}: {money(product.price)}" for product in products]
    counted = list(zip(products, quantities, strict=True))
    if sum(quantities) < 2:
        return lines
    parts = " + ".join(f"{count} x {product.name}" for product, count in counted)
    return [*lines, f"{parts}: {money(sum(product.price * count for product, count in counted))} together"]


def availability(products: Iterable[Product], today: date) -> list[str]:
    return [f"{product.name}: {product.stock.phrase(today)}" for product in products]


def compare(products: Sequence[Product], today: date) -> str:
    """Return a table of price, stock and differing attributes, the cheaper and better rated ones, and common values."""
    every = dict.fromkeys(name for product in products for name in product.attributes)
    names = [name for name in every if len({product.attributes.get(name) for product in products}) > 1]
    rows = [["", *(product.name for product in products)], ["---"] * (len(products) + 1)]
    rows += [[PRICE, *(money(product.price) for product in products)]]
    rows += [["availability", *(product.stock.phrase(today) for product in products)]]
    rows += [[name, *(product.text_of(name) or "-" for product in products)] for name in names[:MOST_DIFFERENCES]]
    table = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)
    shared = [f"{name} {products[0].text_of(name)}" for name in every if name not in names]
    common = f"In common: {'; '.join(shared)}." if shared else ""
    return "\n".join(filter(None, [table, _verdict(products), common]))


def _verdict(products: Sequence[Product]) -> str:
    """ "The A is $50 cheaper than the B. The C has the better rating: 4.6." """
    first, second, *_ = sorted(products, key=lambda product: product.price)
    gap = second.price - first.price
    found = [f"The {first.name} is {money(gap)} cheaper than the {second.name}."] if gap else []
    rated = [(value, product) for product in products if (value := product.number(RATING)) is not None]
    best = max((value for value, _ in rated), default=0.0)
    winners = [product for value, product in rated if value == best]
    if len(rated) == len(products) and len(winners) == 1:
        found.append(f"The {winners[0].name} has the better rating: {best:g}.")
    return " ".join(found)
