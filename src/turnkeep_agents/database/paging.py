"""Whether a message asks for another page of the rows that were just shown, and no new question."""

import re
from typing import Literal

type Page = Literal["next", "previous"] | int

LONGEST_MESSAGE_WORDS, LONGEST_MESSAGE_CHARACTERS = 12, 160

_POLITE = r"(?:(?:please|ok(?:ay)?|yes|yeah|sure|great|thanks|thank you|and|now|then|so|well|alright)[,.!]?\s+)*"
_MAY = r"(?:can|could|may|will|would) (?:you|i|we)\s+(?:please\s+)?"
_ASKS = rf"(?:{_MAY}|i(?:'d| would) like to\s+|i want to\s+|let(?:'s| us| me)\s+)?"
_SHOW = r"(?:show|see|give|get|list|display|fetch|load|print|view|open|have|send|bring)(?:\s+(?:me|us))?(?:\s+up)?"
_GO = r"(?:go|move|jump|turn|skip|page|scroll|continue|proceed|flip|take me)(?:\s+(?:on|over|forward|ahead))?"
_ROWS = r"(?:(?:row|result|record|line|item|one)s?|entr(?:y|ies)|of (?:them|these|those|it|the (?:rows|results|list)))"
_PAGE = r"(?:pages?|batch|screen|set|chunk)"
_LEAF = r"(?:pages?|screen)"
_COUNT = r"(?:\d{1,4}|few|couple|two|three|five|ten|twenty|fifty|hundred)"
_END = r"(?:,?\s+(?:please|now|then|too|as well|thanks|thank you|for me))*\s*[.!?]*"
_TO = r"(?:on|to|back to|with|through)"
_LEAD = rf"{_POLITE}{_ASKS}(?:(?:{_SHOW}|{_GO})\s+)?(?:{_TO}\s+)?(?:all\s+)?(?:(?:the|a|any|some)\s+)?"

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _whole(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"{_LEAD}(?:{'|'.join(patterns)}){_END}", re.IGNORECASE)


_NEXT = _whole(
    rf"(?:{_COUNT}\s+)?more(?:\s+{_ROWS})?",
    rf"next(?:\s+{_COUNT})?(?:\s+(?:{_PAGE}|{_ROWS}))?",
    rf"(?:following|another|further|other|additional)\s+(?:{_COUNT}\s+)?(?:{_PAGE}|{_ROWS})",
    rf"(?:rest|remainder|remaining(?:\s+(?:{_COUNT}\s+)?{_ROWS})?|others)(?:\s+{_ROWS})?",
    r"turn the page|keep going|go on|carry on|continue|forward|page (?:down|forward)",
    r"what else|anything else|what comes next",
    rf"(?:are|is) there (?:any\s+)?more(?:\s+{_ROWS})?",
    rf"(?:what|how) about the (?:rest|others)(?:\s+{_ROWS})?",
)
_PREVIOUS = _whole(
    rf"(?:previous|prior|preceding)\s+(?:{_PAGE}|(?:{_COUNT}\s+)?{_ROWS})",
    "previous",
    rf"backwards?|back(?:\s+(?:a|one|1|to the previous)\s*{_PAGE}?)?|(?:one|1) {_PAGE} back",
    rf"{_PAGE}\s+(?:up|back(?:wards?)?|before(?:\s+(?:that|this))?)",
)
_NUMBERED = _whole(
    rf"{_LEAF}\s+(?:number\s+|no\.?\s+|#\s*)?(?P<digits>\d{{1,7}})",
    rf"{_LEAF}\s+(?:number\s+)?(?P<word>{'|'.join(_NUMBERS)})",
    rf"(?P<nth>\d{{1,7}})(?:st|nd|rd|th)\s+{_LEAF}",
    rf"(?P<ordinal>{'|'.join(_ORDINALS)})\s+{_LEAF}",
)


def wants_more(message: str) -> Page | None:
    """Which page of the rows shown last `message` asks for: the next one, the one before, or the one of a number,
    from 1. None where it asks for anything else, as a question in which such words only occur."""
    said = " ".join(message[: LONGEST_MESSAGE_CHARACTERS + 1].replace("\u2019", "'").split())
    if len(said) > LONGEST_MESSAGE_CHARACTERS or len(said.split()) > LONGEST_MESSAGE_WORDS:
        return None
    if found := _NUMBERED.fullmatch(said):
        return _number(found) or None
    if _PREVIOUS.fullmatch(said):
        return "previous"
    return "next" if _NEXT.fullmatch(said) else None


def _number(found: re.Match[str]) -> int:
    digits, word, ordinal = found["digits"] or found["nth"], found["word"], found["ordinal"]
    if digits:
        return int(digits)
    return _NUMBERS.index(word.lower()) + 1 if word else _ORDINALS.index(ordinal.lower()) + 1
