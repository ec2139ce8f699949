"""Names that are no values of the schema: which column they are looked for in. What precedes a name says most: a place
stands behind "in", a doer behind "by", and whoever a thing is for behind "for"."""

import re

from turnkeep.agents.database.joins.naming import name_words
from turnkeep.agents.database.reading.asked import Condition, Field
from turnkeep.agents.database.reading.draft import Draft
from turnkeep.agents.database.reading.ground import FAR
from turnkeep.agents.database.reading.lines import kind
from turnkeep.agents.database.reading.profiles import Profile
from turnkeep.blocks.grammar import word_class

_PLACES = word_class("city town region country county state district location area territory postcode zip street")
_TITLE = re.compile(r"^(?:(?:dr|mr|mrs|ms|miss|prof|professor|doctor)\.?\s+)+", re.I)
_NEAR = 2.6
_DOERS = word_class("by to with")


def name_conditions(draft: Draft, item: str) -> list[Condition]:
    """One condition for a name; two for the first and last name of a person."""
    mention = draft.line.at(item)
    code = draft.line.code
    before = re.search(rf"(?P<word>\S+) (?:the |our |a )?{re.escape(item)}", code)
    word = before["word"] if before else ""
    named = _beside(draft, item)
    if named is not None:
        return named
    if word in ("in", "at", "near", "around", "from") or (word == "of" and draft.before is None):
        field = _place(draft, _before_place(draft, item))
        if field and word != "of":
            return [Condition(field, "contains", (mention.text,))]
    tables = _tables(draft, word, mention.text)
    return _in_table(draft, tables[0], mention.text) if tables else []


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
    if table:
        if table["x"] == "@":
            of = "|of" if _is_named(draft.profile) else ""
            is_close = bool(re.search(rf"@ (?:named|called|name{of}) |@ {re.escape(item)}", table[0]))
            return _in_table(draft, draft.subject or "", text) if is_close and draft.subject else None
        nearest = draft.nearest(line.at(table["x"]), "table")
        if nearest:
            line.drop(table["x"])
            return _in_table(draft, nearest.table, text)
    return None


def _in_table(draft: Draft, table: str, text: str, via: str = "") -> list[Condition]:
    """The name in the columns that name a row of the table; of persons in the first, the last, or both."""
    label = draft.ground.label(table, draft.ground.via(draft.subject or "", table, via or _link(draft, table)))
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


def _tables(draft: Draft, word: str, text: str) -> list[str]:
    """The tables whose rows may bear the name, the likeliest first."""
    subject = draft.subject or ""
    linked = _linked(draft)
    if linked:
        return [linked]
    is_person = word in _DOERS or word in ("did", "does", "has", "do")
    near = [
        table
        for table in draft.ground.reached(subject, draft.allowed, _NEAR)
        if _is_named(draft.ground.profiles[table])
    ]

    def rank(table: str) -> float:
        profile = draft.ground.profiles[table]
        far = draft.ground.distance(subject, table)
        if word == "of" and table == subject and profile.is_person:
            return -FAR
        own = 3.0 if table == subject and word in ("for", "of", "from", "by", "to", "with") else 0.0
        person = 1.2 if profile.is_person != is_person and (is_person or word == "for") else 0.0
        return far + own + person - 1.2 * profile.weight + (1.5 if profile.is_lookup else 0)

    return sorted(near, key=rank)


def _linked(draft: Draft) -> str:
    """The table that a link of the subject leads to, where the line names the link."""
    for mention in draft.line.mentions:
        if "L" not in mention.kinds:
            continue
        for one in mention.of("column"):
            link = draft.profile.links.get(one.column) if one.table == draft.subject else None
            if link and draft.is_allowed(link.to_table) and one.weight > 0.3:
                return link.to_table
    return ""


def _is_named(profile: Profile) -> bool:
    return not profile.is_bridge and any(name_words(name)[-1] in ("name", "title") for name in profile.label)
