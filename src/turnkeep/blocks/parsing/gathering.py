"""Where a parser puts text: it stops what is too long, and counts what was hidden from a reader."""

from collections import Counter
from dataclasses import replace

from turnkeep.attachments import Piece
from turnkeep.blocks.parsing.parsed import Limits, Parsed
from turnkeep.blocks.parsing.reasons import Unparsable
from turnkeep.blocks.parsing.suspicions import suspicions, visible
from turnkeep.texts import printable

HEADING_CHARACTERS = 200


class Full(Exception):
    """No more characters are taken."""


class Gathering:
    """Pieces of one file, in their order."""

    def __init__(self, limits: Limits):
        self._left = limits.characters
        self._pieces: list[Piece] = []
        self._heading: str | None = None
        self._lines: list[str] = []
        self._page: int | None = None
        self.findings: Counter[str] = Counter()
        self.warnings: list[str] = []

    def line(self, text: str) -> None:
        """Adds to the current piece; raises Full."""
        if self._left <= 0:
            raise Full
        self.findings.update(suspicions(text))
        clean = visible(printable(text))
        self._lines.append(clean[: self._left])
        self._left -= len(clean) + 1
        if self._left <= 0:
            raise Full

    def begin(self, *, page: int | None = None, heading: str | None = None) -> None:
        """What follows stands on this page, or under this heading."""
        self.end()
        self._page = page
        if heading is not None:
            self._heading = " ".join(visible(printable(heading)).split())[:HEADING_CHARACTERS] or None

    def begins_on_page_one(self) -> None:
        """Said when the first page is seen to have ended: what has none so far stands on it."""
        self.end()
        self._pieces = [replace(piece, page=1) for piece in self._pieces]

    def end(self) -> None:
        text = "\n".join(self._lines).strip()
        if text:
            self._pieces.append(Piece(text, self._page, self._heading))
        self._lines = []

    def parsed(self, kind: str, pages: int | None) -> Parsed:
        """Raises Unparsable where there is no text at all."""
        self.end()
        if not self._pieces:
            raise Unparsable("no_text")
        if self._left <= 0:
            self.warnings.append("characters_left_out")
        findings = tuple(sorted(+self.findings))
        return Parsed(kind, tuple(self._pieces), pages, tuple(self.warnings), findings)
