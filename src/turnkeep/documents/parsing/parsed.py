"""Limits and results of parsing: text, or an error code with advice for the owner of the document."""

from dataclasses import dataclass

ADVICE = {
    "empty_file": "The file is empty. Check it and upload it again.",
    "no_text": "The file contains no text; it may be a scan. Run text recognition (OCR) and upload it again.",
    "encrypted_file": "The file is protected by a password. Remove the password and upload it again.",
    "damaged_file": "The file is damaged. Open it, save it again and upload it again.",
    "unsupported_type": "The content is not PDF, DOCX, HTML, Markdown, CSV or text. Convert it and upload it again.",
    "has_macros": "The file contains macros. Save it as .docx and upload it again.",
    "unsafe_markup": "The file declares XML entities. Save it again in a word processor and upload it again.",
    "too_large": "The file is larger than 10 MB, or its text is too long. Split it and upload the parts.",
    "expands_too_far": "Unpacked, the file needs more memory than is allowed. Split it, or save it as text.",
    "takes_too_long": "Reading the file takes longer than is allowed. Split it, or save it as text.",
    "parser_failed": "The parser failed on this file. Open it, save it again or as text, and upload it again.",
    "not_uploaded": "The file did not arrive in time. Request a new upload and send it immediately.",
    "processing_failed": "The file could not be processed in time. Upload it again.",
}


@dataclass(frozen=True)
class Limits:
    """Limits for one file. Content beyond `pages` or `characters` is cut with a warning; the others raise an error."""

    body_bytes: int = 10_000_000
    seconds: float = 9  # from the start of the process to its answer
    cpu_seconds: int = 8
    memory_bytes: int = 512 * 1024 * 1024  # of address space; not enforced on macOS
    expanded_bytes: int = 50_000_000  # of the parts of an archive that are read
    pages: int = 200
    characters: int = 400_000


class Unparsable(Exception):
    """A file has no readable text. `code` is the reason, `place` is where a parser failed; neither quotes the file."""

    def __init__(self, code: str, place: str = ""):
        self.code, self.place = code, place
        super().__init__(code)
