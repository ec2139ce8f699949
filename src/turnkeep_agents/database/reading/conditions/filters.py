"""Filters: values of the schema, yes and no, names and codes, and what is said not to be so."""

import re
from dataclasses import replace

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Condition, Field, Test, Value
from turnkeep_agents.database.reading.conditions.denials import read_opposites
from turnkeep_agents.database.reading.conditions.names import name_conditions
from turnkeep_agents.database.reading.conditions.states import unfinished
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.words.lexicon import ALIKE_WORD, ROOT, Meaning
from turnkeep_agents.database.reading.words.lines import ITEM, TAKEN, Mention, kind
from turnkeep_agents.database.reading.words.stems import root
from turnkeep_agents.database.reading.words.vocabulary import FINAL_STATES
from turnkeep.blocks.grammar import word_class

NOT = (
    r"\b(?:not|never|neither|no|non|except(?: for)?|excluding|exclude|without(?: the)?|other than|but not"
    r"|ignoring|ignore|leave out|apart from)\b"
)
_NOT_YET = rf"{NOT}(?: (?:yet|the|been|being|be|a|an|any|those|marked|currently|still|already|in|of|on|for|from))*$"
_FAR, _FARTHER = 3.2, 6.0
_LEAST = {"table": 9.0, "column": ROOT, "value": ALIKE_WORD}
_DUE = frozenset(map(root, word_class("due expected promised deadline planned")))
_LATE = re.compile(r"\b(?:overdue|past due|past their due date|past its due date|late)\b")


def read_filters(draft: Draft) -> None:
    """Makes conditions of all values, flags, names and codes of the line."""
    _read_unfinished(draft)
    _read_late(draft)
    read_opposites(draft)
    _name_values(draft)
    for item in draft.line.items():
        mention = draft.line.at(item)
        if item not in draft.line.code:
            continue
        if "I" in mention.kinds:
            _read_code(draft, item, mention)
        elif "N" in mention.kinds:
            _read_number_behind(draft, item, mention)
        elif "V" in mention.kinds or "B" in mention.kinds:
            _read_value(draft, item, mention)
    for item in draft.line.items():
        if "Q" in draft.line.at(item).kinds and item in draft.line.code:
            conditions = name_conditions(draft, item)
            if conditions:
                draft.conditions.extend(conditions)
                draft.line.drop(item)


def _name_values(draft: Draft) -> None:
    """Values that are written as names right behind a table that does not have them are names of its rows."""
    for found in re.finditer(rf"(?P<t>{kind('T')}) (?P<v>{kind('V')})", draft.line.code):
        mention = draft.line.at(found["v"])
        tables = {one.table for one in draft.line.at(found["t"]).of("table") if one.weight >= ROOT}
        if mention.text[0].isupper() and not tables & {one.table for one in mention.meanings}:
            item = f"<{len(draft.line.mentions)}Q>"
            draft.line.mentions.append(Mention(mention.text, "Q"))
            draft.line.code = draft.line.code.replace(found["v"], item)


def is_negated(draft: Draft, item: str) -> bool:
    before = draft.line.code.split(item, 1)[0].rstrip()
    before = re.sub(rf"(?:{ITEM},? (?:and|or|nor) |{re.escape(TAKEN)},? nor )+$", "", before + " ").rstrip()
    return bool(re.search(_NOT_YET, before))


def _read_value(draft: Draft, item: str, mention: Mention) -> None:
    near = [*_anchors(draft, item), *(one.table for one in draft.absences)]
    value = draft.ground.nearest(mention.of("value"), near, lambda one: _is_named_column(draft, item, one))
    flag = draft.ground.nearest(mention.of("column"), near, lambda one: draft.kind_of(one) == "boolean")
    best = max((one for one in (value, flag) if one), key=lambda one: draft.ground.score(one, near), default=None)
    if (
        best is None
        or draft.ground.distance(near[0], best.table) > (_FAR if not _is_unmistakable(mention) else _FARTHER)
        or (best is value and _is_remote(draft, item, best))
    ):
        return
    if (
        mention.of("table")
        and best.table != draft.subject
        and _outranks(mention, best)
        and not _is_beside(draft, item, best)
    ):
        return
    plain = draft.nearest(mention, "column")
    if best is value and plain and draft.ground.score(plain, near) > draft.ground.score(best, near) + 0.5:
        return
    if best.sort == "column" and any(one.sort == "column" and one.weight > best.weight for one in mention.meanings):
        return
    negated = is_negated(draft, item)
    if best is value and _is_dated(draft, mention, best):
        if negated and root(best.value.lower()) not in FINAL_STATES:
            return  # rows keep the day when they have left the state: scheduled, then started
        if draft.quality in ("latest", "newest", "oldest"):
            draft.dated.append(mention)
    draft.line.drop(item)
    if best.sort == "column":
        add(draft, Field(best.table, best.column), "is", not negated)
    else:
        _drop_named_column(draft, item, best)
        add(draft, Field(best.table, best.column), "is_not" if negated else "is", best.value)


