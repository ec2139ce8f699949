"""The words of facts in Italian and English (`words.txt`), each with its class: one letter, over which rules are
patterns. The other language's words count too where they are long enough to be nothing else."""

import re
import unicodedata
from functools import cache
from pathlib import Path

from turnkeep.blocks.calendars import notation

type Entry = tuple[str, object]
"""A class and a value: ("m", 3), ("u", (3, "M")), ("c", "EUR")."""

LONG_LETTERS = 4
"""Of a word that counts in the other language as well: "euro", "April", not "due" or "set"."""


def language_of(code: str) -> str:
    """Italian, or English for any other."""
    return "it" if code.strip().casefold().startswith("it") else "en"


def folded(word: str) -> str:
    """Lower case without accents; a single letter keeps its own: "è" is no "e"."""
    word = word.casefold().replace("\u2019", "'")
    if len(word) == 1 or word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))


@cache
def lexicon(language: str) -> dict[tuple[str, ...], Entry]:
    """By the folded words of a phrase."""
    other = "en" if language == "it" else "it"
    entries = [(phrase, entry) for phrase, entry in _entries(other) if len(phrase) >= LONG_LETTERS] + _entries(language)
    return {tuple(map(folded, phrase.split("_"))): entry for phrase, entry in entries}


@cache
def _entries(language: str) -> list[tuple[str, Entry]]:
    """The calendar's months, scales and currencies come first: a word here is stronger."""
    writes = notation(language)
    found: list[tuple[str, Entry]] = [(word, ("m", min(months))) for word, months in writes.months.items()]
    found += [(word.replace(" ", "_"), ("k", int(max(sizes)))) for word, sizes in writes.scales.items()]
    signs = [(word, code) for word, code in writes.currencies.items() if not word.isalpha() or word == code.lower()]
    found += [(word, ("c", code)) for word, code in signs]
    for line in Path(__file__).with_name("words.txt").read_text("utf-8").splitlines():
        which, kind, *words = line.split()
        if which in (language, "*"):
            entry = (kind[0], _value(kind[2:]))
            found += [(word, entry) for word in words]
    return found


def _value(text: str) -> object:
    size = re.fullmatch(r"(-?\d+)([A-Z]*)", text)
    if size is None:
        return text or None
    return (int(size[1]), size[2]) if size[2] else int(size[1])
