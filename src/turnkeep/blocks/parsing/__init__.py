"""Extracts text from PDF, DOCX, HTML, Markdown, CSV and text files. Parsers run in another process, and importing this
package loads none."""

from turnkeep.blocks.parsing.gathering import PIECE_CHARACTERS, split
from turnkeep.blocks.parsing.kinds import file_name
from turnkeep.blocks.parsing.parsed import Limits, Parsed, Unparsable, advice_of
from turnkeep.blocks.parsing.process import keep_children_out, parse

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
