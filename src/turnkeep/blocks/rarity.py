"""How much words say of documents, for rules that pick sentences without a model: by how rare they are there. The word
that a question is about counts then, and the words around it do not."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from turnkeep.blocks.words import singular, words

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“])")
_SUFFIX = re.compile(r"(?:izations?|isations?|ations?|ings?|ed|ers?|al|ly|es?|s)$")


class Weights:
    """How much a word says, from how few of `texts` hold it. `cut` makes stems of a text, for a caller that has its own
    notion of them."""

    def __init__(self, texts: Iterable[str], cut: Callable[[str], list[str]] | None = None):
        counts: Counter[str] = Counter()
        self._texts, self._cut = 0, cut or stems
        for text in texts:
            counts.update(set(self._cut(text)))
            self._texts += 1
        self._counts = counts

    def of(self, stem: str) -> float:
        return math.log(1 + self._texts / (0.5 + self._counts[stem]))

    def knows(self, stem: str) -> bool:
        return stem in self._counts

    def spread(self, stem: str) -> int:
        """How many texts hold it."""
        return self._counts[stem]

    def coverage(self, asked: Collection[str], text: str) -> float:
        """The share of what was asked, by weight, that `text` speaks of."""
        there = set(self._cut(text))
        total = sum(map(self.of, asked))
        return sum(self.of(stem) for stem in asked if stem in there) / total if total else 0.0


def stems(text: str) -> list[str]:
    """The words of `text` without endings, roughly: `tuning` and `tuned` fall together."""
    return [stem_of(word) for word in words(text)]


def stem_of(word: str) -> str:
    bare = singular(word)
    short = _SUFFIX.sub("", bare)
    return short if len(short) >= 4 else bare


def sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]
