"""What in a message points at something said before: where it stands and how it points. Grammar only, for English;
`referents` knows what it points at."""

import re
from dataclasses import replace

from turnkeep.blocks.pronouns import THESE, THIS, read_pronoun
from turnkeep.blocks.spans import AFTER, Phrase, Words
from turnkeep.blocks.words import STOP_WORDS, singular, words

MOST_DESCRIBING = 3
MOST_CHAINED = 4
_THE = frozenset(["the", "your"])
_ONE = frozenset(["one", "ones"])
_ITEMS = frozenset(words("option choice result item entry suggestion hit"))
_ORDINALS = dict(
    zip(words("first second third fourth fifth sixth seventh eighth ninth tenth"), range(1, 11), strict=True)
)
_ORDINALS |= {"last": -1, "final": -1}
_NUMBERS = dict(zip(words("two three four five six seven eight nine ten"), range(2, 11), strict=True))
_NO_DESCRIPTION = (STOP_WORDS | AFTER | _ONE) - set(words("more most less better worse cheaper"))


def read_phrase(said: Words, at: int, before: Phrase | None = None) -> Phrase | None:
    """The phrase that begins with the word, if one does; `before` is the last one found."""
    if said.is_joined(at):
        return None
    is_chained = before is not None and before.way == "nth" and _goes_on(said, before.next, at)
    found = (
        _numbered(said, at, is_chained=is_chained)
        or _ordinal(said, at, is_chained=is_chained)
        or _former(said, at)
        or _group(said, at)
        or _others(said, at)
        or _which(said, at)
        or _described(said, at)
    )
    return replace(found, next=_of_them(said, found.next)) if found else read_pronoun(said, at)


def _of_them(said: Words, at: int) -> int:
    """Where "of them", "in the list" or nothing ends."""
    if said.next(at) == "of" and said.next(at + 1) == "them":
        return at + 2
    end = _known_run(said, at + 2)
    if said.next(at) == "of" and said.next(at + 1) in THESE and (end > at + 2 or said.ends(end)):
        return end
    if said.next(at) in ("of", "on", "in") and said.next(at + 1) in _THE | THIS and said.next(at + 2) == "list":
        return at + 3
    return at


def _goes_on(said: Words, end: int, at: int) -> bool:
    """Whether only "and", "or" or a comma divides the word from what ended before `end`."""
    return said.before[at].strip() == "," if at == end else at == end + 1 and said.next(end) in ("and", "or")


def _count(word: str) -> int:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 3 else _NUMBERS.get(word, 0)


def _position(word: str) -> int:
    """The place in a list that an ordinal names, -1 for the last, 0 for no ordinal."""
    found = re.fullmatch(r"([1-9][0-9]?)(?:st|nd|rd|th)", word)
    return int(found[1]) if found else _ORDINALS.get(word, 0)


def _known_run(said: Words, at: int) -> int:
    """Where the words that describe known things end."""
    end = at
    while end < at + MOST_DESCRIBING and said.is_known(end):
        end += 1
    return end


def _singulars(said: Words, at: int, end: int) -> tuple[str, ...]:
    return tuple(singular(word) for word in said.folded[at:end])


def _is_plural(said: Words, at: int, end: int) -> bool:
    return end > at and singular(said.folded[end - 1]) != said.folded[end - 1]


def _numbered(said: Words, at: int, *, is_chained: bool) -> Phrase | None:
    """Such as #2 or option 3; and the later ones of a row of these."""
    number = _count(said.folded[at])
    if number and (said.before[at].endswith("#") or (is_chained and said.ends(at + 1))):
        return Phrase("nth", at, at + 1, number=number)
    noun = at + (said.folded[at] in _THE)
    word = singular(said.folded[noun]) if noun < len(said) else ""
    number = _count(said.next(noun + 1)) or int(said.next(noun + 1) == "one")
    is_listed = word in _ITEMS or (word == "number" and said.ends(noun + 2))
    is_part = said.next(at) and singular(said.folded[at - 1]) in said.nouns
    is_of_other = said.next(noun + 2) == "of" and _of_them(said, noun + 2) == noun + 2
    return Phrase("nth", at, noun + 2, number=number) if number and is_listed and not (is_part or is_of_other) else None


def _ordinal(said: Words, at: int, *, is_chained: bool) -> Phrase | None:
    has_determiner = said.folded[at] in _THE | THIS
    place = at + has_determiner
    word = said.next(place) if has_determiner else said.folded[at] if is_chained else ""
    if word == "previous":
        return Phrase("previous", at, place + 2) if said.next(place + 1) == "one" else None
    if not _position(word):
        return None
    return _first_few(said, at, place) if _count(said.next(place + 1)) else _nth(said, at, place)


def _nth(said: Words, at: int, place: int) -> Phrase | None:
    number, end = _position(said.folded[place]), _known_run(said, place + 1)
    described = _singulars(said, place + 1, end)
    if said.next(end) in _ONE:
        return Phrase("nth", at, end + 1, number=number, words=described, is_certain=True)
    if described:
        return Phrase("nth", at, end, number=number, words=described)
    if singular(said.next(place + 1)) in _ITEMS:
        return Phrase("nth", at, place + 2, number=number)
    is_date = said.folded[place][0].isdigit() or (at and said.folded[at - 1] in ("since", "until", "till"))
    is_complete = said.ends(place + 1) or _of_them(said, place + 1) > place + 1
    is_bare = is_complete and not is_date and not _shares_noun(said, place + 1)
    return Phrase("nth", at, place + 1, number=number) if is_bare else None


