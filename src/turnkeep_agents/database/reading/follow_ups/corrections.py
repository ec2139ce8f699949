"""Lines that set right how the line before was read: "no, ...", and "and now?" after another time."""

import re
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.conditions.states import is_of_states, states_left
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.ground import Ground
from turnkeep_agents.database.reading.words.lines import ITEM

_NO = re.compile(
    r"^(?:no|nope|nah|wrong|sorry)(?: not (?:those|them|that|these))?(?: [,.!:;])+ (?=\S)"
    r"|^(?:no|nope|nah) (?=(?:i (?:mean|meant|want|wanted|said)|the|those|these|only)\b)"
)
_DASHED = re.compile(r"^\W*(?:no|nope|nah|wrong|sorry)\s*-", re.IGNORECASE)
"""What is wrong is the answer; without the comma it is what rows lack: no closed ones."""
_NOW = re.compile(
    r"^(?:and |so |but |what about |how about )*(?:right |as of |just )?"
    r"(?:now|today|currently|at present|at the moment|these days)$"
)


def take_correction(draft: Draft, before: Asked) -> bool:
    """Takes the word of correction out of the line, if it begins with one."""
    line = draft.line
    if _excludes_again(draft, before):
        line.code = line.code.removeprefix("no ")
        return True
    pattern = re.compile(r"^[a-z]+ ") if _DASHED.match(line.text) else _NO
    found = pattern.match(line.code)
    line.code = pattern.sub("", line.code)
    return found is not None


def _excludes_again(draft: Draft, before: Asked) -> bool:
    """Whether "no closed ones" is said where those are left out already: then they are what is wanted."""
    found = re.match(rf"^no (?P<x>{ITEM}) ones?\b", draft.line.code)
    values = draft.line.at(found["x"]).of("value") if found else ()
    left = [states for one in before.conditions if (states := states_left(draft.ground, one))]
    return any(
        (one.table, one.column) == (field.table, field.column) and one.value not in states
        for one in values
        for field, states in left
    )


def back_to_today(bare: str, before: Asked, ground: Ground) -> Asked | None:
    """The question about the states of today instead of another time; None where the line asks no such thing."""
    is_asked = _NOW.match(bare) and is_of_states(ground, before)
    return replace(before, period=None, page=0, unread=()) if is_asked else None
