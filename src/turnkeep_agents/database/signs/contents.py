"""Questions about what there is to ask about: which tables, what data. They hold no other word that says something."""

import re
from collections.abc import Collection
from typing import Literal

from turnkeep.blocks.words import singular, words

type Contents = Literal["tables", "overview"]

MOST_WORDS = 16

_TABLES = frozenset(words("table tables schema"))
_DATA = frozenset(words("data database databases information info dataset datasets"))
_AROUND = frozenset(
    words(
        "what which whats s is are was were there here in inside of the this that your our my its it a an all any every"
        " do does did you i we can could may to about from on have has hold holds holding contain contains contained"
        " containing store stores stored keep keeps kept available exist exists existing know access see query ask find"
        " look read record records kind kinds sort sorts type types name names list show give tell me us please"
        " describe"
        " how many much content contents structure like got get main whole call called behind connected use uses using"
        " and so ok now hello hi hey"
    )
)
_ASKS = re.compile(
    r"\b(?:what|which|whats|how many|names?|describe|contents?|structure|schema|tables)\b", re.IGNORECASE
)


def asks_for_contents(message: str, called: Collection[str]) -> Contents | None:
    """Which is asked for, all tables or what the data is about; None where the message asks for anything else, as it
    does where a table is itself `called` so, in lower case and the singular."""
    said = words(message[:200])
    if not said or len(said) > MOST_WORDS or not set(said) <= _TABLES | _DATA | _AROUND:
        return None
    about = [word for word in said if word in _TABLES | _DATA]
    if not about or any(singular(word) in called for word in about) or not _ASKS.search(" ".join(said)):
        return None
    return "tables" if not _TABLES.isdisjoint(about) else "overview"
