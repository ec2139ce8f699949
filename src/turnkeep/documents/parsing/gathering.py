"""Collects the text of a file up to a limit, and splits it into pieces. Counts parts that may address a model and not a
reader, by their form alone. Only the owner sees the counts: what protects is that document text is always data."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from turnkeep.attachments import Piece
from turnkeep.documents.parsing.parsed import Limits, Parsed, Unparsable
from turnkeep.kit.excerpts import pieces
from turnkeep.texts import printable

HEADING_CHARACTERS = 200
PIECE_CHARACTERS = 1500
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
_SUSPICIONS = {
    # single ones occur in ordinary text, as break opportunities
    "invisible_characters": re.compile(f"{_INVISIBLE.pattern}{{4,}}"),
    "tag_characters": re.compile("[\U000e0020-\U000e007e]{4,}"),  # not displayed
    "role_markers": re.compile(
        r"<\|[a-z_]{2,20}\|>"  # "<|im_start|>"
        r"|\[/?INST\]|<</?SYS>>"
        r"|^[ \t#*]{0,8}(?:system|assistant)(?: prompt| message)?[ \t*]{0,4}:",  # "System:", a role of a protocol
        re.IGNORECASE | re.MULTILINE,
    ),
}


class Full(Exception):
    """The limit of characters is reached."""


class Gathering:
    def __init__(self, limits: Limits):
        self._left = limits.characters
        self._pieces: list[Piece] = []
        self._heading: str | None = None
        self._lines: list[str] = []
        self._page: int | None = None
        self.findings: Counter[str] = Counter()
        self.warnings: list[str] = []

    def line(self, text: str) -> None:
        if self._left <= 0:
            raise Full
        for name, pattern in _SUSPICIONS.items():
            self.findings[name] += sum(1 for _ in pattern.finditer(text))
        clean = _visible(text)
        self._lines.append(clean[: self._left])
        self._left -= len(clean) + 1
        if self._left <= 0:
            raise Full

    def begin(self, *, page: int | None = None, heading: str | None = None) -> None:
        self.end()
        self._page = page
        if heading is not None:
            self._heading = " ".join(_visible(heading).split())[:HEADING_CHARACTERS] or None

    def begins_on_page_one(self) -> None:
        """Put all pieces so far on page one, when the end of the first page is found."""
        self.end()
        self._pieces = [replace(piece, page=1) for piece in self._pieces]

    def end(self) -> None:
        text = "\n".join(self._lines).strip()
        if text:
            self._pieces.append(Piece(text, self._page, self._heading))
        self._lines = []

    def parsed(self, kind: str, pages: int | None) -> Parsed:
        self.end()
        if not self._pieces:
            raise Unparsable("no_text")
        if self._left <= 0:
            self.warnings.append("characters_left_out")
        return Parsed(kind, tuple(self._pieces), pages, tuple(self.warnings), tuple(sorted(+self.findings)))


def _visible(text: str) -> str:
    """Return the text without invisible characters, except joiners, which some scripts need."""
    return _INVISIBLE.sub("", printable(text))


def split(found: Iterable[Piece], size: int = PIECE_CHARACTERS) -> Iterator[Piece]:
    """Yield pieces of at most `size` characters."""
    for piece in found:
        yield from (replace(piece, text=text) for text in pieces(piece.text, size))
