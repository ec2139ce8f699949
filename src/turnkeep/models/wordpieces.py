"""Word pieces of BERT's uncased models, from `wordpieces.txt` (Google's bert-base-uncased, Apache-2.0). It is our own
code because the library for it requires a client of a model hub and adds 29 MB (decision 0014)."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

UNKNOWN, START, END = 100, 101, 102

_CJK = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
)


def read_pieces(text: str, limit: int) -> list[int]:
    """Return at most `limit` piece numbers, without START and END."""
    pieces: list[int] = []
    for word in _words(text):
        pieces += _cut(word) if len(word) <= 100 else (UNKNOWN,)
        if len(pieces) >= limit:
            break
    return pieces[:limit]


@cache
def _vocabulary() -> dict[str, int]:
    lines = Path(__file__).with_name("wordpieces.txt").read_text("utf-8").split("\n")[:-1]
    return {piece: number for number, piece in enumerate(lines)}


def _words(text: str) -> Iterator[str]:
    """Yield lower-case words without accents; punctuation marks and Chinese characters are words."""
    for chunk in text.split():
        if chunk.isascii() and chunk.isalnum():
            yield chunk.lower()
        else:
            yield from "".join(map(_apart, unicodedata.normalize("NFD", chunk.lower()))).split()


@lru_cache(1 << 12)
def _apart(character: str) -> str:
    """Return nothing for accents and control characters, else the character, between spaces if it is a word."""
    category = unicodedata.category(character)
    if category in ("Mn", "Cc", "Cf", "Co", "Cs") or character == "\ufffd":
        return ""
    # ASCII signs such as $ and + count as punctuation; others, such as the euro sign, do not.
    is_mark = category[0] == "P" or (character.isascii() and not character.isalnum())
    return f" {character} " if is_mark or _CJK.match(character) else character


@lru_cache(1 << 16)
def _cut(word: str) -> tuple[int, ...]:
    """Return the longest known pieces from the left, UNKNOWN for a word with an unknown part."""
    pieces: list[int] = []
    start = 0
    while start < len(word):
        before = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if before + word[start:end] in _vocabulary()), None)
        if end is None:
            return (UNKNOWN,)
        pieces.append(_vocabulary()[before + word[start:end]])
        start = end
    return tuple(pieces)
