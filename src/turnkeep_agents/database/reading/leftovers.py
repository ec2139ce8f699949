"""What is left of a line when subject, groups and filters are found: columns to be shown, and words that nothing
answers to."""

import re
from collections.abc import Collection

from turnkeep_agents.database.reading.asked import Absence, Condition, Field
from turnkeep_agents.database.reading.conditions.absences import is_far_verb
from turnkeep_agents.database.reading.conditions.names import name_conditions
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.words.idioms import SAID
from turnkeep_agents.database.reading.words.lexicon import EXACT, ROOT, SHORT, Meaning
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind
from turnkeep_agents.database.reading.words.stems import singular
from turnkeep_agents.database.reading.words.vocabulary import FUNCTION_WORDS, IDLE, NAMELESS
from turnkeep.blocks.grammar import FUNCTION_WORDS as GRAMMAR
from turnkeep.blocks.words import words

_FAR, _NEXT = 4.0, 1.5
_ASKED_FOR = re.compile(
    r"^\W*(?:how many|which|what|list|show(?: me)?|count|find|give me)\s+"
    r"(?:(?:of|all|the|our|my|any|different)\s+)*(?P<noun>[^\W\d_]+)",
    re.IGNORECASE,
)
_IGNORED = GRAMMAR | FUNCTION_WORDS | IDLE
_LOWER_NAME = re.compile(
    r"\b(?:for|named|called|from|of|in|by|to|at|containing|contains|like|about|mentioning|with the word) (?:the |our )?"
    r"(?P<name>(?:(?!(?:and|or|in|by|for|with|that|who)\b)[a-z][a-z0-9]+ ?){1,4}?)(?= ?(?:$"
    r"|[|@?.,!]|\b(?:in|by|for|with|and|that|who|between|per)\b))"
)


_BESIDE = re.compile(
    rf"\b(?:in|of|for|from|by|to|at|with) (?:the |our )?(?P<name>(?:(?!(?:and"
    rf"|or)\b)[a-z][a-z0-9]+ ){{1,2}})(?={kind('TC')})"
)


def asks_for_unread(text: str, unread: Collection[str]) -> bool:
    """Whether the things that a question begins by asking for are among what nothing answers to: the rest of it is then
    no question either. In "parking tickets" the things are tickets, so only a plural counts."""
    found = _ASKED_FOR.match(text)
    if found is None:
        return False
    noun = found["noun"].lower()
    return singular(noun) != noun and any(noun in words(phrase) for phrase in unread)


def read_shown(draft: Draft) -> None:
    """Columns that are wanted beside the rows."""
    for item in draft.line.items():
        mention = draft.line.at(item)
        if set(mention.kinds) & set("PNIQM") or item not in draft.line.code:
            continue
        column = draft.nearest(mention, "column")
        table = draft.nearest(mention, "table")
        if draft.measure is not None and column and not table and _is_deed(draft, mention, column):
            draft.lost.append(mention.text)
            draft.line.drop(item)
        elif _is_done_by(draft, mention) or (
            "L" in mention.kinds and table is None and mention.text.lower().endswith(("ed", "ed by", "ed to"))
        ):
            draft.line.drop(item)
        elif (
            column and table and table.weight >= column.weight and "L" in mention.kinds and table.table != draft.subject
        ):
            _stand_beside(draft, item, mention, table)
        elif column and _is_wanted(draft, mention, column, table):
            _show(draft, column, is_name=singular(mention.text.lower()) == "name")
            draft.line.drop(item)
        elif table and table.table != draft.subject and draft.ground.distance(draft.anchors[0], table.table) < _FAR:
            _stand_beside(draft, item, mention, table)
        elif (table and table.table == draft.subject) or (
            column is None and table is None and "V" not in mention.kinds
        ):
            draft.line.drop(item)


def _is_deed(draft: Draft, mention: Mention, column: Meaning) -> bool:
    """Whether a verb only sounds like a column, which says nothing of what was done."""
    is_plain = draft.kind_of(column) in ("text", "other") and not set(mention.kinds) & set("LDBV")
    return is_plain and mention.text.lower().endswith("ed") and column.weight < EXACT


