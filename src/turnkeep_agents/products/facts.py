"""What the catalogue says of products, in sentences: prices, stock, single attributes, and what two of them differ in.
A tool's result is such text, so that what stands in an answer was read and not written."""

from collections.abc import Iterable, Sequence
from datetime import date

from turnkeep_agents.products.catalogue.product import YES, Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.filters import PRICE, Condition, holds, number_of
from turnkeep_agents.products.reading.lexicon import roots
from turnkeep_agents.products.reading.measures import money, plain
from turnkeep_agents.products.telling import tell

AVAILABILITY = "availability"
MOST_DIFFERENCES = 12


def ratings(catalogue: Catalogue) -> list[str]:
    """The attributes that hold ratings."""
    return [name for meaning in catalogue.lexicon.meanings(("rating",)) for name in meaning.attributes]


def listing(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def names_attribute(said: str, attribute: str) -> bool:
    """Whether words name an attribute, at least its first word."""
    return roots(attribute)[:1] != () and roots(attribute)[0] in roots(said)


def value_of(product: Product, attribute: str) -> str:
    return money(product.price) if attribute == PRICE else product.told(attribute)


def price(products: Iterable[Product]) -> str:
    return "\n".join(f"The {product.name} costs {money(product.price)}." for product in products)


def availability(products: Iterable[Product], today: date) -> str:
    return "\n".join(f"The {product.name} is {product.stock.told(today)}." for product in products)


def answers(
    products: Sequence[Product], asked: Sequence[Sequence[str]], conditions: Sequence[Condition], today: date
) -> list[str]:
    """What the catalogue says to a question about these products: of each attribute that is asked for, and whether each
    condition holds."""
    said = [_condition(product, one) for product in products for one in conditions]
    limited = {name for one in conditions for name in one["attributes"]}
    names = [group for group in asked if not limited & set(group)]
    return [*said, *(_attribute(product, group, today) for product in products for group in names)]


def _attribute(product: Product, names: Sequence[str], today: date) -> str:
    """The first that the product has, or that it is not known."""
    if PRICE in names:
        return price([product])
    if AVAILABILITY in names:
        return availability([product], today)
    known = [name for name in names if name in product.attributes]
    if not known:
        return f"The catalogue does not say the {names[0]} of the {product.name}."
    if product.attributes[known[0]] == (YES,):
        return f"The {product.name} has {known[0]}."
    if known[0].endswith(" for"):
        return f"The {product.name} is listed as {known[0]} {product.told(known[0])}."
    return f"The {known[0]} of the {product.name}: {product.told(known[0])}."


def _condition(product: Product, asked: Condition) -> str:
    if PRICE in asked["attributes"]:
        return f"{'Yes' if holds(asked, product) else 'No'}, the {product.name} costs {money(product.price)}."
    known = [name for name in asked["attributes"] if name in product.attributes]
    told = "; ".join(f"{name}: {product.told(name)}" for name in known)
    if not known:
        return f"The catalogue does not say whether the {product.name} has {tell(asked)}."
    if asked["op"] not in ("is", "not"):
        return f"{'Yes' if holds(asked, product) else 'No'}, the {product.name}: {told}."
    if holds(Condition(**{**asked, "op": "is"}), product):
        return f"Yes, the {product.name}: {asked['said']}."
    return f"No, the {product.name} is listed without “{asked['said']}” ({told})."


def compare(products: Sequence[Product], catalogue: Catalogue, today: date) -> str:
    """A table of price, stock and the attributes that differ, and a sentence for each measured difference of two."""
    names = [name for name in dict.fromkeys(n for p in products for n in p.attributes) if _differs(products, name)]
    rows = [[PRICE, *(money(product.price) for product in products)]]
    rows += [[AVAILABILITY, *(product.stock.told(today) for product in products)]]
    rows += [
        [name, *(product.told(name) if name in product.attributes else "-" for product in products)] for name in names
    ]
    head = ["", *(product.name for product in products)]
    table = [head, ["---"] * len(head), *rows[: MOST_DIFFERENCES + 2]]
    lines = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table]
    return "\n".join([*lines, "", verdict(products, catalogue)]).strip()


def verdict(products: Sequence[Product], catalogue: Catalogue) -> str:
    """Which is cheaper, which is better rated."""
    by_price = sorted(products, key=lambda product: product.price)
    cheapest, next_one = by_price[0], by_price[1]
    said = [_price_verdict(cheapest, next_one, is_pair=len(products) == 2)]
    for name in ratings(catalogue):
        rated = [(value, product) for product in products if (value := number_of(product, name)) is not None]
        best = max((value for value, _ in rated), default=0.0)
        winners = [product.name for value, product in rated if value == best]
        if len(rated) == len(products) and len(winners) < len(products):
            said.append(f"{_have(winners)} the better {name}: {plain(best)}.")
    shared = listing(_shared(products))
    return " ".join([*said, f"In common: {shared}." if shared else ""]).strip()


def _have(names: Sequence[str]) -> str:
    return f"The {listing(names)} {'has' if len(names) == 1 else 'have'}"


def _price_verdict(cheapest: Product, next_one: Product, *, is_pair: bool) -> str:
    gap = next_one.price - cheapest.price
    if gap == 0:
        return f"The {cheapest.name} and the {next_one.name} cost the same." if is_pair else ""
    return f"The {cheapest.name} is {money(gap)} cheaper than the {next_one.name}."


def _differs(products: Sequence[Product], name: str) -> bool:
    return len({product.attributes.get(name) for product in products}) > 1


def _shared(products: Sequence[Product]) -> list[str]:
    """Attributes that are the same, told once."""
    first = products[0]
    names = [name for name in first.attributes if not _differs(products, name)]
    return [f"{name} {first.told(name)}" for name in names][:MOST_DIFFERENCES]
