"""What a follow-up leans on: papers that the last answer cited, and the last question that stood alone. A question
that was refused is passed over, so that a digression does not end the topic."""

import re
from collections.abc import Sequence

from turnkeep.blocks.followups import depends_on_history

MOST_TITLES = 3

_ORDINALS = ("first|former", "second|latter", "third")
_ORDINAL = re.compile(rf"\bthe ({'|'.join(_ORDINALS)}|last)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(they|them|their|these|those|both|each|which ones?|others?|papers|compare\w*|differ\w*|related|versus|vs)\b",
    re.IGNORECASE,
)


def topic_of(question: str, asked: Sequence[str], answered: Sequence[str], cited_titles: Sequence[str]) -> list[str]:
    """The nearest first; empty where `question` stands alone. `asked` are the earlier questions, oldest first,
    `answered` those that were answered with citations, `cited_titles` those of the last such answer."""
    if not depends_on_history(question, asked).is_follow_up:
        return []
    return [*_meant(question, cited_titles), *_asked_about(answered or asked)]


def _meant(question: str, titles: Sequence[str]) -> Sequence[str]:
    if found := _ORDINAL.search(question):
        word = found[1].lower()
        place = next((at for at, words in enumerate(_ORDINALS) if word in words.split("|")), len(titles) - 1)
        return titles[place : place + 1]
    return titles[: MOST_TITLES if _SEVERAL.search(question) else 1]


def _asked_about(asked: Sequence[str]) -> list[str]:
    for at in range(len(asked) - 1, -1, -1):
        if not depends_on_history(asked[at], asked[:at]).is_follow_up:
            return [asked[at]]
    return []
