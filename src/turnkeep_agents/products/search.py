"""Finds what a plan asks for: filters first, then the order. Where nothing fits, the nearest that misses least.
What there is to say about the search is computed here, so that neither rules nor a model have to count."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from turnkeep_agents.products import facts
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.filters import PRICE, Filters, Order, find, misses, narrows, number_of, sort_key
from turnkeep_agents.products.planning.plans import Plan
from turnkeep_agents.products.reading.lexicon import root, roots
from turnkeep_agents.products.reading.measures import money
from turnkeep_agents.products.telling import describe, quoted, tell_filter

LEAST_STEM = 4
BEST_SHOWN, NEAREST_SHOWN = 3, 3
PLACES = ("", "second", "third", "fourth", "fifth")
WORDS_SHARE = 0.4  # of the best score, from which on a product is found by its words
_OWN = ("weight", "year")  # of these a product "is" the most, of others it "has" it
# Which filter is given up first where nothing fits.
_GIVEN_UP = ("price", "in_stock", "conditions", "lines", "brands", "not_brands", "categories")


@dataclass(frozen=True)
class Found:
    """`ids` in their order; `said` are sentences about the search, `is_nearest` where nothing fitted."""

    ids: tuple[str, ...]
    said: tuple[str, ...] = ()
    is_nearest: bool = False
    winners: tuple[str, ...] = ()


@dataclass
class _Hits:
    products: list[Product]
    mentions: str = ""
    has_words: bool = True


class Finder:
    """Carries out plans on one catalogue."""

    def __init__(self, catalogue: Catalogue, top_k: int):
        self._catalogue, self._top_k = catalogue, top_k
        self._rating = facts.ratings(catalogue)

    def run(self, plan: Plan) -> Found:
        if plan.get("kind") == "details":
            return Found(tuple(product.id for product in self._catalogue.get(plan["ids"])))
        filters = plan["filters"]
        said = list(plan.get("remarks", []))
        if plan.get("is_strange") or not (
            plan.get("among") or plan.get("reference") or narrows(filters) or filters["words"]
        ):
            return self._near_unknown(plan, said)
        hits = self._hits(plan, filters)
        if not hits.has_words:
            filters = Filters(**{**filters, "words": []})
        if hits.products and not (plan.get("unknown") and not narrows(filters)):
            return self._listed(plan, filters, hits, said)
        if plan.get("unknown") and not narrows(filters):
            return self._near_unknown(plan, said)
        if filters["words"] and not _has_subject(filters) and not plan.get("left_out"):
            return self._near_unknown(plan, [*said, _nothing(filters)])
        return self._nearest(plan, filters, said)

    # What fits

    def _hits(self, plan: Plan, filters: Filters) -> _Hits:
        among = self._catalogue.get(plan.get("among", []))
        fitting = (
            [p for p in among if not misses(p, filters, self._catalogue)] if among else find(filters, self._catalogue)
        )
        left = [product for product in fitting or among if product.id not in plan.get("left_out", [])]
        if not filters["words"] or not left:
            return _Hits(self._in_order(left, filters["order"]))
        return self._by_words(left, filters)

    def _by_words(self, products: Sequence[Product], filters: Filters) -> _Hits:
        """Beside other filters, words only say what comes first: descriptions leave much out."""
        query, usual = " ".join(filters["words"]), self._in_order(products, filters["order"])
        scores = self._catalogue.scores(query)
        best = max((scores.get(product.id, 0.0) for product in products), default=0.0)
        found = [product for product in usual if best and scores.get(product.id, 0.0) >= WORDS_SHARE * best]
        if not filters["order"]:
            found.sort(key=lambda product: -scores[product.id])
        if not _has_subject(filters):
            return _Hits(found)
        is_literal = all(_mentions(product, filters["words"]) for product in found)
        one = "s" if len(found) == 1 else ""
        verb = f"mention{one}" if is_literal else f"come{one} near to"
        count = f"{len(found)} {verb}" if found else "none mentions"
        first = f" and come{one} first" if 0 < len(found) < len(products) else ""
        mentions = f"; {count} {quoted(filters['words'])}{first}"
        return _Hits([*found, *(product for product in usual if product not in found)], mentions, has_words=False)

    def _in_order(self, products: Iterable[Product], order: Order | None) -> list[Product]:
        """By what is asked for, then by rating, what can be had first, the cheaper first. What is not made any more
        comes last, unless it is asked for in an order."""
        usual = sorted(products, key=lambda p: (*self._by_rating(p), not p.stock.is_in, p.price))
        if order:
            return sorted(usual, key=sort_key(order))
        return sorted(usual, key=lambda product: product.stock.state == "gone")

    def _by_rating(self, product: Product) -> tuple[bool, float]:
        return sort_key(Order(by=self._rating, descending=True, said=""))(product)

    # What is said about it

    def _listed(self, plan: Plan, filters: Filters, hits: _Hits, said: Sequence[str]) -> Found:
        order, products = filters["order"], hits.products
        if plan.get("is_best_only") and order and len(products) > 1:
            winners, sentence = self._best(products, filters, order, plan)
            shown = products[: max(BEST_SHOWN, plan.get("rank", 1) + len(winners) - 1)][: self._top_k]
            return Found(tuple(p.id for p in shown), (*said, sentence), winners=tuple(p.id for p in winners))
        shown = products[: min(plan.get("limit") or self._top_k, max(self._top_k, 10))]
        heading = self._heading(plan, filters, products, shown, hits.mentions)
        return Found(tuple(p.id for p in shown), (*said, heading))

    def _heading(
        self, plan: Plan, filters: Filters, products: Sequence[Product], shown: Sequence[Product], mentions: str
    ) -> str:
        reference = self._catalogue.by_id.get(plan.get("reference") or "")
        is_similar = reference is not None and plan.get("kind") == "similar"
        what = f"products similar to the {reference.name}" if reference and is_similar else describe(filters)
        more = "more " if plan.get("left_out") and not reference else ""
        count = f"1 {more}match" if len(products) == 1 else f"{len(products)} {more}matches"
        prices = sorted(product.price for product in products)
        spread = f", from {money(prices[0])} to {money(prices[-1])}" if prices[0] < prices[-1] else ""
        by = self._order_said(filters) if len(shown) > 1 and "first" not in mentions else ""
        order = f", {by}" if by else ""
        part = f" Here are {len(shown)} of them{order}:" if len(shown) < len(products) else ""
        end = "" if part else f"{order}:"
        return f"I found {count} for {what}{spread}{mentions}{end or '.'}{part}"

    def _order_said(self, filters: Filters) -> str:
        order = filters["order"]
        if order is None and filters["words"]:
            return "the closest first"
        if order is None:
            return "the best rated first" if self._rating else ""
        by = order["by"][0]
        if by == PRICE:
            return "the most expensive first" if order["descending"] else "the cheapest first"
        return f"by {by}, from {'high to low' if order['descending'] else 'low to high'}"

    def _best(
        self, products: Sequence[Product], filters: Filters, order: Order, plan: Plan
    ) -> tuple[list[Product], str]:
        key, rank = sort_key(order), plan.get("rank", 1)
        places = [list(group) for _, group in groupby(products, key=key)]
        winners = places[min(rank, len(places)) - 1]
        what = f"these {len(products)}" if plan.get("among") else f"{len(products)} {describe(_unordered(filters))}"
        if key(winners[0])[0]:
            return [], f"The catalogue does not say which of {what} is “{order['said']}”."
        names = facts.listing([f"the {product.name}" for product in winners[: self._top_k]])
        is_one = len(winners) == 1
        by = next(name for name in order["by"] if number_of(winners[0], name) is not None)
        place = f"{PLACES[min(rank, len(places)) - 1]} " if rank > 1 and len(places) > 1 else ""
        said, value = f"{place}{order['said']}", facts.value_of(winners[0], by)
        if facts.names_attribute(said, by):
            sentence = f"{names} {'has' if is_one else 'share'} the {said} of {what}: {value}."
        elif by == PRICE or by in (*self._rating, *_OWN):
            said = f"{said} rated" if said == "better" else said
            sentence = f"{names} {'is' if is_one else 'are'} the {said} of {what}: {value}."
        else:
            sentence = f"Of {what}, {names} {'comes' if is_one else 'come'} first for “{said}”: {by} {value}."
        return winners, sentence[0].upper() + sentence[1:]

    # Where nothing fits

    def _near_unknown(self, plan: Plan, said: list[str]) -> Found:
        names = plan.get("unknown", [])
        near = self._catalogue.get(plan.get("near", []))
        if not near:
            kinds = facts.listing(list(self._catalogue.categories))
            return Found((), (*(said or ["Nothing fits."]), f"The catalogue holds {kinds}."), is_nearest=True)
        likeness = {product.id: max(_likeness(name, product.name) for name in names) for product in near}
        best = sorted(likeness, key=lambda id_: -likeness[id_])[:NEAREST_SHOWN]
        return Found(tuple(best), (*said, "The nearest that I have:"), is_nearest=True)

    def _nearest(self, plan: Plan, filters: Filters, said: list[str]) -> Found:
        nothing = _nothing(filters, "more " if plan.get("left_out") else "")
        left = [p for p in self._catalogue.products if p.id not in plan.get("left_out", [])]
        missed = {product.id: misses(product, filters, self._catalogue) for product in left}
        missing = [(product, found) for product in left if (found := missed[product.id])]
        reference = self._catalogue.by_id.get(plan.get("reference", ""))
        if reference and plan["kind"] == "list" and not misses_but_order(reference, filters, self._catalogue):
            return Found((reference.id,), (*said, f"{nothing} This one comes first already:"), is_nearest=True)
        if not missing or (plan.get("left_out") and not reference):
            return Found((), (*said, nothing), is_nearest=True)
        _, keys = min((self._loss(found, filters), tuple(found)) for _, found in missing)
        near = [product for product, found in missing if tuple(found) == keys]
        shown = self._by_distance(near, keys, filters)[:NEAREST_SHOWN]
        without = facts.listing([tell_filter(key, filters) for key in keys])
        are = "the nearest is" if len(shown) == 1 else "the nearest are"
        return Found(tuple(p.id for p in shown), (*said, f"{nothing} Without {without}, {are}:"), is_nearest=True)

    def _loss(self, keys: Sequence[str], filters: Filters) -> tuple[int, list[int]]:
        kinds = [key.split(".")[0] for key in keys]
        prices = [f"conditions.{at}" for at, one in enumerate(filters["conditions"]) if PRICE in one["attributes"]]
        ranks = [_GIVEN_UP.index("price" if key in prices else kind) for key, kind in zip(keys, kinds, strict=True)]
        return len(keys), sorted(ranks, reverse=True)

    def _by_distance(self, products: Sequence[Product], keys: Sequence[str], filters: Filters) -> list[Product]:
        """The nearest to the limits that are missed."""
        usual = self._in_order(products, filters["order"])
        at = [int(key.split(".")[1]) for key in keys if key.startswith("conditions.")]
        limits = [filters["conditions"][n] for n in at if filters["conditions"][n]["op"] not in ("is", "not")]
        if not limits:
            return usual
        names = limits[0]["attributes"]

        def distance(product: Product) -> float:
            values = (number_of(product, name) for name in names)
            return min(
                (abs(value - limits[0]["number"]) for value in values if value is not None), default=float("inf")
            )

        return sorted(usual, key=distance)


def misses_but_order(product: Product, filters: Filters, catalogue: Catalogue) -> list[str]:
    """What a product misses besides the limit that it set itself, which is the last."""
    others = Filters(**{**filters, "conditions": filters["conditions"][:-1]})
    return misses(product, others, catalogue)


def _has_subject(filters: Filters) -> bool:
    """Whether it says what the products are, and not only what they may cost or weigh."""
    values = any(one["op"] == "is" for one in filters["conditions"])
    return bool(filters["categories"] or filters["brands"] or filters["lines"] or values)


def _mentions(product: Product, said: Iterable[str]) -> bool:
    """Dense retrieval finds what says the like in other words."""
    document = product.searchable()
    own = roots(f"{document.title} {document.text}")
    return any(_is_like(root(word), each) for word in said for each in own)


def _is_like(word: str, own: str) -> bool:
    """Of one stem, as lexical retrieval takes them."""
    return word[:LEAST_STEM] == own[:LEAST_STEM]


def _nothing(filters: Filters, more: str = "") -> str:
    return f"Nothing {more}in the catalogue matches {describe(filters)}."


def _unordered(filters: Filters) -> Filters:
    return Filters(**{**filters, "order": None})


def _likeness(text: str, name: str) -> float:
    return SequenceMatcher(None, text.lower(), name.lower()).ratio()
