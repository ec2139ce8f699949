"""The agent's products: a user's file, or the demo's sample; found by name: by words, else by the nearest spelling. A
number in a name is never guessed."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from turnkeep.demo import sample
from turnkeep.kit.retrieval import open_retriever
from turnkeep.kit.words import singular, words
from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep_agents.products.catalogue.product import Product

MOST_KINDS, MANY_TYPES = 15, 6
TYPE = "type"
ALIKE, REMOTELY_ALIKE = 0.75, 0.5
MOST_MEANT, MOST_NEAR = 4, 3
SAMPLE, VECTORS = "products.jsonl", ".vectors.npz"


class Catalogue:
    """The products with their index."""

    def __init__(self, products: Sequence[Product], *, is_dense: bool = False, vectors: Path | None = None):
        """`vectors` is a file as `open_retriever` takes it."""
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
        self.summary = _summary(products)  # the kinds of products and their counts
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


def look_up(names: Iterable[str], catalogue: Catalogue) -> tuple[list[Product], list[str]]:
    """Return the matching products in order, and a sentence for each name that matches none or several."""
    found: dict[str, Product] = {}
    remarks: list[str] = []
    for name in names:
        meant = named(name, catalogue.products)
        if not meant:
            near = get_close_matches(name, [each.name for each in catalogue.products], MOST_NEAR, REMOTELY_ALIKE)
            nearest = f" Nearest names: {', '.join(near)}." if near else ""
            remarks.append(f"There is no product called “{name}”.{nearest}")
        elif len(meant) > 1:
            remarks.append(f"“{name}” may be {', '.join(product.name for product in meant)}.")
        found.update((product.id, product) for product in meant)
    return list(found.values()), remarks


def named(name: str, products: Sequence[Product]) -> list[Product]:
    """Match the whole name, else all its words ("Galaxy S24"), else the nearest spelling ("Galxy S24")."""
    asked = words(name)
    whole = [product for product in products if "".join(words(product.name)) == "".join(asked)]
    part = [product for product in products if asked and set(asked) <= set(words(product.name))]
    if whole or not part:
        return whole or _spelled(name, products)
    but_brand = [product for product in part if set(words(product.name)) <= {*asked, *words(product.brand)}]
    return but_brand if len(but_brand) == 1 else part[:MOST_MEANT]


def shown_in(text: str, catalogue: Catalogue) -> list[Product]:
    """Return the products that a text names, in text order; a name within a longer one does not count."""
    rest, places = text.lower(), dict[str, int]()
    for name in sorted((each for each in catalogue.by_name if each.lower() in rest), key=len, reverse=True):
        for found in re.finditer(rf"(?<!\w){re.escape(name.lower())}(?!\w)", rest):
            id_ = catalogue.by_name[name].id
            places[id_] = min(places.get(id_, found.start()), found.start())
            rest = rest[: found.start()] + " " * len(name) + rest[found.end() :]
    return catalogue.get(sorted(places, key=places.__getitem__))


def _spelled(name: str, products: Sequence[Product]) -> list[Product]:
    """Match the nearest spelling with equal numbers: "Galaxy S25" does not match an S24."""
    numbers = set(re.findall(r"\d+", name))
    fitting: dict[str, Product] = {}
    for product in products:
        if numbers <= set(re.findall(r"\d+", product.name)):
            short = product.name.removeprefix(product.brand).strip() or product.name
            fitting |= {product.name.lower(): product, short.lower(): product}
    return [fitting[each] for each in get_close_matches(name.lower(), fitting, 1, ALIKE)]
