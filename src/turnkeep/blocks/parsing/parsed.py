"""Limits and results of parsing: text, or an error code with advice for the owner of the document."""

from dataclasses import dataclass

from turnkeep.attachments import Piece

_ADVICE = {
    "empty_file": "The file is empty. Check it and upload it again.",
    "no_text": "The file holds no text, as a scan does. Run text recognition over it, then upload it again.",
    "encrypted_file": "The file is protected by a password. Save it without one and upload it again.",
    "damaged_file": "The file cannot be read to its end. Open it, save it anew and upload it again.",
    "unsupported_type": "Its content is none of PDF, DOCX, HTML, Markdown, CSV or text, whatever its name says. "
    "Convert it and upload it again.",
    "has_macros": "The file holds macros. Save it as .docx and upload it again.",
    "unsafe_markup": "The file declares entities of XML, which documents have no use for. Save it anew from a word "
    "processor and upload it again.",
    "too_large": "The file is larger than 10 MB, or its text than what is kept. Split it and upload the parts.",
    "expands_too_far": "Unpacked, the file takes more memory than is allowed. Split it, or save it as text.",
    "takes_too_long": "Reading the file takes longer than is allowed. Split it, or save it as text.",
    "parser_failed": "The file made its reader fail. Open it, save it anew or as text, and upload it again.",
    "not_uploaded": "The file did not arrive in time. Ask for a new upload and send it at once.",
    "processing_failed": "The file could not be processed in time. Upload it again.",
}
CODES = frozenset(_ADVICE)


@dataclass(frozen=True)
class Limits:
    """Limits for one file. Content over `pages` or `characters` is cut with a warning; any other limit is an error."""

    body_bytes: int = 10_000_000
    seconds: float = 9
    """Seconds from the start of the process to its answer."""
    cpu_seconds: int = 8
    memory_bytes: int = 512 * 1024 * 1024
    """Bytes of address space; not enforced on macOS."""
    expanded_bytes: int = 50_000_000
    """Unpacked bytes of the parts of an archive that are read."""
    pages: int = 200
    characters: int = 400_000


@dataclass(frozen=True)
class Parsed:
    """The text of a file, one piece per page or heading. `pages` counts those of the whole file, if it has pages.
    `warnings` name omitted content; `findings` name parts that may be meant for a model and not for a reader."""

    kind: str
    pieces: tuple[Piece, ...]
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


class Unparsable(Exception):
    """A file has no readable text; `code` is the reason, and `place` where a parser failed. Neither quotes the file."""

    def __init__(self, code: str, place: str = ""):
        self.code = code
        self.place = place
        super().__init__(code)


def advice_of(code: str) -> str:
    """Return the advice for the owner of a document."""
    return _ADVICE.get(code, _ADVICE["processing_failed"])
