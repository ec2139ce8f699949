"""What the words of a message mean in a catalogue: its categories, brands, attributes and their values, learned from
its products, so that another catalogue brings its own words. Only words for the same thing are given here."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from turnkeep_agents.products.catalogue.product import NO, YES, Product
from turnkeep_agents.products.reading.measures import read_measure, unit_of
from turnkeep.blocks.words import STOP_WORDS, singular, words

type Phrase = tuple[str, ...]
type Kind = Literal["category", "brand", "attribute", "value"]

LONGEST_PHRASE = 4
# Words for the same thing. Of a group none of whose words the catalogue knows, nothing is learned.
ALIASES = (
    ("phone", "smartphone", "mobile", "mobile phone", "cell phone", "cellphone", "handset"),
    ("laptop", "notebook", "notebook computer", "portable computer", "computer"),
    ("television", "tv", "tvs", "tv set", "telly"),
    ("headphone", "earphone", "earbud", "headset", "bud"),
    ("watch", "smartwatch", "smart watch", "fitness tracker", "fitness band", "wristwatch"),
    ("vacuum cleaner", "vacuum", "hoover"),
    ("e reader", "ebook reader", "e book reader", "book reader"),
    ("monitor", "computer screen", "computer display", "computer monitor"),
    ("speaker", "loudspeaker"),
    ("colour", "color"),
    ("grey", "gray"),
    ("violet", "lilac", "lavender", "purple"),
    ("memory", "ram"),
    ("storage", "disk space", "hard disk", "hard drive", "storage space"),
    ("screen", "display", "screen size", "display size"),
    ("weight", "weigh"),
    ("rating", "rated", "rate", "review", "star", "score"),
    ("year", "released", "release date", "release year"),
    ("noise cancelling", "noise canceling", "noise cancellation", "anc"),
    ("waterproof", "water proof"),
    ("water resistant", "water resistance", "splash proof", "splashproof"),
    ("touchscreen", "touch screen", "touch display"),
    ("convertible", "2 in 1", "two in one"),
    ("gaming graphics", "gaming mode", "gaming"),
    ("foldable", "folding", "flip phone"),
    ("headphone jack", "audio jack", "headphone socket"),
    ("gps", "satellite navigation"),
)
# Words of which each finds what all of them find.
SAME = (("battery life", "battery", "runtime", "run time"), ("wireless", "cordless"))


@dataclass(frozen=True)
class Token:
    """A word of a message from `start` to `end`; `root` is in lower case, without accent and plural ending."""

    text: str
    root: str
    start: int
    end: int


@dataclass(frozen=True)
class Meaning:
    """What a phrase is: the `name` of a category or brand, an attribute, or a value that `attributes` can have."""

    kind: Kind
    name: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Span:
    """The tokens from `start` up to `end`, and all that they can mean."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]

    def of(self, kind: Kind) -> list[Meaning]:
        return [meaning for meaning in self.meanings if meaning.kind == kind]


_CODE = re.compile(r"\d+[a-z]+")  # 4K of "4K video"
_TOKEN = re.compile(r"[^\W_]+")


def read_tokens(text: str) -> list[Token]:
    return [Token(found[0], root(found[0]), found.start(), found.end()) for found in _TOKEN.finditer(text)]


@lru_cache(maxsize=100_000)
def roots(text: str) -> Phrase:
    return tuple(map(root, words(text)))


def root(word: str) -> str:
    plain = "".join(words(word)) or word.lower()
    return plain[:-2] if len(plain) > 4 and plain.endswith(("ches", "shes", "sses", "xes")) else singular(plain)


