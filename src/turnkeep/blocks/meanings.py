"""Which things a phrase means: a pronoun what is spoken of, an ordinal one of the last list, a description the newest
thing that it fits. What fits several things, or counts further than the list, is unclear and stays as it was said."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from turnkeep.blocks.spans import Phrase, Way, Words
from turnkeep.blocks.things import MOST_LISTED, Thing, key_of, names_of, nouns_of, unique
from turnkeep.blocks.words import words

type Things = tuple[Thing, ...]

_BREAK = re.compile(r"[,;:.?!()\u2014\n]")
_SENTENCE_END = re.compile(r"[.?!:\n]")
_CONJUNCTIONS = frozenset(words("and or but if when because so then while"))
_COMPARES = re.compile(r"(?:\w{2,}(?:er|est)|best|worst|most|least|more|less)")


@dataclass(frozen=True)
class Meant:
    """The things that a phrase means, or those among which it does not choose."""

    things: Things
    is_clear: bool = True


@dataclass
class Spoken:
    """What is spoken of when a phrase is reached: in the thread, and so far in the message itself."""

    focus: Things
    listed: Things
    known: Things
    earlier: Things = ()
    """What an earlier clause of the message speaks of."""
    in_clause: Things = ()
    mentioned: Things = ()
    was_new: bool = False
    """Whether an earlier clause speaks of something that nobody knows yet."""
    is_new: bool = False
    _called: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def enter(self, said: Words, at: int) -> None:
        """Takes note of a clause that begins with the word, and of a new thing that it brings."""
        if _BREAK.search(said.before[at]) or said.folded[at] in _CONJUNCTIONS:
            self.earlier, self.in_clause = self.in_clause or self.earlier, ()
            self.was_new, self.is_new = self.was_new or self.is_new, False
        begins = at == 0 or _SENTENCE_END.search(said.before[at]) is not None
        is_name = said.raw[at][0].isupper() and said.raw[at] != "I" and not begins
        self.is_new |= is_name or (said.folded[at] in ("a", "an", "another") and bool(said.next(at + 1)))

    def mention(self, things: Things) -> None:
        self.in_clause, self.mentioned = things, unique([*self.mentioned, *things])

    def group(self) -> Things:
        return next((pool for pool in (self.focus, self.listed) if len(pool) > 1), ())

    def matching(self, things: Sequence[Thing], said: Sequence[str]) -> Things:
        """Those that may be called by all these words."""
        return tuple(thing for thing in things if self._words_for(thing).issuperset(said))

    def _words_for(self, thing: Thing) -> set[str]:
        key = key_of(thing)
        if key not in self._called:
            self._called[key] = names_of(thing) | nouns_of(thing)
        return self._called[key]


def meaning_of(phrase: Phrase, spoken: Spoken) -> Meant | None:
    """None where the phrase turns out to be no reference."""
    return _MEANINGS[phrase.way](phrase, spoken)


def _clear(things: Things) -> Meant | None:
    return Meant(things) if things else None


def _it(phrase: Phrase, spoken: Spoken) -> Meant | None:
    earlier = spoken.earlier
    if earlier or spoken.was_new:
        return _clear(earlier if len(earlier) == 1 else ())
    pool = spoken.focus or spoken.listed
    return Meant(pool, is_clear=len(pool) == 1) if pool else None


def _they(phrase: Phrase, spoken: Spoken) -> Meant | None:
    earlier = spoken.earlier
    if earlier or spoken.was_new:
        return _clear(earlier if len(earlier) > 1 else ())
    return _clear(spoken.group() or spoken.focus)


def _nth(phrase: Phrase, spoken: Spoken) -> Meant | None:
    if not spoken.listed:
        return Meant((), is_clear=False) if phrase.is_certain else None
    pool = spoken.matching(spoken.listed, phrase.words)
    if phrase.words and not pool and not phrase.is_certain:
        return None
    place = len(pool) if phrase.number == -1 else phrase.number
    return Meant(pool[place - 1 : place]) if 0 < place <= len(pool) else Meant((), is_clear=False)


def _first(phrase: Phrase, spoken: Spoken) -> Meant | None:
    pool = spoken.matching(spoken.listed, phrase.words)
    if len(pool) < phrase.number:
        return Meant(pool, is_clear=False) if pool else None
    return Meant(pool[: phrase.number] if phrase.way == "first" else pool[-phrase.number :])


def _described(phrase: Phrase, spoken: Spoken) -> Meant | None:
    if phrase.is_plural:
        return _described_many(phrase, spoken)
    for pool in (spoken.focus, spoken.listed):
        found = spoken.matching(pool, phrase.words)
        if len(found) == 1:
            return Meant(found)
        if found:
            return Meant(found, is_clear=False) if phrase.is_certain else None
    found = spoken.matching(spoken.known[::-1], phrase.words)
    return _clear(found[:1]) or _unmatched(phrase, spoken)


def _described_many(phrase: Phrase, spoken: Spoken) -> Meant | None:
    for pool in (spoken.focus, spoken.listed, spoken.known):
        found = spoken.matching(pool, phrase.words)
        if len(found) > 1:
            return Meant(found[-MOST_LISTED:])
    return _unmatched(phrase, spoken)


def _unmatched(phrase: Phrase, spoken: Spoken) -> Meant | None:
    """A comparison ("cheaper") is for the agent, who knows the prices; anything else is not among them."""
    if not phrase.is_certain or not (spoken.focus or spoken.listed):
        return None
    compares = any(_COMPARES.fullmatch(word) for word in phrase.words)
    return Meant(spoken.group() if compares else (), is_clear=False)


def _pair(phrase: Phrase, spoken: Spoken) -> Meant | None:
    pair = _just_two(spoken)
    return _clear(pair[phrase.number - 1 : phrase.number])


def _just_two(spoken: Spoken) -> Things:
    """The two things that are spoken of, or the last and the one before it."""
    for pool in (spoken.mentioned, spoken.focus, spoken.listed):
        if len(pool) == 2:
            return pool
    two = spoken.known[-2:]
    return two if len(two) == 2 and len(spoken.focus) == 1 and _was_spoken_of(two[0], spoken) else ()


def _was_spoken_of(thing: Thing, spoken: Spoken) -> bool:
    """Whether it was more than an entry of the last list: those that were not, stand in the list's order."""
    keys = [key_of(one) for one in spoken.listed]
    if key_of(thing) not in keys:
        return True
    later = keys[keys.index(key_of(thing)) + 1 :]
    return any(key_of(one) in later for one in spoken.known[:-2])


