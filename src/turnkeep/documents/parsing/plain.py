"""Plain text, Markdown and tables as text."""

import csv
import itertools
import re

from turnkeep.documents.parsing.gathering import Gathering
from turnkeep.documents.parsing.layout import row_of
from turnkeep.documents.parsing.parsed import Unparsable
from turnkeep.kit.csv_tables import BadQuotes, read_table

_COMMENT = re.compile(
    r"(?P<code>^ {0,3}(?P<fence>```+|~~~+).*?(?:^ {0,3}(?P=fence)|\Z)|`[^`\n]+`)|<!--.*?-->|^ {0,3}<!--.*\Z",
    re.DOTALL | re.MULTILINE,
)
ROWS_A_PIECE = 50


def read_text(text: str, into: Gathering) -> None:
    for line in text.split("\n"):
        into.line(line)


def read_markdown(text: str, into: Gathering) -> None:
    """Read a piece per heading, without comments outside code, which no page shows."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only the process that parses has it

    into.findings["hidden_text"] += sum(not found["code"] for found in _COMMENT.finditer(text))
    shown = _COMMENT.sub(lambda found: found["code"] or "", text)
    lines = shown.split("\n")
    at = 0
    for token, content in itertools.pairwise(MarkdownIt("commonmark").parse(shown)):
        if token.type == "heading_open" and token.level == 0 and token.map:
            read_text("\n".join(lines[at : token.map[0]]), into)
            into.begin(heading=content.content)
            at = token.map[0]
    read_text("\n".join(lines[at:]), into)


def read_csv(text: str, into: Gathering) -> None:
    """Read rows as "cell | cell", in pieces of ROWS_A_PIECE. Each piece begins with the first row, the column names."""
    csv.field_size_limit(100_000)
    columns = ""
    try:
        lines = [row_of(cells) for _, cells in read_table(text)]
    except BadQuotes as error:
        raise Unparsable("damaged_file") from error
    for number, line in enumerate(filter(None, lines)):
        columns = columns or line
        if number and number % ROWS_A_PIECE == 0:
            into.begin()
            into.line(columns)
        into.line(line)
