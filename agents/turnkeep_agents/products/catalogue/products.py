"""The agent's products: a user's file, or the demo's sample."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from turnkeep.blocks.retrieval import open_retriever
from turnkeep.blocks.words import singular, words
from turnkeep.demo import sample
from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep_agents.products.catalogue.product import Product

MOST_KINDS, MANY_TYPES = 15, 6
TYPE = "type"
SAMPLE, VECTORS = "products.jsonl", ".vectors.npz"


class Catalogue:
    """The products with their index."""

    def __init__(self, products: Sequence[Product], *, is_dense: bool = False, vectors: Path | None = None):
        """`vectors` is a file as `open_retriever` takes it. Raises MissingExtra if dense retrieval is requested but not
        installed."""
        self.products = tuple(products)
        self.by_id = {product.id: product for product in products}
        self.by_name = _short_names(products) | {product.name: product for product in products}
        """Keyed by full name, and by the name without brand if it is unique."""
        self.categories = tuple(dict.fromkeys(product.category for product in products))
        self.brands = tuple(dict.fromkeys(product.brand for product in products if product.brand))
        each = [(name, product.measure(name)) for product in products for name in product.attributes]
        rarest_first = reversed(Counter((name, measure.unit) for name, measure in each if measure).most_common())
        self.units = dict(sorted({name: unit for (name, unit), _ in rarest_first}.items()))
        """The most frequent base unit of each numeric attribute, empty if it has none."""
        every = [(name, values) for product in products for name, values in product.attributes.items()]
        several = {name for name, values in every if len(values) > 1} | set(self.units)
        self.choices = {(name, values[0]) for name, values in every if name not in several}
        """The values of attributes that have one value in every product, such as ("panel", "OLED")."""
        self.summary = _summary(products)
        """The kinds of products and their counts."""
        documents = [product.searchable() for product in products]
        self.words = frozenset(word for each in documents for word in words(f"{each.title} {each.text}"))
        self._retriever = open_retriever(documents, dense=is_dense, vectors=vectors)

    def get(self, ids: Iterable[str]) -> list[Product]:
        """Return existing products: a thread may remember one that was removed from the catalogue."""
        return [self.by_id[id_] for id_ in ids if id_ in self.by_id]

    def scores(self, query: str) -> dict[str, float]:
        """Return how well each product that shares words with the query matches it, 1 for the best."""
        found = self._retriever.search(query, len(self.products))
        best = max((document.score or 0.0 for document in found), default=0.0) or 1.0
        return {document.id: (document.score or 0.0) / best for document in found}


def open_catalogue(path: str | None, *, is_dense: bool = False) -> Catalogue:
    """Return the catalogue at `path`, or the sample, with its file of vectors in the same folder. Raises CorpusError
    with file, line and remedy, and UnusableFile if neither exists."""
    file = Path(path) if path else sample(SAMPLE, "PRODUCTS__CATALOGUE")
    return Catalogue(load_products(file), is_dense=is_dense, vectors=file.with_suffix(VECTORS))


def _short_names(products: Sequence[Product]) -> dict[str, Product]:
    """Return brandless names of several words, or with a number: "Galaxy S24", but not "Kindle", which is ambiguous."""
    short = [(product.name.removeprefix(product.brand).strip(), product) for product in products if product.brand]
    counts = Counter(name for name, _ in short)
    is_name = re.compile(r"(?=.*[ \d]).{4,}").fullmatch
    return {name: product for name, product in short if counts[name] == 1 and is_name(name)}


def _summary(products: Sequence[Product]) -> str:
    """ "26 phones, 19 kitchen appliances (air fryer, kettle ...)": types only if a kind has many types."""
    kinds = Counter(product.category for product in products).most_common(MOST_KINDS + 1)
    found = []
    for name, count in kinds[:MOST_KINDS]:
        own = [product.attributes.get(TYPE, ()) for product in products if product.category == name]
        types = dict.fromkeys(value for values in own for value in values)
        of = f" ({', '.join(types)})" if MANY_TYPES <= len(types) <= MOST_KINDS else ""
        found.append(f"{count} {name if count > 1 else singular(name)}{of}")
    return ", ".join([*found, "and more"] if len(kinds) > MOST_KINDS else found)
