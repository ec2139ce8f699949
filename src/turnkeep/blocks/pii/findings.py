"""Findings of detectors, and the words and patterns that detectors read from text files."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class PiiMatch:
    """One piece of personal data: `text[start:end]` has this kind, one word in capitals such as "EMAIL". `value` is the
    same for all spellings of the same datum: "IT60 X054" and "it60x054" are one IBAN."""

    kind: str
    start: int
    end: int
    value: str


@cache
def _sections() -> dict[str, frozenset[str]]:
    text = Path(__file__).with_name("lists.txt").read_text("utf-8")
    parts = (section.partition("\n") for section in text.removeprefix("# ").split("\n\n# "))
    return {title: frozenset(words.split()) for title, _, words in parts}


def words_of(section: str) -> frozenset[str]:
    return _sections()[section]


@cache
def patterns_of(module: str) -> dict[str, str]:
    """Return the patterns of `<module>.txt` by the titles of its sections. Each line of a section is an alternative,
    with a note after a tab; «title» stands for an earlier section."""
    text = Path(__file__).with_name(f"{module}.txt").read_text("utf-8")
    found: dict[str, str] = {}
    for title, _, lines in (section.partition("\n") for section in text.removeprefix("# ").split("\n\n# ")):
        pattern = "|".join(line.partition("\t")[0] for line in lines.strip("\n").split("\n"))
        found[title] = re.sub("«(.+?)»", lambda at: f"(?:{found[at[1]]})", pattern)
    return found
