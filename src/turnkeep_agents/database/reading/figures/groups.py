"""Groups: by a column, by the rows of another table, by a stretch of time."""

import re
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Condition, Field
from turnkeep_agents.database.reading.conditions.roles import role_link
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.nouns import sure_tables
from turnkeep_agents.database.reading.profiles import DATED, NUMERIC, is_rate
from turnkeep_agents.database.reading.times.days import GRAINS
from turnkeep_agents.database.reading.words.lexicon import EXACT, SHORT
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind
from turnkeep_agents.database.reading.words.stems import singular

_GRAIN = r"(?:day|week|month|quarter|year|date)s?"
_KEY = rf"(?:{ITEM}|{_GRAIN}\b)"
_BY = (
    r"(?:\bgroup(?:ed|ing)?(?: it| them| these| those| that| this)? (?:by|per)|\b(?:broken|break"
    r"|split|splitting|divided|separated)"
    r"(?: it| them| that| this)?(?: down| up| out)? (?:by|per|into)|\b(?:for|in|of|at|to|on|from"
    r"|with) (?:each|every)|\b(?:in|at|for|from|by) (?:which|what)"
    r"|\bper|\bby(?: each| every)?|\beach|\bevery|\bacross(?: all| the)?|\baccording to"
    r"|\bdepending on|\bdistribution (?:of|over))"
)
_GROUP = (
    rf"{_BY} (?:the |their |its |our |individual |different )*(?P<a>{_KEY})(?P<more>(?:(?:,? and|,"
    rf"|,? then| per| by) (?:by |per )?(?:the )?{_KEY})*)"
)
_ADJECTIVE = r"\b(?P<grain>daily|weekly|monthly|quarterly|yearly|annual|annually)\b"
_OVER_TIME = (
    r"\b(?:over time|(?P<a>day|week|month|quarter|year) (?:by|over) (?P=a)|trend(?:s)?(?: of| in)?|development of)\b"
)
_NAMED = re.compile(rf"^ (?:called |named )?{kind('QIN')}|^ {kind('V')}")
_OF_ONE = re.compile(rf"^ (?:is|are|was|were|do|does|did|has|have|had) (?:the )?{kind('Q')}")
_AT_FIRST = 3  # in "in which town does X live" nothing is grouped: X is one


def take_groups(draft: Draft) -> None:
    """Takes all keys out of the line; the columns are chosen when the subject is known."""
    line = draft.line
    for _ in range(4):
        found = next((one for one in re.finditer(_GROUP, line.code) if _is_group(draft, one)), None)
        if found is None:
            break
        for key in re.findall(_KEY, f"{found['a']} {found['more']}"):
            _add_key(draft, key)
        behind = line.code[found.end() :]
        line.code = f"{line.code[: found.start()]} | {_without_column(draft, behind)}"
    found = line.take(_ADJECTIVE)
    if found:
        draft.grain = GRAINS[found["grain"]]
    over = line.take(_OVER_TIME)
    if over:
        draft.grain = GRAINS.get(over["a"] or "month", "month")


def _without_column(draft: Draft, behind: str) -> str:
    """What stands behind a key without the column that makes it finer: by customer segment."""
    found = re.match(rf"^ (?P<x>{kind('C')})", behind)
    if found is None or not draft.group_items:
        return behind
    column = draft.line.at(found["x"])
    owners = {one.table for one in draft.group_items[-1].of("table") if one.weight >= EXACT}
    own = tuple(one for one in column.of("column") if one.table in owners)
    if not own:
        return behind
    draft.group_items[-1] = replace(column, meanings=own)
    return behind[found.end() :]


def _add_key(draft: Draft, key: str) -> None:
    if key.startswith("<"):
        draft.group_items.append(draft.line.at(key))
    else:
        draft.grain = GRAINS[key.removesuffix("s")]


def _is_group(draft: Draft, found: re.Match[str]) -> bool:
    """Not a person or thing that has done something: "completed by crew Alpha", "approved by managers"."""
    key = found["a"]
    if not key.startswith("<"):
        return True
    mention = draft.line.at(key)
    if set(mention.kinds) & set("QNIP"):
        return False
    if found.start() < _AT_FIRST and _OF_ONE.match(found.string[found.end("a") :]):
        return False
    if not found[0].startswith("by"):
        return bool(set(mention.kinds) & set("TCV"))
    behind = found.string[found.end("a") :]
    if "T" in mention.kinds and _NAMED.match(behind) and "C" not in draft.line.at(re.findall(ITEM, behind)[0]).kinds:
        return False
    return bool(set(mention.kinds) & set("TC"))


