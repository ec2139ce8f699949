"""Reads DOCX from its archive. Only parts with text are unpacked, as XML without declarations, and never beyond a
limit: a document library would unpack everything."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import IO, Any

from turnkeep.documents.parsing.gathering import Gathering
from turnkeep.documents.parsing.kinds import decoded
from turnkeep.documents.parsing.layout import RAISED, Layout
from turnkeep.documents.parsing.numbering import BULLET, Numbering
from turnkeep.documents.parsing.ooxml import FIELDS, LEFT_OUT, MATHS, SIGNS, attribute, name_of, shown_in, values_of
from turnkeep.documents.parsing.parsed import Limits, Unparsable
from turnkeep.documents.parsing.webpage import read_html

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # a duplicate, for old programs
_TYPES, _RELATIONS = "[Content_Types].xml", "_rels/.rels"
_APART = re.compile(r"word/(?:footnotes|endnotes|comments|header\d*|footer\d*)\.xml")
_NOT_READ = ("word/charts/", "word/diagrams/data", "word/embeddings/")  # parts that contain text
_HEADING_STYLE = re.compile(r"(?:heading [1-9]|title)", re.IGNORECASE)
_LEFT = "parts_left_out"
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


def read_docx(body: bytes, limits: Limits, into: Gathering) -> None:
    with _archive(body) as archive:
        parts = _Parts(archive, limits.expanded_bytes)
        if any(name.startswith(_NOT_READ) for name in parts.sizes):
            into.warnings.append(_LEFT)
        styles, numbering = _styles(parts), Numbering(parts.elements("word/numbering.xml", "abstractNum", "num"))
        for name in (_main_part(parts), *sorted(filter(_APART.fullmatch, parts.sizes))):
            into.begin(heading="")
            into.page = None
            _Body(into, styles, numbering, parts).read(name)


def _archive(body: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(BytesIO(body))
    except _DAMAGE as error:
        raise Unparsable("damaged_file") from error
    if len(archive.filelist) > 5000:
        raise Unparsable("expands_too_far")
    if any(entry.flag_bits & 0x1 for entry in archive.filelist):
        raise Unparsable("encrypted_file")
    return archive


class _Parts:
    """The parts of a document; those that are read may have `left` bytes together. Rejects macros."""

    def __init__(self, archive: zipfile.ZipFile, left: int):
        self._archive = archive
        self._left = left
        self.sizes = {entry.filename: entry.file_size for entry in archive.filelist}
        if _TYPES not in self.sizes or _RELATIONS not in self.sizes:
            raise Unparsable("unsupported_type")
        is_macro = any(name.lower().endswith("vbaproject.bin") for name in self.sizes)
        if is_macro or any("macroEnabled" in each.get("ContentType", "") for _, each in self.events(_TYPES)):
            raise Unparsable("has_macros")

    def read(self, name: str) -> bytes:
        try:
            with self._open(name) as stream:
                return stream.read()
        except _DAMAGE as error:
            raise Unparsable("damaged_file") from error

    def events(self, name: str) -> Iterator[tuple[str, Any]]:
        """Yield starts and ends of elements; nothing if the part is missing."""
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

    def elements(self, part: str, *names: str) -> Iterator[Any]:
        for event, element in self.events(part):
            if event == "end" and name_of(element) in names:
                yield element
                element.clear()

    def _open(self, name: str) -> IO[bytes]:
        """Open a part, of which `zipfile` unpacks no more than its declared size."""
        self._left -= self.sizes[name]
        if self._left < 0:
            raise Unparsable("expands_too_far")
        return self._archive.open(name)


def _main_part(parts: _Parts) -> str:
    """Return the name of the part with the text. Raises Unparsable for other Office files."""
    for _, element in parts.events(_RELATIONS):
        target = element.get("Target", "").lstrip("/")
        if element.get("Type", "").endswith("/officeDocument") and target.startswith("word/") and target in parts.sizes:
            return str(target)
    raise Unparsable("unsupported_type")


def _styles(parts: _Parts) -> Mapping[str, Mapping[str, str]]:
    styles = parts.elements("word/styles.xml", "style")
    own = {attribute(each, "styleId"): {name_of(inner): attribute(inner) for inner in each.iter()} for each in styles}
    for _ in range(10):
        own = {key: {**own.get(values.get("basedOn", ""), {}), **values} for key, values in own.items()}
    return own


class _Body:
    """Reads the elements of a part; each paragraph becomes text at its end and is then discarded."""

    def __init__(self, into: Gathering, styles: Mapping[str, Mapping[str, str]], numbering: Numbering, parts: _Parts):
        self._into = into
        self._layout = Layout(into)
        self._styles = styles
        self._numbering = numbering
        self._parts = parts

    def read(self, name: str) -> None:
        """Read a part. Raises Full, Unparsable."""
        fallbacks = 0
        for event, element in self._parts.events(name):
            if element.tag == _FALLBACK:
                fallbacks += 1 if event == "start" else -1
                element.clear()
            elif fallbacks:
                continue
            elif event == "end":
                self._end(element)
            elif name_of(element) == "tbl":
                self._layout.open_table()
            elif name_of(element) == "tc":
                self._layout.open_cell()

    def _end(self, element: Any) -> None:
        match name_of(element):
            case "p":
                self._paragraph(element)
            case "tbl":
                self._layout.close_table()
            case "tr":
                self._layout.close_row(is_shown="del" not in values_of(element, "trPr"))
            case "tc":
                width = values_of(element, "tcPr").get("gridSpan", "1")
                self._layout.close_cell(int(width) if width.isdecimal() else 1)
            case "trPr":
                before = values_of(element).get("gridBefore", "0")
                if before.isdecimal() and int(before):
                    self._layout.open_cell()
                    self._layout.close_cell(int(before))
            case "lastRenderedPageBreak" if self._into.page == self._into.pages:  # not one of a footnote
                self._into.begin_page()
            case "altChunk":
                self._web_page(element)
        if name_of(element) in ("p", "tbl", "tr", "tc"):
            element.clear()

    def _web_page(self, element: Any) -> None:
        wanted = next((value for name, value in element.items() if name.endswith("}id")), "")
        targets = {
            each.get("Id"): each.get("Target", "") for _, each in self._parts.events("word/_rels/document.xml.rels")
        }
        name = f"word/{targets.get(wanted, '')}".replace("word//", "")
        if name.lower().endswith((".htm", ".html", ".xhtml")) and name in self._parts.sizes:
            read_html(decoded(self._parts.read(name)), self._into)
        else:
            self._into.warnings.append(_LEFT)

    def _paragraph(self, element: Any) -> None:
        own = values_of(element, "pPr")
        style = self._styles.get(own.get("pStyle", ""), {})
        mark, text = self._mark(element, own.get("pStyle", ""), style), self._text(element)
        level = own.get("outlineLvl") or style.get("outlineLvl")
        is_heading = level != "9" if level else bool(_HEADING_STYLE.fullmatch(style.get("name", "")))  # 9 is text
        is_empty = mark in ("", BULLET) and not text.strip()
        self._layout.line("" if is_empty else mark + text, is_heading=is_heading)

    def _mark(self, element: Any, name: str, style: Mapping[str, str]) -> str:
        own = next((values_of(each, "numPr") for each in element if name_of(each) == "pPr"), {})
        if "numId" in own:
            return self._numbering.mark(own["numId"], own.get("ilvl", "0"))
        number = style.get("numId", "")
        level = own.get("ilvl") or self._numbering.level_of(number, name) or style.get("ilvl", "0")
        return self._numbering.mark(number, level)

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
        """Return marks and operands by name; several of one name are joined by commas."""
        found: dict[str, list[str]] = {}
        for each in element:
            found.setdefault(name_of(each), []).append(self._text(each))
        marks = (values_of(part) for part in element if name_of(part).endswith("Pr"))
        return next(marks, {}) | {name: ",".join(texts) for name, texts in found.items()}

    def _seen(self, run: Any, text: str) -> str:
        look = values_of(run, "rPr")
        is_hidden = look.get("vanish", "0") not in ("0", "false")
        if is_hidden or look.get("color", "").upper() == "FFFFFF":
            self._into.findings["hidden_text" if is_hidden else "white_text"] += bool(text.strip())
        text = "" if is_hidden else shown_in(look.get("rFonts", ""), text)
        return RAISED + text if look.get("vertAlign") == "superscript" else text
