"""What a message asks for and no request can say yet: the answer says that it was left aside."""

import re

_THRESHOLD = re.compile(
    r"(?:\b(?:above|over|below|under|beyond|(?:more|less|fewer|greater|higher|lower)\s+than|at\s+(?:least|most)|exceed\w*)\s*"
    r"|[<>]=?\s*)[£$€]?\d[\d.,]*\s*%?",
    re.I,
)

_DAYS_OF_WEEK = re.compile(r"\b(?:week-?ends?|week-?days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b", re.I)
_SHARE = re.compile(r"\b(?:share|percentage|proportion|fraction)\s+of\b", re.I)
_ASIDE = (
    (_THRESHOLD, "I do not pick by values"),
    (_DAYS_OF_WEEK, "I do not pick days of the week"),
    (_SHARE, "I do not compute shares"),
)


def left_aside(text: str) -> tuple[str, ...]:
    """What the message asks for and no request can say."""
    found = [(sentence, match[0].strip()) for pattern, sentence in _ASIDE if (match := pattern.search(text))]
    return tuple(f"{sentence} yet, so “{said}” was left aside." for sentence, said in found)
