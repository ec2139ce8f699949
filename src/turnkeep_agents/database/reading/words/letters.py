"""Parts of a message that are read by their letters alone: what a text starts or ends with, a name that begins as a
month does."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Literal

from turnkeep_agents.database.reading.times.periods import Stretch, find_periods
from turnkeep_agents.database.reading.words.vocabulary import is_function_word
from turnkeep.blocks.words import words

type Edge = Literal["starts", "ends"]

_EDGE = re.compile(
    r"\b(?:that |which )?(?P<edge>start|begin|end|finish)(?:s|es|ning|ing)?\s+(?:(?:with|in|on|by)\s+)?"
    r"(?P<noun>(?:the |an? )?(?:(?:capital )?letters?|digits?|numbers?|words?|prefix|suffix)\s+)?"
    r"(?:\"(?P<q>[^\"]{1,80})\"|'(?P<s>[^']{1,80})'|(?P<w>[^\W_][\w.-]*))(?!\w)"
    r"(?P<more>(?:(?:\s*,\s*[\"']?[^\W_]{1,3}[\"']?(?!\w))*\s*,?\s+or\s+[\"']?[^\W_]{1,3}[\"']?(?!\w))?)",
    re.I,
)
_CALLED_AS_MONTH = re.compile(r"(?P<month>Jan|April|May|June|July|August|Augustus|Mar) (?P<rest>[^\W\d_a-z][^\W\d_]+)")
_DATING = re.compile(r"\b(?:in|since|during|until|till|from|this|last|next|every|and|for|of)\s+$", re.I)


def find_edges(text: str, today: date, is_of_text: Callable[[str], bool]) -> Iterator[tuple[int, int, str, Edge]]:
    """Where letters stand that a text starts or ends with, and those. Rows start and end at a time, and lists with the
    newest; `is_of_text` says whether what stands before ends with a column that holds texts."""
    for found in _EDGE.finditer(text):
        quoted = found["q"] or found["s"]
        said = quoted or found["w"]
        rest = found[0].split(None, 1)[1].lower()
        is_sure = bool(quoted or found["noun"])
        is_letter = len(said) == 1 and re.match(r"\s+[^\W\d_]{2,}", text[found.end() :]) is None
        if not is_sure and (is_letter or rest.startswith("with ")):
            is_sure = is_letter or not is_function_word(said.lower())
        elif not is_sure and any(map(str.isdigit, said)):
            is_sure = is_of_text(text[: found.start()]) or not (said.isdecimal() or find_periods(rest, today))
        if is_sure:
            yield (
                *found.span(),
                said + found["more"],
                "ends" if found["edge"].lower() in ("end", "finish") else "starts",
            )


def begins_name(text: str, stretch: Stretch, is_word: Callable[[str], bool]) -> bool:
    """Whether a month that stands alone begins the name of a person: a capitalised word follows that means nothing."""
    found = _CALLED_AS_MONTH.match(text, stretch.at)
    if found is None or stretch.to > found.end("month") or _DATING.search(text[: stretch.at]):
        return False
    return not is_word("".join(words(found["rest"])))
