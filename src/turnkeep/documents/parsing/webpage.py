"""HTML as a browser would display it, without style sheets. Elements hidden by their own style are left out, unless
they are most of the page: a script then displays them."""

import re
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any, NamedTuple

from turnkeep.documents.parsing.gathering import Full, Gathering
from turnkeep.documents.parsing.layout import RAISED, Layout
from turnkeep.documents.parsing.numbering import BULLET, numeral

_LEFT_OUT = (
    "script style noscript template iframe object head audio video canvas datalist"
    " title desc metadata defs annotation annotation-xml rt rp"  # of drawings, formulas and ruby
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BLOCK = (
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form"
    " header hr html legend li main menu nav ol p pre search section summary table td textarea th tr ul"
)
_BLOCKS = _HEADINGS.union(_BLOCK.split())
_SIGNS = {  # before parts of a formula; one part may have two
    "msub > :last-child, msubsup > :nth-child(2), munder > :last-child, munderover > :nth-child(2)": "_",
    "msup > :last-child, msubsup > :last-child, munderover > :last-child": "^",
    "mfrac > :last-child": "/",
    "msqrt": "\u221a",
    "mtd + mtd": ", ",
    "mtr + mtr": "; ",
}
_GROUPED = "mfrac > *, msub > *, msup > *, msubsup > *, munder > *, munderover > *, msqrt"
_SPACED = re.compile("math|m(?:row|style|padded|table|tr|td|frac|su[bp]|subsup|under|underover|sqrt)|semantics")
_KINDS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}  # of numbers

_STYLED = "[style], [hidden], dialog, font"
_SIZE = re.compile(r"(?:^|\s)(\d*\.?\d+)(px|pt|em|rem|ex|ch|%)?(?=$|[\s/])")
_FAR = re.compile(r"-(?:9\d\d|\d{4,}|(?:[6-9]\d|\d{3,})(?:\.\d+)?r?em)")
_ZERO = re.compile(r"0+(?:\.0*)?%?|\.0+%?")
_WHITE = re.compile(r"white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\)")
_VISIBILITY = {"visible": True, "hidden": False, "collapse": False}
_MOST_OF_A_PAGE, _TIMES = 500, 10  # hidden characters, relative to visible ones
_ALL_ROWS = 65_534


class _Look(NamedTuple):
    """How an element is displayed; elements in it may reset size and visibility."""

    is_gone: bool = False
    is_visible: bool = True
    is_tiny: bool = False


