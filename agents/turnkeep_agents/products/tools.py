"""Results of the model's calls: products and their catalogue facts, one text for each thing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeAlias

from turnkeep_agents.products.catalogue import facts
from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue, look_up, shown_in
from turnkeep_agents.products.catalogue.search import Wish, across_prices, by_number, find, remarks_on, unmentioned
from turnkeep_agents.products.reading import Availability, Call, Compare, Named, Price, Search, wish_of

MOST_DESCRIBED, MOST_COMPARED, MOST_REFERENCES, MOST_NEAR = 2, 4, 2, 2
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
            return [facts.compare(products, self.today)]
        if isinstance(call, Price):
            given = [max(0, count) for count in call.quantities[: len(products)]]
            counts = given + [1] * (len(products) - len(given))
            # Without a total, if a name matches no product or several.
            return facts.prices(products, counts if len(products) == len(call.names) else [0] * len(products))
        if isinstance(call, Availability):
            return facts.availability(products, self.today)
        return self._cards(products)

    def _cards(self, products: Sequence[Product]) -> list[str]:
        return [facts.card(product, self.today, is_whole=len(products) <= MOST_DESCRIBED) for product in products]

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
        before = [*remarks, *(f"Named: {facts.card(product, self.today)}" for product in references)]
        return [*before, *texts], [*shown, *references]

    def _found(self, call: Search, wish: Wish, *, but: Sequence[Product]) -> Result:
        fitting, nearby = find(wish, self.catalogue, but)
        size = min(max(call.limit or self.most, 1), self.most)
        is_broad = size > 1 and bool(wish.category) and not wish.sort and (self.is_among_others or not call.limits)
        fitting = across_prices(fitting, size) if is_broad else fitting
        shown = fitting[size * (max(call.page, 1) - 1) :][:size]
        near = nearby[: min(size - len(shown), MOST_NEAR)] if call.page < 2 and (wish.terms or not fitting) else []
        both = [(facts.card(each, self.today, has_kind=not wish.category), each) for each in [*shown, *near]]
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
