"""Finds products for a wish. Limits, brands and kinds are required. Terms rank, and each product lists the terms it
lacks, so that nothing must be guessed from a catalogue's omissions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from turnkeep.kit.words import STOP_WORDS, singular, words
from turnkeep_agents.products.catalogue.product import YES, Product
from turnkeep_agents.products.catalogue.products import Catalogue

RATING = "rating"
MOST_NEAR = 3
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

Term: TypeAlias = tuple[str, ...]
"""A property or use, such as "OLED", or alternatives of which one is enough."""


@dataclass(frozen=True)
class Bound:
    """A limit on the price or a measured attribute, in its base unit; both ends are inclusive."""

    attribute: str
    least: float | None = None
    most: float | None = None
    unit: str = ""

    def __str__(self) -> str:
        ends = [("at least", self.least), ("at most", self.most)]
        limits = [f"{side} {end:g} {self.unit}".strip() for side, end in ends if end is not None]
        return f"{self.attribute} {' and '.join(limits)}"

    def gap(self, product: Product) -> float:
        """Return how far a product is from the limit, as a share of it; 1 if it has no such number."""
        value = product.number(self.attribute)
        if value is None:
            return 1.0
        under = max(0.0, self.least - value) if self.least is not None else 0.0
        over = max(0.0, value - self.most) if self.most is not None else 0.0
        return (under + over) / (abs(self.least or self.most or 0.0) or 1.0)


@dataclass(frozen=True)
class Wish:
    """A search; `without` lists excluded terms."""

    category: str = ""
    brands: tuple[str, ...] = ()
    not_brands: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()
    terms: tuple[Term, ...] = ()
    without: tuple[str, ...] = ()
    in_stock: bool = False
    sort: str = ""
    is_descending: bool = False


def find(wish: Wish, catalogue: Catalogue, but: Sequence[Product] = ()) -> tuple[Sequence[Product], Sequence[Product]]:
    """Return all that meet the wish, best first, and those that lack a term, else the nearest; without `but`."""
    among = [product for product in catalogue.products if product not in but]
    ranked = _ranked([product for product in among if not misses(product, wish)], wish, catalogue)
    lacking = {product.id for product in ranked if any(_lacks(product, term) == 2 for term in wish.terms)}
    near = [product for product in ranked if product.id in lacking]
    if not near:  # those with the fewest misses, of the same kind if there are any, and nearest to a limit
        of_kind = [product for product in among if product.category == wish.category] or among

        def distance(product: Product) -> tuple[int, float]:
            return len(misses(product, wish)), sum(bound.gap(product) for bound in wish.bounds)

        near = sorted(_ranked(of_kind, wish, catalogue), key=distance)[:MOST_NEAR]
    return [product for product in ranked if product.id not in lacking], near


def unmentioned(wish: Wish, catalogue: Catalogue) -> list[Term]:
    """Return terms that no product of the kind mentions: they distinguish none, and lower no product's rank."""
    of_kind = [product for product in catalogue.products if product.category == wish.category]
    return [term for term in wish.terms if of_kind and all(_lacks(product, term) == 2 for product in of_kind)]


