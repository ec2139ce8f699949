"""The products that the agent knows: the bundled ones, or a user's file. The bundled ones are made up, under the names
of real brands."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.reading.lexicon import Lexicon, roots
from turnkeep_agents.products.reading.names import Names
from turnkeep.blocks.retrieval import open_retriever
from turnkeep.blocks.words import singular

MOST_KINDS = 15
# What attributes are called that hold the colour, or the kind of product within a category.
COLOURS = frozenset({"colour", "color", "finish"})
KINDS = frozenset({"type", "kind"})
BUNDLED = Path(__file__).parents[1] / "catalogue.jsonl"
VECTORS = ".vectors.npz"


class Catalogue:
    """The products with their words, their names and their index."""

    def __init__(self, products: Sequence[Product], *, is_dense: bool = False, vectors: Path | None = None):
        """`vectors` is a file as `open_retriever` takes it. Raises MissingExtra where dense retrieval is asked for and
        not installed."""
        self.products = tuple(products)
        self.by_id = {product.id: product for product in products}
        self.categories = tuple(dict.fromkeys(product.category for product in products))
        self.measured = frozenset(name for p in products for name in p.attributes if p.measure(name))
        """Attributes of which any product has a number."""
        self.summary = _summary(products)
        """Which kinds of products there are, and how many."""
        self.choices = _choices(products)
        """Attributes of which one value is chosen."""
        self.lexicon = Lexicon(products)
        self.names = Names(products, self.lexicon)
        documents = [product.searchable() for product in products]
        self._retriever = open_retriever(documents, dense=is_dense, vectors=vectors)

    def get(self, ids: Iterable[str]) -> list[Product]:
        """Those that there are: a thread may remember one that is gone from the catalogue."""
        return [self.by_id[id_] for id_ in ids if id_ in self.by_id]

    def scores(self, query: str) -> dict[str, float]:
        """How well each product that shares words with the query fits it."""
        found = self._retriever.search(query, len(self.products))
        return {document.id: document.score or 0.0 for document in found}


def _summary(products: Sequence[Product]) -> str:
    kinds = Counter(product.category for product in products).most_common(MOST_KINDS + 1)
    told = [f"{count} {name if count > 1 else singular(name)}" for name, count in kinds[:MOST_KINDS]]
    return ", ".join([*told, "and more"] if len(kinds) > MOST_KINDS else told)


def _choices(products: Sequence[Product]) -> frozenset[str]:
    every = {name for product in products for name in product.attributes}
    several = {name for product in products for name, values in product.attributes.items() if len(values) > 1}
    return frozenset(name for name in every if name not in several or set(roots(name)) & COLOURS)


def open_catalogue(path: str | None, *, is_dense: bool = False) -> Catalogue:
    """The catalogue at `path`, or the bundled one, with its file of vectors beside it; raises CorpusError with file,
    line and remedy."""
    file = Path(path) if path else BUNDLED
    return Catalogue(load_products(file), is_dense=is_dense, vectors=file.with_suffix(VECTORS))
