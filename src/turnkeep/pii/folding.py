"""Text as detectors read it: without invisible characters, with ASCII digits and signs."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_INVISIBLE = {"Cf", "Mn", "Me"}  # zero-width space, soft hyphen; a lone accent
_SIGNS = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-") | dict.fromkeys("\u2018\u2019\u02bc", "'")
# Characters that may need folding: all but Latin letters, quotation marks and the euro sign.
_ODD = re.compile(r"[^\x00-\u017f\u201c\u201d\u20ac]|\xad|\xa0")


def folded(text: str) -> tuple[str, Sequence[int]]:
    """Return the text for detectors, and for each of its characters and its end the position in `text`."""
    if not _ODD.search(text):
        return text, range(len(text) + 1)
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if plain := _plain(character):
            characters.append(plain)
            places.append(place)
    return "".join(characters), [*places, len(text)]


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    """Return at most one character: "" for a zero-width space, "3" for a full-width 3, "-" for a dash."""
    if character.isascii():
        return character
    if unicodedata.category(character) in _INVISIBLE:
        return ""
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    if character.isspace():
        return "\n" if character in "\u2028\u2029\x85" else " "
    simple = _SIGNS.get(character) or unicodedata.normalize("NFKC", character)
    return simple if len(simple) == 1 else character
