"""Names of months and other words for time that are a letter or two off. They are put right before anything is read: a
period that nobody saw would silently become another one."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from turnkeep_agents.campaigns.reading.vocabulary import COMMON
from turnkeep.blocks.words import words

LEAST_LETTERS = 6
ALIKE = 0.85
_TIMES = words("january february august september october november december yesterday quarter fortnight")
_WORD = re.compile(rf"(?<![\w'-])[a-z]{{{LEAST_LETTERS},}}(?![\w'-])", re.I)


def times_put_right(text: str, names: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """A plain text with its words for time spelled right, and what to say of that; `names` are left as they are."""
    said: list[str] = []
    known = COMMON | {word for name in names for word in words(name)}

    def put_right(found: re.Match[str]) -> str:
        word = found[0].lower()
        close = [] if word in known or word in _TIMES else get_close_matches(word, _TIMES, n=1, cutoff=ALIKE)
        if not close or word.rstrip("s") in _TIMES:
            return found[0]
        time = close[0].capitalize() if close[0].endswith(("ary", "ber", "ust")) else close[0]
        said.append(f"“{found[0]}” was read as {time}.")
        return time

    return _WORD.sub(put_right, text), tuple(said)
