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
from turnkeep.blocks.parsing.kinds import decoded
from turnkeep.blocks.parsing.layout import RAISED, Layout
from turnkeep.blocks.parsing.parsed import Limits, Unparsable
from turnkeep.blocks.parsing.signs import FIELDS, LEFT_OUT, MATHS, SIGNS, attribute, name_of, shown_in
from turnkeep.blocks.parsing.webpage import read_html

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # the same again, for old programs
_TYPES, _RELATIONS, _STYLES = "[Content_Types].xml", "_rels/.rels", "word/styles.xml"
_DOCUMENT_RELATIONS = "word/_rels/document.xml.rels"
_APART = re.compile(r"word/(?:footnotes|endnotes|comments|header\d*|footer\d*)\.xml")
_NOT_READ = ("word/charts/", "word/diagrams/data", "word/embeddings/")  # parts that show text
_HEADING_STYLE = re.compile(r"(?:heading [1-9]|title)", re.IGNORECASE)
_LEFT = "parts_left_out"
_MAX_ENTRIES = 5000
_ENCRYPTED = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


def read_docx(body: bytes, limits: Limits, into: Gathering) -> int | None:
    """Gives the number of pages, where the program that saved it last noted where they end."""
    with _archive(body) as archive:
        parts = _Parts(archive, limits.expanded_bytes)
        headings = _heading_styles(parts)
        main = _Body(into, headings, parts)
        with suppress(Full):
            main.read(_document(parts))
            for name in sorted(filter(_APART.fullmatch, parts.sizes)):
                into.begin(heading="")
                _Body(into, headings, parts).read(name)
    if _LEFT not in into.warnings and any(name.startswith(_NOT_READ) for name in parts.sizes):
        into.warnings.append(_LEFT)
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
        self.sizes = {entry.filename: entry.file_size for entry in archive.filelist}
        if _TYPES not in self.sizes or _RELATIONS not in self.sizes:
            raise Unparsable("unsupported_type")
        self._refuse_macros()

    def read(self, name: str) -> bytes:
        try:
            with self._open(name) as stream:
                return stream.read()
        except _DAMAGE as error:
            raise Unparsable("damaged_file") from error

    def events(self, name: str) -> Iterator[tuple[str, Any]]:
        """Starts and ends of elements, none of a part that is missing; each is forgotten when its paragraph ends."""
        from defusedxml import ElementTree  # noqa: PLC0415 - only the process that parses has it
        from defusedxml.common import DefusedXmlException  # noqa: PLC0415

        if name not in self.sizes:
            return
        try:
            with self._open(name) as stream:
                yield from ElementTree.iterparse(stream, events=("start", "end"), forbid_dtd=True)
        except DefusedXmlException as error:
            raise Unparsable("unsafe_markup") from error
        except (ElementTree.ParseError, *_DAMAGE) as error:
            raise Unparsable("damaged_file") from error

    def _open(self, name: str) -> IO[bytes]:
        """What a part says of its size is all that is unpacked of it."""
        self._left -= self.sizes[name]
        if self._left < 0:
            raise Unparsable("expands_too_far")
        return self._archive.open(name)

    def _refuse_macros(self) -> None:
        if any(name.lower().endswith("vbaproject.bin") for name in self.sizes):
            raise Unparsable("has_macros")
        for _, element in self.events(_TYPES):
            if "macroEnabled" in element.get("ContentType", ""):
                raise Unparsable("has_macros")


def _document(parts: _Parts) -> str:
    """The part with the text; other archives of Office have others. Raises Unparsable."""
    for _, element in parts.events(_RELATIONS):
        target = element.get("Target", "").lstrip("/")
        if element.get("Type", "").endswith("/officeDocument") and target.startswith("word/") and target in parts.sizes:
            return str(target)
    raise Unparsable("unsupported_type")


def _heading_styles(parts: _Parts) -> frozenset[str]:
    """Ids of the styles of headings, which are words of the language of whoever wrote: "Titolo1"."""
    found: set[str] = set()
    for event, element in parts.events(_STYLES):
        if event == "end" and name_of(element) == "style":
            names = [attribute(child) for child in element if name_of(child) == "name"]
            has_level = any(name_of(child) == "outlineLvl" for child in element.iter())
            if has_level or any(_HEADING_STYLE.fullmatch(name) for name in names):
                found.add(attribute(element, "styleId"))
            element.clear()
    return frozenset(found)


