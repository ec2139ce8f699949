"""Splits pages and sections into pieces that are small enough to be found and shown."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from turnkeep.attachments import Piece

PIECE_CHARACTERS = 1500
_BREAKS = ("\n\n", "\n", ". ", " ")


def split(pieces: Iterable[Piece], size: int = PIECE_CHARACTERS) -> Iterator[Piece]:
    """Yield pieces of at most `size` characters, cut at the end of a paragraph, line, sentence or word; a part without
    any of these may be four times as long."""
    for piece in pieces:
        for text in _cut(piece.text, size):
            yield replace(piece, text=text)


def _cut(text: str, size: int) -> Iterator[str]:
    at = 0
    while len(text) - at > size:
        end = _end(text, at, size)
        if part := text[at:end].strip():
            yield part
        at = end
    if part := text[at:].strip():
        yield part


def _end(text: str, at: int, size: int) -> int:
    for mark in _BREAKS:
        found = text.rfind(mark, at + size // 3, at + size)
        if found > 0:
            return found + len(mark)
    ends = [text.find(blank, at + size, at + 4 * size) for blank in " \n"]
    return min((end for end in ends if end > 0), default=at + 4 * size)
