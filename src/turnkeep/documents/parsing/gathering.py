"""Collects the text of a file up to a limit. Counts parts that may address a model and not a
reader, by their form alone. Only the owner sees the counts: what protects is that document text is always data."""

import re
from collections import Counter
from dataclasses import replace

from turnkeep.documents.parsing.parsed import Limits, Unparsable
from turnkeep.records import Parsed, Piece
from turnkeep.texts import printable

_SUSPICIONS = {
    # single ones occur in ordinary text, as break opportunities
    "invisible_characters": re.compile("[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]{4,}"),
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
        self.page: int | None = None  # of the next lines
        self.pages: int | None = None  # of the file; None for a file without pages
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
        self.page = page or self.page
        if heading is not None:
            self._heading = " ".join(_visible(heading).split())[:200] or None  # characters

    def begin_page(self) -> None:
        """Begin the next page. The first call puts all pieces so far on page one."""
        self.end()
        if self.pages is None:
            self._pieces = [replace(piece, page=1) for piece in self._pieces]
        self.pages = self.page = (self.pages or 1) + 1

    def end(self) -> None:
        text = "\n".join(self._lines).strip()
        if text:
            self._pieces.append(Piece(text, self.page, self._heading))
        self._lines = []

    def parsed(self, kind: str) -> Parsed:
        self.end()
        if not self._pieces:
            raise Unparsable("no_text")
        if self._left <= 0:
            self.warnings.append("characters_left_out")
        warnings = tuple(dict.fromkeys(self.warnings))
        return Parsed(kind, tuple(self._pieces), self.pages, warnings, tuple(sorted(+self.findings)))


def _visible(text: str) -> str:
    return printable(text).replace("\u00ad", "")  # a hyphen only at the end of a line
