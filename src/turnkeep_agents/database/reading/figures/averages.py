"""The average, the most and the least of how many there are: work orders per crew, inspections per month. The count is
read as any other; what it is taken over are the rows of another table, those with none among them, or its groups."""

import re
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Absence, Asked, Measure
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.measures import averaged
from turnkeep_agents.database.reading.words.lines import ITEM, kind

_WAYS: dict[str, Measure] = {
    **dict.fromkeys(("average", "mean", "avg", "typical", "usual"), "average"),
    **dict.fromkeys(("highest", "largest", "maximum", "max", "greatest", "biggest"), "maximum"),
    **dict.fromkeys(("lowest", "smallest", "minimum", "min"), "minimum"),
}
_PER = r"\b(?:per|by|for (?:each|every|an?)|in (?:each|every|an?)|each|every|does|do|did)\b"
_NUMBER_OF = re.compile(
    rf"^(?P<before>(?:[a-z]+ )*?)(?:the )?(?P<way>{'|'.join(_WAYS)}) (?:number|count)s? of (?=.*{_PER})"
)
_HOLDING = re.compile(r"\b(?:with|has|have|had|by|which|who|whose)\b")
_ON_AVERAGE = re.compile(r"(?:,\s*)?\b(?:on average|in the mean|typically|usually|normally)\b(?:\s*,)?")
_OF_ONE = re.compile(
    r"\b(?:does|do|did|will|can|has|have|had) (?:an?|each|every|one|any|the average) "
    rf"(?P<y>{kind('TV')})(?: {ITEM}| [a-z]+)?"
)
_IN_ONE = re.compile(
    rf"\b(?:are|is|were|was)(?: there)? (?:in|on|for|at|with|to) (?:an?|each|every|one) (?P<y>{kind('T')})"
)


def take_average(draft: Draft) -> None:
    """Takes out of the line what says that not the count itself is meant, and puts the rest as a count by groups."""
    line = draft.line
    counted = _NUMBER_OF.search(line.code)
    if counted and not _HOLDING.search(counted["before"]):
        draft.over = _WAYS[counted["way"]]
        line.code = f"{counted['before']}how many {line.code[counted.end() :]}"
    elif re.search(r"\bhow many\b", line.code) and _ON_AVERAGE.search(line.code):
        draft.over = "average"
        line.code = _ON_AVERAGE.sub(" ", line.code)
    else:
        return
    for pattern in (_OF_ONE, _IN_ONE):
        line.code = pattern.sub(lambda found: f"per {found['y']}", line.code, count=1)
    line.code = " ".join(line.code.split())


def with_average(asked: Asked, draft: Draft) -> Asked:
    """The question for the average of the counts; lost where nothing says over what it is to be taken."""
    if draft.over is None:
        return asked
    if asked.measure == "sum" and asked.of:
        return averaged(asked, draft, draft.over)
    owners = {field.table for field in asked.groups}
    owner = next(iter(owners)) if len(owners) == 1 and not asked.grain else ""
    if asked.measure != "count" or asked.keep or asked.is_distinct or not (asked.groups or asked.grain):
        draft.lost.append(draft.over)
        return asked
    is_row = bool(owner) and {field.column for field in asked.groups} == set(draft.ground.profiles[owner].label)
    if not is_row or owner == asked.subject or not draft.ground.is_many(owner, asked.subject):
        return replace(asked, over=draft.over, order=None, order_by=None, limit=None)
    own = tuple(one for one in asked.conditions if one.field.table == owner)
    rest = tuple(one for one in asked.conditions if one.field.table != owner)
    tally = Absence(asked.subject, False, rest, asked.period, via=asked.groups[0].via)
    if asked.absences:
        draft.lost.append(draft.over)
    return Asked(owner, draft.over, conditions=own, tallies=(tally,), unread=asked.unread)
