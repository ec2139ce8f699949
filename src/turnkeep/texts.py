"""Makes text safe to store and show: corpora, databases and models may return control characters or active Markdown."""

import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

Change: TypeAlias = Callable[[str], str]

_STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# No width, or another direction of writing. The joiners U+200C and U+200D stay inside scripts and emoji that need them.
_INVISIBLE = re.compile(
    "[\r\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
    "|(?<=[\0-\u02ff])[\u200c\u200d]+|[\u200c\u200d]+(?=[\0-\u02ff])"
)
_ACTIVE = re.compile(
    r"!(?=\[)"  # "![" loads an image
    r"|<(?=[a-z/!?])(?!https?://)"  # "<img" is a tag
    r"|\](?=\((?!https?://))",  # "](javascript:"
    re.IGNORECASE,
)
# "[label]: javascript:" at the beginning of a line, whose rest may follow below; not "the rates [TUIR-11]:"
_DEFINITION = re.compile(
    r"(?:^[ \t>*+\-\d.)]*\[|\A)(?:\\.|[^\[\]\\]){0,999}\](?=:[^\S\n]*(?:\n|\Z|(?!https?://)\S*[:&%\\<]))",
    re.IGNORECASE | re.MULTILINE,
)
_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


def printable(text: str) -> str:
    """Remove invisible characters; replace control characters except line ends and tabs by spaces; join surrogates.
    Works piece by piece."""
    if text.isascii() and text.isprintable():
        return text
    visible = _INVISIBLE.sub("", text)
    if not _STEERING.search(visible):
        return visible
    return _STEERING.sub(" ", visible.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def printable_in(value: Any) -> Any:
    """Apply `printable` to every text in a JSON value."""
    return reworded_in(value, printable)


def whole(value: Any) -> Any:
    """Return a JSON value with "?" for each half of a surrogate pair, as LangGraph stores it."""
    return reworded_in(value, lambda text: text.encode(errors="replace").decode())


def reworded_in(value: Any, change: Change, other: Callable[[Any, Change], Any] = lambda value, _: value) -> Any:
    """Return a value with each of its texts changed, names too; `other` changes values of other types."""
    if isinstance(value, str):
        new = change(value)
        return value if new == value else new
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):  # bytes that are not text stay
            return change(value.decode()).encode()
        return value
    if isinstance(value, dict):
        return {reworded_in(name, change, other): reworded_in(each, change, other) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset | deque):
        rest = [reworded_in(each, change, other) for each in value]
        return type(value)(*rest) if hasattr(value, "_fields") else type(value)(rest)
    return other(value, change)


def disarmed(markdown: str) -> str:
    """Return Markdown in which nothing loads or runs: inserted spaces turn images into links, and tags and links other
    than http(s) into text. Works piece by piece, cut at spaces."""
    return _ACTIVE.sub(r"\g<0> ", _DEFINITION.sub(r"\g<0> ", printable(markdown)))


def is_web_address(text: str) -> bool:
    return bool(_WEB_ADDRESS.fullmatch(text))
