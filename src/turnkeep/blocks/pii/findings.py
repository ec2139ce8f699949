"""What detectors know, the words in the sections of `lists.txt`, which was written for this, and what they find."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """One piece of personal data: `text[start:end]` is of this kind, one word in capitals such as "EMAIL". `value` is
    what spellings of the same datum have in common: "IT60 X054" and "it60x054" are one IBAN."""

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