def read_html(text: str, into: Gathering) -> None:
    """Read a page into pieces. Raises Full."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only the process that parses has it

    page = LexborHTMLParser(text)
    root = page.body or page.root
    page.strip_tags(_LEFT_OUT.split())
    _mark_formulas(page)
    before = deepcopy(vars(into))
    shown = _Page(root, into, is_hiding=True)
    with suppress(Full):
        shown.walk(root)
    if shown.hidden > _TIMES * shown.shown and (not shown.shown or shown.hidden > _MOST_OF_A_PAGE):
        vars(into).update(before)
        into.warnings.append("hidden_text_read")
        into.findings["hidden_text"] += 1
        _Page(root, into, is_hiding=False).walk(root)


def _mark_formulas(page: Any) -> None:
    """Insert signs as text, and parentheses around parts with several operands."""
    for part, sign in _SIGNS.items():
        for node in page.css(part):
            node.insert_before(sign)
    for node in {each.mem_id: each for each in page.css(_GROUPED)}.values():  # some match twice
        if len(node.css("mi, mn, mo, mtext")) > 1:
            node.insert_before("(")
            node.insert_after(")")


class _Page:
    """Reads nodes in order, without recursion: a page may be nested a million times. Raises Full."""

    def __init__(self, root: Any, into: Gathering, *, is_hiding: bool):
        formulas = {node.parent.mem_id for node in root.css("math")}  # hidden behind an image, as on Wikipedia
        self._styled = {node.mem_id for node in root.css(_STYLED)} - formulas
        self._into = into
        self._layout = Layout(into)
        self._is_hiding = is_hiding
        self._looks = [_Look()]
        self._words: list[str] = []
        self._bullet = ""
        self._counts: list[int] = []  # the next number in each open list
        self.shown = self.hidden = 0

    def walk(self, node: Any) -> None:
        depth = 0
        while True:
            child = node.child if self._open(node, node.tag or "-") else None  # an instruction such as "<?php ?>"
            if child is not None:
                node, depth = child, depth + 1
                continue
            self._close(node, node.tag or "-")
            while depth and node.next is None:
                node, depth = node.parent, depth - 1
                self._close(node, node.tag)
            if not depth:
                return
            node = node.next

    def _open(self, node: Any, tag: str) -> bool:
        if tag.startswith("-"):
            text = node.text_content or "" if tag == "-text" else ""
            self._add("" if text.isspace() and _SPACED.fullmatch(node.parent.tag) else text)
            return False
        look = self._look(node, tag)
        self._looks.append(look)
        if look.is_gone:
            self._hide(node.text())
            return False
        if tag in _BLOCKS:
            self._end_line()
        if tag in ("input", "select"):
            self._add(f" {_entered(node)} ")
            return False
        self._begin(node, tag)
        return True

    def _begin(self, node: Any, tag: str) -> None:
        match tag:
            case "table":
                self._layout.open_table()
            case "td" | "th":
                self._layout.open_cell()
            case "ol" | "ul":
                self._counts.append(_number(node, "start", 0))
            case "li" if self._counts and node.parent.tag == "ol":
                number = _number(node, "value", 0) if "value" in node.attributes else self._counts[-1]
                self._bullet = f"{numeral(number, _KINDS.get(node.parent.attributes.get('type') or '', ''))}. "
                self._counts[-1] = number + 1
            case "li":
                self._bullet = BULLET
            case "sup":
                self._words.append(RAISED)
            case "br" if node.parent.tag in _HEADINGS:
                self._words.append(" ")
            case "br":
                self._end_line()

    def _close(self, node: Any, tag: str) -> None:
        if tag.startswith("-") or self._looks.pop().is_gone:
            return
        if tag in _BLOCKS:
            self._end_line(is_heading=tag in _HEADINGS, is_kept=tag in ("pre", "textarea"))
        match tag:
            case "td" | "th":
                self._layout.close_cell(_number(node, "colspan", 1), _number(node, "rowspan", _ALL_ROWS))
            case "tr":
                self._layout.close_row()
            case "thead" | "tbody" | "tfoot":
                self._layout.close_group()
            case "table":
                self._layout.close_table()
            case "ol" | "ul":
                self._counts.pop()
            case "li":
                self._bullet = ""

    def _look(self, node: Any, tag: str) -> _Look:
        above = self._looks[-1]
        if node.mem_id not in self._styled:
            return above
        attributes = node.attributes
        style = _style(attributes.get("style") or "")
        color = style.get("color") or (attributes.get("color") or "").lower()
        if _WHITE.fullmatch(color) and not any(name.startswith("background") for name in style):
            self._into.findings["white_text"] += bool(node.text().strip())
        if not self._is_hiding or tag in ("html", "body"):  # hidden until a script has run
            return above
        display, visibility = style.get("display"), style.get("visibility", "")
        is_closed = "hidden" in attributes or (tag == "dialog" and "open" not in attributes)
        is_clear = _ZERO.fullmatch(style.get("opacity", "")) and not any(
            name.startswith(("animation", "transform", "transition")) for name in style
        )
        is_moved = style.get("position", "static") != "static"
        is_away = is_moved and any(_FAR.match(style.get(way, "")) for way in ("left", "top"))
        return _Look(
            is_gone=display == "none" or (is_closed and not display) or bool(is_clear) or is_away,
            is_visible=_VISIBILITY.get(visibility, above.is_visible),
            is_tiny=bool(_FAR.match(style.get("text-indent", ""))) or _is_tiny(style, is_above=above.is_tiny),
        )

    def _add(self, text: str) -> None:
        if self._looks[-1].is_visible and not self._looks[-1].is_tiny:
            self._words.append(text)
            self.shown += len(text.strip())
        else:
            self._hide(text)

    def _hide(self, text: str) -> None:
        self.hidden += len(text.strip())
        self._into.findings["hidden_text"] += bool(text.strip())

    def _end_line(self, *, is_heading: bool = False, is_kept: bool = False) -> None:
        text = "".join(self._words)
        self._words = []
        if text.strip():
            self._layout.line(self._bullet + (text if is_kept else " ".join(text.split())), is_heading=is_heading)
            self._bullet = ""


def _style(text: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in text.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}


def _is_tiny(style: Mapping[str, str], *, is_above: bool) -> bool:
    found = _SIZE.search(style.get("font-size") or style.get("font") or "")
    if found is None:  # no size, or a name such as "large"
        return is_above and "font-size" not in style
    number, unit = float(found[1]), found[2] or "px"
    return number == 0 or (number <= 1 if unit in ("px", "pt") else is_above and unit != "rem")


def _entered(node: Any) -> str:
    """Return the text of a form field: its value, a mark, or the selected options."""
    attributes = node.attributes
    if node.tag == "select":
        options = node.css("option")
        chosen = [option for option in options if "selected" in option.attributes]
        return ", ".join(option.text().strip() for option in chosen or options[: "multiple" not in attributes])
    kind = (attributes.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return "[x]" if "checked" in attributes else "[ ]"
    has_text = kind not in ("color", "file", "hidden", "image", "password", "range")
    return attributes.get("value") or "" if has_text else ""


def _number(node: Any, attribute: str, if_zero: int) -> int:
    """Return the span of a cell or the number of a list item, 1 by default."""
    found = re.match(r"\s*(\d{1,6})", node.attributes.get(attribute) or "", re.ASCII)
    return min(int(found[1]) or if_zero, _ALL_ROWS) if found else 1
