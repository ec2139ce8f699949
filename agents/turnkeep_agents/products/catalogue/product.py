"""A product, read from a row of a catalogue. A value outside the common columns is an attribute: one or more texts,
some of which are measures."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from turnkeep.kit.documents import Document
from turnkeep.kit.words import words
from turnkeep.records import JSON
from turnkeep_agents.products.catalogue.measures import Measure, read_measure, unit_of
from turnkeep_agents.products.catalogue.stock import Stock, read_stock

COLUMNS = ("id", "name", "price", "category", "brand", "description", "availability")
NEEDED = ("id", "name", "price", "category")
ALIASES = {"name": ("title",), "category": ("product_type", "product_category", "google_product_category")}
TEXTS = tuple(name for name in COLUMNS if name != "price")
PRICE = "price"
YES, NO = "yes", "no"
MOST_CHARACTERS = {"id": 64, "name": 120, "category": 60, "brand": 60, "description": 4_000}
MOST_ATTRIBUTES, MOST_ATTRIBUTE_CHARACTERS = 40, 300
MOST_DOLLARS = 100_000_000

_PRICE = re.compile(
    r"(?:us)?\$?\s?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d+)?)\s?(?:usd|dollars?|\$)?", re.IGNORECASE
)
_TRUE, _FALSE = frozenset({"yes", "true", "y"}), frozenset({"no", "false", "n"})
_LIST = re.compile(r"\s*[;|]\s*|,\s+")
_UNIT = re.compile(
    r"(?P<name>.*[^\s_([])(?:\s*[(\[]\s*(?P<in>[^()\[\]]+?)\s*[)\]]|_(?!in$|min$)(?P<under>[^\W_]+))", re.IGNORECASE
)


@dataclass(frozen=True)
class Product:
    """`attributes` keep the order of the catalogue, without empty ones; prices are US dollars."""

    id: str
    name: str
    price: float
    category: str
    brand: str
    description: str
    stock: Stock
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def measure(self, attribute: str) -> Measure | None:
        """Return the value of an attribute that is one number."""
        values = self.attributes.get(attribute, ())
        return read_measure(values[0]) if len(values) == 1 else None

    def number(self, attribute: str) -> float | None:
        """Return the price or a measure in base units."""
        measure = self.measure(attribute)
        return self.price if attribute == PRICE else measure.value if measure else None

    def text_of(self, attribute: str) -> str:
        return ", ".join(self.attributes.get(attribute, ()))

    def searchable(self) -> Document:
        facts = [self.brand, self.category]
        facts += [name if value == YES else value for name, values in self.attributes.items() for value in values]
        return Document(self.id, self.name, " ".join([self.description, *facts]))


def read_product(row: JSON) -> Product:
    """Build a product from a row with the names of its columns; raises ValueError with the remedy."""
    texts = {name: _text(row, name) for name in ("id", "name", "category", "brand", "description")}
    return Product(
        **texts,
        price=_price(row.get("price")),
        stock=read_stock(_scalar("availability", row.get("availability"))),
        attributes=_attributes({name: value for name, value in row.items() if name not in COLUMNS}),
    )


def row_of(product: Product) -> JSON:
    """Return a row from which `read_product` builds the same product."""
    row = {name: getattr(product, name) for name in COLUMNS if name != "availability"}
    return {**row, "availability": product.stock.written, **{name: list(v) for name, v in product.attributes.items()}}


def _text(row: JSON, name: str) -> str:
    text = _scalar(name, row.get(name)).strip()
    if name in NEEDED and not words(text):
        raise ValueError(f'"{name}" is missing; every product needs {", ".join(NEEDED)}')
    if len(text) > MOST_CHARACTERS[name]:
        raise ValueError(f'"{name}" has over {MOST_CHARACTERS[name]:,} characters; shorten it')
    return text


def _price(value: Any) -> float:
    found = _PRICE.fullmatch(_scalar("price", value).strip())
    if found is None:
        raise ValueError('"price" must be an amount in US dollars, such as 499 or 1299.95; correct or add it')
    price = float(found["number"].replace(",", ""))
    if not math.isfinite(price) or price > MOST_DOLLARS:
        raise ValueError('"price" is too large to be one; correct it')
    return price


def _attributes(row: JSON) -> dict[str, tuple[str, ...]]:
    if len(row) > MOST_ATTRIBUTES:
        raise ValueError(f"it has over {MOST_ATTRIBUTES} attributes; leave some out")
    found: dict[str, tuple[str, ...]] = {}
    for heading, value in row.items():
        name, unit = read_heading(heading)
        measures = [(text, read_measure(text)) for text in _values(name, value)]
        values = [f"{text} {unit}" if unit and measure and not measure.unit else text for text, measure in measures]
        if name and values:
            found[name] = tuple(values)
    return found


def columns_of(headings: Iterable[str]) -> list[str]:
    """Return known column names for headings, else the headings, since a unit in one may be in capitals. Product feeds
    use aliases."""
    bare = [heading.strip() for heading in headings]
    plain = [heading.lower() for heading in bare]
    found = {low: low for low in plain if low in COLUMNS}
    for name, aliases in ALIASES.items():
        found |= {each: name for each in [one for one in aliases if one in plain][:1] if name not in found.values()}
    return [found.get(low, heading) for low, heading in zip(plain, bare, strict=True)]


def read_heading(heading: str) -> tuple[str, str]:
    """ "weight_kg" and "Weight (kg)" are weights in kilograms; "Launched in" and "temp_min" name no unit."""
    found = _UNIT.fullmatch(heading.strip())
    unit = found["in"] or found["under"] if found else ""
    name = found["name"] if found and unit_of(unit) else heading
    return " ".join(re.split(r"[\s_()\[\]]+", name)).strip().lower(), unit if unit_of(unit) else ""


def _values(name: str, value: Any) -> list[str]:
    each = value if isinstance(value, list) else [value]
    texts = [_scalar(name, one).strip() for one in each]
    if not isinstance(value, list):
        texts = [part for text in texts for part in _LIST.split(text)]
    if sum(map(len, texts)) > MOST_ATTRIBUTE_CHARACTERS:
        raise ValueError(f'"{name}" has over {MOST_ATTRIBUTE_CHARACTERS} characters; move it to the description')
    return [YES if text.lower() in _TRUE else NO if text.lower() in _FALSE else text for text in texts if text]


def _scalar(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return YES if value else NO
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError(f'"{name}" must be text, a number or a list of these')
