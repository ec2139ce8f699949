"""Numbers with units, as catalogues write them. Units of one kind are converted to one base unit, so that 1 TB is more
than 512 GB."""

import re
from dataclasses import dataclass
from functools import lru_cache

# The written forms, the base unit, and the factor to it.
_UNITS = (
    ("gb gig gigs gigabyte gigabytes", "GB", 1.0),
    ("tb terabyte terabytes", "GB", 1000.0),
    ("mb megabyte megabytes", "GB", 0.001),
    ("in inch inches \" ” ″ ''", "in", 1.0),
    ("cm centimetre centimetres centimeter centimeters", "in", 1 / 2.54),
    ("mm millimetre millimetres millimeter millimeters", "in", 1 / 25.4),
    ("g gram grams gramme grammes", "g", 1.0),
    ("kg kilo kilos kilogram kilograms", "g", 1000.0),
    ("lb lbs pound pounds", "g", 453.592),
    ("oz ounce ounces", "g", 28.3495),
    ("h hr hrs hour hours", "h", 1.0),
    ("min mins minute minutes", "h", 1 / 60),
    ("day days", "h", 24.0),
    ("week weeks", "h", 168.0),
    ("mah", "mAh", 1.0),
    ("mp megapixel megapixels", "MP", 1.0),
    ("w watt watts", "W", 1.0),
    ("kw kilowatt kilowatts", "W", 1000.0),
    ("hz hertz", "Hz", 1.0),
    ("l litre litres liter liters", "l", 1.0),
    ("ml millilitre millilitres milliliter milliliters", "l", 0.001),
    ("star stars", "stars", 1.0),
)
_BASE = {word: (base, factor) for written, base, factor in _UNITS for word in written.split()}
_UNIT = "|".join(sorted(map(re.escape, _BASE), key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,9})?|\d{1,12}(?:\.\d{1,9})?"
NO_UNITS = ("G",)  # "5G" is a network
NOT_GIVEN = ("", "-", "n/a", "none", "yes", "no")
_WRITTEN = re.compile(rf"(?P<number>[-+]?(?:\d[\d.,'\u2019\s]*|[.,]\d+))(?P<unit>{_UNIT})?", re.IGNORECASE)
_MEASURE = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>{_UNIT})?", re.IGNORECASE)


@dataclass(frozen=True)
class Measure:
    """`unit` is a base unit, or empty if there is none."""

    value: float
    unit: str


@lru_cache(maxsize=100_000)
def read_measure(text: str) -> Measure | None:
    """Parse the whole of `text` as one number with its unit, or return None."""
    found = _MEASURE.fullmatch(text.strip())
    if not found or found["unit"] in NO_UNITS:
        return None
    base, factor = _BASE[found["unit"].lower()] if found["unit"] else ("", 1.0)
    return Measure(float(found["number"].replace(",", "")) * factor, base)


def unit_of(word: str) -> str | None:
    return _BASE[word.lower()][0] if word.lower() in _BASE and word not in NO_UNITS else None


def parts_of(text: str) -> tuple[str, str] | None:
    """Return a number, in any notation, and its unit as written."""
    found = _WRITTEN.fullmatch(text)
    return (found["number"].strip(), found["unit"] or "") if found else None


def money(amount: float) -> str:
    """Format dollars like a price tag."""
    sign = "-" if amount < 0 else ""
    return f"{sign}${abs(amount):,.0f}" if amount == int(amount) else f"{sign}${abs(amount):,.2f}"