def _is_dated(draft: Draft, mention: Mention, best: Meaning) -> bool:
    """Whether the subject has a day that bears the name of the state."""
    days = [one for one in mention.of("column") if one.table == draft.subject == best.table]
    return any(draft.kind_of(one) in DATED and one.weight >= best.weight for one in days)


def _is_beside(draft: Draft, item: str, best: Meaning) -> bool:
    """Whether a word that could be a table stands where a value does: written as a name, or right before a noun."""
    if draft.line.at(item).text[0].isupper() and not draft.line.text.startswith(draft.line.at(item).text):
        return True
    return bool(re.search(rf"{re.escape(item)} (?:@|{kind('T')})", draft.line.code)) or best.table in draft.anchors


def _is_remote(draft: Draft, item: str, best: Meaning) -> bool:
    """Whether it is a value of rows that nobody has spoken of: several of them belong to one of the subject."""
    ground = draft.ground
    if _is_unmistakable(draft.line.at(item)):
        return False
    if not any(ground.is_many(anchor, best.table) for anchor in draft.anchors[:1]):
        return False
    named = {one.table for mention in draft.line.mentions for one in mention.of("table") if one.weight >= ROOT}
    held = [one.field.table for one in draft.conditions] + [one.table for one in draft.absences]
    if any(ground.distance(table, best.table) < 1.5 and not ground.is_many(table, best.table) for table in held):
        return False
    return best.table not in named | set(draft.anchors) and not _named_columns(draft, item)


def _is_unmistakable(mention: Mention) -> bool:
    """Whether it can be nothing but one value of one column, by its several words or its capital."""
    columns = {(one.table, one.column) for one in mention.meanings}
    is_name = len(mention.text.split()) > 1 or mention.text[0].isupper()
    return is_name and len(columns) == 1 and all(one.sort == "value" for one in mention.meanings)


def _outranks(mention: Mention, best: Meaning) -> bool:
    return max(one.weight for one in mention.of("table")) >= best.weight


def _anchors(draft: Draft, item: str) -> list[str]:
    """The table that stands right beside a value counts before the subject."""
    beside = re.search(rf"{re.escape(item)} (?P<x>{kind('T')})", draft.line.code) or re.search(
        rf"(?P<x>{kind('T')}) (?:(?:is|are|was|were|named|called) )?{re.escape(item)}", draft.line.code
    )
    if beside:
        mention = draft.line.at(beside["x"])
        own = {one.table for one in draft.line.at(item).of("value", "column")}
        for one in mention.of("table"):
            if one.weight >= ROOT and (one.table in own or one.table == draft.subject):
                return [one.table, *draft.anchors]
    return draft.anchors


def _named_columns(draft: Draft, item: str) -> list[Mention]:
    """The columns that stand right beside a value: "with status open", "priority is high"."""
    code = draft.line.code
    link = r"(?:(?:is|are|was|were|of|equals|being|set|to|=|:|in) )*(?:(?:not|or|and) )?"
    before = re.search(rf"(?P<c>{kind('C')}) {link}(?:{kind('V')},? (?:and|or) )*{re.escape(item)}", code)
    behind = re.search(rf"{re.escape(item)} (?P<c>{kind('C')})", code)
    return [draft.line.at(found["c"]) for found in (before, behind) if found]


def _is_named_column(draft: Draft, item: str, one: Meaning) -> bool:
    named = [other for mention in _named_columns(draft, item) for other in mention.of("column") if other.weight >= ROOT]
    columns = {(other.table, other.column) for other in named}
    own = {(other.table, other.column) for other in draft.line.at(item).of("value")}
    return not (columns & own) or (one.table, one.column) in columns


def _drop_named_column(draft: Draft, item: str, one: Meaning) -> None:
    for mention in _named_columns(draft, item):
        if any((other.table, other.column) == (one.table, one.column) for other in mention.of("column")):
            draft.line.drop(draft.line.code_of(mention))


def add(draft: Draft, field: Field, test: Test, value: Value) -> None:
    """Adds a condition; a second value of the same column is one more that will do."""
    for at, known in enumerate(draft.conditions):
        if known.field == field and known.test == test and test == "is" and value not in known.values:
            draft.conditions[at] = Condition(field, test, (*known.values, value))
            return
    draft.conditions.append(Condition(field, test, (value,)))


