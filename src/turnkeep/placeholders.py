"""What stands for personal data in a stored text, such as "[EMAIL_3f9a1c2b]". Whoever reads a thread for its owner
needs no more than this; `blocks.pii` makes them."""

import re
from collections.abc import Mapping

PLACEHOLDER = re.compile(r"\[([A-Z_]{2,24})_[0-9a-f]{8}\]")
_WHOLE = rf"(?:mailto:|tel:)?{PLACEHOLDER.pattern}"
_ADDRESS = re.compile(
    r"[\w+.-]{1,20}:?//\S*"  # "https://example.com/?q=[EMAIL_3f9a1c2b]"
    r"|\]\(\s*<[^<>\n]*|\]\([^()\n]*(?:\([^()\n]*\)?)?[^()\n]*"  # "[here](page?q=...", with and without blanks
    r"|^ {0,3}\[[^\]\n]+\]:[^\n]*"  # "[1]: page?q=..."
    r"|\[URL_[0-9a-f]{8}\](?![.,;:!?)*_]*(?:\s|\Z))\S+|\bwww\.\S*"  # text directly behind it belongs to the address
    r"|\b(?:src|href|srcset|action|url|background|poster|data)\s*[=(]\s*(?:\"[^\"]*|'[^']*|[^\s>]*)",
    re.M | re.I,
)
_IS_WHOLE = re.compile(rf"(?:\]\(\s*<?|(?:href|src)\s*=\s*[\"']?){_WHOLE}[>\"']?\s*\)?", re.I)
_REMEMBERED = 4_096


def restored(text: str, values: Mapping[str, str], *, before: str = "") -> str:
    """The text with what its placeholders stand for. One that stands for nothing stays as it is, and so does one inside
    the address of a link or an image, which a document may have had made so that whoever is behind the address learns
    it; an address that is nothing but a placeholder is somebody's own. `before` is what was said before this text, for
    pieces of a stream."""
    if not values or "[" not in text:
        return text
    line = before[-_REMEMBERED:].rpartition("\n")[2]
    kept = [at.span() for at in _ADDRESS.finditer(line + text) if not _IS_WHOLE.fullmatch(at[0])]

    def value(at: re.Match[str]) -> str:
        place = at.start() + len(line)
        return at[0] if any(start < place < end for start, end in kept) else values.get(at[0], at[0])

    return PLACEHOLDER.sub(value, text)


def shown(text: str) -> str:
    """The text as a list may show it: "[EMAIL_3f9a1c2b]" is "[EMAIL]"."""
    return PLACEHOLDER.sub(r"[\1]", text)
