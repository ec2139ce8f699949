"""What rows lack or have: a missing email, absent work orders, more than so many that belong to them."""

import re
from dataclasses import replace

from turnkeep.agents.database.reading.asked import Absence, Condition, Field, Test
from turnkeep.agents.database.reading.draft import Draft
from turnkeep.agents.database.reading.keepers import keeper_of
from turnkeep.agents.database.reading.lexicon import Meaning
from turnkeep.agents.database.reading.lines import ITEM, Mention, kind
from turnkeep.agents.database.reading.profiles import DATED

_CHILD = 1.6
_ARTICLE = r"(?:(?:a|an|any|the|their|its|single|one|of) )*"
_NOUN = rf"{_ARTICLE}(?P<mods>(?:{ITEM} )*?)(?P<x>{ITEM})"
_NO = (
    rf"\b(?:without|with no|with zero|(?:have|has|had|having|got|with) (?:not |never )?(?:got "
    rf"|had )?(?:no|zero)|no|lack(?:s|ing)?"
    rf"|missing|(?:do|does|did|have|has|had|is|are|was|were|will) not (?:yet )?(?:have|had|having"
    rf"|got|been|get|receive[sd]?|place[sd]?"
    rf"|log(?:ged)?|ma[dk]e|submit(?:ted)?|attend(?:ed)?|report(?:ed)?|need(?:ed)?|own(?:ed)?|work(?:ed)?|do|done)?"
    rf"(?: (?:on|in|at|to|for))?|never (?:\w+ )??(?:had |been )?(?:on |in |to )?) {_NOUN}(?! {kind('TC')})"
)
_NEVER = rf"\b(?:never|(?:have|has|had|did|do|does) not (?:yet |ever )?)\s?(?P<verb>(?:been )?[a-z]+ )?{_NOUN}"
_NEVER_DID = (
    rf"\b(?:never|(?:have|has|had|did|do|does) not (?:yet |ever )?) ?(?P<deed>{ITEM}) (?:a|an|any|the|our) {_NOUN}"
)
_NOT_IN = (
    r"\b(?<!has )(?<!have )not (?:yet )?(?:been )?(?:(?:assigned|allocated|attached|linked|belonging) )?"
    r"(?:in|on|to|under"
    rf"|with|part of|a member of|{kind('L')}) (?:any|a|an) {_NOUN}"
)
_MISSING_BEHIND = (
    rf"(?P<x>{ITEM}) (?:is|are|was|were) (?:missing|empty|blank|unknown|not (?:known|set|given"
    rf"|filled|there|recorded|entered))"
)
_HAS = (
    rf"\b(?:with|have|has|had|having|got) (?:a|an|any|some|at least one|one or more|known"
    rf"|valid) {_NOUN}(?! {kind('TC')})"
)
_WHICH_HAVE = rf"\b(?:with|have|has|had|having|got) (?P<mods>(?:{ITEM} )*?)(?P<x>{ITEM})(?! {kind('TC')})"


def read_absences(draft: Draft) -> None:
    """Takes what rows lack out of the line."""
    for pattern, is_absent in (
        (_MISSING_BEHIND, True),
        (_NEVER_DID, True),
        (_NO, True),
        (_NOT_IN, True),
        (_NEVER, True),
        (_HAS, False),
        (_WHICH_HAVE, False),
    ):
        for _ in range(2):
            found = next((one for one in re.finditer(pattern, draft.line.code) if _fits(draft, one, is_absent)), None)
            if found is None:
                break
            _take(draft, found, is_absent=is_absent)


def _fits(draft: Draft, found: re.Match[str], is_absent: bool) -> bool:
    mention = draft.line.at(found["x"])
    table, column = _meant(draft, mention)
    if found.groupdict().get("deed") and (table is None or _is_of_deed(draft, draft.line.at(found["deed"]), table)):
        return False
    if is_absent:
        return table is not None or column is not None
    is_bare = found[0].startswith(("with <", "have <", "has <", "had <", "having <", "got <"))
    if is_bare:
        return table is not None and draft.ground.is_many(draft.subject or "", table.table)
    return table is not None or (column is not None and draft.measure is not None)


def _is_of_deed(draft: Draft, deed: Mention, table: Meaning) -> bool:
    """Whether the verb has rows of its own that point at those of the noun: attended a training."""
    return any(not draft.ground.is_many(one.table, table.table) for one in deed.of("table") if one.table != table.table)


def _meant(draft: Draft, mention: Mention) -> tuple[Meaning | None, Meaning | None]:
    """The other table or the column that is lacking; a link's column where the row would point at one."""
    ground, subject = draft.ground, draft.subject or ""
    if set(mention.kinds) & set("QNIP"):
        return None, None
    own = [one for one in mention.of("column") if one.table == subject]
    tables = [one for one in mention.of("table") if one.table != subject and ground.is_near(subject, one.table)]
    column = max(own, key=lambda one: one.weight, default=None)
    table = ground.nearest(tables, [subject])
    if column and (table is None or column.weight >= table.weight):
        return None, column
    if table is None:
        assigned = _kind_of_person(draft, mention)
        return (None, assigned) if assigned else (_done_to(draft, mention), None)
    links = [name for name, link in draft.profile.links.items() if link.to_table == table.table]
    if links and not ground.is_many(subject, table.table):
        return None, Meaning("column", subject, _said(draft, links))
    return table, None


