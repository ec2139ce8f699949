"""Limits that a message sets in numbers: on the price, or on an attribute that its unit or a word beside it tells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.filters import PRICE, Condition, Op, number_of
from turnkeep_agents.products.reading.lexicon import Span, Token
from turnkeep_agents.products.reading.measures import Quantity, money, quantities
from turnkeep.blocks.words import STOP_WORDS, words

NEAR_CHARACTERS = 30
NEAR_TOKENS = 3
FAR_OUT = 3
EARLIEST_YEAR, LATEST_YEAR = 1990, 2049

_FILLER = (
    r"(?:\s+(?:a|an|the|of|is|are|than|be|at|it|my|about|around|budget|expensive|costly"
    r"|prices?|priced|costs?|costing))*\W*$"
)
_SMALLER = r"(?:cheap|small|light|short|few|low|old|thin|slow|earli|narrow)(?:er)"
_LARGER = r"(?:big|larg|high|heavi|long|new|bright|fast|great|thick|strong|late|wid|tall|bett)(?:g?er|ier)"
# The first that stands before a number says what it limits. `weak` words mean a limit only before an amount of money.
_BEFORE: Sequence[tuple[Op, bool, str]] = (
    (
        "min",
        False,
        rf"(?:no|not|never|nothing|isn.?t|aren.?t)\s+(?:\w+\s+)?(?:less|fewer|lower|under|below|{_SMALLER})",
    ),
    (
        "max",
        False,
        rf"(?:no|not|never|nothing|isn.?t|aren.?t)\s+(?:\w+\s+)?(?:more|over|above|exceeding|beyond|{_LARGER})",
    ),
    ("about", False, r"around|about|roughly|approximately|approx\.?|circa|near|nearly|close to|~|something like"),
    ("max", False, r"up to|at most|max|maximum|within|<=|≤|not exceed|not exceeding|as much as|budget|limit|cap"),
    ("under", False, rf"under|underneath|below|beneath|less|lower|fewer|<|before|{_SMALLER}"),
    ("min", False, r"at least|min|minimum|starting|upwards|>=|≥|or more|as of"),
    ("over", False, rf"over|above|more|exceed|exceeds|exceeding|beyond|>|after|since|{_LARGER}"),
    ("min", True, r"from"),
    ("max", True, r"for|have|spend|spending|afford|pay|paying|until|till|to|with|got"),
)
_NEXT = r"(?:\s+(?:of\s+)?[^\W\d]+){0,2}?\s+(?:or|and)\s+"
_NO_NUMBER = r"\b(?!\s*(?:than\b|[$€£]?\d))"  # "under 100 and over 500" are two limits
_AFTER: Sequence[tuple[Op, str]] = (
    ("max", rf"{_NEXT}(?:less|under|below|lower|cheaper|smaller|fewer|lighter|shorter|older|thinner){_NO_NUMBER}"),
    ("max", r"\W{0,3}(?:max\b|maximum|tops\b|at (?:the )?most|budget|limit)"),
    (
        "min",
        rf"{_NEXT}(?:more|up|above|over|higher|better|larger|bigger|greater|longer|newer|later|heavier){_NO_NUMBER}",
    ),
    ("min", r"\W{0,3}(?:\+(?!\s?\d)|plus\b|minimum|at (?:the )?least|upwards|and onwards?)"),
)
# Words behind a number that do not say what it counts.
_NOT_COUNTED = STOP_WORDS | frozenset(
    words(
        """
        max maximum min minimum please tops budget limit thanks thank right now then though total each per plus most
        least under over below above less more cheaper total even maybe ideally preferably altogether
        """
    )
)
_BEFORE_PATTERNS = [
    (op, weak, re.compile(rf"(?<!\w)(?:{words}){_FILLER}", re.IGNORECASE)) for op, weak, words in _BEFORE
]
_AFTER_PATTERNS = [(op, re.compile(words, re.IGNORECASE)) for op, words in _AFTER]
_BETWEEN = re.compile(r"\s*(?:and|to|through|[-\u2013\u2014])\s*", re.IGNORECASE)
_BETWEEN_LEAD = re.compile(r"\b(?:between|from|anywhere|range of|ranging)\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """`ignored` are numbers with units that no attribute has; `taken` are the places of what was read."""

    conditions: tuple[Condition, ...]
    ignored: tuple[str, ...]
    taken: tuple[tuple[int, int], ...]
    has_foreign_money: bool


@dataclass(frozen=True)
class _Bound:
    op: Op
    quantity: Quantity
    is_weak: bool = False


@dataclass(frozen=True)
class Words:
    """A message with its words, what they mean, and the places of names and values, whose numbers are no limits."""

    text: str
    tokens: Sequence[Token]
    spans: Sequence[Span]
    hidden: Sequence[tuple[int, int]]


class LimitReader:
    """Reads limits on products of the categories; of all products where none is given."""

    def __init__(self, said: Words, catalogue: Catalogue, categories: Sequence[str]):
        self._text, self._tokens, self._spans, self._hidden = said.text, said.tokens, said.spans, said.hidden
        self._catalogue = catalogue
        self._products = [p for p in catalogue.products if not categories or p.category in categories]

    def read(self) -> Limits:
        conditions: list[Condition] = []
        ignored: list[str] = []
        taken: list[tuple[int, int]] = []
        has_foreign_money = False
        for bound in self._bounds():
            quantity = bound.quantity
            attributes = self._attributes(bound)
            start, end = quantity.start, quantity.end
            if attributes:
                conditions.append(self._condition(bound, attributes, self._text[start:end].strip()))
                taken.append((start, end))
                has_foreign_money |= quantity.is_foreign_money
            elif counted := self._counted(quantity):
                ignored.append(self._text[start:counted].strip())
                taken.append((start, counted))
        return Limits(tuple(conditions), tuple(ignored), tuple(taken), has_foreign_money)

    def _bounds(self) -> Iterator[_Bound]:
        found = [quantity for quantity in quantities(self._text) if not self._is_hidden(quantity)]
        at = 0
        while at < len(found):
            pair = found[at : at + 2]
            if len(pair) == 2 and self._is_range(*pair):
                low, high = _alike(*pair)
                yield _Bound("min", low)
                yield _Bound("max", high)
                at += 2
            else:
                yield self._bound(found[at], found[at - 1].end if at else 0)
                at += 1

    def _is_hidden(self, quantity: Quantity) -> bool:
        return any(quantity.start < end and start < quantity.end for start, end in self._hidden)

    def _is_range(self, low: Quantity, high: Quantity) -> bool:
        joint = self._text[low.end : high.start]
        has_lead = bool(_BETWEEN_LEAD.search(self._text[: low.start]))
        return bool(_BETWEEN.fullmatch(joint)) and (has_lead or joint.strip().lower() != "and")

    def _bound(self, quantity: Quantity, earlier: int) -> _Bound:
        after = self._text[quantity.end : quantity.end + NEAR_CHARACTERS]
        for op, pattern in _AFTER_PATTERNS:
            if pattern.match(after):
                return _Bound(op, quantity)
        before = self._text[max(earlier, quantity.start - NEAR_CHARACTERS) : quantity.start]
        for op, is_weak, pattern in _BEFORE_PATTERNS:
            if pattern.search(before):
                is_price = quantity.is_money or not is_weak
                return _Bound(op if is_price else "about", quantity, is_weak)
        return _Bound("about", quantity, is_weak=True)

    def _attributes(self, bound: _Bound) -> list[str]:
        quantity = bound.quantity
        if quantity.is_money:
            return [PRICE]
        if quantity.unit == "stars":
            return self._meant("star")
        named = self._named_beside(quantity)
        if quantity.unit:
            having = self._with_unit(quantity.unit)
            return [name for name in named if name in having] or self._most_likely(having, quantity)
        named = [name for name in named if self._may_be(name, quantity.value)]
        if named:
            return named
        if self._is_year(bound):
            return self._meant("year")
        return [] if bound.is_weak or self._counted(quantity) else [PRICE]

    def _counted(self, quantity: Quantity) -> int | None:
        """Where a number ends that counts what no attribute does: 100 W, 3 people."""
        if quantity.unit:
            return quantity.end
        after = next((n for n, token in enumerate(self._tokens) if token.start >= quantity.end), None)
        if after is None or self._text[quantity.end : self._tokens[after].start] != " ":
            return None
        is_known = any(span.start <= after < span.end for span in self._spans)
        is_known = is_known or self._tokens[after].text.lower() in _NOT_COUNTED
        return None if is_known else self._tokens[after].end

    def _named_beside(self, quantity: Quantity) -> list[str]:
        """The measurable attribute that a word near the number names, the nearest first."""
        at = next((n for n, token in enumerate(self._tokens) if token.end > quantity.start), len(self._tokens))
        near: list[tuple[int, str]] = []
        for span in self._spans:
            distance = min(abs(span.end - 1 - at), abs(span.start - at))
            names = [name for meaning in span.of("attribute") for name in meaning.attributes]
            near += [(distance, name) for name in names if distance <= NEAR_TOKENS + 1 and self._is_measured(name)]
        nearest = min((distance for distance, _ in near), default=0)
        return [name for distance, name in near if distance == nearest]

    def _is_measured(self, name: str) -> bool:
        return any(number_of(product, name) is not None for product in self._products)

    def _may_be(self, name: str, value: float) -> bool:
        """Whether a number without a unit is of the size that an attribute has; 400 is no screen."""
        values = [number_of(product, name) for product in self._products]
        known = [one for one in values if one is not None]
        return bool(known) and value <= FAR_OUT * max(known)

    def _with_unit(self, unit: str) -> list[str]:
        names = dict.fromkeys(name for product in self._products for name in product.attributes)
        return [name for name in names if any(number_of(p, name, unit) is not None for p in self._products)]

    def _most_likely(self, names: Sequence[str], quantity: Quantity) -> list[str]:
        """Of attributes with the same unit the one whose values are nearest."""

        def distance(name: str) -> float:
            values = [number_of(product, name, quantity.unit) for product in self._products]
            return min(abs(value - quantity.value) for value in values if value is not None)

        return [min(names, key=distance)] if names else []

    def _is_year(self, bound: _Bound) -> bool:
        value = bound.quantity.value
        return value == int(value) and EARLIEST_YEAR <= value <= LATEST_YEAR and bound.op in ("min", "over", "about")

    def _condition(self, bound: _Bound, attributes: Sequence[str], said: str) -> Condition:
        quantity, names = bound.quantity, list(attributes)
        is_about = bound.op == "about" and names == self._meant("star")  # who says a rating wants it or a better one
        op: Op = "min" if is_about else bound.op
        if names == [PRICE]:
            return Condition(
                attributes=names, op=op, values=[], number=quantity.value, unit="", said=money(quantity.value)
            )
        unit = "" if quantity.unit == "stars" else quantity.unit
        said = f"{said} {unit}" if unit and said.replace(".", "").isdigit() else said
        return Condition(attributes=names, op=op, values=[], number=quantity.value, unit=unit, said=said)

    def _meant(self, word: str) -> list[str]:
        return [name for meaning in self._catalogue.lexicon.meanings((word,)) for name in meaning.attributes]


def _alike(low: Quantity, high: Quantity) -> tuple[Quantity, Quantity]:
    """Of a range only one end may have the unit or the currency, and its ends may stand in any order."""
    is_money, unit = low.is_money or high.is_money, low.unit or high.unit
    factor = _factor(low, high)
    low = replace(low, value=low.value * factor, is_money=is_money, unit="" if is_money else unit)
    high = replace(high, is_money=is_money, unit="" if is_money else unit)
    return (low, high) if low.value <= high.value else (high, low)


def _factor(low: Quantity, high: Quantity) -> float:
    """1-2k dollars are 1,000 to 2,000."""
    return 1000.0 if high.value >= 1000 > low.value * 10 and not low.is_money and high.is_money else 1.0
