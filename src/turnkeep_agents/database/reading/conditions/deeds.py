"""What a verb or an adjective says of rows that belong to the subject: that something was done to them, by whom, and in
what state they are."""

import re

from turnkeep_agents.database.reading.asked import Condition, Field
from turnkeep_agents.database.reading.conditions.states import unfinished
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.words.lines import ITEM, Mention

_CHILD = 1.6
_FAR = 3


def conditions_beside(draft: Draft, mods: str, table: str) -> list[Condition]:
    """What the words before the lacking thing say of it: "no open work orders"."""
    conditions = []
    for item in re.findall(ITEM, mods):
        mention = draft.line.at(item)
        one = draft.nearest(mention, "value", near=[table])
        is_open = unfinished(draft.ground, table, mention.text.lower()) if one is None or one.table != table else None
        if is_open:
            conditions.append(is_open)
            continue
        if one and draft.ground.distance(table, one.table) < _FAR:
            conditions.append(Condition(Field(one.table, one.column), "is", (one.value,)))
            continue
        flag = draft.nearest(mention, "column", near=[table], kinds=["boolean"])
        if flag:
            conditions.append(Condition(Field(flag.table, flag.column), "is", (True,)))
        elif not (_is_beside(draft, mention, table) or set(mention.kinds) & set("NP")):
            draft.lost.append(mention.text)
    return conditions


def _is_beside(draft: Draft, mention: Mention, table: str) -> bool:
    return any(draft.ground.distance(one.table, table) < _CHILD for one in mention.of("table"))


def done_where(draft: Draft, deed: str, table: str) -> tuple[str, list[Condition]]:
    """The rows that are lacking, and what a verb says of them: of those between, where it is done to them."""
    end = draft.ground.belonging(draft.subject or "", table)
    if not deed.startswith("<"):
        return end, []
    between = draft.ground.many_end(draft.subject or "", table)
    done = done_to(draft, draft.line.at(deed), between)
    return (between, done) if done else (end, done_to(draft, draft.line.at(deed), end))


def done_to(draft: Draft, deed: Mention, table: str) -> list[Condition]:
    """What a verb says of the rows that it is done to: that they have a day for it, or the state it leads to."""
    profile = draft.ground.profiles[table]
    own = sorted((one for one in deed.meanings if one.table == table), key=lambda one: -one.weight)
    day = next((one for one in own if one.sort == "column" and profile.kinds[one.column] in DATED), None)
    if day:
        return [Condition(Field(table, day.column), "is_there")]
    state = next((one for one in own if one.sort == "value"), None)
    return [Condition(Field(table, state.column), "is", (state.value,))] if state else []


def doer_link(draft: Draft, deed: str, table: str) -> str:
    """The link to whoever did what a verb says: reported by."""
    said = draft.line.at(deed).of("column") if deed.startswith("<") else ()
    links = draft.ground.profiles[table].links
    own = [one.column for one in said if one.table == table and one.column in links]
    return next((column for column in own if links[column].to_table == draft.subject), "")
