"""Detects the kind of a file by its content; only among kinds of text does the name decide. Also cleans file names."""

import re
from contextlib import suppress
from typing import Literal, TypeAlias

from turnkeep.documents.parsing.parsed import Unparsable
from turnkeep.texts import printable

Kind: TypeAlias = Literal["pdf", "docx", "html", "markdown", "csv", "text"]

_HTML = re.compile(r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.I | re.S)
_TAG = re.compile(r"<(?:p|div|h[1-6]|table|body|ul|br)[\s>/]", re.I)
_CONTROL = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f]")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_DECLARED = re.compile(rb"<meta[^>]{1,200}charset\s*=\s*[\"']?([A-Za-z0-9_-]{2,20})", re.I)
_OTHER_SCRIPT = re.compile("\ufffd|[^\x00-\x7f]{3}")  # unlike western European text decoded as Windows-1252
_OTHERS = ["mac_roman", "cp1250", "cp1251", "cp1253", "cp932", "gb18030", "big5", "cp949", "koi8_r"]

NAME_CHARACTERS = 120
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def binary_kind(body: bytes) -> Kind | None:
    """Return the container format, None for possible text; raises Unparsable."""
    if not body.strip():
        raise Unparsable("empty_file")
    if body.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):  # OLE: an older Office file, or one with a password
        raise Unparsable("encrypted_file" if "EncryptedPackage".encode("utf-16-le") in body else "unsupported_type")
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "docx"
    return "pdf" if b"%PDF-" in body[:1024] else None  # as far as PDF readers search


def text_kind(text: str, name: str) -> Kind:
    ending = name.lower().rpartition(".")[2]
    if _HTML.match(text[:4096]) or (ending in ("html", "htm", "xhtml") and _TAG.search(text)):
        return "html"
    if text.startswith(("{\\rtf", "%!PS")):
        raise Unparsable("unsupported_type")
    if ending in ("md", "markdown"):
        return "markdown"
    return "csv" if ending in ("csv", "tsv") else "text"


def decoded(body: bytes) -> str:
    """Decode text by the first that applies: byte order mark, UTF-8 with some invalid bytes, the declaration of a web
    page, Windows-1252, or a guess from its letters. Raises Unparsable unless it is text."""
    text = _decoded(body)
    if len(_CONTROL.findall(text)) > 2 + 0.001 * len(text):
        raise Unparsable("unsupported_type")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(body: bytes) -> str:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body.decode(encoding, "replace")
    text = body.decode("utf-8", "replace")
    if 2 * text.count("\ufffd") <= len(text) - len(text.encode("ascii", "ignore")):  # at most half is invalid
        return text
    if found := _DECLARED.search(body[:4096]):
        with suppress(LookupError, UnicodeError):  # a page may declare anything: "hex", "idna"
            return body.decode(found[1].decode(), "replace")
    usual = body.decode("cp1252", "replace")
    if _OTHER_SCRIPT.search(usual):
        from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it

        return str(from_bytes(body, cp_isolation=_OTHERS).best() or usual)
    return usual


def file_name(name: str) -> str:
    """Return a name without folders, control and invisible characters. A long name is cut before its extension."""
    last = re.split(r"[/\\]", printable(name.replace("\0", "")).strip().rstrip("/\\"))[-1]
    clean = " ".join(_INVISIBLE.sub("", last).split()).lstrip(".") or "document"
    if len(clean) <= NAME_CHARACTERS:
        return clean
    stem, dot, ending = clean.rpartition(".")
    if not stem or len(ending) > 8:
        return clean[:NAME_CHARACTERS]
    return stem[: NAME_CHARACTERS - len(ending) - 1] + dot + ending
