"""A sign, and a message as signs read it: its beginning, with the polite words around the request taken off."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

type Route = Literal["sql", "rag", "general"]

MOST_CHARACTERS = 1_500

_POLITE = re.compile(
    r"^(?:(?=\W*\w+(?:\W+\w+){3})\W*(?:hi|hello|hey|ok|okay|so|well|please|now|and|also|then)\b[\s,]*)*"
    r"(?:(?:can|could|would|will) you\s+(?:please\s+|kindly\s+)?"
    r"(?=(?:list|show|give|tell|find|count|get|name|explain|help|check|provide|display|calculate|let|pull|look|state"
    r"|summari[sz]e|describe|write|define|translate)\b))?"
    r"(?:(?:i|we)(?:'d| would)? (?:like|love|want|need)(?: you)? to "
    r"(?=know|see|get|find|have|list)(?:know|see|get|find|have)?\s*)?"
    r"(?:please\s+)?(?:(?:do you know|tell me(?: please)?|let me know|let me see)\s+"
    r"(?=wh|how|if|the|about)(?:if\s+|about\s+)?)?",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?<=[\w?!.])[\s,.!?;-]+(?:many |much )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much|a million"
    r"|in advance|again))?\W*$",
    re.IGNORECASE,
)
_LEAST = 4  # words of a request that thanks may stand behind
_QUOTED = re.compile(r"(?<![\w'])'[^'\n]{2,80}'(?!\w)|\"[^\"\n]{2,80}\"|“[^”\n]{2,80}”")


@dataclass(frozen=True, slots=True)
class Sign:
    """`weight` is how much it speaks for `route`; a sign that speaks against one has a weight below 0."""

    route: Route
    weight: float
    reason: str
    pattern: re.Pattern[str]


def sign(route: Route, weight: float, reason: str, *parts: str) -> Sign:
    return Sign(route, weight, reason, re.compile("|".join(parts), re.IGNORECASE))


class Asking:
    """A message as the signs read it: its beginning, without the polite words around the request."""

    def __init__(self, message: str):
        self.text = " ".join(message[:MOST_CHARACTERS].replace("\u2019", "'").split())

    @cached_property
    def request(self) -> str:
        asked = _POLITE.sub("", self.text, count=1) or self.text
        plain = _THANKS.sub("", asked)
        return plain if len(plain.split()) >= _LEAST else asked

    @cached_property
    def unquoted(self) -> str:
        """The request without what it quotes: that is a value, and nobody's wish."""
        return _QUOTED.sub("''", self.request)