def _is_done_by(draft: Draft, mention: Mention) -> bool:
    """Whether it is a verb that only says what somebody did: "the lessons given by X"."""
    own = any(one.table == draft.subject for one in mention.of("column"))
    is_verb = mention.text.lower().endswith(("ed", "en", "wn", "ade"))
    return is_verb and not own and bool(re.search(rf"\b{re.escape(mention.text)} by\b", draft.line.text, re.I))


def _is_wanted(draft: Draft, mention: Mention, column: Meaning, table: Meaning | None) -> bool:
    anchors = draft.anchors
    if draft.ground.distance(anchors[0], column.table) > _FAR or column.weight < 0.3:
        return False
    if table and table.weight > column.weight and column.table != draft.subject:
        return False
    return draft.ground.score(column, anchors) >= (draft.ground.score(table, anchors) if table else -9)


def _show(draft: Draft, column: Meaning, *, is_name: bool) -> None:
    field = Field(column.table, column.column)
    if draft.ground.profiles[column.table].links.get(column.column):
        person = draft.via(column)
        fields = list(draft.ground.label(person.table, person.via)) if person else [field]
    elif column.column in draft.ground.profiles[column.table].names and column.table != draft.subject:
        fields = list(draft.ground.label(column.table))
    else:
        fields = [field]
    if is_name and len(draft.ground.label(field.table)) > 1:
        fields = list(draft.ground.label(field.table))
    draft.shown.extend(one for one in fields if one not in draft.shown)


def read_belonging(draft: Draft) -> None:
    """Rows that belong to the subject and that a verb or a plural speaks of: they have their own time."""
    line, ground, subject = draft.line, draft.ground, draft.subject or ""
    for item in line.items():
        mention = line.at(item)
        table = ground.nearest(
            [one for one in mention.of("table") if one.weight >= ROOT and one.table != subject], draft.anchors
        )
        if table is None or any(one.table == subject for one in mention.meanings) or _is_placed(draft, item):
            continue
        is_verb = mention.text.lower().endswith(("ed", "ent"))
        if (
            is_verb
            and ground.is_many(subject, table.table)
            and not is_far_verb(draft, mention, table.table)
            and ground.distance(subject, table.table) < _FAR
        ):
            end = ground.many_end(subject, table.table)
            if not any(known.table == end for known in draft.absences):
                draft.absences.append(Absence(end, False))
            line.drop(item)


def read_deeds(draft: Draft) -> None:
    """A verb that is the date of rows that belong to the subject, where no time is said: the subject has such rows."""
    line, ground, subject = draft.line, draft.ground, draft.subject or ""
    if any("P" in mention.kinds for mention in line.mentions):
        return
    for item in line.items():
        mention = line.at(item)
        is_verb = mention.text.lower().endswith("ed") and "D" in mention.kinds and not mention.of("table", "value")
        ends = {one.table for one in mention.of("column") if one.weight >= EXACT}
        if not is_verb or len(ends) != 1 or subject in ends:
            continue
        end = ends.pop()
        is_said = any(known.table == end for known in draft.absences)
        if ground.is_many(subject, end) and ground.distance(subject, end) < _NEXT and not is_said:
            draft.absences.append(Absence(end, False))
            line.drop(item)


def _is_placed(draft: Draft, item: str) -> bool:
    return bool(re.search(rf"{kind('QIN')} {re.escape(item)}|{re.escape(item)} {kind('QIN')}", draft.line.code))


def _stand_beside(draft: Draft, item: str, mention: Mention, table: Meaning) -> None:
    """Another table that is named: shown with the rows where it is asked for, else only a place for filters."""
    line, ground, subject = draft.line, draft.ground, draft.subject or ""
    is_asked = re.search(
        rf"(?:\b(?:and|with|their|its|including|show|along|plus|which|what|whose|to|,) (?:the |their "
        rf"|its |a )?){re.escape(item)}",
        line.code,
    )
    line.drop(item)
    if is_far_verb(draft, mention, table.table):
        draft.unread.append(mention.text)
        return
    many = ground.is_many(subject, table.table)
    is_rows = draft.is_list or (draft.before is not None and draft.before.measure == "rows")
    is_linked = (
        ground.profiles[ground.many_end(subject, table.table)].links.keys()
        and ground.many_end(subject, table.table) != table.table
    )
    least = (
        SHORT - 0.1 if is_asked and "with" in is_asked[0] and ground.distance(subject, table.table) < _NEXT else ROOT
    )
    if is_rows and is_asked and (not many or (is_linked and "their" in is_asked[0])) and table.weight >= least:
        draft.shown.extend(one for one in ground.label(table.table) if one not in draft.shown)
    elif (
        many
        and not _is_bare(draft, mention)
        and table.weight >= ROOT
        and not any(known.table == table.table for known in draft.absences)
    ) and not _is_modifier(draft, mention):
        draft.absences.append(Absence(ground.many_end(subject, table.table), False))


