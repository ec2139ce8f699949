"""Names that are no values of the schema: which column they are looked for in. What precedes a name says most: a place
stands behind "in", a doer behind "by", and whoever a thing is for behind "for"."""

import re
from dataclasses import replace

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Absence, Condition, Field
from turnkeep_agents.database.reading.conditions.keepers import keeper_of
from turnkeep_agents.database.reading.conditions.parties import (
    beside_tables,
    is_approver,
    is_named,
    is_party,
    tables_for,
)
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.nouns import is_plural
from turnkeep_agents.database.reading.words.lines import ITEM, kind
from turnkeep_agents.database.reading.words.stems import singular
from turnkeep_agents.database.reading.words.vocabulary import FUNCTION_WORDS, IDLE
from turnkeep.blocks.grammar import word_class

_PLACES = word_class("city town region country county state district location area territory postcode zip street")
_TITLE = re.compile(r"^(?:(?:dr|mr|mrs|ms|miss|prof|professor|doctor)\.?\s+)+", re.I)
_NEAR = 2.6
_MOST_LEFT = 5
_GOING_ON = word_class("and or about for of to by with in what") | {"", "|"}
_NAMING = word_class("contains containing like mentioning mentions titled labelled with is was are were")


def name_conditions(draft: Draft, item: str) -> list[Condition]:
    """One condition for a name; two for the first and last name of a person."""
    mention = draft.line.at(item)
    code = draft.line.code
    before = re.search(rf"(?P<word>\S+) (?:the |our |a )?{re.escape(item)}", code)
    word = before["word"] if before else ""
    named = _beside(draft, item)
    if named is not None:
        return named
    if word in _GOING_ON and (again := _in_place(draft, mention.text)):
        return again
    if _is_no_party(draft, word, mention.text) or _takes_member(draft, item):
        return []
    return _anywhere(draft, item, word)


def _anywhere(draft: Draft, item: str, word: str) -> list[Condition]:
    """Where nothing says in which table: a place, else the likeliest; on a second look what is left."""
    mention = draft.line.at(item)
    tables = tables_for(draft, word, item)
    if word in ("in", "at", "near", "around", "from"):
        field = _place(draft, _before_place(draft, item))
        is_whose = word == "from" and not is_party(draft.profile) and _is_led_by_party(draft, tables)
        if field and draft.look == is_whose:
            return [Condition(field, "contains", (mention.text,))]
        tables = ["", *tables] if field and not is_whose else tables
    is_own_row = draft.is_of_row and is_named(draft.profile)
    left = _left(draft, tables[1:], word) if draft.look and not is_own_row else []
    if left:
        return [_in_any(draft, left, mention.text)]
    return _in_table(draft, tables[0], mention.text) if tables else []


def _in_place(draft: Draft, text: str) -> list[Condition]:
    """The name in place of the one in the question before: "and X?"."""
    before, labels = draft.before, {table: one.label for table, one in draft.ground.profiles.items()}
    if before is None:
        return []
    for known in before.conditions:
        if known.test not in ("contains", "named") or known.field.column not in labels[known.field.table]:
            continue
        same = (known.field.table, known.field.via)
        kept = [one for one in before.conditions if (one.field.table, one.field.via) != same or one.test != known.test]
        draft.before = replace(before, conditions=tuple(kept))
        if known.test == "named":
            return [replace(known, values=(text,))]
        return _in_table(draft, known.field.table, text, known.field.via)
    return []


