"""A text as tokens, each of a class: what the rules match is a string of one letter a token."""

import re
from dataclasses import dataclass
from functools import cache

from turnkeep.blocks.facts.lexicon import folded, lexicon, phrases_from
from turnkeep.blocks.facts.numerals import in_figures, in_words, ordinal_in_words

LONGEST_WORD = 80  # letters; a number in words has fewer

_TOKEN = re.compile(
    r"(?P<date>(?<![\w.,/])\d{1,4}(?P<mark>[-/.])\d{1,2}(?P=mark)\d{1,4}(?![\w/-]|[.,]\d)|(?<![\w.,/])\d{1,2}/\d{1,2},\d\d(?:\d\d)?(?!\w))"
    r"|(?P<month>(?<![\w.,/-])(?:(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/(?:19|20)\d\d)(?![\w/-]|[.,]\d))"
    r"|(?P<figure>(?:(?<![\w)])[-\u2212+])?(?:(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:,\d{1,12})?(?![\d.])|\d{1,40}(?:[.,'\u2019]\d{1,40}){0,12})"
    r"(?:e[+-]?\d{1,2}\b|\^[+-]{0,2}\d{1,2}\b)?)(?P<suffix>(?:-?(?:bis|ter|quater|quinquies|sexies|septies|octies)\b)|(?:[°ºª]|esim[oaie]\b|st\b|nd\b|rd\b|th\b))?"
    r"|(?P<name>[^\W\d_]+\d\w{0,40})|(?P<word>[^\W\d_]+['\u2019]?|[$€£¥]|us\$|%|‰)|(?P<other>[^\s])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # the class, one letter
    start: int
    end: int
    value: object = None
    word: str = ""  # folded; of figures the figures
    note: str = ""
    other: object = None  # the other value that figures may have


def tokens(text: str, language: str) -> list[Token]:
    raw = [match for match in _TOKEN.finditer(text) if match.lastgroup]
    known = lexicon(language)
    longest = phrases_from(known)
    words = [folded(match[0]) if len(match[0]) <= LONGEST_WORD else "" for match in raw]
    found: list[Token] = []
    at = 0
    while at < len(raw):
        for size in range(min(longest, len(raw) - at), 0, -1):
            entry = known.get(tuple(words[at : at + size]))
            if entry:
                is_march = words[at] == "mar" and any(token.kind in "nxo" for token in found[-1:])  # else Tuesday
                found.append(_entry(raw[at], raw[at + size - 1], ("m", 3) if is_march else entry, words[at]))
                at += size
                break
        else:
            found.append(_token(raw[at], words[at], language))
            at += 1
    return found


def _entry(first: re.Match[str], last: re.Match[str], entry: tuple[str, object], word: str) -> Token:
    kind, value = entry
    if kind == "few":
        return Token("n", first.start(), last.end(), value, word, f"{first[0]} read as {value}")
    return Token(kind, first.start(), last.end(), value, word)


def _token(match: re.Match[str], word: str, language: str) -> Token:
    span = match.span()
    if match["date"] or match["month"]:
        return Token("D", *span, match[0], word)
    if match["figure"]:
        value, other, note = in_figures(match["figure"], language)
        suffix = (match["suffix"] or "").casefold()
        kind = "n" if not suffix else "v" if suffix.lstrip("-")[:1] in "btqs" and suffix[-1] in "sr" else "o"
        is_year = kind == "n" and match[0].isdigit() and len(match[0]) == 4 and 1000 <= value < 3000
        return Token("y" if is_year else kind, *span, value, match[0], note, other)
    return _word(match, word, language)


def _word(match: re.Match[str], word: str, language: str) -> Token:
    span = match.span()
    if match["word"] and (word.rstrip("'") in _ones(language)):
        return Token("x", *span, 1, word)
    number = in_words(word, language) if match["word"] else None
    if number is not None:
        return Token("y" if 1000 < number < 3000 else "n", *span, number, word)
    ordinal = ordinal_in_words(word, language) if match["word"] else None
    if ordinal is not None:
        return Token("o", *span, ordinal, word)
    if quarter := re.fullmatch(r"[qt]([1-4])", word):
        return Token("I", *span, int(quarter[1]), word)
    return Token("z" if match["word"] or match["name"] else _PUNCTUATION.get(match[0], "z"), *span, None, word)


@cache
def _ones(language: str) -> frozenset[str]:
    return frozenset({"un", "uno", "una"} if language.startswith("it") else {"a", "an", "one"})


_PUNCTUATION = {",": ",", ".": ".", "-": "-", "\u2013": "-", "\u2014": "-", "/": "/", "<": "J", ">": "G", "%": "%"}
