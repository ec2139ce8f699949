"""Detects personal data in a text and inserts placeholders such as "[EMAIL_3f9a1c2b]". Within a thread, equal data gets
equal placeholders. The tag is an HMAC, so no one can forge a placeholder that resolves to data."""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache
from pkgutil import resolve_name
from typing import TypeAlias

from turnkeep.pii.contacts import addresses, emails, ips, phones, streets, urls
from turnkeep.pii.findings import PiiMatch
from turnkeep.pii.folding import folded
from turnkeep.pii.numbers import cards, ibans, tax_ids, vat_ids
from turnkeep.pii.papers import births, papers
from turnkeep.pii.persons import letterhead, listed, parts_of, persons
from turnkeep.pii.stretches import stretches
from turnkeep.placeholders import PLACEHOLDER

Detector: TypeAlias = Callable[[str], Iterable[PiiMatch]]
Tag: TypeAlias = Callable[[str, str], str]  # from kind and value to eight hexadecimal digits, for one thread

_OF_DIGITS: tuple[Detector, ...] = (ibans, cards, vat_ids, ips, papers, births, addresses, phones)  # all need a digit
_ADDED: dict[str, None] = {}  # names of the deployment's detectors, which run last

_DIGIT = re.compile(r"[0-9]")
_COVER = "\ue000"  # replaces placeholders and matches during detection: no pattern matches it


def add_detector(name: str) -> None:
    """Add a detector to this process: "module:function", from a text to its PiiMatches, such as one based on Presidio.
    It is loaded on first use and gets one stretch of a text at a time."""
    _ADDED[name] = None


_loaded: Callable[[str], Detector] = cache(resolve_name)


def redacted(text: str, tag: Tag, names: set[str] | None = None) -> tuple[str, dict[str, str]]:
    """Return the redacted text, and the original of each placeholder in its first spelling. Text that looks like a
    placeholder stays. `names` are those of `find`."""
    parts: list[str] = []
    values: dict[str, str] = {}
    at = 0
    for one in find(text, names):
        placeholder = f"[{one.kind}_{tag(one.kind, one.value)}]"
        values.setdefault(placeholder, text[one.start : one.end])
        parts += [text[at : one.start], placeholder]
        at = one.end
    return "".join([*parts, text[at:]]), values


def find(text: str, names: set[str] | None = None) -> list[PiiMatch]:
    """Return matches in order, without overlaps. A word of a name is found again later in the text. `names` are known
    words of names, to which new ones are added, for callers that read many texts."""
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
    if word.isalpha() and word.islower() and len(word) < 16:  # a tax id has 16
        return []
    bare = PLACEHOLDER.sub(lambda at: _COVER * len(at[0]), stretch) if "[" in stretch else stretch
    text, places = folded(bare)
    found: list[PiiMatch] = []
    while new := _apart(_all(text, names)):  # the rest is read again: "Rossi" in "Rossi, Mario Rossi"
        found += new
        for one in new:
            text = text[: one.start] + _COVER * (one.end - one.start) + text[one.end :]
        names = {*names, *(part for one in new if one.kind == "PERSON" for part in parts_of(one.value))}
    found.sort(key=lambda one: one.start)
    return [PiiMatch(one.kind, places[one.start], places[one.end - 1] + 1, one.value) for one in found]


def _all(text: str, names: Collection[str]) -> list[PiiMatch]:
    """Return all matches, which may overlap; the first wins."""
    found = [*urls(text), *emails(text), *tax_ids(text)]
    if _DIGIT.search(text):
        for detector in _OF_DIGITS:
            found += detector(text)
    elif not text.islower():
        found += streets(text)
    is_address = any(one.kind in ("ADDRESS", "PHONE", "EMAIL") for one in found)
    found += [*persons(text, names), *listed(text)]
    if is_address:
        found += letterhead(text)
    for name in _ADDED:
        found += _loaded(name)(text)
    return found


def _apart(found: Iterable[PiiMatch]) -> list[PiiMatch]:
    """Drop empty matches, and those that overlap an earlier one."""
    kept: list[PiiMatch] = []
    for one in found:
        if one.end > one.start and all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return kept
