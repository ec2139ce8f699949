"""Words that detectors know: `lists.txt`, in sections, written for this."""

from functools import cache
from pathlib import Path


@cache
def _sections() -> dict[str, frozenset[str]]:
    text = Path(__file__).with_name("lists.txt").read_text("utf-8")
    parts = (section.partition("\n") for section in text.removeprefix("# ").split("\n\n# "))
    return {title: frozenset(words.split()) for title, _, words in parts}


def words_of(section: str) -> frozenset[str]:
    return _sections()[section]
