"""Placeholders for personal data in stored texts, such as "[EMAIL_3f9a1c2b]", and their restoring; `pii` makes them."""

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
    """Replace placeholders by their values. Unknown ones stay, and those inside the address of a link or an image,
    which a document may have planted to leak them. An address that is only a placeholder is replaced. `before` is the
    preceding text, for pieces of a stream."""
    if not values or "[" not in text:
        return text
    line = before[-_REMEMBERED:].rpartition("\n")[2]
    kept = [at.span() for at in _ADDRESS.finditer(line + text) if not _IS_WHOLE.fullmatch(at[0])]

    def value(at: re.Match[str]) -> str:
        place = at.start() + len(line)
        return at[0] if any(start < place < end for start, end in kept) else values.get(at[0], at[0])

    return PLACEHOLDER.sub(value, text)


def shown(text: str) -> str:
    """Shorten placeholders for lists: "[EMAIL_3f9a1c2b]" becomes "[EMAIL]"."""
    return PLACEHOLDER.sub(r"[\1]", text)