def _takes_member(draft: Draft, item: str) -> bool:
    """Takes somebody who is in, on or part of a row of the subject, where the persons point at it and it at them: whose
    rows they belong to is asked for, and not whom it is led by."""
    code, ground, subject = draft.line.code, draft.ground, draft.subject or ""
    if not re.search(rf"{re.escape(item)} (?:(?:[a-z]+|\||{ITEM}) )?(?:in|on|at|part of|(?:a )?member|belong)\b", code):
        return False
    for table in {link.to_table for link in draft.profile.links.values()} & set(draft.ground.graph.tables):
        column = next(iter(ground.links_to(table, subject)), "")
        if column and table != subject and draft.is_allowed(table) and is_named(ground.profiles[table]):
            conditions = [
                replace(one, field=replace(one.field, via=""))
                for one in _in_table(draft, table, draft.line.at(item).text)
            ]
            draft.absences.append(Absence(table, False, tuple(conditions), via=column))
            draft.line.drop(item)
            return True
    return False


def _is_led_by_party(draft: Draft, tables: list[str]) -> bool:
    return bool(tables) and is_party(draft.ground.profiles[tables[0]])


def _left(draft: Draft, tables: list[str], word: str) -> list[str]:
    """Where a name may be looked for next: in tables of which a row of the subject has one, or is joined to."""
    subject, ground = draft.subject or "", draft.ground
    beside = [table for table in beside_tables(draft, subject) if not is_approver(draft, table, word)]
    tables = [table for table in tables if not is_approver(draft, table, word)]
    things = [name for name in tables if is_party(ground.profiles[name]) or not ground.profiles[name].is_lookup]
    tables = things or tables
    ones = [table for table in tables if table in beside or not ground.is_many(subject, table)]
    parties = [table for table in tables if is_party(ground.profiles[table])]
    return ones if any(table in ones for table in parties) else [*parties, *ones]


def _in_any(draft: Draft, tables: list[str], text: str) -> Condition:
    """The name in any of the tables that are left, the nearest of them."""
    fields = [field for table in tables[:_MOST_LEFT] for field in draft.ground.label(table, _way_to(draft, table))]
    return Condition(fields[0], "named", (_TITLE.sub("", text) or text,), tuple(fields[1:]))


def _way_to(draft: Draft, table: str) -> str:
    """The subject's own link to the table; of several to persons the one to whoever is in charge."""
    links = draft.ground.links_to(draft.subject or "", table) if table != draft.subject else []
    person = keeper_of(draft, draft.subject or "", "assigned") if len(links) > 1 else None
    if person and person.table == table and person.via:
        return person.via
    return links[0] if links else ""


def _is_no_party(draft: Draft, word: str, text: str) -> bool:
    """Whether what stands before a name makes it no name of rows: "on", or a word that nothing answers to."""
    if re.search(rf"[\"']{re.escape(text)}[\"']", draft.line.text):
        return False
    return word == "on" or (word.isalpha() and word not in FUNCTION_WORDS | IDLE | _NAMING)


def _beside(draft: Draft, item: str) -> list[Condition] | None:
    """Where a table or a column is named right before or behind the name."""
    line = draft.line
    text = line.at(item).text
    link = r"(?:(?:is|are|was|named|called|name|contains?|containing|like|includes?|including|with|the|=|:) )*"
    column = re.search(rf"(?P<x>{kind('C')}) {link}{re.escape(item)}", line.code)
    if column and set(line.at(column["x"]).kinds) & set("TL") and re.search(r" (?:in|of|with|the|like) ", column[0]):
        column = None
    table = re.search(
        rf"(?P<x>{kind('T')}|@) (?:(?:is|named|called|of|the|name) )*{re.escape(item)}", line.code
    ) or re.search(rf"{re.escape(item)} (?P<x>{kind('T')}|@)", line.code)
    if column:
        one = draft.nearest(line.at(column["x"]), "column")
        if one and draft.kind_of(one) == "text":
            line.drop(column["x"])
            return [Condition(Field(one.table, one.column), "contains", (text,))]
        link_field = draft.via(one) if one else None
        if link_field and one:
            line.drop(column["x"])
            return _in_table(draft, link_field.table, text, one.column)
    return _in_noun(draft, text, item, table) if table else None


