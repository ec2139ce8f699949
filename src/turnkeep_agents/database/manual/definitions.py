"""What a thing is: how the page that is called by it begins, or the item of a list that names it first. Who asks no
more than that is told no more."""

import re
from collections.abc import Sequence

from turnkeep_agents.database.manual.stems import stems
from turnkeep.blocks.rarity import sentences
from turnkeep.blocks.words import STOP_WORDS
from turnkeep.records import JSON

MOST_CHARACTERS = 120
MOST_SENTENCES = 2

_ASKED = re.compile(
    r"\W*(?:(?:so|and|but|ok|please|tell me|explain)[\s,]+)*"
    r"(?:what(?:'s|\s+is)\s+an?|what\s+are|what\s+is\s+meant\s+by(?:\s+an?)?|define)\s+"
    r"(?P<thing>[^\W\d][\w -]{1,60}?)\W*"
    r"|\W*what\s+do(?:es)?\s+(?:an?\s+|the\s+(?:word|term)\s+)?(?P<word>[^\W\d][\w -]{1,60}?)\s+mean\W*",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*+]\s+)?\*\*(?P<name>[^*\n]{2,60})\*\*\s*:", re.MULTILINE)


def definition_in(question: str, sections: Sequence[JSON]) -> str | None:
    """The words that tell it, with the section they are from; None where none of `sections` does, or where more is
    asked."""
    thing = _thing(question)
    told = ((section["id"], _told(thing, section["title"], section["text"])) for section in sections) if thing else ()
    return next((f"{text} [{id_}]" for id_, text in told if text), None)


def defines(question: str, section: JSON) -> bool:
    """Whether the section tells what the question asks for, and that alone."""
    thing = _thing(question)
    return bool(thing) and bool(_told(thing, section["title"], section["text"]))


def _thing(question: str) -> frozenset[str]:
    found = _ASKED.fullmatch(question[:MOST_CHARACTERS]) if len(question) <= MOST_CHARACTERS else None
    return _stems(found["thing"] or found["word"]) if found else frozenset()


def _told(thing: frozenset[str], title: str, text: str) -> str:
    if " > " not in title and _stems(title) == thing:
        return " ".join(sentences(text)[:MOST_SENTENCES])
    named = next((item for item in _ITEM.finditer(text) if _stems(item["name"]) == thing), None)
    return text[named.start() :].strip().split("\n")[0] if named else ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for stem in stems(text) if stem not in STOP_WORDS)
