"""HTML as a browser would show it, without styles of its own: scripts, comments and hidden elements are left out."""

import re
from collections import Counter
from typing import Any

from turnkeep.blocks.parsing.gathering import Gathering

_LEFT_OUT = ("script", "style", "noscript", "template", "iframe", "object", "svg", "math", "textarea", "select", "head")
_HIDDEN = "[hidden], [style], font[color]"
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:[;!]|$)"
    r"|font-size\s*:\s*[01](?:\.\d*)?(?:px|pt|em|rem|%)?\s*(?:[;!]|$)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_WHITE = re.compile(
    r"(?:^|[;\s])color\s*:\s*(?:white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))", re.IGNORECASE
)
_BACKGROUND = re.compile(r"background", re.IGNORECASE)
_BLOCKS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "form"),
        *("fieldset", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html"),
        *("li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tr", "ul"),
    ]
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS = frozenset(("td", "th"))


def read_html(text: str, into: Gathering) -> None:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only the process that parses has it

    page = LexborHTMLParser(text)
    root = page.body or page.root
    if root is None:
        return
    page.strip_tags(list(_LEFT_OUT))
    into.findings += _take_hidden(page)
    _Walk(into).over(root)


def _take_hidden(page: Any) -> Counter[str]:
    """Takes out what is not shown, and says how much of it held text."""
    found: Counter[str] = Counter()
    for node in page.css(_HIDDEN):
        attributes = node.attributes
        style = attributes.get("style") or ""
        is_white = _WHITE.search(style) or (attributes.get("color") or "").lower() in ("white", "#fff", "#ffffff")
        if "hidden" in attributes or _HIDING.search(style):
            found["hidden_text"] += bool(node.text().strip())
            node.decompose()
        elif is_white and not _BACKGROUND.search(style):
            found["white_text"] += bool(node.text().strip())
    return +found


class _Walk:
    """Text nodes in their order, a line for each block."""

    def __init__(self, into: Gathering):
        self._into = into
        self._block: Any = None
        self._cell: Any = None
        self._words: list[str] = []

    def over(self, root: Any) -> None:
        for node in root.traverse(include_text=True):
            if node.tag == "-text":
                self._text(node)
            elif node.tag == "br":
                self._end_line()
        self._end_line()

    def _text(self, node: Any) -> None:
        words = node.text_content or ""
        if not words.strip():
            self._words.append(" " if words else "")
            return
        block, cell = _parents(node)
        if block is None or self._block is None or block.mem_id != self._block.mem_id:
            self._end_line()
            self._begin(block)
        elif cell is not None and self._cell is not None and cell.mem_id != self._cell.mem_id:
            self._words.append(" | ")
        self._cell = cell
        self._words.append(words)

    def _begin(self, block: Any) -> None:
        self._block = block
        if block is not None and block.tag in _HEADINGS:
            self._into.begin(heading=block.text())
        elif block is not None and block.tag == "li":
            self._words.append("- ")

    def _end_line(self) -> None:
        keeps = self._block is not None and self._block.tag == "pre"
        line = "".join(self._words)
        self._words = []
        if line.strip():
            self._into.line(line if keeps else " ".join(line.split()))


def _parents(node: Any) -> tuple[Any, Any]:
    """The block and the cell that a text stands in."""
    cell, at = None, node.parent
    while at is not None and at.tag not in _BLOCKS:
        if at.tag in _CELLS:
            cell = at
        at = at.parent
    return at, cell
