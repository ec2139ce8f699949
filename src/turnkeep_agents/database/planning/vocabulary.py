"""The words of a schema: how rare each is, and which of them a word of a question may mean. A word that the schema
does not know may still be a short form, a misspelling, a chain or a relative of one that it does."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from turnkeep.blocks.words import STOP_WORDS, singular, words
from turnkeep_agents.database.planning.identifiers import (
    is_misspelt,
    is_short_for,
    split_joined,
    stem,
)

LONGEST_QUESTION_WORDS = 400
SHORT_FORM, SHORT_BESIDE, DERIVED, MISSPELT, RELATED = 0.8, 0.4, 0.6, 0.7, 0.4
"""How much of a word's weight goes to a short form of it, to one beside the word itself, and so on."""

_QUIET = STOP_WORDS | frozenset(
    words(
        """
        each per every along corresponding respective respectively including include included associated between after
        before both either whether want need please many much show give tell same different
        """
    )
)
_ORDERS = frozenset(
    words("list show give provide find retrieve display tell calculate count group get identify state name return sort")
)
"""Verbs where a sentence begins with them, and nouns elsewhere: a table may be called `list`."""

_BEGINS = re.compile(r"(?:^|[.?!;:\n]\s*|\band\s+)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")

_RELATIVES = """
person people individual employee staff faculty instructor professor teacher member user contact
employee technician engineer mechanic | phone telephone mobile fax | email mail mailing | course subject class
building site facility property | customer client account | order purchase | invoice bill | job task work
price cost fee amount charge | begin start | term semester | salary pay wage | company firm organization business
vehicle car truck | city town | address street location | picture photo image | country nation
school college university | area square | book title | member subscriber attendee | player athlete | score rating
doctor physician | illness disease diagnosis | hour time duration | part material item product stock
supplier vendor | visit appointment | comment note remark | document file attachment | region territory
equipment asset machine device tool | absence leave holiday vacation
"""


def _relatives() -> Mapping[str, frozenset[str]]:
    """By the singular of a word: a stem would make workers of all work."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in re.split(r"[|\n]", _RELATIVES):
        group = {singular(word): stem(word) for word in line.split()}
        for word in group:
            found[word] |= {root for other, root in group.items() if other != word}
    return {word: frozenset(others) for word, others in found.items()}


_RELATED_TO = _relatives()


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
        for other in _RELATED_TO.get(singular(word), ()):
            if other in self._in_texts:
                found[other] = max(found.get(other, 0.0), RELATED)
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
    kept = []
    for found in list(_WORD.finditer(question))[:LONGEST_QUESTION_WORDS]:
        is_order = found[0].lower() in _ORDERS and _BEGINS.search(question, max(0, found.start() - 8), found.start())
        kept += [word for word in words(found[0]) if word not in _QUIET and not is_order]
    return kept
