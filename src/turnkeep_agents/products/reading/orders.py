"""What comes first in an answer ("the lightest", "cheap"), and what is wanted more or less of than before ("cheaper").
An adjective stands for the attributes that it can be about; the first of them that products have counts."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.filters import PRICE, Order, number_of
from turnkeep_agents.products.reading.lexicon import Span
from turnkeep_agents.products.reading.limits import Words
from turnkeep_agents.products.reading.measures import unit_of
from turnkeep.blocks.words import words

BEST_RATED = "best rated"
BETWEEN_WORDS = 3  # between a superlative and the attribute that it is about

# Stem, what it is about, and whether more of it is meant. A stem takes -er and -est.
_ADJECTIVES = (
    ("cheap", (PRICE,), False),
    ("dear", (PRICE,), True),
    ("pric(?:i|y)", (PRICE,), True),
    ("new", ("year",), True),
    ("old", ("year",), False),
    ("light", ("weight",), False),
    ("heav(?:i|y)", ("weight",), True),
    ("big(?:g)?", ("screen", "capacity"), True),
    ("large?", ("screen", "capacity"), True),
    ("small", ("screen", "capacity", "weight"), False),
    ("compact", ("weight",), False),
    ("wid", ("width",), True),
    ("narrow", ("width",), False),
    ("tall", ("height",), True),
    ("deep", ("depth",), True),
    ("thin", ("thickness", "depth"), False),
    ("long", ("battery life", "battery", "length"), True),
    ("short", ("battery life", "battery"), False),
    ("fast", ("refresh rate", "memory"), True),
    ("sharp", ("resolution", "camera"), True),
    ("strong", ("power",), True),
    ("powerful", ("power", "memory"), True),
    ("spacious", ("capacity", "storage"), True),
    ("roomy", ("capacity",), True),
)
_PLAIN = {
    "light": (("weight",), False),
    "lightweight": (("weight",), False),
    "heavy": (("weight",), True),
    "big": (("screen", "capacity"), True),
    "large": (("screen", "capacity"), True),
    "small": (("screen", "capacity"), False),
    "powerful": (("power", "memory"), True),
    "roomy": (("capacity",), True),
}
_PLENTY = frozenset(words("big large huge long good great decent high lots plenty massive strong"))
_LITTLE = frozenset(words("small little low short"))
_BETTER_OR_WORSE = {"best": True, "better": True, "worst": False, "worse": False}
_MORE = frozenset(words("most more highest higher biggest bigger largest larger longest longer greatest greater max"))
_LESS = frozenset(words("least less lowest lower smallest smaller shortest shorter fewest fewer lightest lighter"))
_COST = frozenset(words("cost costs costing sells"))
_SUPERLATIVE = re.compile(r"\w+est|most|least|worst|max")
NEAR_CHARACTERS = 16  # from a comparative to the number that makes a limit of it
_RATED = re.compile(
    r"\b(?:best|highest|top|most highly|(?P<low>worst|lowest))[\s-]+(?:customer[\s-]+)?"
    r"(?:rated|ratings?|reviewed|reviews?|ranked|scores?)\b"
    r"|\b(?P<more>better|higher)[\s-]+(?:rated|rating|reviewed|reviews?)\b",
    re.IGNORECASE,
)
_PRICED = re.compile(
    r"\b(?:(?P<least>least|lowest|most affordable|best value|best priced|best price)|(?P<most>most|highest)"
    r"|(?P<less>less|lower|more affordable)|(?P<more>more|higher))"
    r"[\s-]*(?:expensive|costly|prices?|priced|cost|in price)?\b",
    re.IGNORECASE,
)
_ABOUT_PRICE = re.compile(r"expensive|costly|pric|cost|affordable|value", re.IGNORECASE)
_PLAIN_PRICE = re.compile(
    r"\b(?:(?P<low>cheap|affordable|inexpensive|low[\s-]?cost|budget|bargains?|economical|entry[\s-]level)"
    r"|(?P<high>high[\s-]end|premium|luxury|luxurious|top[\s-]end|flagship))\b",
    re.IGNORECASE,
)
_BEST = re.compile(
    r"\b(?:best|top(?=\s+(?:\d|selling|\w+s\b))|most popular|popular|favou?rite|best[\s-]?selling|recommended)\b"
    r"|\bwhich\b[^?.!]*\b(?:recommend|prefer|choose|pick|take|buy)\b",
    re.IGNORECASE,
)
_BETTER = re.compile(r"\bbetter\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow (?:many|much) (\w+)\b", re.IGNORECASE)
_HOW = re.compile(r"\bhow (\w+)\b", re.IGNORECASE)
_RECENT = re.compile(r"\b(?:latest|most recent|most modern|brand[\s-]new)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Wanted:
    """An order, whether it is a superlative ("lightest") or a comparative ("lighter"), and the tokens that say it."""

    order: Order
    is_superlative: bool
    is_relative: bool
    start: int
    end: int


class OrderReader:
    """Reads the first order that a message asks for."""

    def __init__(
        self,
        said: Words,
        catalogue: Catalogue,
        limits: Sequence[tuple[int, int]] = (),
        categories: Collection[str] = (),
    ):
        """`limits` are the places of numbers that a comparative before them belongs to; a word for one of the
        `categories` is no attribute."""
        self._tokens, self._text = said.tokens, said.text
        self._spans = [span for span in said.spans if not {one.name for one in span.of("category")} & set(categories)]
        self._kinds = [span.start for span in said.spans if span.of("category")]
        self._limits, self._catalogue = limits, catalogue

    def read(self) -> Wanted | None:
        for step in (self._by_price, self._by_rating, self._by_attribute, self._by_adjective, self._by_recency):
            found = step()
            if found:
                return found
        return self._by_general_praise()

    def asked(self) -> list[str]:
        """The attributes that "how heavy" and the like ask for."""
        counted = _HOW_MANY.search(self._text)
        unit = unit_of(counted[1]) if counted else None
        if unit:
            every = dict.fromkeys(name for product in self._catalogue.products for name in product.attributes)
            return [n for n in every if any(number_of(p, n, unit) is not None for p in self._catalogue.products)]
        found = _HOW.search(self._text)
        stems = [
            names for stem, names, _ in _ADJECTIVES if found and re.fullmatch(f"{stem}[ey]?", found[1], re.IGNORECASE)
        ]
        return [name for names in stems for name in self._known(names) if name != PRICE]

    def _by_price(self) -> Wanted | None:
        for found in _PRICED.finditer(self._text):
            if _ABOUT_PRICE.search(found[0]) and not self._is_of_limit(found.end()):
                is_high = bool(found["most"] or found["more"])
                is_relative = bool(found["less"] or found["more"])
                return self._wanted([PRICE], is_high, found, is_relative=is_relative)
        return None

    def _by_rating(self) -> Wanted | None:
        found = _RATED.search(self._text)
        if found is None:
            return None
        return self._wanted(self._meant("star"), not found["low"], found, is_relative=bool(found["more"]))

    def _by_attribute(self) -> Wanted | None:
        """A word for more or less with a measured attribute behind it."""
        for at, token in enumerate(self._tokens):
            word = token.text.lower()
            if word not in _MORE | _LESS | _BETTER_OR_WORSE.keys() or self._is_of_limit(token.end):
                continue
            if word in ("most", "least") and (before := self._verb_before(at)):
                return before
            span = next((s for s in self._spans if at < s.start <= at + BETWEEN_WORDS and self._measured(s)), None)
            if span and not self._stands_between(at, span):
                is_superlative = bool(_SUPERLATIVE.fullmatch(word))
                order = self._order(self._measured(span), word, at, span.end)
                return Wanted(order, is_superlative, not is_superlative, at, span.end)
        return None

    def _verb_before(self, at: int) -> Wanted | None:
        """Weighs the least, costs most."""
        start = at - 2 if at > 1 and self._tokens[at - 1].root == "the" else at - 1
        if start >= 0 and self._tokens[start].root in _COST:
            names = [PRICE]
        else:
            names = next((self._measured(span) for span in self._spans if span.end == start + 1), [])
        is_alone = not any(span.start in (at + 1, at + 2) and self._measured(span) for span in self._spans)
        if start < 0 or not names or not is_alone:
            return None
        order = self._order(names, self._tokens[at].text.lower(), start, at + 1)
        said = f"{'highest' if order['descending'] else 'lowest'} {names[0]}"
        return Wanted(Order(**{**order, "said": said}), is_superlative=True, is_relative=False, start=start, end=at + 1)

    def _by_adjective(self) -> Wanted | None:
        for stem, attributes, is_high in _ADJECTIVES:
            pattern = (
                rf"\b(?:{stem})(?:(?P<more>e?r)|(?P<most>e?st))\b|\b(?:(?P<more_>more)|(?P<most_>most)) (?:{stem})\b"
            )
            found = re.search(pattern, self._text, re.IGNORECASE)
            names = self._known(attributes)
            if found and names and not self._is_of_limit(found.end()):
                is_relative = bool(found["more"] or found["more_"])
                return self._wanted(names, is_high, found, is_relative=is_relative)
        return self._by_plain_adjective()

    def _by_plain_adjective(self) -> Wanted | None:
        """A light laptop, lots of storage: nothing is left out, but this comes first."""
        for at, token in enumerate(self._tokens):
            if at and self._tokens[at - 1].root == "how":  # that asks, see `asked`
                continue
            attributes, is_high = _PLAIN.get(token.text.lower(), ((), True))
            names = self._known(attributes)
            if names and at + 1 in self._kinds:
                return self._plain(names, at, at + 1, is_high=is_high)
            span = next((s for s in self._spans if at < s.start <= at + BETWEEN_WORDS and self._measured(s)), None)
            is_plenty = token.text.lower() in _PLENTY | _LITTLE and not self._is_of_limit(token.end)
            if span and is_plenty and not self._stands_between(at, span):
                named = self._measured(span)
                is_high = (token.text.lower() in _PLENTY) != ("weight" in named)
                return self._plain(named, at, span.end, is_high=is_high)
        found = _PLAIN_PRICE.search(self._text)
        return self._wanted([PRICE], bool(found["high"]), found, is_plain=True) if found else None

    def _by_recency(self) -> Wanted | None:
        found, names = _RECENT.search(self._text), self._meant("year")
        return self._wanted(names, True, found) if found and names else None

    def _by_general_praise(self) -> Wanted | None:
        names = self._meant("star")
        if names and (found := _BEST.search(self._text)):
            wanted = self._wanted(names, True, found)
            return replace(wanted, order={**wanted.order, "said": BEST_RATED}) if wanted else None
        found = _BETTER.search(self._text)
        return self._wanted(names, True, found, is_relative=True) if found and names else None

    def _wanted(
        self,
        names: Sequence[str],
        is_high: bool,
        found: re.Match[str],
        *,
        is_relative: bool = False,
        is_plain: bool = False,
    ) -> Wanted | None:
        if not names:
            return None
        inside = [n for n, token in enumerate(self._tokens) if token.end > found.start() and token.start < found.end()]
        order = Order(by=list(names), descending=is_high, said=found[0].lower())
        return Wanted(order, not is_relative and not is_plain, is_relative, inside[0], inside[-1] + 1)

    def _order(self, names: Sequence[str], word: str, start: int, end: int) -> Order:
        """Of weights, less is better."""
        is_high = _BETTER_OR_WORSE[word] != ("weight" in names) if word in _BETTER_OR_WORSE else word in _MORE
        said = self._text[self._tokens[start].start : self._tokens[end - 1].end]
        return Order(by=list(names), descending=is_high, said=said.lower())

    def _plain(self, names: Sequence[str], start: int, end: int, *, is_high: bool) -> Wanted:
        said = self._text[self._tokens[start].start : self._tokens[end - 1].end].lower()
        order = Order(by=list(names), descending=is_high, said=said)
        return Wanted(order, is_superlative=False, is_relative=False, start=start, end=end)

    def _measured(self, span: Span) -> list[str]:
        return self._known([name for meaning in span.of("attribute") for name in meaning.attributes])

    def _known(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name == PRICE or name in self._catalogue.measured]

    def _meant(self, word: str) -> list[str]:
        return self._known([name for m in self._catalogue.lexicon.meanings((word,)) for name in m.attributes])

    def _stands_between(self, at: int, span: Span) -> bool:
        """Whether something else of the catalogue comes before the attribute: that is what the word is about then."""
        return any(at < other.start < span.start for other in self._spans)

    def _is_of_limit(self, end: int) -> bool:
        return any(0 <= start - end <= NEAR_CHARACTERS for start, _ in self._limits)
