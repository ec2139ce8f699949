"""Matches of detectors, and the word lists and patterns that detectors read from text files."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class PiiMatch:
    """Personal data at `text[start:end]`. `kind` is a word in capitals, such as "EMAIL". `value` is the same for all
    spellings: "IT60 X054" and "it60x054" are one IBAN."""

    kind: str
    start: int
    end: int
    value: str


@cache
def _sections(name: str) -> dict[str, str]:
    text = Path(__file__).with_name(f"{name}.txt").read_text("utf-8")
    parts = (section.partition("\n") for section in text.removeprefix("# ").split("\n\n# "))
    return {title: lines for title, _, lines in parts}


def words_of(section: str) -> frozenset[str]:
    return frozenset(_sections("lists")[section].split())


def patterns_of(module: str) -> dict[str, str]:
    """Return the patterns of `<module>.txt` by section. Each line of a section is an alternative, with a note after a
    tab; «title» stands for an earlier section."""
    found: dict[str, str] = {}
    for title, lines in _sections(module).items():
        pattern = "|".join(line.partition("\t")[0] for line in lines.strip("\n").split("\n"))
        found[title] = re.sub("«(.+?)»", lambda at: f"(?:{found[at[1]]})", pattern)
    return found
