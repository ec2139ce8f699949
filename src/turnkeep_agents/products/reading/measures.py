"""Numbers as shops and their customers write them: with units, with a currency, in words.
Units of one kind come out in one base unit, so that 1 TB is more than 512 GB."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from turnkeep.blocks.words import words

# What is written, the unit it is counted in, and how many of that it is.
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
_STERLING = ("pound", "pounds")
LEAST_STERLING = 50  # as many pounds are money and no weight
_DOLLARS = r"(?:dollars?|bucks?|usd)\b|\$"
_OTHER_MONEY = r"(?:euros?|eur|gbp|pounds sterling|quid|rupees?|yen|yuan)\b|[€£¥₹]"

_MEASURE = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>{_UNIT})?", re.IGNORECASE)
_QUANTITY = re.compile(
    rf"(?P<minus>(?<![\w.])-)?(?:(?P<before>us\$|\$|\busd|[€£¥₹])\s?)?(?<![\w.])(?P<minus_after>-)?(?P<number>{_NUMBER})"
    rf"(?P<k>\s?k\b|\s?grand\b)?(?:[\s-]?(?:(?P<unit>{_UNIT})(?<!\sin(?=\s[a-z]))(?!\w)|(?P<dollars>{_DOLLARS})"
    rf"|(?P<other>{_OTHER_MONEY})))?(?![^\W_])",
    re.IGNORECASE,
)
_ONES = words("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")
_ONES += words("seventeen eighteen nineteen")
_TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {word: n for n, word in enumerate(_ONES, 1)} | {word: n * 10 for n, word in enumerate(_TENS, 2)}
_SPELLED = "|".join(sorted(_SMALL, key=len, reverse=True))
_IN_WORDS = re.compile(
    rf"\b(?:a|(?:{_SPELLED})(?:[\s-](?:{_SPELLED}))?)\s(?:hundred|thousand|grand)"
    rf"(?:(?:\sand)?\s(?:{_SPELLED}|hundred)(?:[\s-](?:{_SPELLED}|hundred))*)?\b"
    rf"|\b(?:{_SPELLED})(?:[\s-](?:{_SPELLED}))?(?!\sin\s[a-z])(?=[\s-](?:{_UNIT}|{_DOLLARS})(?!\w))",
    re.IGNORECASE,
)
_A_WEEK = re.compile(
    r"\b(?P<before>least|over|than|up to|about|around) (?:an?|one)(?= (?:day|week|hour|kilo|litre|liter|terabyte)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Measure:
    """`unit` is a base unit, or empty where there is none."""

    value: float
    unit: str


@dataclass(frozen=True)
class Quantity:
    """A number in a message, from `start` to `end`."""

    start: int
    end: int
    value: float
    unit: str
    is_money: bool
    is_foreign_money: bool


@lru_cache(maxsize=100_000)
def read_measure(text: str) -> Measure | None:
    """The whole of `text` as one number with its unit, or None."""
    found = _MEASURE.fullmatch(text.strip())
    if found and found["unit"] == "G":  # a network, no weight
        return None
    return _measure(found["number"], found["unit"]) if found else None


def unit_of(word: str) -> str | None:
    """The base unit that a word stands for."""
    return _BASE[word.lower()][0] if word.lower() in _BASE else None


def convert(number: str, unit: str) -> str:
    """A bare number of a column whose heading names the unit, with that unit."""
    plain = re.sub(r"^(\d+),(\d{1,2})$", r"\1.\2", number.strip())  # 2,5 as much of Europe writes it
    return f"{plain} {unit}" if re.fullmatch(_NUMBER, plain) else number


def quantities(text: str) -> Iterator[Quantity]:
    """The numbers of a message in their order."""
    for found in _QUANTITY.finditer(text):
        measure = _measure(found["number"], found["unit"])
        before = found["before"] or ""
        is_sterling = (found["unit"] or "").lower() in _STERLING and measure.value >= LEAST_STERLING * _BASE["lb"][1]
        is_foreign = bool(found["other"]) or before in ("€", "£", "¥", "₹") or is_sterling
        is_money = is_foreign or bool(before or found["dollars"] or found["k"])
        sign = -1.0 if found["minus"] or found["minus_after"] else 1.0
        scale = (1000.0 if found["k"] else 1.0) / (_BASE["lb"][1] if is_sterling else 1.0)
        unit = "" if is_money else measure.unit
        yield Quantity(found.start(), found.end(), round(sign * measure.value * scale, 6), unit, is_money, is_foreign)


def with_digits(text: str) -> str:
    """The same with numbers in words as digits, where a unit or a hundred shows that a number is meant."""
    text = _A_WEEK.sub(r"\g<before> 1", text)
    return _IN_WORDS.sub(lambda found: str(_value(found[0])), text)


def money(amount: float) -> str:
    """Dollars as a price tag shows them."""
    sign = "-" if amount < 0 else ""
    return f"{sign}${abs(amount):,.0f}" if amount == int(amount) else f"{sign}${abs(amount):,.2f}"


def plain(number: float) -> str:
    """Without a fraction of zero."""
    return f"{number:g}" if abs(number) < 100_000 else f"{number:.0f}"


def _measure(number: str, unit: str | None) -> Measure:
    base, factor = _BASE[unit.lower()] if unit else ("", 1.0)
    return Measure(float(number.replace(",", "")) * factor, base)


def _value(spelled: str) -> int:
    total, run = 0, 0
    for word in re.split(r"[\s-]", spelled.lower()):
        if word == "hundred":
            run = max(run, 1) * 100
        elif word in ("thousand", "grand"):
            total, run = total + max(run, 1) * 1000, 0
        elif word == "a":
            run = 1
        else:
            run += _SMALL.get(word, 0)
    return total + run