def _kind_of_person(draft: Draft, mention: Mention) -> Meaning | None:
    """The link to whoever is in charge, where persons of one kind are said to be lacking: no technician."""
    ground, subject = draft.ground, draft.subject or ""
    kinds = {one.table for one in mention.of("value") if ground.profiles[one.table].is_person and one.table != subject}
    person = keeper_of(draft, subject, "assigned") if len(kinds) == 1 and subject else None
    if person is None or person.table not in kinds:
        return None
    links = [name for name, link in draft.profile.links.items() if link.to_table == person.table]
    return Meaning("column", subject, person.via or links[0])


def _done_to(draft: Draft, mention: Mention) -> Meaning | None:
    """The rows of what is done to the subject, by a verb that names their date: serviced, inspected."""
    ground, subject = draft.ground, draft.subject or ""
    days = [one for one in mention.of("column") if ground.profiles[one.table].kinds[one.column] in DATED]
    near = [one for one in days if ground.is_many(subject, one.table) and ground.distance(subject, one.table) < _CHILD]
    one = ground.nearest(near, [subject]) if mention.text.lower().endswith("ed") else None
    return Meaning("table", one.table, weight=one.weight) if one else None


def _said(draft: Draft, links: list[str]) -> str:
    """The link that the line names, else the one that is no audit."""
    said = {one.column for mention in draft.line.mentions for one in mention.of("column") if one.table == draft.subject}
    return next((name for name in links if name in said), links[0])


def _take(draft: Draft, found: re.Match[str], *, is_absent: bool) -> None:
    line = draft.line
    table, column = _meant(draft, line.at(found["x"]))
    mods = found.groupdict().get("mods") or ""
    if column is not None:
        draft.conditions.append(
            Condition(Field(column.table, column.column), "is_missing" if is_absent else "is_there")
        )
    elif table is not None:
        inner = tuple(_conditions(draft, mods, table.table))
        end = draft.ground.many_end(draft.subject or "", table.table)
        draft.absences.append(Absence(end, is_absent, inner))
    behind = line.code[found.end() :]
    if is_absent and line.at(found["x"]).text.lower().endswith("ed"):
        behind = re.sub(rf"^ (?:any|a|an|the|one) {ITEM}", "", behind)
    line.code = f"{line.code[: found.start()]} | {behind}"


def _conditions(draft: Draft, mods: str, table: str) -> list[Condition]:
    """What the words before the lacking thing say of it: "no open work orders"."""
    conditions = []
    for item in re.findall(ITEM, mods):
        mention = draft.line.at(item)
        one = draft.nearest(mention, "value", near=[table])
        if one and draft.ground.distance(table, one.table) < 3:
            conditions.append(Condition(Field(one.table, one.column), "is", (one.value,)))
            continue
        flag = draft.nearest(mention, "column", near=[table], kinds=["boolean"])
        if flag:
            conditions.append(Condition(Field(flag.table, flag.column), "is", (True,)))
    return conditions


def wrap_many(draft: Draft) -> None:
    """Conditions on rows of which several may belong to one of the subject are said of at least one of them, so that no
    row counts twice."""
    ground, subject = draft.ground, draft.subject or ""
    grouped = {field.table for field in draft.groups}
    kept: list[Condition] = []
    for condition in draft.conditions:
        table = condition.field.table
        if table == subject or table in grouped or not ground.is_many(subject, table):
            kept.append(condition)
        else:
            _wrap(draft, condition, ground.many_end(subject, table))
    draft.conditions = kept


def _wrap(draft: Draft, condition: Condition, table: str) -> None:
    for at, known in enumerate(draft.absences):
        if known.table == table and not known.is_absent:
            draft.absences[at] = replace(known, conditions=(*known.conditions, condition))
            return
    draft.absences.append(Absence(table, False, (condition,), via=_said_link(draft, table)))


def _said_link(draft: Draft, table: str) -> str:
    """Which link from the table to the subject the line names: who approved, who created."""
    links = draft.ground.profiles[table].links
    said = [one for mention in draft.line.mentions for one in mention.of("column") if one.table == table]
    return next((one.column for one in said if one.column in links and links[one.column].to_table == draft.subject), "")


def add_counted(draft: Draft, test: Test, number: float, mention: Mention) -> bool:
    """ "customers with more than five X", where the customers are counted or listed."""
    one = draft.ground.nearest([one for one in mention.of("table") if one.table != draft.subject], draft.anchors)
    if one is None:
        return False
    draft.absences.append(Absence(one.table, False, test=test, times=(int(number),)))
    return True
