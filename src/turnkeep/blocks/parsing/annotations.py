"""Annotations of a PDF page: form fields, check marks, notes. PDFium's page text contains none of them."""

import ctypes
import re
from collections.abc import Callable, Iterator
from typing import Any

_MOST = 2000  # per page
_LINK, _STAMP, _POPUP, _WIDGET = 2, 13, 16, 20  # kinds of annotations
_BUTTON, _CHECK_BOX, _RADIO, _COMBO, _LIST, _TEXT = 1, 2, 3, 4, 5, 6  # kinds of fields
_NOT_SEEN = 0x2 | 0x20  # hidden, not in the view
_PASSWORD = 1 << 13
_LONGEST = 100_000
_BLANK = re.compile(r"\s")
_WIDE, _SLACK = 2000, 2  # points around the middle of an annotation


def text_with_notes(page: Any, number: int) -> str:
    """Return the text of a page with its visible fields and notes; `number` is the page's index, from 0."""
    from pypdfium2 import raw  # noqa: PLC0415 - only the process that parses has it

    text = page.get_textpage()
    whole: str = text.get_text_range() + "\n"
    notes = list(_notes(raw, page))
    drawn = _drawn(raw, page, number) if any(shown is None for _, shown in notes) else text
    pieces = []
    for place, shown in notes:
        box = place.left, place.bottom, place.right, place.top
        if said := " ".join((drawn.get_text_bounded(*box) if shown is None else shown).split()):
            pieces.append(_placed(raw, said, place, text, whole))
    for at, _, _, piece in sorted(pieces, reverse=True):
        whole = whole[:at] + piece + whole[at:]
    return whole


def _notes(raw: Any, page: Any) -> Iterator[tuple[Any, str | None]]:
    """Yield the place and text of each visible annotation."""
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        if note := raw.FPDFPage_GetAnnot(page, number):
            place = raw.FS_RECTF()
            raw.FPDFAnnot_GetRect(note, place)
            if not raw.FPDFAnnot_GetFlags(note) & _NOT_SEEN:
                yield place, _shown(raw, note, page.formenv)
            raw.FPDFPage_CloseAnnot(note)


def _drawn(raw: Any, page: Any, number: int) -> Any:
    """Return the text of a page from which everything but its annotations is removed."""
    copy = page.pdf[number]
    for each in reversed(list(copy.get_objects(max_depth=1))):
        copy.remove_obj(each)
    copy.gen_content()
    raw.FPDFPage_Flatten(copy, raw.FLAT_NORMALDISPLAY)
    return page.pdf[number].get_textpage()


def _placed(raw: Any, shown: str, place: Any, text: Any, whole: str) -> tuple[int, bool, float, str]:
    """Return where to insert a note, as a sort key: at the nearest word of its line, else as a line of its own."""
    x, y = place.left, (place.bottom + place.top) / 2
    beside = text.get_index(x, y, _WIDE, _SLACK)
    nearest = text.get_index(x, y, _WIDE, _WIDE) if beside is None else beside
    left, bottom, right, _ = (0, 0, 0, 0) if nearest is None else text.get_charbox(nearest)
    at = 0 if nearest is None else max(raw.FPDFText_GetTextIndexFromCharIndex(text, nearest), 0)
    if beside is None:
        above = whole.find("\n", at) if y < bottom else whole.rfind("\n", 0, at)
        return above + 1, True, -y, f"{shown}\n"
    behind = _BLANK.search(whole, at) if x > (left + right) / 2 else None
    at = behind.start() if behind else max(whole.rfind(" ", 0, at), whole.rfind("\n", 0, at)) + 1
    return at, False, x, f" {shown} "


def _shown(raw: Any, note: Any, forms: Any) -> str | None:
    """Return the text of an annotation, None if it may draw some: a signature, a stamp, a field without its form."""
    kind = raw.FPDFAnnot_GetSubtype(note)
    field = raw.FPDFAnnot_GetFormFieldType(forms, note) if forms else None
    if kind in (_LINK, _POPUP) or field == _BUTTON:
        return ""
    if kind != _WIDGET:
        return _read(raw.FPDFAnnot_GetStringValue, note, b"Contents") or (None if kind == _STAMP else "")
    if field in (_CHECK_BOX, _RADIO):
        return "[x]" if raw.FPDFAnnot_IsChecked(forms, note) else "[ ]"
    if field == _TEXT and raw.FPDFAnnot_GetFormFieldFlags(forms, note) & _PASSWORD:
        return ""
    options = range(min(raw.FPDFAnnot_GetOptionCount(forms, note), _MOST)) if field in (_COMBO, _LIST) else ()
    chosen = [at for at in options if raw.FPDFAnnot_IsOptionSelected(forms, note, at)]  # the value is what is sent
    labels = ", ".join(_read(raw.FPDFAnnot_GetOptionLabel, forms, note, at) for at in chosen)
    return labels or (_read(raw.FPDFAnnot_GetFormFieldValue, forms, note) if field else None) or None


def _read(call: Callable[..., int], *given: Any) -> str:
    """Read a text from PDFium, which first returns its size."""
    size = min(call(*given, None, 0), _LONGEST)
    room = (ctypes.c_ushort * (size // 2 + 1))()
    call(*given, room, size)
    return bytes(room)[:size].decode("utf-16-le", "replace").rstrip("\0")
