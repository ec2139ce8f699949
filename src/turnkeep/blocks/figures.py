"""Which numbers of a text are nobody's: a model may word what code has computed, and must not add to it.
Numbers are read as English writes them; a date counts as one thing, a word with a digit in it (300x250) as a name."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from turnkeep.blocks.dates import Day, find_days, is_known_day

MOST_ROUNDED = 0.05
"""How far a number in thousands or millions may lie from the known one that it rounds, as a share of it."""
MOST_COUNTED = 12
"""Up to it a number in words may count what a text lists; with a unit it is a figure."""

_SIGNS = {"£": "GBP", "$": "USD", "€": "EUR", "¥": "JPY", "₹": "INR", "%": "%"}
_UNITS = _SIGNS | {
    "pound": "GBP", "pounds": "GBP", "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR",
    "gbp": "GBP", "usd": "USD", "eur": "EUR", "jpy": "JPY", "inr": "INR", "chf": "CHF",
    "percent": "%", "per cent": "%", "pct": "%", "pp": "%", "percentage point": "%", "percentage points": "%",
}  # fmt: skip
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
_AMBIGUOUS = ("m", "b")  # metres and bytes, unless money is meant

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_SMALL.split())}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS.split(), 2)}
_MULTIPLES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


def _either(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_NAMED_UNITS = _either(word for word in _UNITS if word[0].isalpha())
_UNIT = rf"(?:[ \u00a0-]?(?P<unit>%|(?:[£$€¥₹]|(?:{_NAMED_UNITS})\b)(?![ \u00a0]?\d)))?"
_TOKEN = re.compile(
    r"(?P<sign>(?<![\w.,)])[-+\u2212])?"
    rf"(?:(?P<before>[£$€¥₹]|\b(?:{_either(set(_SIGNS.values()) - {'%'})})\b)\s?)?(?<!\w)"
    r"(?P<token>(?:(?<![\w.])\.(?=\d))?\w*\d\w*(?:[.,'\u2019\u00a0\u202f]\d\w*)*)"
    rf"(?:\s?(?P<scale>(?:{_either(_SCALES)})\b))?{_UNIT}",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    rf"\b(?P<words>(?:{_either(_WORDS)})(?:(?:-|\s|\sand\s)(?:{_either(_WORDS | _MULTIPLES)}))*)\b{_UNIT}",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?P<digits>\.?\d[\d.,'\u2019\u00a0\u202f]*)(?P<letters>[^\W\d_]*)")
_SIZE = re.compile(r"(?<=\d)\s*[x\u00d7]\s*(?=\d)", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"^[ \t]*\d{1,2}[.)](?=\s)", re.MULTILINE)
_ORDINAL = re.compile(r"\b(?:[12]?\d|3[01])(?:st|nd|rd|th)\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:(?P<mark>[.,])\d{3})(?:(?P=mark)\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3}")


@dataclass(frozen=True)
class _Number:
    """A number as it is written, with all that it may mean; `rounding` is how far it may lie from what it rounds.
    Without values it is a name that holds a digit."""

    at: int
    written: str
    values: tuple[float, ...]
    unit: str = ""
    sign: str = ""
    rounding: float = 0.0


@dataclass
class _Known:
    days: list[Day] = field(default_factory=list)
    years: set[float] = field(default_factory=set)
    numbers: dict[float, list[_Number]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def learn(self, text: str) -> None:
        dated, text = _split(text)
        self.days += [day for _, days in dated for day in days]
        self.years = {float(day.year) for day in self.days if day.year}
        for number in [*_numbers(text), *(each for each in _in_words(text) if max(each.values) > 1)]:
            self.names.add(number.written.casefold())
            for value in number.values:
                self.numbers.setdefault(round(value, 9), []).append(number)

    def has_day(self, day: Day) -> bool:
        return is_known_day(day, self.days)

    def holds(self, number: _Number) -> bool:
        if number.written.casefold() in self.names and not number.values:
            return True
        if not number.unit and any(value in self.years for value in number.values):
            return True
        return any(_agree(number, each) for value in number.values for each in self._near(value, number.rounding))

    def _near(self, value: float, rounding: float) -> Iterator[_Number]:
        yield from self.numbers.get(round(value, 9), [])
        if rounding:
            for each, numbers in self.numbers.items():
                if abs(each - value) <= min(rounding * 1.000001, MOST_ROUNDED * abs(each)):
                    yield from numbers


def foreign_figures(text: str, known: Iterable[str]) -> list[str]:
    """The numbers in `text`, as written and in order, that occur in none of the `known` texts. The same number may be
    spelled in another way, rounded only with k, m and the like; with another unit it is another number. Numbers of a
    list, ordinals and small numbers in words are fine."""
    ours = _Known()
    for each in known:
        ours.learn(_tidy(each))
    dated, text = _split(_tidy(text))
    strangers = [(found.start(), found[0]) for found, days in dated if not all(map(ours.has_day, days))]
    text = _ORDINAL.sub(_blank, _LIST_NUMBER.sub(_blank, text))
    said = [*_numbers(text), *(each for each in _in_words(text) if each.unit or max(each.values) > MOST_COUNTED)]
    strangers += [(number.at, number.written) for number in said if not ours.holds(number)]
    return [written for _, written in sorted(strangers)]


def _split(text: str) -> tuple[list[tuple[re.Match[str], list[Day]]], str]:
    """The dates of a text, and the text without them."""
    dated = list(find_days(text))
    for found, _ in dated:
        text = text[: found.start()] + _blank(found) + text[found.end() :]
    return dated, text


def _tidy(text: str) -> str:
    """With the line breaks of JSON as such, and sizes as one word."""
    return _SIZE.sub("x", text.replace("\\n", "\n"))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _agree(one: _Number, other: _Number) -> bool:
    """Whether neither the units nor the signs tell them apart, where both have one."""
    return all(not a or not b or a == b for a, b in ((one.unit, other.unit), (one.sign, other.sign)))


def _numbers(text: str) -> Iterator[_Number]:
    """Those that are written in digits."""
    for found in _TOKEN.finditer(text):
        parts = _NUMBER.fullmatch(found["token"])
        value = _value(parts["digits"]) if parts else None
        if parts is None or value is None:
            yield _Number(found.start("token"), found["token"], ())
            continue
        unit = _UNITS.get((found["before"] or found["unit"] or "").lower(), "")
        yield _scaled(found, parts, value, unit)


def _scaled(found: re.Match[str], parts: re.Match[str], value: float, unit: str) -> _Number:
    name = (parts["letters"] or found["scale"] or "").lower()
    scale = _SCALES.get(name, 1)
    decimals = len(parts["digits"].rpartition(".")[2]) if "." in parts["digits"] else 0
    values = (value, value * scale) if name in _AMBIGUOUS and not unit else (value * scale,)
    rounding = scale * 0.5 / 10**decimals if scale > 1 else 0.0
    sign = "-" if found["sign"] == "\u2212" else found["sign"] or ""
    return _Number(found.start("token"), found["token"], values, unit, sign, rounding)


def _value(digits: str) -> float | None:
    """12,345.67 and 12.345,67 and 1,04 alike; a single point is always a decimal one. None for what is no number."""
    plain = re.sub(r"['\u2019\u00a0\u202f]", "", digits)
    whole, mark, part = plain.rpartition("." if plain.rfind(".") > plain.rfind(",") else ",")
    if _THOUSANDS.fullmatch(plain) and (mark == "," or plain.count(".") > 1):
        return float(re.sub(r"[.,]", "", plain))
    if not mark:
        return float(plain)
    if mark in whole or (re.search(r"[.,]", whole) and not _THOUSANDS.fullmatch(whole)):
        return None
    return float(f"{re.sub(r'[.,]', '', whole) or 0}.{part}")


def _in_words(text: str) -> Iterator[_Number]:
    for found in _IN_WORDS.finditer(text):
        total = part = 0.0  # huge ones become infinite, where whole numbers would not fit
        for word in re.findall(r"[a-z]+", found["words"].lower()):
            if word in _WORDS:
                part += _WORDS[word]
            elif word in _MULTIPLES:
                part = max(part, 1) * _MULTIPLES[word]
                total, part = (total, part) if word == "hundred" else (total + part, 0.0)
        yield _Number(found.start(), found["words"], (total + part,), _UNITS.get((found["unit"] or "").lower(), ""))
