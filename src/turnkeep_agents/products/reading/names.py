"""Products that a message calls by name, in whole or in part: by the model alone, without the brand, written together
or apart. What looks like the name of a product that the catalogue does not hold is found too."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.reading.lexicon import Lexicon, Token, root, roots
from turnkeep.blocks.words import STOP_WORDS, words

LEAST_CAPITAL = 5  # letters of a word inside a name that tells it where it has a capital
LONGEST_NAME = 6  # words of a message that can be one name
# What makes another model of a name.
VARIANTS = frozenset(words("pro max plus ultra mini lite air neo fold flip fe se"))
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[^\W_]{2,}")


@dataclass(frozen=True)
class Mention:
    """The tokens from `start` up to `end` name these products: one, or all of a line."""

    start: int
    end: int
    key: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Unknown:
    """Something that is called like a product and is none; `near` are products with a part of its name. `is_kind`:
    it is what is asked for, and no name among other words."""

    start: int
    end: int
    text: str
    near: tuple[str, ...] = ()
    is_kind: bool = False


class Names:
    """The names of a catalogue."""

    def __init__(self, products: Iterable[Product], lexicon: Lexicon):
        self._lexicon = lexicon
        self._whole: dict[str, str] = {}
        self._parts: dict[str, dict[str, None]] = {}
        self._ends: dict[str, dict[str, None]] = {}
        self._inner: dict[str, dict[str, None]] = {}
        self._codes: dict[str, dict[str, None]] = {}
        for product in products:
            self._learn(product)

    def find(self, tokens: Sequence[Token]) -> tuple[list[Mention], list[Unknown]]:
        """In the order of the message."""
        mentions: list[Mention] = []
        unknown: list[Unknown] = []
        at = 0
        while at < len(tokens):
            mention = self._mention(tokens, at)
            stranger = self._stranger(tokens, mention) if mention else None
            if stranger:
                unknown.append(stranger)
            elif mention:
                mentions.append(mention)
            at = stranger.end if stranger else mention.end if mention else at + 1
        return mentions, unknown

    def line(self, key: str) -> Collection[str]:
        """The ids of the products whose names have this part: roots, written together."""
        return self._parts.get(key) or self._inner.get(key, {})

    def _learn(self, product: Product) -> None:
        name, brand = roots(product.name), roots(product.brand)
        bare = name[len(brand) :] if name[: len(brand)] == brand and len(name) > len(brand) else name
        wholes = [whole for whole in (name, bare) if not "".join(whole).isdigit()]
        for whole in wholes:
            self._whole.setdefault("".join(whole), product.id)
        for code in (word for word in name if _CODE.fullmatch(word)):
            self._codes.setdefault(code, {})[product.id] = None
        for word in bare:
            if len(word) >= LEAST_CAPITAL and word not in VARIANTS and not self._is_common(word):
                self._inner.setdefault(word, {})[product.id] = None
        head = next((word for word in bare if word not in STOP_WORDS), "")
        for start in range(len(name)):
            for end in range(start + 1, min(start + LONGEST_NAME, len(name)) + 1):
                part = name[start:end]
                if part in wholes or self._tells(part, head, set(brand)):
                    self._parts.setdefault("".join(part), {})[product.id] = None
                    if end == len(name):
                        self._ends.setdefault("".join(part), {})[product.id] = None

    def _tells(self, part: tuple[str, ...], head: str, brand: set[str]) -> bool:
        """Whether a part of a name is one by itself: no brand, category or ordinary word alone."""
        if self._lexicon.meanings(part):
            return False
        own = [word for word in part if word not in brand and not word.isdigit() and not self._is_common(word)]
        if len(part) == 1:
            return bool(own) and (part[0] == head or bool(_CODE.fullmatch(part[0]))) and len(part[0]) > 1
        return bool(own) or (head in part and not brand.isdisjoint(part))

    def _is_common(self, word: str) -> bool:
        return self._lexicon.is_plain(word) or bool(self._lexicon.meanings((word,)))

    def _mention(self, tokens: Sequence[Token], at: int) -> Mention | None:
        if tokens[at].root == "a":  # no part of a model's number
            return None
        for end in range(min(at + LONGEST_NAME, len(tokens)), at, -1):
            key = "".join(token.root for token in tokens[at:end])
            if key in self._parts:
                is_plural = end == at + 1 and tokens[at].text.lower() != key
                return Mention(at, end, key, tuple(self._parts[key]) if is_plural else self._narrow(key))
        code = tokens[at].root
        if code in self._inner and tokens[at].text[0].isupper():
            return Mention(at, at + 1, code, tuple(self._inner[code]))
        ids = [id_ for known in self._codes for id_ in self._codes[known] if known.endswith(code)]
        return Mention(at, at + 1, code, tuple(ids)) if ids and _CODE.fullmatch(code) and len(code) > 2 else None

    def _narrow(self, key: str) -> tuple[str, ...]:
        """The one product of just this name, else the one whose name ends so, else all with this part."""
        if key in self._whole:
            return (self._whole[key],)
        ends = self._ends.get(key, {})
        return tuple(ends) if len(ends) == 1 else tuple(self._parts[key])

    def _stranger(self, tokens: Sequence[Token], mention: Mention) -> Unknown | None:
        """A name that goes on where no product's does."""
        if mention.end == len(tokens):
            return None
        after = tokens[mention.end]
        gap = after.start - tokens[mention.end - 1].end
        is_variant = after.root in VARIANTS or bool(_CODE.fullmatch(after.root))
        goes_on = is_variant or (after.text.isdigit() and len(after.text) < 5)
        return None if gap > 1 or not goes_on else self._unknown(tokens, mention)

    def _unknown(self, tokens: Sequence[Token], mention: Mention) -> Unknown | None:
        end = mention.end + 1
        while end < len(tokens) and tokens[end].root in VARIANTS:
            end += 1
        text = " ".join(token.text for token in tokens[mention.start : end])
        return Unknown(mention.start, end, text, mention.ids)


def is_code(word: str) -> bool:
    """Letters and digits in one, as models are called."""
    return bool(_CODE.fullmatch(root(word)))
