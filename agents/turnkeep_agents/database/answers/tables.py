"""Rows as users and models see them, ten at a time. A cell is text whatever it contains: it never becomes a link, an
image, a tag or a second cell."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

PAGE = 10
MOST_EXTRA = 5  # rows beyond a page that are shown with it, so that no page has only two or three
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
    most = len(rows) if is_all or (not has_more and len(rows) <= PAGE + MOST_EXTRA) else PAGE
    return min(most, len(rows))


def is_single(rows: Sequence[Sequence[Any]]) -> bool:
    return len(rows) == 1 and len(rows[0]) == 1


def table_of(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], start: int, size: int, *, has_more: bool, language: str
) -> str:
    """Return the first `size` rows as Markdown with their position; `has_more` means more than `rows`."""
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

    def short(cell: object) -> str:
        text = plain(cell)
        return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}\u2026"

    return "\n".join([" | ".join(columns), *(" | ".join(map(short, row)) for row in rows[:most])])


def plain(cell: object) -> str:
    """Return a cell as text on one line, a figure without rounding dust."""
    if isinstance(cell, float):
        return f"{cell:.4f}".rstrip("0").rstrip(".")
    return "" if cell is None else " ".join(_moment(str(cell)).split())


def escaped(text: str) -> str:
    """Return Markdown that shows the text and nothing else; on one line, cut if it is long."""
    seen = " ".join("".join(sign if _is_visible(sign) else " " for sign in text[: 4 * LONGEST_CELL]).split())
    if len(seen) > LONGEST_CELL:
        seen = seen[: LONGEST_CELL - 1].rstrip() + "\u2026"
    seen = _MARKS.sub(lambda found: f"\\{found[0]}", seen)
    seen = _ADDRESS.sub(lambda found: f"\\{found[0]}", seen)
    return _ENTITY.sub("&amp;", seen).replace("<", "&lt;")


def _is_visible(sign: str) -> bool:
    """Return whether the sign has a shape; others could reverse the text."""
    return unicodedata.category(sign) not in ("Cc", "Cf", "Zl", "Zp")


def _form(cells: Sequence[Any]) -> str:
    """Return the format of all figures of a column; empty if it has other cells."""
    figures = [cell for cell in cells if cell is not None]
    if not figures or not all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in figures):
        return ""
    if all(float(cell).is_integer() for cell in figures):
        return ",.0f" if max(map(abs, figures)) >= GROUPED_FROM else ".0f"
    return ",.2f"


def _cell(cell: Any, form: str, language: str) -> str:
    if cell is None or not form:
        return "" if cell is None else escaped(_moment(str(cell)))
    number, code = format(cell, form), language[:2].casefold()
    group = "." if code in _POINTS.split() else "\u202f" if code in _SPACES.split() else ","
    return number if group == "," else number.replace(",", "_").replace(".", ",").replace("_", group)


def _moment(text: str) -> str:
    """Shorten a date and time to the minute: "2026-11-02 14:30"."""
    return _SECONDS.sub(r" \1", _MIDNIGHT.sub("", text))
