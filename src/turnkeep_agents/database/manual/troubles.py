"""Whether somebody says that a thing does not work, and whether a section is about such a thing. The apostrophe of
"can't" may be missing, as on a phone."""

import re

_NOT = (
    r"(?:(?:ca|wo|do|does|did|is|are|has|have|would)n?[\u2019']?t|cannot|not|never|no longer|nothing|nobody"
    r"|stop(?:s|ped)?)"
)
_WORKING = (
    r"(?:let|work|show|see|load|open|start|go|come|arrive|appear|find|save|send|finish|complete|publish|accept|sync|log"
    r"|there|on|in|get|be|respond|react|print|connect)"
)
_SAID = re.compile(
    rf"\b{_NOT} (?:\w+ ){{0,2}}?{_WORKING}\w*\b"
    r"|\b(?:stuck|broken|errors?|crash\w*|fails?|failed|refuse[sd]?|greyed|freez\w+|again and again|keeps? \w+ing"
    r"|what(?:[\u2019']?s| is) wrong)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:not|cannot|never|missing|fails?|failed|errors?|problems?|trouble\w*|again and again|denied|locked|empty)\b",
    re.IGNORECASE,
)


def is_trouble(question: str) -> bool:
    return bool(_SAID.search(question))


def speaks_of_trouble(title: str) -> bool:
    return bool(_TOLD.search(title))
