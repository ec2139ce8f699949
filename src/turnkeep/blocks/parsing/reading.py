"""One file, read in this very process: for the process that is made for it. See `process`."""

from contextlib import suppress

from turnkeep.blocks.parsing.gathering import Full, Gathering
from turnkeep.blocks.parsing.kinds import binary_kind, decoded, text_kind
from turnkeep.blocks.parsing.parsed import Limits, Parsed
from turnkeep.blocks.parsing.pdf import read_pdf
from turnkeep.blocks.parsing.plain import read_csv, read_markdown, read_text
from turnkeep.blocks.parsing.reasons import Unparsable
from turnkeep.blocks.parsing.webpage import read_html
from turnkeep.blocks.parsing.word import read_docx

_BINARY = {"pdf": read_pdf, "docx": read_docx}
_TEXT = {"html": read_html, "markdown": read_markdown, "csv": read_csv, "text": read_text}


def read(body: bytes, name: str, limits: Limits) -> Parsed:
    """Raises Unparsable."""
    if len(body) > limits.body_bytes:
        raise Unparsable("too_large")
    into = Gathering(limits)
    binary = binary_kind(body)
    if binary:
        return into.parsed(binary, _BINARY[binary](body, limits, into))
    text = decoded(body)
    kind = text_kind(text, name)
    with suppress(Full):
        _TEXT[kind](text, into)
    return into.parsed(kind, None)
