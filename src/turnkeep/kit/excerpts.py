"""Cuts text to a size in bytes as JSON, so that stored text stays within its limit in any script."""

import json
from bisect import bisect_right


def cut(text: str, most: int) -> str:
    """Return one line of at most `most` bytes, cut between words, without control characters and lone surrogates."""
    line = " ".join("".join(c for c in text[: 4 * most] if c.isprintable() or c.isspace()).split())
    if _size(line) <= most:
        return line
    end = bisect_right(range(len(line)), most - 3, key=lambda last: _size(line[: last + 1]))
    shorter = line[:end].rsplit(" ", 1)[0] if " " in line[end // 2 : end] else line[:end]
    return shorter.rstrip(" ,;") + "…"


def _size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode(errors="replace")) - 2