def across_prices(products: Sequence[Product], parts: int) -> list[Product]:
    """Return the best of each price range, cheapest range first, then the others. `products` are sorted best first."""
    dear = sorted(enumerate(products), key=lambda ranked: ranked[1].price)
    size = max(1, -(-len(dear) // parts))
    best = [min(dear[at : at + size], key=lambda ranked: ranked[0]) for at in range(0, len(dear), size)]
    places = {place for place, _ in best}
    return [*(product for _, product in best), *(each for at, each in enumerate(products) if at not in places)]


def alternatives(terms: Sequence[str], catalogue: Catalogue) -> tuple[Term, ...]:
    """Merge terms that exclude each other, such as the panels "OLED" and "IPS", into one term."""
    found: dict[str, list[str]] = {}
    for term in terms:
        names = [name for name, value in catalogue.choices if _words_of(term) == _words_of(value)]
        found.setdefault(names[0] if names else f"“{term}”", []).append(term)
    return tuple(map(tuple, found.values()))


def misses(product: Product, wish: Wish) -> list[str]:
    """Describe what a product does not meet, except for terms."""
    found = [str(bound) for bound in wish.bounds if bound.gap(product)]
    found += [wish.category] if wish.category and product.category != wish.category else []
    found += ["brand"] if (wish.brands and product.brand not in wish.brands) or product.brand in wish.not_brands else []
    found += [f"has {term}" for term in wish.without if _lacks(product, (term,)) == 0]
    return found + (["not in stock"] if wish.in_stock and not product.stock.is_in else [])


def remarks_on(product: Product, wish: Wish) -> list[str]:
    """Describe unmet limits, and each term that is not an attribute, with the sentence that contains it."""
    found = [f"does not fit: {each}" for each in misses(product, wish)]
    for term in wish.terms:
        if _lacks(product, term):
            sentence = next(filter(None, (_described(product, each) for each in term)), "")
            found.append(f"says: “{sentence}”" if sentence else f"does not say “{' or '.join(term)}”")
    return found


def by_number(attribute: str, *, is_descending: bool) -> Callable[[Product], tuple[bool, float]]:
    """Return a sort key that puts products without the attribute last."""

    def key(product: Product) -> tuple[bool, float]:
        value = product.number(attribute)
        return value is None, -(value or 0.0) if is_descending else value or 0.0

    return key


def _ranked(products: Sequence[Product], wish: Wish, catalogue: Catalogue) -> list[Product]:
    """Sort by missing terms, of which rare ones weigh more, then as requested, else by match of the words, rating, and
    price. Discontinued products come last."""
    listed = {term: sum(_lacks(product, term) == 0 for product in products) for term in wish.terms}
    scores = catalogue.scores(" ".join(" ".join(term) for term in wish.terms)) if wish.terms else {}
    rating = by_number(RATING, is_descending=True)

    def usual(product: Product) -> tuple[float, bool, float, tuple[bool, float], float]:
        lacking = sum(_lacks(product, term) / (listed[term] or 1) for term in wish.terms)
        score = round(scores.get(product.id, 0.0), 1) if lacking else 0.0
        return lacking, product.stock.state == "gone", -score, rating(product), product.price

    found = sorted(products, key=usual)
    if not wish.sort:
        return found
    order = by_number(wish.sort, is_descending=wish.is_descending)
    return sorted(found, key=lambda product: (usual(product)[0], order(product)))


def _lacks(product: Product, term: Term) -> int:
    """Return 0 if an attribute or the name mentions it, 1 if only the description does, 2 if nothing does."""
    # A value counts with its attribute: "good for gaming" and "gaming" both match.
    values = [(name, "" if value == YES else value) for name, every in product.attributes.items() for value in every]
    texts = (product.name, product.category, *(f"{name} {value}" for name, value in values))
    listed = [_all_words_of(text) for text in texts]
    if any(_words_of(each) <= own for each in term for own in listed):
        return 0
    return 1 if any(_described(product, each) for each in term) else 2


def _described(product: Product, term: str) -> str:
    wanted = _words_of(term)
    sentences = _SENTENCE_END.split(product.description)
    return next((sentence for sentence in sentences if wanted <= _all_words_of(sentence)), "")


@lru_cache(maxsize=200_000)
def _words_of(text: str) -> frozenset[str]:
    """Return the words of a text. Small words count in short terms: "in-ear" is not "over-ear"."""
    each = [singular(word) for word in words(text)]
    long = frozenset(word for word in each if word not in STOP_WORDS)
    return long if long and len(each) > 2 else frozenset(each)


def _all_words_of(text: str) -> frozenset[str]:
    return frozenset(singular(word) for word in words(text))
