"""Reads PDF with PDFium, the engine of Chrome: each page is a piece, under the bookmark it belongs to. Annotations
(form fields, check marks, notes) are inserted, because PDFium's text of a page does not contain them."""

import ctypes
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

from turnkeep.documents.parsing.gathering import Full, Gathering
from turnkeep.documents.parsing.parsed import Limits, Unparsable

_OBJECTS_A_PAGE = 2000
_HYPHENS = str.maketrans("", "", "\x02\ufffe")  # PDFium's mark for a word that continues on the next line
_ANNOTATIONS_A_PAGE = 2000
_LONGEST_NOTE = 100_000
_WIDE, _SLACK = 2000, 2  # points around the middle of an annotation
_PASSWORD_FIELD = 1 << 13  # a flag of a form field


def read_pdf(body: bytes, limits: Limits, into: Gathering) -> None:
    """Read at most `limits.pages` pages."""
    from pypdfium2 import PdfDocument, PdfiumError, raw  # noqa: PLC0415 - only the process that parses has it

    try:
        document = PdfDocument(body)
        into.pages = count = len(document)
    except PdfiumError as error:
        is_locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise Unparsable("encrypted_file" if is_locked else "damaged_file") from error
    if count == 0:
        raise Unparsable("damaged_file")
    if count > limits.pages:
        into.warnings.append("pages_left_out")
    if document.get_formtype() == raw.FORMTYPE_XFA_FULL:  # its pages only ask for another viewer
        into.warnings.append("form_not_read")
    document.init_forms()
    headings = _headings(document)
    unreadable = 0
    for number in range(min(count, limits.pages)):
        into.begin(page=number + 1, heading=headings.get(number))
        try:
            _read_page(raw, document[number], number, into)
        except PdfiumError:
            unreadable += 1
        except Full:
            break
    if unreadable == min(count, limits.pages):
        raise Unparsable("damaged_file")
    if unreadable:
        into.warnings.append("pages_unreadable")


def _read_page(raw: Any, page: Any, number: int, into: Gathering) -> None:
    into.findings.update(_hidden(raw, page))
    text = _text_with_notes(raw, page, number).translate(_HYPHENS)
    for line in text.replace("\r\n", "\n").split("\n"):
        into.line(line.strip())


def _headings(document: Any) -> dict[int, str]:
    found: dict[int, str] = {}
    for mark in itertools.islice(document.get_toc(max_depth=4), 1000):  # bookmarks
        goal = mark.get_dest()
        index = goal.get_index() if goal else None
        if index is not None:
            found.setdefault(index, mark.get_title())
    return found


def _hidden(raw: Any, page: Any) -> dict[str, int]:
    """Count invisible text. A page that has no other text is a scan with recognised text (OCR) underneath."""
    texts = itertools.islice(page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=2), _OBJECTS_A_PAGE)
    modes = [raw.FPDFTextObj_GetTextRenderMode(each.raw) for each in texts]
    hidden = modes.count(raw.FPDF_TEXTRENDERMODE_INVISIBLE)
    return {"hidden_text": hidden} if 0 < hidden < len(modes) else {}


def _text_with_notes(raw: Any, page: Any, number: int) -> str:
    """Return the text of a page with its visible annotations; `number` is the page's index, from 0."""
    text = page.get_textpage()
    whole: str = text.get_text_range() + "\n"
    notes = list(_notes(raw, page))
    drawn = _drawn(raw, page, number) if any(note is None for _, note in notes) else text
    pieces = []
    for place, note in notes:
        box = place.left, place.bottom, place.right, place.top
        if words := " ".join((drawn.get_text_bounded(*box) if note is None else note).split()):
            pieces.append(_placed(raw, words, place, text, whole))
    for at, _, _, piece in sorted(pieces, reverse=True):
        whole = whole[:at] + piece + whole[at:]
    return whole