class _Body:
    """The elements of a part, of which each paragraph is made a text when it ends and then forgotten."""

    def __init__(self, into: Gathering, headings: frozenset[str], parts: _Parts):
        self._into = into
        self._layout = Layout(into)
        self._headings = headings
        self._parts = parts
        self.pages: int | None = None  # until one is seen to end

    def read(self, name: str) -> None:
        """Raises Full, Unparsable."""
        fallbacks = 0
        for event, element in self._parts.events(name):
            if element.tag == _FALLBACK:
                fallbacks += 1 if event == "start" else -1
                element.clear()
            act = None if fallbacks else getattr(self, f"_{event}_{name_of(element)}", None)
            if act:
                act(element)

    def _start_tbl(self, _: Any) -> None:
        self._layout.open_table()

    def _end_tbl(self, element: Any) -> None:
        element.clear()
        self._layout.close_table()

    def _end_trPr(self, element: Any) -> None:  # noqa: N802 - as the element is called
        for each in element:
            if name_of(each) == "gridBefore":
                self._layout.open_cell()
                self._layout.close_cell(_count(each))

    def _end_tr(self, element: Any) -> None:
        is_deleted = any(name_of(each) == "del" for each in _properties(element, "trPr"))
        element.clear()
        self._layout.close_row(is_shown=not is_deleted)

    def _start_tc(self, _: Any) -> None:
        self._layout.open_cell()

    def _end_tc(self, element: Any) -> None:
        widths = [_count(each) for each in _properties(element, "tcPr") if name_of(each) == "gridSpan"]
        element.clear()
        self._layout.close_cell(*widths[:1])

    def _end_lastRenderedPageBreak(self, _: Any) -> None:  # noqa: N802
        if self.pages is None:
            self._into.begins_on_page_one()
        self.pages = self._layout.page = (self.pages or 1) + 1
        self._into.begin(page=self.pages)

    def _end_altChunk(self, element: Any) -> None:  # noqa: N802
        """A page of the web that Word shows in this place."""
        wanted = next((value for name, value in element.items() if name.endswith("}id")), "")
        targets = {each.get("Id"): each.get("Target", "") for _, each in self._parts.events(_DOCUMENT_RELATIONS)}
        name = f"word/{targets.get(wanted, '')}".replace("word//", "")
        if name.lower().endswith((".htm", ".html", ".xhtml")) and name in self._parts.sizes:
            read_html(decoded(self._parts.read(name)), self._into)
        else:
            self._into.warnings.append(_LEFT)

    def _end_p(self, element: Any) -> None:
        look = {name_of(each): attribute(each) for each in _properties(element, "pPr")}
        level = look.get("outlineLvl")
        text = self._text(element)
        element.clear()
        self._layout.line(text, is_heading=level != "9" if level else look.get("pStyle") in self._headings)  # 9 is text

    def _text(self, element: Any) -> str:
        name = name_of(element)
        if name in LEFT_OUT:
            return ""
        if name in SIGNS:
            return SIGNS[name]
        if name in FIELDS:
            return FIELDS[name](element)
        if name in MATHS:
            return MATHS[name](self._operands(element))
        text = element.text or "" if name == "t" else "".join(map(self._text, element))
        return self._seen(element, text) if name == "r" else text

    def _operands(self, element: Any) -> dict[str, str]:
        """Return marks and operands by name, several of a name with commas between."""
        found: dict[str, list[str]] = {}
        for each in element:
            found.setdefault(name_of(each), []).append(self._text(each))
        marks = {name_of(each): attribute(each) for part in element if name_of(part).endswith("Pr") for each in part}
        return marks | {name: ",".join(texts) for name, texts in found.items()}

    def _seen(self, run: Any, text: str) -> str:
        look = {name_of(each): attribute(each) or attribute(each, "ascii") for each in _properties(run, "rPr")}
        is_hidden = look.get("vanish", "0") not in ("0", "false")
        if is_hidden or look.get("color", "").upper() == "FFFFFF":
            self._into.findings["hidden_text" if is_hidden else "white_text"] += bool(text.strip())
        text = "" if is_hidden else shown_in(look.get("rFonts", ""), text)
        return RAISED + text if look.get("vertAlign") == "superscript" else text


def _properties(element: Any, name: str) -> Iterator[Any]:
    return (each for part in element if name_of(part) == name for each in part)


def _count(element: Any) -> int:
    return int(attribute(element)) if attribute(element).isdecimal() else 1
