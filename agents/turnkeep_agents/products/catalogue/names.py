"""Finds products by name: by words, else by the nearest spelling. A number in a name is never guessed."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from turnkeep.blocks.words import words
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue

ALIKE, REMOTELY_ALIKE = 0.75, 0.5
MOST_MEANT, MOST_NEAR = 4, 3


def look_up(names: Iterable[str], catalogue: Catalogue) -> tuple[list[Product], list[str]]:
    """Return the matching products, in the order of their names, and a sentence for each name that matches none or
    several."""
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
    said = words(name)
    whole = [product for product in products if "".join(words(product.name)) == "".join(said)]
    part = [product for product in products if said and set(said) <= set(words(product.name))]
    if whole or not part:
        return whole or _spelled(name, products)
    but_brand = [product for product in part if set(words(product.name)) <= {*said, *words(product.brand)}]
    return but_brand if len(but_brand) == 1 else part[:MOST_MEANT]


def shown_in(text: str, catalogue: Catalogue) -> list[Product]:
    """Return the products that a text names, with or without brand, in text order; a name within a longer one does not
    count."""
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