def _in_noun(draft: Draft, text: str, item: str, found: re.Match[str]) -> list[Condition] | None:
    """The name in the table whose noun stands right beside it; None where it may be somebody's to whom those belong."""
    if found["x"] == "@":
        of = "|of" if is_named(draft.profile) and _is_of_one(draft, text) else ""
        is_close = bool(re.search(rf"@ (?:named|called|name{of}) |@ {re.escape(item)}", found[0])) and not draft.look
        return _in_table(draft, draft.subject or "", text) if is_close and draft.subject else None
    if re.search(rf"\b(?:do|does|did) (?:the )?{re.escape(item)} {re.escape(found['x'])}", draft.line.code):
        return None  # it is what somebody does
    noun = draft.line.at(found["x"])
    nearest = draft.nearest(noun, "table")
    is_own = nearest is not None and nearest.table == draft.subject
    if nearest is None or (is_own and not _is_of_one(draft, text)) or (draft.look and is_plural(noun)):
        return None
    if not (is_own or is_named(draft.ground.profiles[nearest.table]) or text.isdecimal()):
        return []
    draft.line.drop(found["x"])
    return _in_table(draft, nearest.table, text)


def _is_of_one(draft: Draft, text: str) -> bool:
    """Whether one thing is spoken of: "the city of X" is called so, "the jobs of X" are somebody's."""
    found = re.search(rf"(\w+) of (?:the )?{re.escape(text)}", draft.line.text, re.I)
    return found is not None and singular(found[1].lower()) == found[1].lower()


def _in_table(draft: Draft, table: str, text: str, via: str = "") -> list[Condition]:
    """The name in the columns that name a row of the table; of persons in the first, the last, or both."""
    via = via or _link(draft, table) or _way_to(draft, table)
    label = draft.ground.label(table, draft.ground.via(draft.subject or "", table, via))
    text = _TITLE.sub("", text) or text
    parts = text.split()
    if len(label) == 2 and len(parts) >= 2:
        return [Condition(label[0], "contains", (parts[0],)), Condition(label[1], "contains", (" ".join(parts[1:]),))]
    if len(label) == 2:
        return [Condition(label[1], "contains", (text,), (label[0],))]
    return [Condition(label[0], "contains", (text,))]


def _link(draft: Draft, table: str) -> str:
    """The link that a word of the line names: "created by", "assigned to"."""
    if draft.subject is None or draft.subject == table:
        return ""
    links = {name for name, link in draft.profile.links.items() if link.to_table == table}
    for mention in draft.line.mentions:
        if "L" in mention.kinds:
            for one in mention.of("column"):
                if one.table == draft.subject and one.column in links:
                    return one.column
    return ""


def _before_place(draft: Draft, item: str) -> str:
    """The table that is said to be at the place: "of customers in ..."; else the subject."""
    found = re.search(
        rf"(?P<x>{kind('T')}) (?:located |based |living )?(?:in|at|near|around|from) (?:the )?{re.escape(item)}",
        draft.line.code,
    )
    if found is None:
        return draft.subject or ""
    nearest = draft.nearest(draft.line.at(found["x"]), "table")
    return nearest.table if nearest and nearest.weight >= 0.8 else draft.subject or ""


def _place(draft: Draft, near: str) -> Field | None:
    found: list[tuple[float, Field]] = []
    for table in draft.ground.reached(near, draft.allowed, _NEAR):
        profile = draft.ground.profiles[table]
        far = draft.ground.distance(near, table)
        for column, kind_ in profile.kinds.items():
            if kind_ not in ("text", "other") or column in profile.links:
                continue
            parts = set(name_words(column))
            if parts & _PLACES or (set(name_words(table)) & _PLACES and column in profile.label):
                rank = 0.0 if parts & {"city", "town"} else 0.5 if parts & {"region", "country", "name"} else 1.0
                found.append((far + rank - 0.2 * profile.weight, Field(table, column)))
    return min(found, key=lambda pair: pair[0])[1] if found else None
