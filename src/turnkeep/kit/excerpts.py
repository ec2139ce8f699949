"""Cuts text: to a size in bytes as JSON, so that it stays within its limit in any script, or into pieces."""

import json
from bisect import bisect_right
from collections.abc import Iterator


def cut(text: str, most: int) -> str:
    """Return one line of at most `most` bytes, cut between words, without control characters and lone surrogates."""
    line = " ".join("".join(c for c in text[: 4 * most] if c.isprintable() or c.isspace()).split())
    if _size(line) <= most:
        return line
    end = bisect_right(range(len(line)), most - 3, key=lambda last: _size(line[: last + 1]))
    shorter = line[:end].rsplit(" ", 1)[0] if " " in line[end // 2 : end] else line[:end]
    return shorter.rstrip(" ,;") + "…"


def pieces(text: str, most: int) -> Iterator[str]:
    """Yield pieces of at most `most` characters, cut at the end of a paragraph, line, sentence or word if possible."""
    at = 0
    while at < len(text):
        end = _end(text, at, most) if len(text) - at > most else len(text)
        if piece := text[at:end].strip():
            yield piece
        at = end


def _end(text: str, at: int, most: int) -> int:
    for mark in ("\n\n", "\n", ". ", "\u3002", " "):
        found = text.rfind(mark, at + most // 3, at + most)
        if found > 0:
            return found + len(mark)
    return at + most


def _size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode(errors="replace")) - 2
