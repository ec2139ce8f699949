"""Pronouns in a message that point at something said before. An "it" that stands for nothing, as before "is possible
to", is none. English grammar only."""

import re

from turnkeep.blocks.spans import AFTER, Phrase, Words
from turnkeep.blocks.words import words

THIS, THESE = frozenset(["this", "that"]), frozenset(["these", "those"])
_LOOK_BACK, _LOOK_AHEAD = 40, 80  # characters around "it", so that a long message costs no more than its length
_BEFORE_THAT = frozenset(words("about of for with than versus vs to on buy order take want need get like compare is"))
_BEHIND_OBJECT = frozenset(["", *words("and or instead too again please")])
_ASKS, _NO_THING = frozenset(words("is does has")), frozenset(words("so because not all as since"))
_NO_LIST_OF = frozenset(words("that who which whose in with without from under over for of to on at"))
_IS = r"(?:\s+(?:is|was|will\s+be|would\s+be|may\s+be|might\s+be)|['\u2019]s)?(?:\s+not|n['\u2019]t)?(?:\s+\w+ly)?"
_CAN_BE = r"(?:possible|true|necessary|normal|usual|common|likely|legal|allowed|important|clear|known|said)"
_TO_DO = r"(?:easy|easier|hard|harder|difficult|simple|good|bad|better|best|worse|safe|wise|fair|cheaper|ok|okay|fine)"
_CLAUSE = r"(?:that|if|whether|when)\b"
# "Is it easy to use?" speaks of a thing: the verb lacks its object. "Is it easy to find a shop?" does not.
_VERB_ALONE = r"to\s+\w+(?:\s+(?:up|on|off|out|with|in|for))?\s*(?:[?.!,;]|$)"
_EMPTY_AFTER = re.compile(
    rf"{_IS}\s+{_CAN_BE}\s+(?:to\b|for\b|{_CLAUSE})|{_IS}\s+{_TO_DO}\s+(?:{_CLAUSE}|(?!{_VERB_ALONE})to\b)"
    rf"|{_IS}\s+(?:rain|snow)\w*"
    r"|\s+(?:seems?|appears?)\s+(?:that|to\s+me|like)\b|\s+(?:turns?|turned)\s+out\b"
    r"|\s+(?:depends?|makes\s+sense|looks\s+like|sounds\s+like)\b"
    r"|\s+takes?\s+(?:too\s+)?(?:long|a\s+while|time)\b|\s+easy\W*$|\s+or\s+not\b|\s+comes\s+to\b",
    re.IGNORECASE,
)
_EMPTY_BEFORE = re.compile(
    r"(?:\b(?:got|forget|that['\u2019]?s|that\s+is|is\s+that|what\s+time\s+is)"
    r"|\bhow(?:\s+is|['\u2019]?s)(?=\s+it\s+going\b)|\b(?:makes?|made)(?=\s+it\s+to\b)"
    r"|\bhow\s+(?:long|much\s+time|many\s+(?:minutes|hours|days|weeks|months))\s+(?:does|did|will|would|can)"
    r"(?=\s+it\s+take\b))\s+it\b",
    re.IGNORECASE,
)


def read_pronoun(said: Words, at: int) -> Phrase | None:
    """The pronoun that is the word, if it points at something."""
    word = said.folded[at]
    if word in ("it", "its"):
        return None if _is_empty(said, at) else Phrase("it", at, at + 1, suffix="'s" if word == "its" else "")
    if word in ("them", "they", "their", "theirs"):
        is_own = word in ("their", "theirs")
        return Phrase("they", at, at + 1, is_plural=True, suffix="'s" if is_own else "")
    if word in THESE and said.ends(at + 1) and said.next(at + 1) not in _NO_LIST_OF:
        return Phrase("they", at, at + 1, is_plural=True)
    return Phrase("it", at, at + 1) if word in THIS and _stands_alone(said, at) else None


def _stands_alone(said: Words, at: int) -> bool:
    """Whether "this" or "that" is the object or subject of its clause, not a part of something else."""
    before, after = (said.folded[at - 1] if at and said.next(at) else ""), said.next(at + 1)
    is_object = before in _BEFORE_THAT and not said.is_joined(at + 1) and after in _BEHIND_OBJECT
    return is_object or (before in _ASKS and after in AFTER - _NO_THING)


def _is_empty(said: Words, at: int) -> bool:
    start, end = said.spans[at]
    if said.raw[at] == "IT" or said.is_joined(at + 1):
        return True
    before = [found.end() for found in _EMPTY_BEFORE.finditer(said.text, max(0, start - _LOOK_BACK), end + 20)]
    return end in before or _EMPTY_AFTER.match(said.text, end, end + _LOOK_AHEAD) is not None
