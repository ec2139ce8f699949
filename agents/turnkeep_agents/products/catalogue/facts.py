"""Facts of products, worded for prompts: a card, a table of differences, prices, stock. Answers take their facts from
here, so none is made up."""

from collections.abc import Iterable, Sequence
from datetime import date

from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.product import PRICE, YES, Product
from turnkeep_agents.products.catalogue.search import RATING

MOST_DIFFERENCES = 12


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
