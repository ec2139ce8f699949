"""A text as tokens, each of a class: what the rules match is a string of one letter a token."""

import re
from dataclasses import dataclass
from fractions import Fraction

from turnkeep.blocks.facts.lexicon import Entry, folded, lexicon
from turnkeep.blocks.facts.numerals import in_figures, in_words, ordinal_in_words

LONGEST_PHRASE = 4  # words

_TOKEN = re.compile(
    r"(?P<date>(?<![\w.,/])(?:\d{1,4}(?P<mark>[-/.])\d{1,2}(?P=mark)\d{1,4}(?![\w/-]|[.,]\d)|\d{1,2}/\d{1,2},\d\d(?:\d\d)?(?!\w)"
    r"|(?:(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/(?:19|20)\d\d)(?![\w/-]|[.,]\d)))"
    r"|(?P<name>[^\W\d_]+\d\w{0,40}|(?<![\d:])\d{1,2}:\d\d(?!\w))"
    r"|(?P<figure>(?:(?<![\w)])[-\u2212+])?"
    r"(?:(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,9}(?:,\d{1,12})?(?![\d.])|\d{1,40}(?:[.,'\u2019]\d{1,40}){0,12})"
    r"(?:e[+-]?\d{1,2}\b|\^[+-]{0,2}\d{1,2}\b)?)"
    r"(?:(?P<article>-?(?:bis|ter|quater|quinquies|sexies|septies|octies)\b)|(?P<ordinal>[°ºª]|(?:esim[oaie]|st|nd|rd|th)\b))?"
    r"|(?P<word>[^\W\d_]+['\u2019]?|us\$)|(?P<sign>[^\s\w])",
    re.IGNORECASE,
)
_SIGNS = {"\u2013": "-", "\u2014": "-", "<": "J", ">": "G"} | {sign: sign for sign in ",.-/%"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # the class
    start: int
    end: int
    value: object = None
    word: str = ""  # folded
    note: str = ""
    other: Fraction | None = None  # the other value of figures; of a fraction that as an ordinal
    scale: int = 1  # of "2 milioni"


def tokens(text: str, language: str) -> list[Token]:
    raw = list(_TOKEN.finditer(text))
    words = [folded(match[0]) for match in raw]
    words = [word.rstrip("'") for word in words] if language == "en" else words  # "two months' notice"
    known = lexicon(language)
    found: list[Token] = []
    at = 0
    while at < len(raw):
        sizes = range(min(LONGEST_PHRASE, len(raw) - at), 0, -1)
        size, entry = next(((n, each) for n in sizes if (each := known.get(tuple(words[at : at + n])))), (1, None))
        is_march = words[at] == "mar" and bool(found) and found[-1].kind in "nxo"  # else Tuesday
        entry = ("m", 3) if is_march else entry
        span = raw[at].start(), raw[at + size - 1].end()
        found.append(_known(span, entry, words[at], text) if entry else _token(raw[at], words[at], language))
        at += size
    return found


def _known(span: tuple[int, int], entry: Entry, word: str, text: str) -> Token:
    kind, value = entry
    is_vague = kind == "n" and value in (2, 3) and word not in ("due", "tre", "two", "three")  # "qualche", "a few"
    return Token(kind, *span, value, word, f"{text[slice(*span)]}: read as {value}" if is_vague else "")


def _token(match: re.Match[str], word: str, language: str) -> Token:
    span = match.span()
    if match["date"]:
        return Token("D", *span, match[0], word)
    if match["figure"]:
        value, other, note = in_figures(match["figure"], language)
        is_year = word.isdigit() and len(word) == 4 and 1000 <= value < 3000
        kind = "v" if match["article"] else "o" if match["ordinal"] else "y" if is_year else "n"
        return Token(kind, *span, value, word, note, other)
    if match["word"] and language == "it" and (number := in_words(word)) is not None:
        return Token("y" if 1000 < number < 3000 else "n", *span, number, word)
    if match["word"] and language == "it" and (ordinal := ordinal_in_words(word)) is not None:
        return Token("o", *span, ordinal, word)
    if match["name"] and re.fullmatch(r"[qt][1-4]", word):
        return Token("I", *span, int(word[1]), word)
    return Token(_SIGNS.get(word, "z") if match["sign"] else "z", *span, None, word)


def fraction(token: Token) -> Fraction:
    """A half of "mezzo"."""
    return Fraction(token.value) if isinstance(token.value, int | Fraction) else Fraction(1, 2)
