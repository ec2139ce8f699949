"""Names of known things in a message: whole, or a part that only one of them has and that is written as a name.
The end of a name counts before its middle: without its brand, a model is still told from its larger sister."""

from collections.abc import Sequence
from itertools import combinations

from turnkeep.blocks.spans import AFTER, Words
from turnkeep.blocks.things import Referents, Thing, key_of
from turnkeep.blocks.words import STOP_WORDS, words

MOST_WORDS = 8  # of a name that are compared
_COMMON = STOP_WORDS | AFTER


class Names:
    """The names of a thread's things. Of two things with one name the one is meant that was spoken of last."""

    def __init__(self, referents: Referents):
        self._whole: dict[tuple[str, ...], Thing] = {}
        self._ends: dict[tuple[str, ...], dict[tuple[str, str], Thing]] = {}
        self._parts: dict[tuple[str, ...], dict[tuple[str, str], Thing]] = {}
        for thing in [*referents["known"], *referents["listed"], *referents["focus"]]:
            name = tuple(words(thing["name"])[:MOST_WORDS])
            if name:
                self._whole[name] = thing
            for start, end in combinations(range(len(name) + 1), 2):
                self._parts.setdefault(name[start:end], {})[key_of(thing)] = thing
            for start in range(len(name)):
                self._ends.setdefault(name[start:], {})[key_of(thing)] = thing

    def find(self, said: Words, at: int) -> tuple[Thing, int] | None:
        """The thing whose name begins with the word, and the word behind the name."""
        if tuple(said.folded[at : at + 1]) not in self._parts:
            return None
        for end in range(min(len(said), at + MOST_WORDS), at, -1):
            thing = self._named(said, at, end)
            if thing:
                return thing, end
        return None

    def _named(self, said: Words, at: int, end: int) -> Thing | None:
        run = tuple(said.folded[at:end])
        candidates = self._parts.get(run, {})
        if not candidates or not all(said.next(place) or said.is_joined(place) for place in range(at + 1, end)):
            return None
        if run in self._whole and not _COMMON.issuperset(run):
            return self._whole[run]
        ending = self._ends.get(run, {})
        found = ending if len(ending) == 1 else candidates
        is_name = len(found) == 1 and (_has_number(run) or _is_written_as_name(said.raw[at:end]))
        return next(iter(found.values())) if is_name else None


def _has_number(run: Sequence[str]) -> bool:
    """Whether it is a model's number or ends with one; a size like 128 GB is not."""
    if not run[0][0].isalpha() or _COMMON.issuperset(run[:1]):
        return False
    return any(letter.isdigit() for word in run for letter in word)


def _is_written_as_name(run: Sequence[str]) -> bool:
    return len(run) > 1 and all(word[0].isupper() or word[0].isdigit() for word in run)
