"""Rows as the user and the model see them: ten at a time, in no language but that of their columns' names. A cell is
text, whatever stands in it: it never becomes a link, an image, a tag, or a second cell."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

PAGE = 10
MOST_BESIDE = 5  # rows beyond a page that are shown with it, so that none is left behind for two or three
MOST_READ = 15  # rows that a model sees
LONGEST_CELL = 80  # characters
GROUPED_FROM = 10_000  # whole numbers below are written as they are, as years are

_POINTS = "da de el es hr id it nl pt ro sl sr tr vi"  # languages that write 1.234,5
_SPACES = "be bg cs et fi fr hu hy ka kk lt lv nb nn no pl ru sk sq sv uk"  # 1 234,5
_MARKS = re.compile(r"[\\`*\[\]|]|~(?=~)|(?<=~)~|(?<!\w)_|_(?!\w)")
_ADDRESS = re.compile(r":(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
_MIDNIGHT = re.compile(r"(?<=\d{4}-\d\d-\d\d)[T ]00:00:00$")
_SECONDS = re.compile(r"(?<=\d{4}-\d\d-\d\d)[T ](\d\d:\d\d):\d\d(?:\.\d+)?$")


def size_of(rows: Sequence[Any], *, has_more: bool, is_all: bool) -> int:
    """How many of `rows` a page shows."""
    most = len(rows) if is_all or (not has_more and len(rows) <= PAGE + MOST_BESIDE) else PAGE
    return min(most, len(rows))


def is_single(rows: Sequence[Sequence[Any]]) -> bool:
    """One value, which the answer says."""
    return len(rows) == 1 and len(rows[0]) == 1


def table_of(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], start: int, size: int, *, has_more: bool, language: str
) -> str:
    """The first `size` rows as Markdown, and which of how many they are; `has_more` beyond `rows`."""
    if not rows:
        return ""
    forms = [_form([row[at] for row in rows]) for at in range(len(columns))]
    lines = [[escaped(name[:1].upper() + name[1:]) for name in columns]]
    lines.append(["---:" if form else "---" for form in forms])
    for row in rows[:size]:
        lines.append([_cell(cell, form, language) for cell, form in zip(row, forms, strict=True)])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    total = start + len(rows)
    if size == total and not has_more:
        return table
    return f"{table}\n\n{start + 1}\u2013{start + size} / {total}{'+' if has_more else ''}"


def preview(columns: Sequence[str], rows: Sequence[Sequence[Any]], most: int = MOST_READ) -> str:
    """The first rows, one a line, for a prompt."""
    return "\n".join([" | ".join(columns), *(" | ".join(map(_short, row)) for row in rows[:most])])


def plain(cell: object) -> str:
    """A cell as text on one line, a figure without the dust of its arithmetic."""
    if isinstance(cell, float):
        return f"{cell:.4f}".rstrip("0").rstrip(".")
    return "" if cell is None else " ".join(_moment(str(cell)).split())


def escaped(text: str) -> str:
    """As Markdown that shows the text and does nothing else; on one line, cut where it is long."""
    seen = "".join(_visible(sign) for sign in text[: 4 * LONGEST_CELL])
    seen = " ".join(seen.split())
    if len(seen) > LONGEST_CELL:
        seen = seen[: LONGEST_CELL - 1].rstrip() + "\u2026"
    seen = _MARKS.sub(lambda found: f"\\{found[0]}", seen)
    seen = _ADDRESS.sub(lambda found: f"\\{found[0]}", seen)
    return _ENTITY.sub("&amp;", seen).replace("<", "&lt;")


def _visible(sign: str) -> str:
    """Without what has no shape of its own and could turn the order of others."""
    return " " if unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp") else sign


def _form(cells: Sequence[Any]) -> str:
    """How all figures of a column are written; empty for one that holds others."""
    figures = [cell for cell in cells if cell is not None]
    if not figures or not all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in figures):
        return ""
    if all(float(cell).is_integer() for cell in figures):
        return ",.0f" if max(map(abs, figures)) >= GROUPED_FROM else ".0f"
    return ",.2f"


def _cell(cell: Any, form: str, language: str) -> str:
    if cell is None:
        return ""
    return _in_language(format(cell, form), language) if form else escaped(_moment(str(cell)))


def _in_language(number: str, language: str) -> str:
    code = language[:2].casefold()
    group = "." if code in _POINTS.split() else "\u202f" if code in _SPACES.split() else ","
    return number if group == "," else number.replace(",", "_").replace(".", ",").replace("_", group)


def _moment(text: str) -> str:
    """A date and its time to the minute: "2026-11-02 14:30"."""
    return _SECONDS.sub(r" \1", _MIDNIGHT.sub("", text))


def _short(cell: object) -> str:
    text = plain(cell)
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}\u2026"
