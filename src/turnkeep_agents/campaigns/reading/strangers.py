"""What looks like a name in a message and is none that the warehouse holds: a size, a word with a capital, or one where
only a name can stand. It is looked for in what is left of the text when all else is understood."""

import re
from collections.abc import Iterator

from turnkeep_agents.campaigns.reading.vocabulary import BLOT, COMMON, stem

MOST = 5
LEAST_LETTERS = 3
SHORT_WORDS = 5

_CAPITAL = re.compile(r"(?<![\w.])[A-Z][\w&]*(?:[ '-](?:(?:of|the|and) )?[A-Z0-9][\w&]*)*")
_SIZE = re.compile(r"(?<![^\W_])\d{2,4}\s*(?:x|\*)\s*\d{2,4}(?![^\W_])", re.I)
_NAME = r"(?P<name>[a-z][a-z&-]{2,})"
_PLACES = [
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:is|are|was|were|did|does|do|has|have)\s+{_NAME}\s+(?:do|doing|done|perform\w*|going|on|over|under|spend\w*"
        r"|pac\w+|look\w*|far\w*|deliver\w*|track\w*)\b",
        rf"\b(?:about|for|of|from|with|to|and|vs|versus|than|only|just|compare)\s+{_NAME}\W*$",
        rf"\b(?:about|for|of)\s+{_NAME}(?=\s*{BLOT}|\s+(?:in|during|by|per|over|last|this|since|from|on)\b)",
        rf"^\W*{_NAME}\s+(?:performance|results?|report|figures|numbers|stats|data|overview|summary)\b",
        rf"\b{_NAME}'s\b",
        rf"\b(?:by|per|each|every)\s+{_NAME}\b",
    )
]
_VERB = re.compile(r"\w+(?:i[sz]e|ate|ify|ing|ly|ed)$", re.I)
_SENTENCE_START = re.compile(r"(?:^|[.?!:;]\s)\W*$")


def strangers_in(text: str) -> tuple[str, ...]:
    """As the text spells them, which is plain and has what was understood blotted out."""
    found = dict.fromkeys(name for read in (_sizes, _capital, _placed) for name in read(text))
    whole = [name for name in found if not any(name != other and name in other for other in found)]
    folded = {name.lower(): name for name in reversed(whole)}
    return tuple(name for name in whole if folded[name.lower()] == name)[:MOST]


def _sizes(text: str) -> Iterator[str]:
    for found in _SIZE.finditer(text):
        yield re.sub(r"\s", "", found[0].lower())


def _capital(text: str) -> Iterator[str]:
    """Written as a name: not where all is written so, nor a first word that may be any."""
    if text.isupper():
        return
    for found in _CAPITAL.finditer(text):
        words = found[0].split(" ")
        is_start = _SENTENCE_START.search(text[: found.start()]) is not None
        while words and (_is_everyday(words[0]) or (is_start and not _may_open(words, text, found.end()))):
            words, is_start = words[1:], False
        while words and _is_everyday(words[-1]):
            words = words[:-1]
        if words and len(words[0]) > 1:
            yield " ".join(words)


def _may_open(words: list[str], text: str, end: int) -> bool:
    """Whether the first word of a sentence is likely to be a name."""
    if len(words) > 1 or text[end : end + 2] == "'s":
        return True
    is_short = len(text.split()) <= SHORT_WORDS
    return is_short and _VERB.match(words[0]) is None


def _placed(text: str) -> Iterator[str]:
    for pattern in _PLACES:
        for found in pattern.finditer(text):
            if not _is_everyday(found["name"]) and not _VERB.match(found["name"]):
                yield found["name"]


def _is_everyday(word: str) -> bool:
    return word.lower() in COMMON or stem(word) in COMMON or len(word) < LEAST_LETTERS
