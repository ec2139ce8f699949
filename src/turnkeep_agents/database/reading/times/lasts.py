"""The last and the next of what happens at times: the last is not ahead, and the next not behind."""

import re

from turnkeep_agents.database.reading.asked import Condition, Field, Test
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.words.lexicon import ROOT
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind

_BESIDE = 1.6

_LATER = re.compile(r"\b(?:planned|scheduled|upcoming|booked|future|next|ahead|will|due)\b")


_WHEN_LAST = (
    rf"\bwhen (?:did|have|has|had) (?:we|you|they|i|any(?:one|body)|some(?:one|body)) last (?:{ITEM}|[a-z]+)"
    rf"(?: (?:a|an|any|the|our))? (?P<x>{kind('T')})"
)
_LAST_TIME = (
    rf"\bthe last (?P<time>time|{ITEM}) (?:that )?(?:(?:a|an|any|the|our|one of our) )?(?P<x>{kind('T')})"
    rf" (?:(?:was|were|got|has|had|been) )+(?P<d>{kind('D')})"
)


_NEXT_EDGE = (
    rf"\bwhen (?:does|do|did|will|is|was) (?:the|our) (?:last|latest|next) {kind('T')} (?P<d>{kind('D')})"
    r"(?= ?[?.!|]|$)"
)


def take_last_time(draft: Draft) -> None:
    """ "When did we last hold X", "the last time that X was done": the last X, or the last of what was done to it."""
    line = draft.line
    held = line.search(_WHEN_LAST)
    edge = line.search(_NEXT_EDGE)
    if edge and not line.at(edge["d"]).of("value"):
        draft.dated.append(line.at(edge["d"]))
        line.drop(edge["d"])
    done = line.search(_LAST_TIME)
    if held:
        line.code = f"{line.code[: held.start()]} the last {held['x']} {line.code[held.end() :]}"
    elif done and (done["time"] == "time" or line.at(done["time"]).text.lower() == "time"):
        day = _day_of(draft, line.at(done["x"]), line.at(done["d"]))
        if day is None:
            draft.lost.append("last time")
            return
        draft.subject, draft.order_by, draft.order, draft.limit = day.table, day, "descending", 1
        draft.is_list = True
        draft.conditions.append(Condition(day, "at_most", (draft.today.isoformat(),)))
        line.code = f"{line.code[: done.start()]} | {line.code[done.end() :]}"


def _day_of(draft: Draft, thing: Mention, deed: Mention) -> Field | None:
    """The date of a deed: of the things themselves, or of rows that belong to them."""
    tables = [one.table for one in thing.of("table") if one.weight >= ROOT]
    days = [one for one in deed.of("column") if draft.kind_of(one) in DATED]
    near = [one for one in days if tables and draft.ground.distance(tables[0], one.table) < _BESIDE]
    best = draft.ground.nearest(near, tables[:1])
    return Field(best.table, best.column) if best else None


def keep_past(draft: Draft) -> None:
    """The last of what happens at times is not ahead, and the next not behind."""
    other = _last_of_others(draft)
    if other:
        draft.lost.append(other)
    by, dates = draft.order_by, [*draft.ground.dates(draft.subject or "")[:1], *_dated(draft)]
    if by is None or by.table != draft.subject or by.column not in dates or draft.quality not in ("latest", "next"):
        return
    if draft.quality == "next" or not _LATER.search(draft.line.text.lower()):
        test: Test = "at_least" if draft.quality == "next" else "at_most"
        draft.conditions.append(Condition(by, test, (draft.today.isoformat(),)))


def _dated(draft: Draft) -> list[str]:
    return [one.column for mention in draft.dated for one in mention.of("column") if one.table == draft.subject]


def _last_of_others(draft: Draft) -> str:
    """What a line calls the last or next of its kind, where it asks for rows of another table."""
    if draft.quality not in ("latest", "next") or draft.limit != 1:
        return ""
    for mention in draft.line.mentions:
        tables = {one.table for one in mention.of("table") if one.weight >= ROOT}
        found = re.search(rf"\b(?:last|latest|next) {re.escape(mention.text)}\b", draft.line.text, re.I)
        if tables and found and draft.subject not in tables:
            return found[0]
    return ""
