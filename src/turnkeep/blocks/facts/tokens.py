"""A text as tokens, each of a class: what the rules match is a string of one letter a token."""

import re
from dataclasses import dataclass
from fractions import Fraction

from turnkeep.blocks.facts.lexicon import folded, lexicon
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
    r"|(?P<word>[^\W\d_]{1,80}['\u2019]?|us\$)|(?P<sign>[^\s\w])",
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
        if words[at] == "mar" and found and found[-1].kind in "nxo":  # else Tuesday
            entry = ("m", 3)
        note = f"{raw[at][0]} read as {entry[1]}" if entry and entry[0] == "h" else ""  # "qualche", "a few"
        span = raw[at].start(), raw[at + size - 1].end()
        found.append(
            Token(entry[0], *span, entry[1], words[at], note) if entry else _token(raw[at], words[at], language)
        )
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
    if match["name"] and re.fullmatch(r"[qt][1-4]", word):
        return Token("I", *span, int(word[1]), word)
    return Token(_SIGNS.get(word, "z") if match["sign"] else "z", *span, None, word)


def fraction(token: Token) -> Fraction:
    """A half of "mezzo"."""
    return Fraction(token.value) if isinstance(token.value, int | Fraction) else Fraction(1, 2)
