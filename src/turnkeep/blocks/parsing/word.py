"""DOCX, read from its archive without a library of documents: only the parts that hold text are unpacked, by XML that
may declare nothing, and never beyond a bound."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import IO, Any

from turnkeep.blocks.parsing.gathering import Full, Gathering
from turnkeep.blocks.parsing.parsed import Limits, Unparsable

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # the same again, for old programs
_TYPES, _RELATIONS, _STYLES = "[Content_Types].xml", "_rels/.rels", "word/styles.xml"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_HEADING_STYLE = re.compile(r"(?:heading [1-9]|title)", re.IGNORECASE)
_MAX_ENTRIES = 5000
_ENCRYPTED = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


def read_docx(body: bytes, limits: Limits, into: Gathering) -> int | None:
    """Gives the number of pages, where the program that saved it last noted where they end."""
    with _archive(body) as archive:
        parts = _Parts(archive, limits.expanded_bytes)
        headings = _heading_styles(parts)
        main = _Paragraphs(into, headings, parts.events(_document(parts)))
        with suppress(Full):
            main.read()
            for name in filter(parts.__contains__, _NOTES):
                into.begin(heading="")
                _Paragraphs(into, headings, parts.events(name)).read()
    return main.pages


def _archive(body: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(BytesIO(body))
    except _DAMAGE as error:
        raise Unparsable("damaged_file") from error
    if len(archive.filelist) > _MAX_ENTRIES:
        raise Unparsable("expands_too_far")
    if any(entry.flag_bits & _ENCRYPTED for entry in archive.filelist):
        raise Unparsable("encrypted_file")
    return archive


class _Parts:
    """The parts of a document, of which all that are read may be of `left` bytes together."""

    def __init__(self, archive: zipfile.ZipFile, left: int):
        self._archive = archive
        self._left = left
        self._sizes = {entry.filename: entry.file_size for entry in archive.filelist}
        if _TYPES not in self._sizes or _RELATIONS not in self._sizes:
            raise Unparsable("unsupported_type")
        self._refuse_macros()

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def events(self, name: str) -> Iterator[tuple[str, Any]]:
        """Starts and ends of elements; what has ended is forgotten when its paragraph has."""
        from defusedxml import ElementTree  # noqa: PLC0415 - only the process that parses has it
        from defusedxml.common import DefusedXmlException  # noqa: PLC0415

        try:
            with self._open(name) as stream:
                yield from ElementTree.iterparse(stream, events=("start", "end"), forbid_dtd=True)
        except DefusedXmlException as error:
            raise Unparsable("unsafe_markup") from error
        except (ElementTree.ParseError, *_DAMAGE) as error:
            raise Unparsable("damaged_file") from error

    def _open(self, name: str) -> IO[bytes]:
        """What a part says of its size is all that is unpacked of it."""
        self._left -= self._sizes[name]
        if self._left < 0:
            raise Unparsable("expands_too_far")
        return self._archive.open(name)

    def _refuse_macros(self) -> None:
        if any(name.lower().endswith("vbaproject.bin") for name in self._sizes):
            raise Unparsable("has_macros")
        for _, element in self.events(_TYPES):
            if "macroEnabled" in element.get("ContentType", ""):
                raise Unparsable("has_macros")


def _document(parts: _Parts) -> str:
    """The part with the text; other archives of Office have others. Raises Unparsable."""
    for _, element in parts.events(_RELATIONS):
        target = element.get("Target", "").lstrip("/")
        if element.get("Type", "").endswith("/officeDocument") and target.startswith("word/") and target in parts:
            return str(target)
    raise Unparsable("unsupported_type")


def _heading_styles(parts: _Parts) -> frozenset[str]:
    """Ids of the styles of headings, which are words of the language of whoever wrote: "Titolo1"."""
    if _STYLES not in parts:
        return frozenset()
    found: set[str] = set()
    for event, element in parts.events(_STYLES):
        if event == "end" and _name(element) == "style":
            names = [_value(child) for child in element if _name(child) == "name"]
            has_level = any(_name(child) == "outlineLvl" for child in element.iter())
            if has_level or any(_HEADING_STYLE.fullmatch(name) for name in names):
                found.add(_attribute(element, "styleId"))
            element.clear()
    return frozenset(found)


class _Paragraphs:
    """Lines out of the elements of a document: a paragraph, or a row of a table, is one."""

    def __init__(self, into: Gathering, headings: frozenset[str], events: Iterator[tuple[str, Any]]):
        self._into = into
        self._headings = headings
        self._events = events
        self.pages: int | None = None  # until one is seen to end
        self._words: list[list[str]] = []  # of paragraphs that are open: a text box stands in one
        self._run: list[str] = []
        self._is_hidden = self._is_white = self._is_heading = False
        self._rows: list[list[str]] = []  # of tables that are open, the cells of the row that is

    def read(self) -> None:
        """Raises Full, Unparsable."""
        fallbacks = 0
        for event, element in self._events:
            if element.tag == _FALLBACK:
                fallbacks += 1 if event == "start" else -1
            if fallbacks:
                continue
            act = getattr(self, f"_{event}_{_name(element)}", None)
            if act:
                act(element)

    def _start_tr(self, _: Any) -> None:
        self._rows.append([])

    def _end_tr(self, element: Any) -> None:
        row = " | ".join(cell for cell in self._rows.pop() if cell)
        element.clear()
        self._put(row)

    def _end_tc(self, element: Any) -> None:
        element.clear()

    def _start_r(self, _: Any) -> None:
        self._run, self._is_hidden, self._is_white = [], False, False

    def _end_vanish(self, element: Any) -> None:
        self._is_hidden = _value(element) not in ("0", "false")

    def _end_color(self, element: Any) -> None:
        self._is_white = _value(element).upper() == "FFFFFF"

    def _end_t(self, element: Any) -> None:
        self._run.append(element.text or "")

    def _end_tab(self, _: Any) -> None:
        self._run.append("\t")

    def _end_br(self, _: Any) -> None:
        self._run.append("\n")

    def _end_noBreakHyphen(self, _: Any) -> None:  # noqa: N802 - as the element is called
        self._run.append("-")

    def _end_r(self, element: Any) -> None:
        text = "".join(self._run)
        element.clear()
        if self._is_hidden or self._is_white:
            self._into.findings["hidden_text" if self._is_hidden else "white_text"] += bool(text.strip())
        if self._words and not self._is_hidden:
            self._words[-1].append(text)
        self._run = []

    def _end_pStyle(self, element: Any) -> None:  # noqa: N802
        self._is_heading = _value(element) in self._headings

    def _end_outlineLvl(self, element: Any) -> None:  # noqa: N802
        self._is_heading = _value(element) != "9"  # "body text"

    def _end_lastRenderedPageBreak(self, _: Any) -> None:  # noqa: N802
        if self.pages is None:
            self._into.begins_on_page_one()
        self.pages = (self.pages or 1) + 1
        self._into.begin(page=self.pages)

    def _start_p(self, _: Any) -> None:
        self._words.append([])
        self._is_heading = False

    def _end_p(self, element: Any) -> None:
        text = "".join(self._words.pop())
        element.clear()
        if self._rows:
            self._rows[-1].append(text.strip())
            return
        if self._is_heading and text.strip():
            self._into.begin(page=self.pages, heading=text)
        self._put(text)

    def _put(self, text: str) -> None:
        if self._rows:
            self._rows[-1].append(text)
        elif text.strip():
            self._into.line(text)


def _name(element: Any) -> str:
    """Without its namespace, of which there is a strict and a usual one."""
    space, _, name = element.tag.rpartition("}")
    return name if f"{space}}}" in (_W, _STRICT) else ""


def _value(element: Any) -> str:
    return _attribute(element, "val")


def _attribute(element: Any, name: str) -> str:
    return str(element.get(f"{_W}{name}") or element.get(f"{_STRICT}{name}") or "")
