"""What rows lack or have: a missing email, absent work orders, more than so many that belong to them."""

import re
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Absence, Condition, Field, Test
from turnkeep_agents.database.reading.conditions.deeds import conditions_beside, doer_link, done_to, done_where
from turnkeep_agents.database.reading.conditions.keepers import keeper_of
from turnkeep_agents.database.reading.conditions.roles import role_link
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.times.stays import stay_today
from turnkeep_agents.database.reading.words.lexicon import Meaning
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind
from turnkeep_agents.database.reading.words.vocabulary import FUNCTION_WORDS, PREPOSITIONS

_CHILD = 1.6
_ARTICLE = r"(?:(?:a|an|any|the|their|its|single|one|of|new|other|further) )*"
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
_DID_NO = rf"(?P<deed>{ITEM}) (?:no|zero|not (?:a|one) single) {_NOUN}(?! {kind('TC')})"
_DID = rf"(?P<deed>{ITEM}|[a-z]{{3,}}) (?:a|an|any|some|at least one) {_NOUN}(?! {kind('TC')})"
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
        (_DID_NO, True),
        (_NO, True),
        (_NOT_IN, True),
        (_NEVER, True),
        (_DID, False),
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
    if found.re.pattern == _DID:
        return table is not None and _is_deed_of(draft, found["deed"], table.table)
    if found.groupdict().get("deed") and (table is None or _is_of_deed(draft, draft.line.at(found["deed"]), table)):
        return False
    if is_absent:
        return table is not None or column is not None
    is_bare = found[0].startswith(("with <", "have <", "has <", "had <", "having <", "got <"))
    if is_bare:
        is_many = table is not None and draft.ground.is_many(draft.subject or "", table.table)
        return is_many and not (table and is_far_verb(draft, mention, table.table))
    is_link = column is not None and column.column in draft.profile.links
    return table is not None or (column is not None and (draft.measure is not None or is_link))


def is_far_verb(draft: Draft, mention: Mention, table: str) -> bool:
    """Whether it is a verb that only sounds like rows which have little to do with the subject."""
    return mention.text.lower().endswith("ed") and draft.ground.is_remote(draft.subject or "", table)


def _is_deed_of(draft: Draft, deed: str, table: str) -> bool:
    """Whether a verb says what was done to rows that belong to the subject, at a time that the line tells."""
    end = draft.ground.many_end(draft.subject or "", table)
    is_timed = any("P" in draft.line.at(item).kinds for item in draft.line.items())
    said = draft.line.at(deed) if deed.startswith("<") else None
    is_verb = deed not in FUNCTION_WORDS | PREPOSITIONS if said is None else said.text.lower().endswith("ed")
    is_verb = is_verb or bool(said and done_to(draft, said, end))
    return is_timed and is_verb and draft.ground.is_many(draft.subject or "", table)


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
    role = role_link(draft, subject, mention.text) if column is None and not tables and subject else ""
    column = Meaning("column", subject, role) if role else column
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
    if column is not None and draft.kind_of(column) == "boolean":
        draft.conditions.append(Condition(Field(column.table, column.column), "is", (not is_absent,)))
    elif column is not None:
        test: Test = "is_missing" if is_absent else "is_there"
        draft.conditions.append(Condition(Field(column.table, column.column), test))
        draft.lost.extend(line.at(item).text for item in line.items(mods) if line.at(item).kinds == "Q")
    elif table is not None:
        deed = found.groupdict().get("deed") or ""
        end, done = done_where(draft, deed, table.table)
        inner = (*conditions_beside(draft, mods, table.table), *done)
        is_then = bool(inner or deed) or re.search(r"\b(?:never|had|having|got)\b", found[0])
        today = None if is_then else stay_today(draft, end)
        draft.absences.append(Absence(end, is_absent, inner, today, via=doer_link(draft, deed, end)))
    behind = line.code[found.end() :]
    if is_absent and line.at(found["x"]).text.lower().endswith("ed"):
        behind = re.sub(rf"^ (?:any|a|an|the|one) {ITEM}", "", behind)
    line.code = f"{line.code[: found.start()]} | {behind}"


def wrap_many(draft: Draft) -> None:
    """Conditions on rows of which several may belong to one of the subject are said of at least one of them, so that no
    row counts twice."""
    ground, subject = draft.ground, draft.subject or ""
    grouped = {field.table for field in draft.groups}
    kept: list[Condition] = []
    for condition in draft.conditions:
        table = condition.field.table
        is_one = table == subject or table in grouped or condition.test == "named"
        if is_one or not ground.is_many(subject, table):
            kept.append(condition)
        elif _is_each(draft, condition):
            _wrap_each(draft, condition, ground.many_end(subject, table))
        else:
            _wrap(draft, condition, ground.many_end(subject, table))
    draft.conditions = kept


def _is_each(draft: Draft, condition: Condition) -> bool:
    """Whether all of the values have to be met, by one row each: both wiring and drainage."""
    is_said = re.search(r"\b(?:both|all of)\b.*\band\b|\bas well as\b", draft.line.text, re.I)
    return bool(is_said) and condition.test == "is" and len(condition.values) > 1


def _wrap_each(draft: Draft, condition: Condition, table: str) -> None:
    known = next((one for one in draft.absences if one.table == table and not one.is_absent), None)
    base = known or Absence(table, False, via=_said_link(draft, table))
    draft.absences = [one for one in draft.absences if one is not known]
    for value in condition.values:
        met = (*base.conditions, replace(condition, values=(value,)))
        draft.absences.append(replace(base, conditions=met))


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


_WHOSE = (
    rf"\bwhose (?:total |overall )?(?P<x>{kind('T')}) (?:(?:are|is|were|was|total|totalled|come|came|add|added"
    r"|amount|amounted|sum|summed|up|to|worth) )*(?P<test>exceed(?:ed|s)?|over|more than|above|at least|under|less than"
    r"|below)"
    rf" (?P<n>{kind('N')})(?: (?:in total|altogether|overall|in all|combined))?"
)
_SUMS: dict[str, Test] = {"at least": "at_least", "under": "under", "less than": "under", "below": "under"}


def take_sums(draft: Draft) -> tuple[Mention, Test, float] | None:
    """ "... whose orders exceed 3000 in total": the rows, the test and the number."""
    found = draft.line.take(_WHOSE)
    if found is None:
        return None
    return draft.line.at(found["x"]), _SUMS.get(found["test"], "over"), draft.line.at(found["n"]).number


def add_sum(draft: Draft, mention: Mention, test: Test, number: float) -> None:
    """Rows of the subject whose rows of another table come to so much together."""
    one = draft.ground.nearest([one for one in mention.of("table") if one.table != draft.subject], draft.anchors)
    of = draft.ground.main_measure(one.table) if one else None
    if one is None or of is None or not draft.ground.is_many(draft.subject or "", one.table):
        draft.lost.append(mention.text)
        return
    draft.absences.append(Absence(one.table, False, test=test, times=(number,), of=of))


def add_counted(draft: Draft, test: Test, number: float, mention: Mention) -> bool:
    """ "customers with more than five X", where the customers are counted or listed."""
    one = draft.ground.nearest([one for one in mention.of("table") if one.table != draft.subject], draft.anchors)
    if one is None:
        return False
    draft.absences.append(Absence(one.table, False, test=test, times=(int(number),)))
    return True