def _notes(raw: Any, page: Any) -> Iterator[tuple[Any, str | None]]:
    """Yield the place and text of each visible annotation; None for a text that it may draw."""
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _ANNOTATIONS_A_PAGE)):
        if note := raw.FPDFPage_GetAnnot(page, number):
            place = raw.FS_RECTF()
            raw.FPDFAnnot_GetRect(note, place)
            if not raw.FPDFAnnot_GetFlags(note) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
                yield place, _text_of(raw, note, page.formenv)
            raw.FPDFPage_CloseAnnot(note)


def _drawn(raw: Any, page: Any, number: int) -> Any:
    """Return the text of a page from which everything but its annotations is removed."""
    copy = page.pdf[number]
    for each in reversed(list(copy.get_objects(max_depth=1))):
        copy.remove_obj(each)
    copy.gen_content()
    raw.FPDFPage_Flatten(copy, raw.FLAT_NORMALDISPLAY)
    return page.pdf[number].get_textpage()


def _placed(raw: Any, note: str, place: Any, text: Any, whole: str) -> tuple[int, bool, float, str]:
    """Return a note and where to insert it, as a sort key: at the nearest word of its line, else on its own line."""
    x, y = place.left, (place.bottom + place.top) / 2
    in_line = text.get_index(x, y, _WIDE, _SLACK)
    nearest = text.get_index(x, y, _WIDE, _WIDE) if in_line is None else in_line
    left, bottom, right, _ = (0, 0, 0, 0) if nearest is None else text.get_charbox(nearest)
    at = 0 if nearest is None else max(raw.FPDFText_GetTextIndexFromCharIndex(text, nearest), 0)
    if in_line is None:
        above = whole.find("\n", at) if y < bottom else whole.rfind("\n", 0, at)
        return above + 1, True, -y, f"{note}\n"
    behind = re.compile(r"\s").search(whole, at) if x > (left + right) / 2 else None
    at = behind.start() if behind else max(whole.rfind(" ", 0, at), whole.rfind("\n", 0, at)) + 1
    return at, False, x, f" {note} "


def _text_of(raw: Any, note: Any, forms: Any) -> str | None:
    """Return the text of an annotation, None if it may draw text: a signature, a stamp, a field without a form."""
    kind = raw.FPDFAnnot_GetSubtype(note)
    field = raw.FPDFAnnot_GetFormFieldType(forms, note) if forms else None
    if kind in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP) or field == raw.FPDF_FORMFIELD_PUSHBUTTON:
        return ""
    if kind != raw.FPDF_ANNOT_WIDGET:
        contents = _read(raw.FPDFAnnot_GetStringValue, note, b"Contents")
        return contents or (None if kind == raw.FPDF_ANNOT_STAMP else "")
    if field in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return "[x]" if raw.FPDFAnnot_IsChecked(forms, note) else "[ ]"
    if field == raw.FPDF_FORMFIELD_TEXTFIELD and raw.FPDFAnnot_GetFormFieldFlags(forms, note) & _PASSWORD_FIELD:
        return ""
    has_options = field in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
    count = min(raw.FPDFAnnot_GetOptionCount(forms, note), _ANNOTATIONS_A_PAGE) if has_options else 0
    chosen = [at for at in range(count) if raw.FPDFAnnot_IsOptionSelected(forms, note, at)]  # not the submitted value
    labels = ", ".join(_read(raw.FPDFAnnot_GetOptionLabel, forms, note, at) for at in chosen)
    return labels or (_read(raw.FPDFAnnot_GetFormFieldValue, forms, note) if field else None) or None


def _read(call: Callable[..., int], *given: Any) -> str:
    """Read a text from a function of PDFium, which returns the size if called without a buffer."""
    size = min(call(*given, None, 0), _LONGEST_NOTE)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    call(*given, buffer, size)
    return bytes(buffer)[:size].decode("utf-16-le", "replace").rstrip("\0")
