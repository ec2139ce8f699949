"""Turns blocks and cells of a page into lines. A table row is one line, "cell | cell", with every cell in its column.
A cell with a table, or with headings and much text, is page layout: its blocks become separate lines."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from turnkeep.documents.parsing.gathering import Gathering

PAGE_CHARACTERS = 300  # a cell with more may be page layout
MOST_COLUMNS = 1000  # as in a browser
RAISED = "\ue000"  # marks a superscript until its line is complete
_POWER = re.compile(rf"(?<=[\w)%]){RAISED}(?=[\d+\u2212-])")  # "10^6", but "1st"

_BAR = re.compile(r"(?<!\\)\|")


class _Line(NamedTuple):
    text: str
    is_heading: bool = False
    is_row: bool = False


@dataclass
class _Table:
    """`below`: for each column, how many more rows a cell above covers. `is_open`: the last cell is open."""

    row: list[list[_Line]] = field(default_factory=list)
    below: dict[int, int] = field(default_factory=dict)
    is_open: bool = False

    def pass_over(self) -> None:
        """Add empty cells below cells that cover several rows."""
        while self.below.get(len(self.row)):
            self.row.append([])


def row_of(cells: list[str]) -> str:
    """Return the line of a row, with bars in cells escaped; empty if no cell has text."""
    return " | ".join(" ".join(_BAR.sub(r"\\|", cell).split()) for cell in cells) if any(cells) else ""


class Layout:
    """Receives a page in reading order. The methods raise Full."""

    def __init__(self, into: Gathering):
        self._into = into
        self._tables: list[_Table] = []

    def line(self, text: str, *, is_heading: bool = False) -> None:
        """Add a block of text, with "^" before a superscript that would change a figure."""
        text = _POWER.sub("^", text).replace(RAISED, "")
        if text.strip():
            self._put(_Line(text, is_heading))

    def open_table(self) -> None:
        self._tables.append(_Table())

    def close_table(self) -> None:
        self._tables.pop()

    def close_group(self) -> None:
        self._table.below.clear()

    def open_cell(self) -> None:
        self._table.pass_over()
        self._table.row.append([])
        self._table.is_open = True

    def close_cell(self, width: int = 1, height: int = 1) -> None:
        table = self._table
        start = max(len(table.row) - 1, 0)
        table.row += [[] for _ in range(min(width, MOST_COLUMNS - start) - 1)]
        table.below |= dict.fromkeys(range(start, len(table.row)), height) if height > 1 else {}
        table.is_open = False

    def close_row(self, *, is_shown: bool = True) -> None:
        table = self._table
        table.pass_over()
        table.below = {column: left - 1 for column, left in table.below.items() if left > 1}
        row, table.row, table.is_open = table.row if is_shown else [], [], False
        if any(_is_page(cell, is_alone=len(row) == 1) for cell in row):
            for line in (line for cell in row for line in cell):
                self._put(line)
        elif text := row_of([_joined(cell) for cell in row]):
            self._put(_Line(text, is_row=True))

    @property
    def _table(self) -> _Table:
        if not self._tables:  # a damaged file has a row without a table
            self.open_table()
        return self._tables[-1]

    def _put(self, line: _Line) -> None:
        if around := next((table for table in reversed(self._tables) if table.is_open), None):
            around.row[-1].append(line)
            return
        if line.is_heading:
            self._into.begin(heading=line.text)
        self._into.line(line.text)


def _joined(cell: list[_Line]) -> str:
    """Return the paragraphs of a cell in one line, with semicolons between rows of a nested table."""
    return ("; " if any(line.is_row for line in cell) else " ").join(line.text for line in cell)


def _is_page(cell: list[_Line], *, is_alone: bool) -> bool:
    is_arranged = is_alone or any(line.is_row or line.is_heading for line in cell)
    return is_arranged and len(cell) > 1 and sum(len(line.text) for line in cell) > PAGE_CHARACTERS
