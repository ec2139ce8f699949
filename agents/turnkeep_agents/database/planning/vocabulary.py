"""The words of a schema: how rare each is, and which of them a word of a question may mean. A word that the schema
does not know may still be a short form, a misspelling or a chain of ones that it does."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from turnkeep.blocks.words import STOP_WORDS, words
from turnkeep_agents.database.planning.identifiers import (
    is_misspelt,
    is_short_for,
    split_joined,
    stem,
)

LONGEST_QUESTION_WORDS = 400
SHORT_FORM, SHORT_BESIDE, DERIVED, MISSPELT = 0.8, 0.4, 0.6, 0.7
"""How much of a word's weight goes to a short form of it, to one beside the word itself, and so on."""

_WORD = re.compile(r"[^\W_]+")


class Vocabulary:
    """The stems of all tables: of `texts`, which hold all of a table's, of the `names` of tables, and of `identifiers`,
    the only ones that are looked for in another spelling than their own."""

    def __init__(
        self, texts: Mapping[str, Iterable[str]], names: Mapping[str, Sequence[str]], identifiers: Iterable[str]
    ):
        self._tables = len(names)
        self._in_texts = Counter(word for text in texts.values() for word in set(text))
        self._in_names = Counter(word for name in names.values() for word in set(name))
        self._by_letter: dict[str, list[str]] = defaultdict(list)
        for word in sorted(set(identifiers)):
            self._by_letter[word[0]].append(word)
        self._meant: dict[str, Mapping[str, float]] = {}
        self._rarity = {word: self._rare(count) for word, count in self._in_texts.items()}
        self._name_rarity = {word: self._rare(count) for word, count in self._in_names.items()}

    def rarity(self, word: str) -> float:
        """More for a word that fewer tables have."""
        return self._rarity.get(word, 0.0)

    def name_rarity(self, word: str) -> float:
        """The same among the names of tables alone; most for a word that only a synonym has."""
        return self._name_rarity.get(word, self._rare(0))

    def read(self, question: str) -> dict[str, float]:
        """The stems of the schema that `question` may mean, each with how surely: 1 is said, more is said again."""
        said = _said(question)
        found: dict[str, float] = {}
        for word, count in Counter(said).items():
            for known, share in self._meant_by(word).items():
                found[known] = max(found.get(known, 0.0), share * (1 + math.log(count) / 4))
        for known in self._joined(said):
            found.setdefault(known, 1.0)
        return found

    def _rare(self, count: int) -> float:
        return math.log(1 + (self._tables + 0.5) / (count + 0.5))

    def _meant_by(self, word: str) -> Mapping[str, float]:
        if word not in self._meant:
            if len(self._meant) > 10_000:
                self._meant.clear()
            self._meant[word] = self._find(word)
        return self._meant[word]

    def _find(self, word: str) -> dict[str, float]:
        root = stem(word)
        is_known = root in self._in_texts
        said = (root,) if is_known else split_joined(word, self._in_texts)
        found = self._spelt_otherwise(word, root, is_known=is_known) | dict.fromkeys(said, 1.0)
        return found or self._correct(root)

    def _spelt_otherwise(self, word: str, root: str, *, is_known: bool) -> dict[str, float]:
        others = (other for other in self._by_letter.get(root[:1], ()) if other != root)
        shares = {other: _share(word, root, other, is_known=is_known) for other in others}
        return {other: share for other, share in shares.items() if share}

    def _correct(self, root: str) -> dict[str, float]:
        return {other: MISSPELT for other in self._by_letter.get(root[:1], ()) if is_misspelt(root, other)}

    def _joined(self, said: Sequence[str]) -> list[str]:
        """What neighbours in the question make together: one word, or the first letters of a name."""
        pairs = [stem(first + other) for one, other in pairwise(said) for first in (one, stem(one))]
        letters = "".join(word[0] for word in said)
        initials = [letters[at : at + size] for size in (3, 4, 5) for at in range(len(letters) - size + 1)]
        return [word for word in (*pairs, *initials) if word in self._in_texts]


def _share(word: str, root: str, other: str, *, is_known: bool) -> float:
    if is_short_for(other, word):
        return SHORT_BESIDE if is_known else SHORT_FORM
    return DERIVED if len(root) > 4 and other.startswith(root) else 0.0


def _said(question: str) -> list[str]:
    """The words that may name something, in order."""
    found = _WORD.findall(question)[:LONGEST_QUESTION_WORDS]
    return [word for each in found for word in words(each) if word not in STOP_WORDS]
