"""Why a document has no text: each reason has a code and a line that tells its owner what to do."""

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


class Unparsable(Exception):
    """There is no text to be had from a file; `code` says why, and `place` where a parser failed. Neither quotes it."""

    def __init__(self, code: str, place: str = ""):
        self.code = code
        self.place = place
        self.advice = advice_of(code)
        super().__init__(code)


def advice_of(code: str) -> str:
    """What the owner of a document can do about it."""
    return _ADVICE.get(code, _ADVICE["processing_failed"])


CODES = frozenset(_ADVICE)
