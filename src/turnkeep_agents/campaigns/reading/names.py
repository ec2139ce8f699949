"""The names of the warehouse in a message: whole ones first, then parts of names, then those a letter off. What looks
like a name and is none that the warehouse holds is told apart, so that an answer can say so."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise

from turnkeep_agents.campaigns.reading.vocabulary import BLOT, COMMON, DIMENSION_WORDS, blot_all, plain, stem
from turnkeep_agents.campaigns.requests import Dimension
from turnkeep.blocks.words import STOP_WORDS

type Names = Mapping[Dimension, tuple[str, ...]]
type Owners = Mapping[Dimension, Mapping[str, tuple[str, ...]]]
"""The advertisers that each name belongs to, as far as they are known."""

ORDER: tuple[Dimension, ...] = ("advertiser", "insertion_order", "audience", "line_item", "creative", "size")
"""What a name that may be several things is taken for first."""

LONGEST_PART = 4
LEAST_LETTERS = 3
MOST_MEANT = 12
LEAST_LETTERS_MISSPELT = 4
ALIKE = 0.85
SHORT_FORMS = {"camp": "campaign", "cmp": "campaign"}

_SIZE = r"\d+\s*(?:x|\*|by)\s*\d+(?![^\W_])"
_TOKEN = re.compile(rf"{_SIZE}|[^\W_]+", re.I)
QUOTED = re.compile(r"\"([^\"\n]{2,60})\"|(?<!\w)'([^'\n]{2,60})'(?!\w)")
_APART = re.compile(rf"[?!;:,{BLOT}]|\.\s")
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s)\W*$")


@dataclass(frozen=True)
class Token:
    word: str
    at: int
    to: int


@dataclass(frozen=True)
class Mention:
    """`names` of one dimension that the text means from `at` up to `to`."""

    at: int
    to: int
    dimension: Dimension
    names: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """`rest` is the text with the mentions blotted out; `remarks` say what was taken for granted, `strangers` are in
    quotes and unknown."""

    mentions: tuple[Mention, ...]
    rest: str
    remarks: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()


@dataclass
class _Search:
    """Parts of names are looked for within what belongs to the advertisers that are named already."""

    names: Names
    owners: Owners
    advertisers: set[str]
    text: str
    mentions: list[Mention] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)


def tokens_of(text: str) -> list[Token]:
    return [Token(_word(found[0]), *found.span()) for found in _TOKEN.finditer(text)]


def _word(said: str) -> str:
    if said[0].isdigit() and not said.isdecimal():
        return re.sub(r"\s*(?:x|\*|by)\s*", "x", said.lower())
    word = stem(said)
    return SHORT_FORMS.get(word, word)


@lru_cache(maxsize=64)
def _spelled(names: tuple[str, ...]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The names by their words."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for name in names:
        words = tuple(token.word for token in tokens_of(plain(name)))
        found[words] = (*found.get(words, ()), name)
    found.pop((), None)
    return found


@lru_cache(maxsize=64)
def _by_word(names: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    """The spellings that hold a word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for words in _spelled(names):
        for word in set(words):
            found.setdefault(word, []).append(words)
    return found


def find_whole(text: str, names: Names) -> Found:
    """Names that the text spells out, in plain text; the longest first."""
    tokens = tokens_of(text)
    found = [mention for dimension in ORDER for mention in _whole(text, tokens, dimension, names.get(dimension, ()))]
    found.sort(key=lambda mention: _rank(text, mention))
    kept: list[Mention] = []
    remarks: list[str] = []
    for mention in found:
        rival = next((other for other in kept if other.at < mention.to and mention.at < other.to), None)
        if rival is None:
            kept.append(mention)
        elif (rival.at, rival.to) == (mention.at, mention.to) and not (
            _is_called(text, rival) or rival.dimension == "size"
        ):
            remarks.append(_taken_for(rival, mention.dimension))
    return Found(tuple(sorted(kept, key=lambda each: each.at)), blot_all(text, kept), tuple(dict.fromkeys(remarks)))


def _rank(text: str, mention: Mention) -> tuple[int, int, bool, bool]:
    """The longest first; of the same words what is called so by its kind, and a size rather than a creative of it."""
    is_size = re.fullmatch(_SIZE, text[mention.at : mention.to], re.I) is not None
    is_called = _is_called(text, mention)
    return mention.at - mention.to, mention.at, not is_called, is_size and mention.dimension != "size"


def _whole(text: str, tokens: Sequence[Token], dimension: Dimension, names: tuple[str, ...]) -> Iterator[Mention]:
    spelled = _spelled(names)
    longest = max(map(len, spelled), default=0)
    for first in range(len(tokens)):
        for last in range(first, min(first + longest, len(tokens))):
            run = tokens[first : last + 1]
            meant = spelled.get(tuple(token.word for token in run))
            if meant and _is_together(text, run) and (len(run) > 1 or _is_name(text, run[0], dimension)):
                yield Mention(run[0].at, run[-1].to, dimension, meant)


def find_parts(text: str, names: Names, owners: Owners, advertisers: Iterable[str]) -> Found:
    """Names of which the text holds some words, in what is left of it after whole names, periods and metrics."""
    search = _Search(names, owners, set(advertisers), text)
    _take_quoted(search)
    for length in range(LONGEST_PART, 0, -1):
        tokens = tokens_of(search.text)
        for first in range(len(tokens) - length + 1):
            run = tokens[first : first + length]
            if _may_be_part(search.text, run):
                _take_part(search, run)
    _take_misspelt(search)
    return Found(
        tuple(search.mentions), search.text, tuple(search.remarks), tuple(search.doubts), tuple(search.strangers)
    )


