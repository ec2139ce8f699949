"""Addresses in a model's prose. A link or an image can carry what stands in the rows to whoever owns its address, and a
page that shows the answer may fetch it by itself: no text of a model links, and no address stays that nobody gave."""

import re
from collections.abc import Iterable

LINK_REMOVED = "link_removed"
REMOVED = "(address removed)"

_LINK = re.compile(r"!?\[(?P<label>[^\[\]]*)\]\([^()\n]*\)")
_STILL_A_LINK = re.compile(r"\](?=[(:])")
_TAG = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:(?:\b[a-z][a-z0-9+.-]*:)?//|\bwww\.|\bmailto:)[^\s<>]+", re.IGNORECASE)
_AROUND = ".,;:!?'\"()[]{}*_`"


def unlinked(text: str, known: Iterable[str]) -> str:
    """`text` with its links as their words, and without addresses that stand in none of `known`; the same where there
    are none."""
    given = {_bare(found) for each in known for found in _ADDRESS.findall(each)}
    plain = _STILL_A_LINK.sub("] ", _without_links(text))
    shown = _ADDRESS.sub(lambda found: found[0] if _bare(found[0]) in given else REMOVED, plain)
    return _TAG.sub("&lt;", shown)


def _without_links(text: str) -> str:
    """Until none is left: one may stand in the words of another."""
    while (fewer := _LINK.sub(lambda found: found["label"], text)) != text:
        text = fewer
    return text


def _bare(address: str) -> str:
    return address.strip(_AROUND).lower()
