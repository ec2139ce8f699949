"""A text as tokens with classes: rules match a string of one letter per token. Several words that form one number are
one token: "3 milioni e mezzo", "two thirds", "una dozzina", "twenty-first"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from turnkeep_agents.regulations.facts.numerals import folded, in_figures, in_words, lexicon, ordinal_in_words

LONGEST_PHRASE = 4  # words
HALVES_OF_SCALE = 10**6  # "2 milioni e mezzo" is half a million more, "duemila e mezzo" half of one
SMALLEST_TENS, SMALLEST_HUNDREDS = 20, 100
_FIRST = "(?<![nyxk-])"  # of adjacent numbers

_PATTERN = (
    r"(?P<date>(?<![\w.,/])(?:\d{1,4}(?P<mark>[-/.])\d{1,2}(?P=mark)\d{1,4}(?![\w/-]|[.,]\d)|\d{1,2}/\d{1,2},\d\d(?:\d\d)?(?!\w)"
    r"|(?:(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/(?:19|20)\d\d)(?![\w/-]|[.,]\d)))"
    r"|(?P<name>[^\W\d_]+\d\w{0,40}|(?<![\d:])\d{1,2}:\d\d(?!\w))"
    r"|(?P<figure>(?:(?<![\w)])[-\u2212+])?"
    r"(?:(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,9}(?:,\d{1,12})?(?![\d.])|\d{1,40}(?:[.,'\u2019]\d{1,40}){0,12}"
    r"|(?<![\w.,])[.,]\d{1,12})"
    r"(?:e[+-]?\d{1,2}\b)?)"
    r"(?:(?P<article>-?(?:bis|ter|quater|quinquies|sexies|septies|octies)\b)|(?P<ordinal>[°ºª]|(?:esim[oaie]|st|nd|rd|th)\b))?"
    r"|(?P<word>[^\W\d_]{1,80}['\u2019]?|us\$)|(?P<sign>[^\s\w])"
)
_SIGNS = {"\u2013": "-", "\u2014": "-", "<": "J", ">": "G", "'": "a", "\u2019": "a"} | {sign: sign for sign in ",.-/%"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # the class
    start: int
    end: int
    value: object = None
    word: str = ""  # folded
    note: str = ""
    other: Fraction | None = None  # the alternative value of figures; of a fraction, the ordinal reading
    scale: int = 1  # of "2 milioni"


def tokens(text: str, language: str) -> list[Token]:
    """Return tokens of Italian, or of English for any other language; every number is one token."""
    found = _single(text, "it" if language.strip().casefold().startswith("it") else "en")
    for pattern, join in _STEPS:
        kinds, at = classes(found), 0
        while match := re.compile(pattern).search(kinds, at):
            start, end = match.span()
            token = join(found[start:end])
            at = start if token else start + 1
            if token:
                found[start:end], kinds = [token], kinds[:start] + token.kind + kinds[end:]
    return found


def _single(text: str, language: str) -> list[Token]:
    raw = list(re.finditer(_PATTERN, text, re.IGNORECASE))
    words = [folded(match[0]).rstrip("'" if language == "en" else "") for match in raw]  # "two months' notice"
    known = lexicon(language)
    found, at = list[Token](), 0
    while at < len(raw):
        word, sizes = words[at], range(min(LONGEST_PHRASE, len(raw) - at), 0, -1)
        size, entry = next(((n, each) for n in sizes if (each := known.get(tuple(words[at : at + n])))), (1, None))
        if word == "mar" and found and found[-1].kind in "nxo":  # else Tuesday
            entry = ("m", 3)
        note = f"{raw[at][0]} read as {entry[1]}" if entry and entry[0] == "h" else ""  # "qualche", "a few"
        span = raw[at].start(), raw[at + size - 1].end()
        found.append(Token(entry[0], *span, entry[1], word, note) if entry else _token(raw[at], word, language))
        at += size
    return found


def _token(match: re.Match[str], word: str, language: str) -> Token:
    span = match.span()
    if match["date"]:
        return Token("D", *span, match[0], word)
    if match["figure"]:
        value, other, note = in_figures(match["figure"], language)
        is_year = word.isdigit() and len(word) == 4 and 1000 <= value < 3000
        kind = "v" if match["article"] else "o" if match["ordinal"] else "y" if is_year else "n"
        return Token(kind, *span, value, word, note, other)
    number = in_words(word) if match["word"] and language == "it" else None
    ordinal = ordinal_in_words(word) if match["word"] and language == "it" else None
    if number or ordinal:
        return Token("o" if ordinal else "y" if 1000 < (number or 0) < 3000 else "n", *span, number or ordinal, word)
    return Token(_SIGNS.get(word, "z") if match["sign"] else "z", *span, None, word)


def fraction(token: Token) -> Fraction:
    """Return the value as a fraction; "mezzo" is a half."""
    return Fraction(token.value) if isinstance(token.value, int | Fraction) else Fraction(1, 2)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    blanks = {" ": "[aL,]{0,2}", "_": "[aL]{0,2}", "~": "[aL,./-]{0,2}"}
    return re.compile("".join(blanks.get(letter, letter) for letter in pattern))


def classes(found: Sequence[Token]) -> str:
    return "".join(token.kind for token in found)


def every(found: Sequence[Token], kinds: str) -> list[Token]:
    return [token for token in found if token.kind in kinds]


def one(found: Sequence[Token], kinds: str) -> Token | None:
    return next(iter(every(found, kinds)), None)


def value(found: Sequence[Token], kinds: str) -> int | None:
    token = one(found, kinds)
    return int(fraction(token)) if token else None


def note_of(found: Sequence[Token]) -> str:
    return next((token.note for token in found if token.note), "")


def ahead(found: Sequence[Token]) -> int:
    """Return 1 for "next", -1 for "last", 2 for "after next"."""
    return sum({">": 1, "<": -1, "A": 1}.get(token.kind, 0) for token in found)


def _number(found: Sequence[Token], value: Fraction, scale: int = 1, other: Fraction | None = None) -> Token:
    kind = "y" if 1000 < value < 3000 and value.denominator == 1 else "n"
    return Token(kind, found[0].start, found[-1].end, value, "", found[0].note, other, scale)


def _times(found: Sequence[Token]) -> Token | None:
    """ "due" "milioni", "una" "dozzina"; a single letter must be next to its number: "50M"."""
    first, last = fraction(found[0]), found[-1]
    if len(found) == 1 or last.kind == "d":
        return _number(found, first * fraction(last) if len(found) > 1 else first)
    size, other = int(fraction(last)), found[0].other
    is_sure = len(last.word) > 1 or last.word == "k" or last.start == found[0].end
    scale = size if size > 100 else 1
    return _number(found, first * size, scale, None if other is None else other * size) if is_sure else None


def _sum(found: Sequence[Token]) -> Token | None:
    """ "twenty" "five", "cento" e "due", "milioni" "duecentomila"; not "dieci e venti", "nel 2024, 300"."""
    first, last, mark = found[0], found[-1], found[1].kind if len(found) > 2 else ""
    value, rest = fraction(first), fraction(last)
    are_words = _is_word(first) and _is_word(last) and last.word not in ("a", "an")
    if not are_words or not value.denominator == rest.denominator == 1:
        return None
    is_joined = mark != "," and value >= (SMALLEST_HUNDREDS if mark == "&" else SMALLEST_TENS)
    room = first.scale if first.scale > 1 else _room(value) if is_joined else 0
    return _number(found, value + rest, last.scale) if 0 < rest < room else None


def _room(value: Fraction) -> int:
    """Return the limit of a number added in words: below 100 for "duecento"."""
    text = str(value)
    return int(10 ** (len(text) - len(text.rstrip("0"))))


def _rest(found: Sequence[Token]) -> Token | None:
    """ "cento e tre quarti", "3 milioni e mezzo", "trecento e due dozzine"."""
    first, last = fraction(found[0]), fraction(found[-1])
    scale = found[0].scale if found[0].scale >= HALVES_OF_SCALE else 1
    is_whole = first.denominator == 1 and not found[0].other
    return _number(found, first + last * scale, found[0].scale) if is_whole and 0 < last < 1 else None


def _part(found: Sequence[Token]) -> Token | None:
    """ "due terzi", "one quarter"; "thirty-first" is an ordinal."""
    value, last = fraction(found[0]), found[-1]
    if last.kind == "u":
        is_part = last.word.startswith("quarter") and value in (1, 3) and _is_word(found[0])
        return _number(found, value / 4) if is_part else None
    ordinal = fraction(last)
    if last.word[-2:] in ("", "st", "nd", "rd", "th") and value >= SMALLEST_TENS and 0 < ordinal < _room(value):
        return replace(_number(found, value + ordinal), kind="o")
    is_part = len(found) == 2 and last.word.isalpha() and last.word[-1] in "oihsd" and ordinal > 2
    return _number(found, value / ordinal, other=value * ordinal) if is_part else None


def _is_word(token: Token) -> bool:
    return not token.word[-1:].isdigit()


_STEPS: tuple[tuple[str, Callable[[Sequence[Token]], Token | None]], ...] = (
    ("[nyx]&x?H", _rest),
    ("(?:x?H|Hx)(?=[kdu])|(?<!u&)xH", lambda found: _number(found, Fraction(1, 2))),
    (_FIRST + "[nyx][&-]?[ou]", _part),
    (_FIRST + "[nyx]d|(?<![nyx])d", _times),
    ("[nyx]-?[nyx]", _sum),
    ("[nyx]k", lambda found: _times(found) if found[1].value == 100 else None),
    ("[nyx][&-]?[nyx](?!o|&n?H)", _sum),
    ("[nyx]k", _times),
    ("[nyx][&,-]?[nyx]", _sum),
    ("[nyx][&-]?[ou]", _part),
    ("[nyx]&(?:n|x?H)", _rest),
    ("[n]k", _times),
)
"""Applied in this order, each as often as possible: tens, hundreds, scales, additions to them."""