def _shares_noun(said: Words, at: int) -> bool:
    """Whether an ordinal takes its noun from a later one: "first and third week" are not entries of a list."""
    last = at
    for _ in range(MOST_CHAINED):
        place = last + 1 + (said.next(last + 1) in _THE)
        if said.next(last) not in ("and", "or") or not _position(said.next(place)):
            break
        last = place + 1
    is_listed = said.next(last) in _ONE or singular(said.next(last)) in _ITEMS or said.is_known(last)
    return last > at and not is_listed and not said.ends(last)


def _first_few(said: Words, at: int, place: int) -> Phrase | None:
    number, count, end = _position(said.folded[place]), _count(said.folded[place + 1]), _known_run(said, place + 2)
    described, is_named = _singulars(said, place + 2, end), said.next(end) == "ones"
    if number not in (1, -1) or not (described or is_named or said.ends(end)):
        return None
    end += is_named
    return Phrase("first" if number == 1 else "last", at, end, number=count, words=described, is_plural=True)


def _former(said: Words, at: int) -> Phrase | None:
    if said.folded[at] != "the" or said.next(at + 1) not in ("former", "latter"):
        return None
    end = at + 2 + (said.next(at + 2) in _ONE)
    number = 1 if said.folded[at + 1] == "former" else 2
    return Phrase("pair", at, end, number=number) if said.ends(end) else None


def _group(said: Words, at: int) -> Phrase | None:
    """A group by its number, such as "both" or "all three"."""
    word, end = said.folded[at], at + 1
    if word == "all" and said.next(end) == "of" and said.next(end + 1) in ("them", *THESE):
        return Phrase("all", at, end + 2, is_plural=True) if said.ends(end + 2) else None
    number = 2 if word == "both" else 0
    if word == "all" or word in _THE | THESE:
        end += word == "all" and said.next(end) in _THE | THESE
        number, end = _count(said.next(end)), end + 1
    if not number or said.next(end) in _THE | THESE:
        return None
    described = _known_run(said, end)
    found, end = _singulars(said, end, described), described + (said.next(described) == "ones")
    is_complete = found or said.ends(end) or _of_them(said, end) > end
    return Phrase("all", at, end, number=number, words=found, is_plural=True) if is_complete else None


def _others(said: Words, at: int) -> Phrase | None:
    word = said.next(at + 1) if said.folded[at] in _THE else ""
    if word in ("others", "rest"):
        is_complete = said.ends(at + 2) or _of_them(said, at + 2) > at + 2
        return Phrase("others", at, at + 2, is_plural=True) if is_complete else None
    if word not in ("other", "remaining"):
        return None
    first = at + 2 + bool(_count(said.next(at + 2)))
    end = _known_run(said, first)
    noun, is_named = said.next(end), said.next(end) in _ONE
    is_plural = first > at + 2 or noun == "ones" or _is_plural(said, first, end)
    if not (end > first or is_named or said.ends(end)):
        return None
    found = _singulars(said, first, end)
    return Phrase("others" if is_plural else "other", at, end + is_named, words=found, is_plural=is_plural)


def _which(said: Words, at: int) -> Phrase | None:
    is_which = said.folded[at] == "which" and said.next(at + 1) in _ONE
    if not is_which or (said.next(at + 2) == "of" and _of_them(said, at + 2) == at + 2):
        return None
    return Phrase("all", at, at + 2, is_plural=True, prefix="which of ")


def _described(said: Words, at: int) -> Phrase | None:
    """A thing by its kind or by other words for it, with "one" or without."""
    if said.folded[at] not in _THE | THIS | THESE:
        return None
    if said.next(at + 1) in _ONE:
        return _one_of(said, at)
    first = at + 1 + bool(_count(said.next(at + 1)))
    end = first
    while end < first + MOST_DESCRIBING and said.next(end) and said.next(end) not in _NO_DESCRIPTION:
        end += 1
    if end > first and said.next(end) in _ONE:
        found, is_plural = _singulars(said, first, end), said.next(end) == "ones"
        return Phrase("described", at, end + 1, words=found, is_plural=is_plural, is_certain=True)
    end = _known_run(said, first)
    if not any(said.is_name(place) for place in range(first, end)) or not _is_whole(said, at, end):
        return None
    is_plural = said.folded[at] in THESE or _is_plural(said, first, end)
    is_matched = not is_plural or said.folded[at] not in THIS
    return Phrase("described", at, end, words=_singulars(said, first, end), is_plural=is_plural) if is_matched else None


def _is_whole(said: Words, at: int, end: int) -> bool:
    """Whether the description ends there: "this phone" does before any word, "the phone" may belong to a case."""
    shows = said.folded[at] in THIS | THESE and said.raw[end - 1][0].islower()
    return said.ends(end) or (shows and not said.is_joined(end))


def _one_of(said: Words, at: int) -> Phrase | None:
    is_plural = said.next(at + 1) == "ones"
    if said.folded[at] in THIS | THESE:
        return Phrase("they" if is_plural else "it", at, at + 2, is_plural=is_plural)
    if said.next(at + 2) not in ("from", "by", "in", "with"):
        return None
    end = _known_run(said, at + 3)
    found = _singulars(said, at + 3, end)
    return Phrase("described", at, end, words=found, is_plural=is_plural) if found else None