class Lexicon:
    """The phrases of a catalogue."""

    def __init__(self, products: Iterable[Product]):
        every = list(products)
        self._meanings: dict[Phrase, dict[Meaning, None]] = {}
        self._words: set[str] = set()
        self._plain: set[str] = set()
        for product in every:
            self._learn(product)
        self._merge_values()
        for group in ALIASES:
            self._equate([roots(phrase) for phrase in group], replaces=False)
        for group in SAME:
            self._equate([roots(phrase) for phrase in group], replaces=True)

    def scan(self, tokens: Sequence[Token], taken: Collection[int] = ()) -> Iterator[Span]:
        """The phrases of a message in their order, the longest first; `taken` tokens are passed over."""
        at = 0
        while at < len(tokens):
            span = self._longest(tokens, at, taken)
            if span:
                yield span
            at = span.end if span else at + 1

    @cached_property
    def terms(self) -> frozenset[str]:
        """Single words for categories and brands."""
        named = [phrase for phrase in self._meanings if len(phrase) == 1]
        return frozenset(p[0] for p in named if any(m.kind in ("category", "brand") for m in self._meanings[p]))

    def meanings(self, phrase: Phrase) -> tuple[Meaning, ...]:
        return tuple(self._meanings.get(phrase, ()))

    def knows(self, word: str) -> bool:
        """Whether any product's texts hold this root, in this form or without its ending."""
        return not self._words.isdisjoint(_forms(word))

    def is_plain(self, word: str) -> bool:
        """Whether this root is an ordinary word: descriptions or values of attributes hold it in lower case."""
        return word in self._plain or word in STOP_WORDS

    def _longest(self, tokens: Sequence[Token], at: int, taken: Collection[int]) -> Span | None:
        for end in range(min(at + LONGEST_PHRASE, len(tokens)), at, -1):
            if not any(n in taken for n in range(at, end)):
                found = self.meanings(tuple(token.root for token in tokens[at:end]))
                if found:
                    return Span(at, end, found)
        return None

    def _learn(self, product: Product) -> None:
        whole = product.searchable()
        self._words |= set(roots(f"{whole.title} {whole.text}"))
        self._plain |= {root(word) for word in re.findall(r"\b[a-z]{2,}\b", product.description)}
        self._add_category(product.category)
        if product.brand:
            self._add(roots(product.brand), Meaning("brand", product.brand))
        for name, values in product.attributes.items():
            self._add_attribute(name)
            for value in values:
                self._add_value(name, value)

    def _add_category(self, category: str) -> None:
        phrase, meaning = roots(category), Meaning("category", category)
        self._add(phrase, meaning)
        for word in phrase if len(phrase) > 1 else ():
            if word not in STOP_WORDS and len(word) > 2:
                self._add((word,), meaning)

    def _add_attribute(self, name: str) -> None:
        phrase, meaning = roots(name), Meaning("attribute", name, (name,))
        self._add(phrase, meaning)
        if len(phrase) > 1 and STOP_WORDS.isdisjoint(phrase):
            self._add(phrase[:1], meaning)

    def _add_value(self, name: str, value: str) -> None:
        if value in (YES, NO):
            self._add(roots(name), Meaning("value", YES, (name,)))
        elif read_measure(value) is None:
            phrase = roots(value)
            self._plain |= set(phrase)
            codes = {phrase[:1]} if len(phrase) > 1 and _CODE.fullmatch(phrase[0]) else set[Phrase]()
            bare = without_count(phrase)
            counted = {bare, bare[:1]} if bare != phrase else set[Phrase]()
            for each in {phrase, _without_version(phrase)} | codes | counted:
                self._add(each, Meaning("value", " ".join(each), (name,)))

    def _add(self, phrase: Phrase, meaning: Meaning) -> None:
        is_usable = 0 < len(phrase) <= LONGEST_PHRASE and not set(phrase) <= STOP_WORDS
        if not is_usable or all(word.isdigit() for word in phrase) or len("".join(phrase)) < 2:
            return
        for each in {phrase, ("".join(phrase),)}:
            self._meanings.setdefault(each, {})[meaning] = None

    def _merge_values(self) -> None:
        """A value that several attributes have is one value of any of them."""
        for phrase, found in self._meanings.items():
            values = [meaning for meaning in found if meaning.kind == "value"]
            by_name: dict[str, list[str]] = {}
            for meaning in values:
                by_name.setdefault(meaning.name, []).extend(meaning.attributes)
            merged = [Meaning("value", name, tuple(attributes)) for name, attributes in by_name.items()]
            rest = [meaning for meaning in found if meaning.kind != "value"]
            self._meanings[phrase] = dict.fromkeys([*rest, *merged])

    def _equate(self, group: Sequence[Phrase], *, replaces: bool) -> None:
        ours = {meaning: None for phrase in group for meaning in self._meanings.get(phrase, ())}
        for phrase in group:
            if ours and (replaces or phrase not in self._meanings):
                self._meanings[phrase] = dict(ours)


def _forms(word: str) -> set[str]:
    """The word and what it may come from: swimming from swim, gaming from game, cooked from cook."""
    ending = next((end for end in ("ing", "ed", "er") if word.endswith(end) and len(word) > len(end) + 2), "")
    stem = word.removesuffix(ending) if ending else word
    doubled = stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem
    return {word, stem, doubled, f"{stem}e"}


def without_count(phrase: Phrase) -> Phrase:
    """Four HDMI ports are HDMI ports too; a number with a unit behind it is no count."""
    is_count = len(phrase) > 1 and phrase[0].isdigit() and not phrase[1].isdigit() and unit_of(phrase[1]) is None
    return phrase[1:] if is_count else phrase


def _without_version(phrase: Phrase) -> Phrase:
    """Bluetooth 5.3 is Bluetooth too."""
    length = next((n for n, word in enumerate(phrase) if word[0].isdigit()), len(phrase))
    return phrase[:length] or phrase
