"""Postal addresses: a street with its number, in the order of several countries, and the rest of the address."""

import re
from collections.abc import Iterator

from turnkeep.blocks.pii.findings import PiiMatch, patterns_of

_PATTERNS = patterns_of("addresses")
_STREET, _UNNUMBERED = re.compile(_PATTERNS["street"]), re.compile(_PATTERNS["unnumbered street"])
_TAIL = re.compile(_PATTERNS["tail"])
_OTHERS = tuple(re.compile(_PATTERNS[name]) for name in ("postcode", "last line", "lives", "zip"))
_NUMBERED = re.compile(r"\d")


def addresses(text: str) -> Iterator[PiiMatch]:
    """ "via Garibaldi 12, 20121 Milano (MI)", "221B Baker Street", "20121 Milano (MI)", "ZIP: 8592"; not "Milano"."""
    done = 0
    for at in _STREET.finditer(text):
        if at.start() < done:
            continue
        tail = _TAIL.match(text, at.end())
        done = tail.end() if tail and _NUMBERED.search(at[0]) else at.end()
        yield _finding(text, at.start(), done)
    for pattern in _OTHERS:
        for at in pattern.finditer(text):
            yield _finding(text, at.start(1), at.end(1))


def streets(text: str) -> Iterator[PiiMatch]:
    """Yield streets in a text without digits: "via Garibaldi"."""
    for at in _UNNUMBERED.finditer(text):
        yield _finding(text, at.start(), at.end())


def _finding(text: str, start: int, end: int) -> PiiMatch:
    spelling = text[start:end].rstrip(" \n,;.-")
    return PiiMatch("ADDRESS", start, start + len(spelling), " ".join(re.sub(r"[^\w/]", " ", spelling.lower()).split()))
