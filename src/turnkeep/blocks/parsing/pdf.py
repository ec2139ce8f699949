"""Reads PDF with PDFium, the engine of Chrome: each page is a piece, under the bookmark it belongs to."""

import itertools
from typing import Any

from turnkeep.blocks.parsing.annotations import text_with_notes
from turnkeep.blocks.parsing.gathering import Full, Gathering
from turnkeep.blocks.parsing.parsed import Limits, Unparsable

_PASSWORD = 4  # FPDF_ERR_PASSWORD
_SECURITY = 5
_DYNAMIC_FORM = 2  # FORMTYPE_XFA_FULL: its pages only ask for another viewer
_BOOKMARKS = 1000
_OBJECTS_A_PAGE = 2000
_INVISIBLE = 3  # a render mode
_HYPHENS = str.maketrans("", "", "\x02\ufffe")  # PDFium's mark for a word that continues on the next line


def read_pdf(body: bytes, limits: Limits, into: Gathering) -> int:
    """Return the number of all pages; reads at most `limits.pages` of them."""
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - only the process that parses has it

    try:
        document = PdfDocument(body)
        count = len(document)
    except PdfiumError as error:
        is_locked = error.err_code in (_PASSWORD, _SECURITY)
        raise Unparsable("encrypted_file" if is_locked else "damaged_file") from error
    if count == 0:
        raise Unparsable("damaged_file")
    if count > limits.pages:
        into.warnings.append("pages_left_out")
    if document.get_formtype() == _DYNAMIC_FORM:
        into.warnings.append("form_not_read")
    document.init_forms()
    headings = _headings(document)
    unreadable = 0
    for number in range(min(count, limits.pages)):
        into.begin(page=number + 1, heading=headings.get(number))
        try:
            _read_page(document[number], number, into)
        except PdfiumError:
            unreadable += 1
        except Full:
            break
    if unreadable == min(count, limits.pages):
        raise Unparsable("damaged_file")
    if unreadable:
        into.warnings.append("pages_unreadable")
    return count


def _read_page(page: Any, number: int, into: Gathering) -> None:
    into.findings.update(_hidden(page))
    text = text_with_notes(page, number).translate(_HYPHENS)
    for line in text.replace("\r\n", "\n").split("\n"):
        into.line(line.strip())


def _headings(document: Any) -> dict[int, str]:
    """Return the first bookmark of each page."""
    found: dict[int, str] = {}
    for mark in itertools.islice(document.get_toc(max_depth=4), _BOOKMARKS):
        goal = mark.get_dest()
        index = goal.get_index() if goal else None
        if index is not None:
            found.setdefault(index, mark.get_title())
    return found


def _hidden(page: Any) -> dict[str, int]:
    """Count text that is not drawn. A page with only such text is a scan with recognised text (OCR) underneath."""
    from pypdfium2 import raw  # noqa: PLC0415

    texts = itertools.islice(page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=2), _OBJECTS_A_PAGE)
    modes = [raw.FPDFTextObj_GetTextRenderMode(each.raw) for each in texts]
    hidden = modes.count(_INVISIBLE)
    return {"hidden_text": hidden} if 0 < hidden < len(modes) else {}
