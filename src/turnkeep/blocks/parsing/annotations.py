"""Text upon a page of a PDF: fields of forms, check marks, notes. PDFium's text of a page contains none of it."""

import ctypes
import re
from collections.abc import Callable
from typing import Any

_MOST = 2000  # a page
_LINK, _POPUP, _WIDGET = 2, 16, 20  # kinds of annotations
_CHECK_BOX, _RADIO, _COMBO, _LIST, _TEXT = 2, 3, 4, 5, 6  # kinds of fields
_NOT_SEEN = 0x2 | 0x20  # hidden, not in the view
_PASSWORD = 1 << 13
_LONGEST = 100_000
_BLANK = re.compile(r"\s")
_WIDE, _SLACK = 2000, 2  # points around the middle of an annotation


def text_with_notes(page: Any, forms: Any) -> str:
    """Return the text of a page with its visible fields and notes; `forms` is None if the document has none."""
    from pypdfium2 import raw  # noqa: PLC0415 - only the process that parses has it

    text = page.get_textpage()
    whole: str = text.get_text_range() + "\n"
    pieces: list[tuple[int, bool, float, str]] = []
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        if not (note := raw.FPDFPage_GetAnnot(page, number)):
            continue
        place = raw.FS_RECTF()
        raw.FPDFAnnot_GetRect(note, place)
        shown = "" if raw.FPDFAnnot_GetFlags(note) & _NOT_SEEN else " ".join(_text_of(raw, note, forms).split())
        raw.FPDFPage_CloseAnnot(note)
        if shown:
            pieces.append(_placed(raw, shown, place, text, whole))
    for at, _, _, piece in sorted(pieces, reverse=True):
        whole = whole[:at] + piece + whole[at:]
    return whole


def _placed(raw: Any, shown: str, place: Any, text: Any, whole: str) -> tuple[int, bool, float, str]:
    """Return where to insert a note, as a key of its order: at the nearest word of its line, else as a line."""
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


def _text_of(raw: Any, note: Any, forms: Any) -> str:
    kind = raw.FPDFAnnot_GetSubtype(note)
    if kind != _WIDGET:
        return "" if kind in (_LINK, _POPUP) else _read(raw.FPDFAnnot_GetStringValue, note, b"Contents")
    field = raw.FPDFAnnot_GetFormFieldType(forms, note) if forms else None
    if field in (_CHECK_BOX, _RADIO):
        return "[x]" if raw.FPDFAnnot_IsChecked(forms, note) else "[ ]"
    is_secret = field == _TEXT and raw.FPDFAnnot_GetFormFieldFlags(forms, note) & _PASSWORD
    is_read = field in (_COMBO, _LIST, _TEXT) and not is_secret
    return _read(raw.FPDFAnnot_GetFormFieldValue, forms, note) if is_read else ""


def _read(call: Callable[..., int], *given: Any) -> str:
    """Read a text of PDFium, which is asked for its size first."""
    size = min(call(*given, None, 0), _LONGEST)
    room = (ctypes.c_ushort * (size // 2 + 1))()
    call(*given, room, size)
    return bytes(room)[:size].decode("utf-16-le", "replace").rstrip("\0")
