"""The words of a schema, and which of them a word of a question may mean: the word itself, or one that it abbreviates,
misspells or runs together."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from turnkeep.kit.words import STOP_WORDS, singular, words
from turnkeep_agents.database.joins.naming import name_words

LONGEST_QUESTION_WORDS = 400
SHORT_FORM, SHORT_NEXT_TO_WORD, DERIVED, MISSPELT = 0.8, 0.4, 0.6, 0.7  # shares of a word's weight
MIN_PART = 3

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ments", "ment", "ations", "ation", "ings", "ing", "ions", "ion", "able", "ed", "ly", "e")
_DOUBLES = frozenset("bdgmnprt")


class Vocabulary:
    """The stems of all tables: `texts` has all stems of each table, `names` those of its name. Only `identifiers` are
    looked for in other spellings."""

    def __init__(
        self, texts: Mapping[str, Iterable[str]], names: Mapping[str, Sequence[str]], identifiers: Iterable[str]
    ):
        self._tables = len(names)
        self._in_texts = Counter(word for text in texts.values() for word in set(text))
        in_names = Counter(word for name in names.values() for word in set(name))
        self._by_letter: dict[str, list[str]] = defaultdict(list)
        for word in sorted(set(identifiers)):
            self._by_letter[word[0]].append(word)
        self._rarity = {word: self._rare(count) for word, count in self._in_texts.items()}
        self._name_rarity = {word: self._rare(count) for word, count in in_names.items()}

    def rarity(self, word: str) -> float:
        """Return a higher value for a word in fewer tables."""
        return self._rarity.get(word, 0.0)

    def name_rarity(self, word: str) -> float:
        """Return the rarity among table names; the highest for a word that only a synonym has."""
        return self._name_rarity.get(word, self._rare(0))

    def read(self, question: str) -> dict[str, float]:
        """Return the stems that `question` may mean with their weights: 1 is mentioned, more is repeated."""
        found = _WORD.findall(question)[:LONGEST_QUESTION_WORDS]
        asked = [word for each in found for word in words(each) if word not in STOP_WORDS]
        weights: dict[str, float] = {}
        for word, count in Counter(asked).items():
            for known, share in self._meant_by(word).items():
                weights[known] = max(weights.get(known, 0.0), share * (1 + math.log(count) / 4))
        for known in self._joined(asked):
            weights.setdefault(known, 1.0)
        return weights

    def _rare(self, count: int) -> float:
        return math.log(1 + (self._tables + 0.5) / (count + 0.5))

    def _meant_by(self, word: str) -> dict[str, float]:
        """Return known words and their shares. Not cached: words of users stay in no memory."""
        root = stem(word)
        is_known = root in self._in_texts
        near = [other for other in self._by_letter.get(root[:1], ()) if other != root]
        shares = {other: _share(word, root, other, is_known=is_known) for other in near}
        found = {other: share for other, share in shares.items() if share}
        found |= dict.fromkeys((root,) if is_known else split_joined(word, self._in_texts), 1.0)
        return found or {other: MISSPELT for other in near if is_misspelt(root, other)}

    def _joined(self, asked: Sequence[str]) -> Iterator[str]:
        """Yield the stems that neighbours in the question make together: one word, or the first letters of a name."""
        pairs = [stem(first + other) for one, other in pairwise(asked) for first in (one, stem(one))]
        letters = "".join(word[0] for word in asked)
        initials = [letters[at : at + size] for size in (3, 4, 5) for at in range(len(letters) - size + 1)]
        return (word for word in (*pairs, *initials) if word in self._in_texts)


def _share(word: str, root: str, other: str, *, is_known: bool) -> float:
    if is_short_for(other, word):
        return SHORT_NEXT_TO_WORD if is_known else SHORT_FORM
    return DERIVED if len(root) > 4 and other.startswith(root) else 0.0


# Words


def split(name: str) -> list[str]:
    """Return the words of an identifier in lower case and without accents."""
    return words(" ".join(name_words(name)))


def stem(word: str) -> str:
    is_plural = len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes"))
    word = word[:-2] if is_plural else singular(word)
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
    word = word.removesuffix(ending)
    return word[:-1] if ending and len(word) > 4 and word[-1] == word[-2] and word[-1] in _DOUBLES else word


def split_joined(word: str, known: Collection[str], most: int = 3) -> tuple[str, ...]:
    """Return the stems of at most `most` known words that `word` runs together; empty if there are none."""
    if most < 2 or len(word) < 2 * MIN_PART:
        return ()
    for cut in range(len(word) - MIN_PART, MIN_PART - 1, -1):
        head, tail = stem(word[:cut]), word[cut:]
        if head not in known:
            continue
        rest = (stem(tail),) if stem(tail) in known else split_joined(tail, known, most - 1)
        if rest:
            return (head, *rest)
    return ()


def is_short_for(short: str, word: str) -> bool:
    """Return whether `short` may abbreviate `word`: its beginning, or its letters in order from first to last."""
    if not MIN_PART <= len(short) < len(word) or short[0] != word[0]:
        return False
    if word.startswith(short):
        return True
    letters = iter(word)
    is_skeleton = short[-1] == word[-1] and 3 * len(short) <= 2 * len(word)
    return is_skeleton and len(word) > 5 and all(letter in letters for letter in short)


def is_misspelt(word: str, known: str) -> bool:
    """Return whether one letter added, dropped or changed, or two swapped, make `word` of `known`."""
    if min(len(word), len(known)) < 5 or abs(len(word) - len(known)) > 1 or word[0] != known[0]:
        return False
    at = next((n for n, (one, other) in enumerate(zip(word, known, strict=False)) if one != other), len(word))
    one, other = word[at:], known[at:]
    is_swapped = len(one) > 1 and one[1::-1] == other[:2] and one[2:] == other[2:]
    return is_swapped or one[1:] == other[1:] or one[1:] == other or one == other[1:]