def settle_groups(draft: Draft) -> None:
    """Chooses the columns of the groups, near the subject."""
    for mention in draft.group_items:
        if _is_way(draft, mention) or (draft.over and draft.subject in sure_tables(mention)):
            continue
        if _is_ratio(draft, mention):
            draft.lost.append(f"per {mention.text}")
            continue
        draft.groups.extend(field for field in _key(draft, mention) if field not in draft.groups)


def _is_ratio(draft: Draft, mention: Mention) -> bool:
    """Whether "per" divides by a figure of the same rows, and makes no groups: per litre."""
    own = [one for one in mention.of("column") if one.table == draft.subject and one.weight >= SHORT]
    is_figure = any(draft.kind_of(one) in NUMERIC and not is_rate(one.column) for one in own)
    is_unit = not mention.text.lower().endswith("s") and "T" not in mention.kinds
    said = re.search(rf"\bper {re.escape(mention.text.lower())}\b", draft.line.text.lower())
    return bool(is_figure and is_unit and said and draft.measure in ("sum", "average", None))


def _is_way(draft: Draft, mention: Mention) -> bool:
    """ "By" with a value of the subject's own that is a column of others only says in which way: by phone."""
    own = [one for one in mention.of("value") if one.table == draft.subject and one.weight >= EXACT]
    if not own or any(one.table == draft.subject for one in mention.of("column")):
        return False
    if role_link(draft, draft.subject or "", mention.text):
        return False
    draft.conditions.append(Condition(Field(own[0].table, own[0].column), "is", (own[0].value,)))
    return True


def _key(draft: Draft, mention: Mention) -> list[Field]:
    ground, subject = draft.ground, draft.subject or ""
    tables = [one for one in mention.of("table") if one.table != subject]
    kinds = [one for one in tables if ground.described_by(one.table, draft.allowed) == subject]
    table = ground.nearest(kinds or tables, draft.anchors)
    own = [one for one in mention.of("column") if one.table == subject and one.weight >= SHORT]
    column = ground.nearest(own or mention.of("column"), draft.anchors)
    if kinds:
        column = None
    elif own and (table is None or table.weight < EXACT):
        table = None
    value = ground.nearest(mention.of("value"), draft.anchors)
    role = role_link(draft, subject, mention.text) if subject and table is None and not own else ""
    if role:
        return _by_column(draft, subject, role)
    if column and draft.kind_of(column) in DATED and (table is None or column.weight > table.weight):
        draft.grain = draft.grain or "day"
        draft.dated.append(mention)
        return []
    link = ground.profiles[column.table].links.get(column.column) if column else None
    if table and link and link.to_table == table.table:
        column = None
    if column and (table is None or ground.score(column, draft.anchors) >= ground.score(table, draft.anchors)):
        return _by_column(draft, column.table, column.column)
    if table:
        return list(ground.told_apart(table.table, _said_link(draft, table.table)))
    if value:
        if not _is_role(draft, value.table, mention.text):
            draft.conditions.append(Condition(Field(value.table, value.column), "is", (value.value,)))
        return list(ground.told_apart(value.table, _said_link(draft, value.table)))
    return []


def _is_role(draft: Draft, table: str, text: str) -> bool:
    """Whether the word is what the subject's own link calls all rows that it leads to: the assigned technician."""
    columns = draft.ground.graph.tables[draft.subject or ""].columns
    links = [columns[name] for name, link in draft.profile.links.items() if link.to_table == table]
    called = {singular(word) for one in links for name in one.synonyms for word in name.lower().split()}
    return singular(text.lower().split()[-1]) in called


def _by_column(draft: Draft, table: str, column: str) -> list[Field]:
    link = draft.ground.profiles[table].links.get(column)
    if link and draft.is_allowed(link.to_table):
        via = draft.ground.via(table, link.to_table, column) if table == draft.subject else ""
        return list(draft.ground.told_apart(link.to_table, via))
    return [Field(table, column)]


def _said_link(draft: Draft, table: str) -> str:
    """The link that a word of the line names, where several lead to the table."""
    links = [column for column, link in draft.profile.links.items() if link.to_table == table]
    if len(links) < 2:
        return ""
    for mention in draft.line.mentions:
        if "L" in mention.kinds:
            for one in mention.of("column"):
                if one.table == draft.subject and one.column in links:
                    return draft.ground.via(one.table, table, one.column)
    return ""