def _all(phrase: Phrase, spoken: Spoken) -> Meant | None:
    if not phrase.number:
        return _clear(spoken.group())
    pools = (spoken.mentioned, spoken.focus, spoken.listed, _just_two(spoken))
    found = (spoken.matching(pool, phrase.words) for pool in pools)
    return _clear(next((pool for pool in found if len(pool) == phrase.number), ()))


def _others(phrase: Phrase, spoken: Spoken) -> Meant | None:
    named = {key_of(thing) for thing in spoken.mentioned or spoken.focus}
    pool = spoken.listed or spoken.known[-MOST_LISTED:]
    found = spoken.matching([thing for thing in pool if key_of(thing) not in named], phrase.words)
    if not named or not found:
        return None
    return Meant(found, is_clear=phrase.way == "others" or len(found) == 1)


def _previous(phrase: Phrase, spoken: Spoken) -> Meant | None:
    named = {key_of(thing) for thing in spoken.focus}
    return _clear(tuple(thing for thing in spoken.known if key_of(thing) not in named)[-1:])


_MEANINGS: Mapping[Way, Callable[[Phrase, Spoken], Meant | None]] = {
    "it": _it,
    "they": _they,
    "nth": _nth,
    "first": _first,
    "last": _first,
    "described": _described,
    "pair": _pair,
    "all": _all,
    "other": _others,
    "others": _others,
    "previous": _previous,
}
