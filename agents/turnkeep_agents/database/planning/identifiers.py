"""The words inside names of tables and columns, and what two spellings of one word have in common."""

from collections.abc import Collection

from turnkeep.blocks.words import singular, words
from turnkeep_agents.database.joins.naming import KEY_WORDS, name_words

MIN_PART = 3
_ENDINGS = ("ments", "ment", "ations", "ation", "ings", "ing", "ions", "ion", "able", "ed", "ly", "e")
_DOUBLES = frozenset("bdgmnprt")


def split(name: str) -> list[str]:
    """The words of an identifier in lower case and without accents."""
    return words(" ".join(name_words(name)))


def spoken(name: str) -> str:
    """An identifier as people would say it: `workOrderId` is work order, for an id says nothing to them."""
    parts = split(name)
    while len(parts) > 1 and parts[-1] in KEY_WORDS:
        parts.pop()
    return " ".join(parts) or name


def stem(word: str) -> str:
    """`word`, lower case, without what plural, tense and the like add."""
    word = _without_plural(word)
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
    word = word.removesuffix(ending)
    return word[:-1] if ending and len(word) > 4 and word[-1] == word[-2] and word[-1] in _DOUBLES else word


def _without_plural(word: str) -> str:
    return word[:-2] if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")) else singular(word)


def split_joined(word: str, known: Collection[str], most: int = 3) -> tuple[str, ...]:
    """The stems of `known` words that `word` runs together, at most `most`; empty where it is no such chain."""
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
    """Whether `short` may abbreviate `word`: its beginning, or its letters in order from the first to the last."""
    if not MIN_PART <= len(short) < len(word) or short[0] != word[0]:
        return False
    if word.startswith(short):
        return True
    letters = iter(word)
    is_skeleton = short[-1] == word[-1] and 3 * len(short) <= 2 * len(word)
    return is_skeleton and len(word) > 5 and all(letter in letters for letter in short)


def is_misspelt(word: str, known: str) -> bool:
    """Whether one letter too many, too few, wrong, or two in the wrong order make `word` of `known`."""
    if min(len(word), len(known)) < 5 or abs(len(word) - len(known)) > 1 or word[0] != known[0]:
        return False
    at = next((n for n, (one, other) in enumerate(zip(word, known, strict=False)) if one != other), len(word))
    one, other = word[at:], known[at:]
    is_swapped = len(one) > 1 and one[1::-1] == other[:2] and one[2:] == other[2:]
    return is_swapped or one[1:] == other[1:] or one[1:] == other or one == other[1:]
