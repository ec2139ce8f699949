"""Cuts text to a size in bytes, as JSON encodes it, so that stored text stays within its limit in any script."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

LEFT_OUT = " … "
LONGEST_WORD = 20  # a longer one is cut: it may be a line without spaces


def cut(text: str, most: int) -> str:
    """Return one line of at most `most` bytes, cut between words, without control characters and lone surrogates."""
    line = " ".join(_shown(text[: 4 * most]).split())
    if _size(line) <= most:
        return line
    end = bisect_right(range(len(line)), most - 3, key=lambda last: _size(line[: last + 1]))
    shorter = line[:end].rsplit(" ", 1)[0] if " " in line[end // 2 : end] else line[:end]
    return shorter.rstrip(" ,;") + "…"


def joined(texts: Iterable[str], most: int) -> str:
    """Join the texts; if too long, keep the beginning and the end: how a conversation began stays relevant."""
    whole = " ".join(filter(None, texts))
    if _size(whole) <= most:
        return whole
    head = cut(whole.split(LEFT_OUT)[0], most // 3).rstrip("…")
    return head + LEFT_OUT + _end(whole, most - _size(head) - _size(LEFT_OUT))


def _end(text: str, most: int) -> str:
    start = bisect_left(range(len(text)), True, key=lambda at: _size(text[at:]) <= most)
    first, _, rest = text[start:].partition(" ")
    return rest if len(first) < LONGEST_WORD else text[start:]


def _shown(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable() or letter.isspace())


def _size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode(errors="replace")) - 2