def _take_quoted(search: _Search) -> None:
    """What is in quotes is one name, of which no part may stand for the whole."""
    for found in QUOTED.finditer(search.text):
        at, to = found.span(1) if found[1] else found.span(2)
        run = [token for token in tokens_of(search.text) if at <= token.at < to]
        if BLOT not in found[0] and run and not _take_part(search, run):
            search.strangers.append(found[0].strip("\"' "))
            search.text = blot_all(search.text, [Mention(at, to, "advertiser", ())])


def _may_be_part(text: str, run: Sequence[Token]) -> bool:
    if not _is_together(text, run):
        return False
    if len(run) > 1:
        return any(text[token.at : token.to].lower() not in STOP_WORDS for token in run)
    token = run[0]
    return len(token.word) >= LEAST_LETTERS and not token.word.isdecimal() and _is_name(text, token, None)


def _take_part(search: _Search, run: Sequence[Token], said: str = "") -> bool:
    """Takes the names that hold these words, of the dimension whose names they make up most of."""
    words = tuple(token.word for token in run)
    at, to = run[0].at, run[-1].to
    if BLOT in search.text[at:to]:
        return False
    found = {dimension: spellings for dimension in ORDER if (spellings := _holding(search, dimension, words))}
    if not found:
        return False
    called = [dimension for dimension in found if _is_beside(search.text, at, to, dimension)]
    dimension = max(called or found, key=lambda each: max(len(words) / len(spelling) for spelling in found[each]))
    meant = tuple(name for spelling in found[dimension] for name in _spelled(search.names[dimension])[spelling])
    spoken = said or search.text[at:to]
    if len(meant) > MOST_MEANT:
        search.doubts.append(f"“{spoken}” is part of {len(meant)} names. Which of them do you mean?")
    else:
        search.mentions.append(Mention(at, to, dimension, tuple(sorted(meant))))
        if len(meant) > 1:
            search.remarks.append(f"“{spoken}” was taken for {' and '.join(sorted(meant))}.")
    search.text = blot_all(search.text, [Mention(at, to, dimension, ())])
    return True


def _holding(search: _Search, dimension: Dimension, words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The spellings that hold these words side by side; of the named advertisers, if any is."""
    names = search.names.get(dimension, ())
    spellings = [spelling for spelling in _by_word(names).get(words[0], ()) if _holds(spelling, words)]
    owned = [spelling for spelling in spellings if _is_owned(search, dimension, _spelled(names)[spelling])]
    return owned or spellings


def _holds(spelling: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(spelling[at : at + len(words)] == words for at in range(len(spelling)))


def _is_owned(search: _Search, dimension: Dimension, names: Iterable[str]) -> bool:
    owners = search.owners.get(dimension, {})
    return any(search.advertisers & set(owners.get(name, ())) for name in names)


def _take_misspelt(search: _Search) -> None:
    """Words that are one or two letters off a word of an advertiser's name."""
    known = {word for words in _spelled(search.names.get("advertiser", ())) for word in words}
    known = {word for word in known if len(word) >= LEAST_LETTERS_MISSPELT and word not in COMMON}
    for token in tokens_of(search.text):
        said = search.text[token.at : token.to]
        if len(said) < LEAST_LETTERS_MISSPELT or said.lower() in COMMON or not said.isalpha():
            continue
        for word in get_close_matches(token.word, known, n=1, cutoff=ALIKE):
            if _take_part(search, [Token(word, token.at, token.to)], said):
                search.remarks.append(f"“{said}” was read as {' and '.join(search.mentions[-1].names)}.")


def _is_together(text: str, run: Sequence[Token]) -> bool:
    gaps = (text[one.to : other.at] for one, other in pairwise(run))
    return not any(len(gap) > LEAST_LETTERS or _APART.search(gap) for gap in gaps)


def _is_name(text: str, token: Token, dimension: Dimension | None) -> bool:
    """Whether one word is a name: an everyday one only where it is written as a name or called what it is."""
    said = text[token.at : token.to]
    if said.lower() not in COMMON and token.word not in COMMON:
        return True
    if dimension and _is_beside(text, token.at, token.to, dimension):
        return True
    is_quoted = text[max(0, token.at - 1) : token.at] in ("'", '"') and text[token.to : token.to + 1] in ("'", '"')
    is_start = _SENTENCE_START.search(text[: token.at]) is not None
    return is_quoted or (said[0].isupper() and not is_start and not text.isupper())


def _is_called(text: str, mention: Mention) -> bool:
    return _is_beside(text, mention.at, mention.to, mention.dimension)


def _is_beside(text: str, at: int, to: int, dimension: Dimension) -> bool:
    """Whether the word for the dimension stands right before or behind."""
    words = DIMENSION_WORDS[dimension]
    before = re.search(rf"\b(?:{words})s?\s+(?:called\s+|named\s+)?[\"']?$", text[:at], re.I)
    return before is not None or re.match(rf"[\"']?\s+(?:{words})s?\b", text[to:], re.I) is not None


def _taken_for(mention: Mention, other: Dimension) -> str:
    kinds = [kind.replace("_", " ") for kind in (mention.dimension, other)]
    return f"{mention.names[0]} was taken for the {kinds[0]}, not the {kinds[1]} of that name."
