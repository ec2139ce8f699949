"""Plain text, Markdown and tables as text."""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO

from turnkeep.blocks.parsing.gathering import Gathering
from turnkeep.blocks.parsing.parsed import Unparsable

_HIDDEN_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DELIMITERS = ",;\t|"
ROWS_A_PIECE = 50
LONGEST_CELL = 100_000


def read_text(text: str, into: Gathering) -> None:
    for line in text.split("\n"):
        into.line(line)


def read_markdown(text: str, into: Gathering) -> None:
    """A piece for each heading; comments, which no page shows, are left out."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only the process that parses has it

    shown, comments = _HIDDEN_COMMENT.subn("", text)
    into.findings += Counter(hidden_text=comments)
    lines = shown.split("\n")
    at = 0
    tokens = MarkdownIt("commonmark").parse(shown)
    for token, content in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            read_text("\n".join(lines[at : token.map[0]]), into)
            into.begin(heading=content.content)
            at = token.map[0]
    read_text("\n".join(lines[at:]), into)


def read_csv(text: str, into: Gathering) -> None:
    """Rows as "cell | cell", in pieces of ROWS_A_PIECE that all begin with the first row, which names the columns."""
    csv.field_size_limit(LONGEST_CELL)
    rows = csv.reader(StringIO(text), delimiter=_delimiter(text))
    columns = ""
    for number, cells in enumerate(_filled(rows)):
        line = " | ".join(" ".join(cell.split()) for cell in cells)
        columns = columns or line
        if number and number % ROWS_A_PIECE == 0:
            into.begin()
            into.line(columns)
        into.line(line)


def _filled(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    try:
        yield from (row for row in rows if any(cell.strip() for cell in row))
    except csv.Error as error:  # a quote that is never closed, as a rule
        raise Unparsable("damaged_file") from error


def _delimiter(text: str) -> str:
    """What the first lines have most of."""
    counts = Counter(each for each in text[:5000] if each in _DELIMITERS)
    return counts.most_common(1)[0][0] if counts else ","
