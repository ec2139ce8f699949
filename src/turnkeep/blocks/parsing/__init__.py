"""Extracts text from uploaded files: PDF, DOCX, HTML, Markdown, CSV and plain text. Parsers run in another process: see
`parse`. Importing this package loads no parser."""

from turnkeep.blocks.parsing.kinds import file_name
from turnkeep.blocks.parsing.parsed import Limits, Parsed, Unparsable, advice_of
from turnkeep.blocks.parsing.process import keep_children_out, parse
from turnkeep.blocks.parsing.splitting import PIECE_CHARACTERS, split

__all__ = [
    "PIECE_CHARACTERS",
    "Limits",
    "Parsed",
    "Unparsable",
    "advice_of",
    "file_name",
    "keep_children_out",
    "parse",
    "split",
]
