"""How a question begins: which measure it asks for, and whether it wants a list."""

import re

from turnkeep_agents.database.reading.asked import Measure
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.words.lines import ITEM, kind

_POLITE = (
    r"^(?:(?:please|hi|hello|hey|ok|okay|so|well|thanks|now|and|then|also|but|can|could|would|will|you|we|i|want|need"
    r"|would|like|to|know|tell|let|us|me|see|do|have|just|quickly|kindly|if|whether|wonder|wondering|curious|interested"
    r"|am|about|in|[,.!])\s+)*?"
)

_HOW_MANY = (
    r"\b(?:how many|(?:what|which) (?:is|was|are|were) (?:the|our) (?:total |overall "
    r"|current )?(?:number|count) of|how often"
    r"|(?:the )?(?:total |overall )?(?:number|count|quantity) of|^count(?: up)?(?: of)?|(?:please"
    r"|me|you) count|headcount)\b"
)

_MEASURES: tuple[tuple[str, Measure], ...] = (
    (r"\b(?:the )?(?:on average|average|avg|mean|averaged|typical|typically)(?: of)?\b", "average"),
    (
        r"\b(?:how much|(?:the )?(?:sum|grand total|total|totals|combined|overall|aggregate"
        r"|altogether|in total)(?: of)?)\b",
        "sum",
    ),
    (r"\b(?:what|how) (?:is|was|are|were) (?:the|our) (?:highest|maximum|max|largest|biggest|greatest)\b", "maximum"),
    (r"\b(?:what|how) (?:is|was|are|were) (?:the|our) (?:lowest|minimum|min|smallest|least)\b", "minimum"),
    (r"(?<!above )(?<!above the )(?<!over the )(?<!exceed the )\b(?:maximum|max)\b(?= <| of)", "maximum"),
    (r"(?<!below )(?<!below the )(?<!under the )(?<!than the )\b(?:minimum|min)\b(?= <| of)", "minimum"),
)

_DISTINCT = r"\b(?:different|distinct|unique|separate|kinds of|sorts of|types of)\b"

_LISTS = (
    r"\b(?:list|show|display|give|which|who|whose|find|get|fetch|name|names of|what are|what is|see|view|print|output"
    r"|return|pull|look up|when|where)\b"
)

_YES_NO = r"^(?:is|are|was|were|do|does|did|has|have|had|any)\b"


def read_opening(draft: Draft) -> None:
    """Which measure is asked for, if any."""
    line = draft.line
    line.take(_POLITE)
    line.code = line.code.lstrip("| ")
    if re.search(_YES_NO, line.code) and re.search(r"\b(?:any|anyone|anybody|a|an|there|we|ever)\b|<", line.code):
        draft.measure = "count"
    if line.take(_HOW_MANY):
        draft.measure = "count"
    elif draft.measure is None:
        for pattern, measure in _MEASURES:
            if line.take(pattern):
                draft.measure = measure
                break
    draft.is_distinct = bool(line.take(_DISTINCT))
    if draft.measure is None:
        _read_total(draft)
    is_asked = bool(re.match(rf"^\W*(?:what|which) (?:[a-z]+ )?{ITEM}", line.code))
    draft.is_list = (is_asked or bool(line.search(_LISTS))) and draft.measure is None
    draft.is_whole = draft.measure is not None or draft.is_list


def _read_total(draft: Draft) -> None:
    """A column that is itself called a total, where the line begins with it."""
    found = draft.line.search(
        rf"^(?:what (?:is|was) |show |give |me |us |the |our |calculate "
        rf"|compute )*(?P<x>{kind('X')})(?= (?:of|for|from|in|by|per|on|this|<|\?)|$)"
    )
    has_row = any(set(mention.kinds) & set("IQ") for mention in draft.line.mentions)
    if found and draft.line.at(found["x"]).text.lower().startswith(("total", "sum ", "overall")) and not has_row:
        draft.measure = "sum"