def _read_code(draft: Draft, item: str, mention: Mention) -> None:
    """A number or code of a row: of the table named before it, or of the subject."""
    before = re.search(
        rf"(?P<x>{kind('T')}|@) (?:(?:with|number|no|nr|code|id|the|of|is) )*(?:{kind('C')} )?{re.escape(item)}",
        draft.line.code,
    )
    named = draft.line.at(before["x"]).of("table") if before and before["x"] != "@" else ()
    nearest = draft.ground.nearest(named, draft.anchors) if named else None
    coded = draft.ground.nearest(mention.of("table"), draft.anchors)
    nearest = coded or nearest
    tables = [nearest.table] if nearest else draft.ground.reached(draft.subject or "", draft.allowed, 2.5)
    is_plain = mention.text.isdecimal()
    for table in tables:
        field = _code_field(draft, table, is_plain=is_plain)
        if field:
            number = is_plain and draft.ground.kind(field) in ("integer", "number")
            value: Value = int(mention.text) if number else mention.text
            draft.conditions.append(Condition(field, "is", (value,)))
            draft.line.drop(item)
            return


def _code_field(draft: Draft, table: str, *, is_plain: bool) -> Field | None:
    profile, own = draft.ground.profiles[table], draft.ground.graph.tables[table]
    if is_plain and own.primary_key:
        return Field(table, own.primary_key[0]) if len(own.primary_key) == 1 else None
    unique = [name for name in profile.codes if name in own.unique_columns] or list(profile.codes)
    return Field(table, unique[0]) if unique else None


def _read_number_behind(draft: Draft, item: str, mention: Mention) -> None:
    """The number of a row behind its table's name: the row of that key, or of that number."""
    found = re.search(rf"(?P<x>{kind('T')}|@) (?:(?:with|number|no|nr|id|the|is) )*{re.escape(item)}", draft.line.code)
    if found is None or "M" in mention.kinds or mention.number != int(mention.number) or not mention.text.isdecimal():
        return
    named = draft.line.at(found["x"]).of("table") if found["x"] != "@" else ()
    nearest = draft.ground.nearest(named, draft.anchors) if named else None
    table = nearest.table if nearest else draft.subject or ""
    field = _code_field(draft, table, is_plain=True)
    if field:
        draft.conditions.append(Condition(field, "is", (int(mention.number),)))
        draft.line.drop(item)


def _read_late(draft: Draft) -> None:
    """What should have been done by now: a due date that has passed, and no end."""
    found = _LATE.search(draft.line.text.lower())
    if found is None or draft.subject is None:
        return
    profile = draft.profile
    word = found[0].split()[-1]
    if any(
        one.table == draft.subject
        for one in draft.ground.lexicon.meanings([word])
        if one.sort == "value" and one.weight >= ROOT
    ):
        return
    states = [one for one in draft.ground.lexicon.meanings(["overdue"]) if one.sort == "value"]
    own = next((one for one in states if one.table == draft.subject), None)
    if own:
        take_word(draft, found[0])
        draft.conditions.append(Condition(Field(own.table, own.column), "is", (own.value,)))
        return
    due = next((name for name in profile.dates if not _DUE.isdisjoint(map(root, name_words(name)))), None)
    if due is None:
        return
    take_word(draft, found[0])
    draft.conditions.append(Condition(Field(draft.subject, due), "under", (draft.today.isoformat(),)))
    done = next((name for name in profile.dates if not FINAL_STATES.isdisjoint(map(root, name_words(name)))), None)
    if done:
        draft.conditions.append(Condition(Field(draft.subject, done), "is_missing"))


def _read_unfinished(draft: Draft) -> None:
    """What is open where no state is called so: all that is neither done nor called off."""
    if draft.subject is None:
        return
    for word in re.findall(r"[a-z]+", draft.line.text.lower()):
        found = unfinished(draft.ground, draft.subject, word) if _is_left(draft, word) else None
        if found is None:
            continue
        known = draft.ground.lexicon.meanings([word], draft.allowed)
        if any(one.table in draft.anchors and one.weight >= _LEAST[one.sort] for one in known):
            continue
        take_word(draft, word)
        negated = bool(re.search(rf"\bnot {word}\b", draft.line.text.lower()))
        draft.conditions.append(replace(found, test="is") if negated else found)
        return


def _is_left(draft: Draft, word: str) -> bool:
    """Whether no rule has understood the word yet."""
    items = [item for item in draft.line.items() if draft.line.at(item).text.lower() == word]
    return bool(items or re.search(rf"(?<![\w<]){word}(?!\w)", draft.line.code))


def take_word(draft: Draft, word: str) -> None:
    for item in draft.line.items():
        if draft.line.at(item).text.lower() == word:
            draft.line.drop(item)
    draft.line.take(rf"(?<!\w){word}(?!\w)")
