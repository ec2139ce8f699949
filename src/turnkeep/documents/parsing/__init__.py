"""Extracts text from PDF, DOCX, HTML, Markdown, CSV and text files. Parsers load in another process."""

from turnkeep.documents.parsing.gathering import PIECE_CHARACTERS, split
from turnkeep.documents.parsing.kinds import file_name
from turnkeep.documents.parsing.parsed import Limits, Parsed, Unparsable, advice_of
from turnkeep.documents.parsing.process import keep_children_out, parse

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
