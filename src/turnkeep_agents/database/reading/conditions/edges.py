"""Texts that start or end with some letters: the column that is named before them, or what rows are called by."""

import re

from turnkeep_agents.database.reading.asked import Condition, Field
from turnkeep_agents.database.reading.conditions.filters import is_negated
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind

_NEAR = 2.6
_WRITTEN = ("text", "other", "integer", "key")
_BETWEEN = r"(?: (?:that|which|whose|who|is|are|does|do|not|the|number|name|and|or|with|,))*"


def read_edges(draft: Draft) -> None:
    """Makes a condition of each such text. With "or" another one of the same column will do."""
    for item in [item for item in draft.line.items() if "E" in draft.line.at(item).kinds]:
        mention = draft.line.at(item)
        if is_negated(draft, item):
            draft.lost.append(f"not {mention.edge.removesuffix('s')}ing with {mention.text}")
        else:
            _add(draft, _condition(draft, item, mention))
        draft.line.drop(item)


def _condition(draft: Draft, item: str, mention: Mention) -> Condition:
    column = _column_before(draft, item)
    if column:
        return Condition(column[-1], mention.edge or "contains", _texts(mention), column[:-1])
    table = _table_before(draft, item)
    profile = draft.ground.profiles[table]
    is_code = any(map(str.isdigit, mention.text)) and profile.codes
    label = (Field(table, profile.codes[0]),) if is_code else draft.ground.label(table)
    return Condition(label[-1], mention.edge or "contains", _texts(mention), label[:-1])


def _texts(mention: Mention) -> tuple[str, ...]:
    return tuple(text.strip("\"' ") for text in re.split(r"\s*,\s*(?:or\s+)?|\s+or\s+", mention.text))


def _add(draft: Draft, new: Condition) -> None:
    is_either = bool(re.search(r"\bor\b", draft.line.code))
    for at, known in enumerate(draft.conditions):
        if is_either and (known.field, known.test, known.others) == (new.field, new.test, new.others):
            draft.conditions[at] = Condition(known.field, known.test, (*known.values, *new.values), known.others)
            return
    draft.conditions.append(new)


def _column_before(draft: Draft, item: str) -> tuple[Field, ...]:
    """The nearest column of texts or codes that stands right before; for the name of a person both."""
    found = re.search(rf"(?P<x>{ITEM}|\bname\b){_BETWEEN} {re.escape(item)}", draft.line.code)
    if found is None or found["x"] == "name" or not re.fullmatch(kind("CD"), found["x"]):
        return ()
    one = draft.nearest(draft.line.at(found["x"]), "column", kinds=_WRITTEN)
    if one is None or (one.table != draft.subject and draft.ground.distance(draft.subject or "", one.table) > _NEAR):
        return ()
    if one.column in draft.ground.profiles[one.table].links:
        linked = draft.via(one)
        draft.line.drop(found["x"])
        return (linked,) if linked else ()
    label = draft.ground.label(one.table)
    draft.line.drop(found["x"])
    is_name = len(label) > 1 and draft.line.at(found["x"]).text.lower() in ("name", "names")
    return label if is_name else (Field(one.table, one.column),)


def _table_before(draft: Draft, item: str) -> str:
    """The table whose noun stands last before, where its rows are near; else the subject."""
    before = draft.line.code.split(item, 1)[0]
    for other in reversed(draft.line.items(before)):
        one = draft.ground.nearest(draft.line.at(other).of("table"), draft.anchors)
        if one and draft.ground.distance(draft.subject or "", one.table) < _NEAR and one.weight >= 1:
            draft.line.drop(other)
            return one.table
    return draft.subject or ""