def _is_bare(draft: Draft, mention: Mention) -> bool:
    """Whether it is rather a verb: one in form, without an article."""
    last = mention.text.lower().split()[-1]
    article = rf"\b(?:a|an|any|the|one|some|each|every|no|under|in|on|with)\s+(?:\w+\s+)?{re.escape(mention.text)}\b"
    return (
        singular(last) == last
        and not re.search(article, draft.line.text, re.I)
        and not last.endswith(("ed", "ence", "ent"))
    )


def _is_modifier(draft: Draft, mention: Mention) -> bool:
    """Whether the word stands right before the subject, as in "service contracts"."""
    return bool(re.search(rf"{re.escape(mention.text)}\s+\w+s\b", draft.line.text, re.I)) and draft.measure is not None


def read_names(draft: Draft) -> None:
    """Names in lower case: words behind a preposition that the schema does not know."""
    found = _BESIDE.search(draft.line.code) or _LOWER_NAME.search(draft.line.code)
    if found is None or draft.subject is None:
        return
    name = found["name"].strip()
    known = [word for word in name.split() if word in _IGNORED or word in NAMELESS]
    if " our " in found[0]:
        return
    if known or len(name) < 3 or _is_adverbial(draft, found):
        return
    item = f"<{len(draft.line.mentions)}Q>"
    draft.line.mentions.append(Mention(name, "Q"))
    draft.line.code = draft.line.code[: found.start("name")] + item + " " + draft.line.code[found.end("name") :]
    conditions: list[Condition] = name_conditions(draft, item)
    is_topic = found[0].split()[0] in ("about", "mentioning", "like")
    if conditions and not (is_topic and all(one.field.table != draft.subject for one in conditions)):
        draft.conditions.extend(conditions)
        draft.line.drop(item)


def _is_adverbial(draft: Draft, found: re.Match[str]) -> bool:
    """Whether it says where or how something was done by a verb that nothing answers to, or by what to group."""
    before = draft.line.code[: found.start()].split()[-1:]
    word = found[0].split()[0]
    is_strange = bool(before) and before[0].isalpha() and before[0] not in _IGNORED
    return (is_strange and word in ("in", "at", "of", "to")) or (word == "by" and not is_strange)


def read_unread(draft: Draft) -> None:
    """Collects the words that nothing answers to."""
    for token in draft.line.code.split():
        if re.fullmatch(ITEM, token):
            mention = draft.line.at(token)
            if mention.text not in draft.unread and not _is_idle(draft, mention):
                draft.unread.append(mention.text)
        elif token[0].isalpha() and len(token) > 1 and token not in {*_IGNORED, *NAMELESS, *draft.unread}:
            known = draft.ground.lexicon.meanings([token])
            if not known or known[0].sort == "value":
                draft.unread.append(SAID.get(token, token))


def is_understood(draft: Draft) -> bool:
    """Whether what was read answers the question: it does not where an amount is asked for and only rows can be
    counted."""
    return not (draft.unread and draft.measure == "count" and re.search(r"\bhow much\b", draft.line.text, re.I))


def content_words(text: str) -> list[str]:
    """The words of a line that say something of their own."""
    return [word for word in words(text) if word not in _IGNORED and word not in NAMELESS]


def _is_idle(draft: Draft, mention: Mention) -> bool:
    """Words of the schema that add nothing here: a verb that belongs to the subject, a table on the way."""
    text = mention.text.lower()
    is_verb = text.endswith(("ed", "ing")) and max((one.weight for one in mention.meanings), default=0) < 0.75
    if text in _IGNORED or text.endswith((" by", " to")) or is_verb:
        return True
    near = [
        one
        for one in mention.meanings
        if one.sort != "value" and draft.ground.distance(draft.anchors[0], one.table) < _FAR
    ]
    return bool(near)
