"""Detects personal data in a text and inserts placeholders such as "[EMAIL_3f9a1c2b]". Within a thread, equal data gets
equal placeholders. The tag is an HMAC, so no one can forge a placeholder that resolves to data."""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache
from pkgutil import resolve_name
from typing import TypeAlias

from turnkeep.blocks.pii.addresses import addresses, streets
from turnkeep.blocks.pii.contacts import emails, ips, phones, urls
from turnkeep.blocks.pii.findings import PiiMatch
from turnkeep.blocks.pii.folding import folded
from turnkeep.blocks.pii.numbers import cards, ibans, tax_ids, vat_ids
from turnkeep.blocks.pii.papers import births, papers
from turnkeep.blocks.pii.persons import letterhead, listed, parts_of, persons
from turnkeep.blocks.pii.stretches import stretches
from turnkeep.placeholders import PLACEHOLDER

Detector: TypeAlias = Callable[[str], Iterable[PiiMatch]]
Tag: TypeAlias = Callable[[str, str], str]
"""Eight hexadecimal digits for a kind and a value in one thread."""

_OF_DIGITS: tuple[Detector, ...] = (ibans, cards, vat_ids, ips, papers, births, addresses, phones)
"""Detectors that need a digit."""

_MORE: dict[str, None] = {}
"""Names of the deployment's detectors; they run last."""

_DIGIT = re.compile(r"[0-9]")
_PROMISING = re.compile(r"[0-9@]|[^\W\d_a-zà-öø-ÿ]")
_ADDRESSED = frozenset(("ADDRESS", "PHONE", "EMAIL"))
_TAX_ID_LETTERS = 16
_COVER = "\ue000"
"""Replaces a placeholder during detection: no pattern matches it."""


def add_detector(name: str) -> None:
    """Add a detector to this process: "module:function", from a text to its Findings, such as one based on Presidio. It
    is loaded on first use and gets one stretch of a text at a time."""
    _MORE[name] = None


@cache
def _loaded(name: str) -> Detector:
    detector: Detector = resolve_name(name)
    return detector


def redacted(text: str, tag: Tag, names: set[str] | None = None) -> tuple[str, dict[str, str]]:
    """Return the redacted text, and the original of each placeholder in its first spelling. Text that already looks
    like a placeholder stays. `names` are as `find` takes them."""
    parts: list[str] = []
    values: dict[str, str] = {}
    at = 0
    for finding in find(text, names):
        placeholder = f"[{finding.kind}_{tag(finding.kind, finding.value)}]"
        values.setdefault(placeholder, text[finding.start : finding.end])
        parts += [text[at : finding.start], placeholder]
        at = finding.end
    return "".join([*parts, text[at:]]), values


def find(text: str, names: set[str] | None = None) -> list[PiiMatch]:
    """Return findings in ascending order, without overlaps. A word of a found name is found again later in the text.
    `names` are known words of names; new ones are added, for callers that read many texts."""
    names = set() if names is None else names
    found: list[PiiMatch] = []
    at = 0
    for stretch in stretches(text):
        for one in _found_in(stretch, names):
            found.append(replace(one, start=at + one.start, end=at + one.end))
            if one.kind == "PERSON":
                names |= parts_of(stretch[one.start : one.end])
        at += len(stretch)
    return found


def _found_in(stretch: str, names: Collection[str]) -> list[PiiMatch]:
    word = stretch.rstrip()
    if word.isalpha() and word.islower() and len(word) < _TAX_ID_LETTERS:
        return []
    bare = PLACEHOLDER.sub(lambda at: _COVER * len(at[0]), stretch) if "[" in stretch else stretch
    text, places = folded(bare)
    found: list[PiiMatch] = []
    while new := _apart(_all(text, names)):  # the rest is read again: "Rossi" in "Rossi, Mario Rossi"
        found += new
        text = _covered(text, new)
        if not _PROMISING.search(text):
            break
        names = {*names, *(part for one in new if one.kind == "PERSON" for part in parts_of(one.value))}
    found.sort(key=lambda finding: finding.start)
    return [PiiMatch(one.kind, places[one.start], places[one.end - 1] + 1, one.value) for one in found]


def _all(text: str, names: Collection[str]) -> list[PiiMatch]:
    """Return all findings; if two detectors match the same characters, the first wins."""
    has_capitals = not text.islower()
    found = [*urls(text), *emails(text), *tax_ids(text)]
    if _DIGIT.search(text):
        for detector in _OF_DIGITS:
            found += detector(text)
    elif has_capitals:
        found += streets(text)
    is_address = any(one.kind in _ADDRESSED for one in found)
    found += persons(text, names)
    if has_capitals:
        found += listed(text)
    if is_address:
        found += letterhead(text)
    for name in _MORE:
        found += _loaded(name)(text)
    return found


def _covered(text: str, findings: Iterable[PiiMatch]) -> str:
    for one in findings:
        text = text[: one.start] + _COVER * (one.end - one.start) + text[one.end :]
    return text


def _apart(findings: Iterable[PiiMatch]) -> list[PiiMatch]:
    kept: list[PiiMatch] = []
    for finding in findings:
        if finding.end > finding.start and all(
            finding.end <= other.start or finding.start >= other.end for other in kept
        ):
            kept.append(finding)
    return kept
