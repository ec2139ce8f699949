"""Which date a time is said of: the one that a verb of the line names, or the main one of the subject."""

import re
from collections.abc import Sequence
from dataclasses import replace

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import EARLIEST, LATEST, Absence, Condition, Field, Period
from turnkeep_agents.database.reading.conditions.filters import is_negated, take_word
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import DATED, NUMERIC, is_own_date
from turnkeep_agents.database.reading.words.lexicon import Meaning
from turnkeep_agents.database.reading.words.lines import Mention
from turnkeep_agents.database.reading.words.stems import root
from turnkeep.blocks.grammar import word_class

_NEAR = 2.6
_EDGES = (
    (
        r"\b(?:expir(?:e|es|ing|ed)|end(?:s|ing|ed)?|finish(?:es|ing)?|valid (?:until|till))\b",
        frozenset(map(root, word_class("expires ends end until valid expiry"))),
    ),
    (
        r"\b(?:start(?:s|ing|ed)?|begin(?:s|ning)?|began)\b",
        frozenset(map(root, word_class("starts start begins from"))),
    ),
    (
        r"\b(?:planned|scheduled|booked|set|lined up) (?=for|on|in|this|next|to)",
        frozenset(map(root, word_class("planned scheduled due starts"))),
    ),
    (r"\b(?:due|expected)\b", frozenset(map(root, word_class("due deadline expected planned scheduled")))),
)
"""Words for the first and last day of a row, and what columns for it are called."""
_DECISIONS = frozenset(map(root, word_class("won win lost lose resolved settled decided rejected accepted")))
_DECIDED = frozenset(map(root, word_class("closed resolved settled decided")))


def read_period(draft: Draft) -> None:
    """Sets the period of the line; a second time becomes a condition where its date is named."""
    line = draft.line
    for item in [item for item in line.items() if "P" in line.at(item).kinds]:
        mention = line.at(item)
        if mention.stretch is None:
            continue
        named = _named_date(draft, item) or _edge_date(draft)
        line.drop(item)
        if named is None and _in_numbers(draft, mention):
            continue
        if draft.period is None and not _belongs_to_absence(draft, named, mention):
            field = named or main_date(draft)
            if named is None and _held_elsewhere(draft, field):
                field = main_date(draft)
            if field:
                draft.period = period_of(draft, field, mention, is_named=named is not None)
            else:
                draft.unread.append(mention.text)
        elif named and draft.period is not None and _narrows(draft, named, mention):
            continue
        elif named and draft.period is not None:
            days = mention.stretch.start.isoformat(), mention.stretch.end.isoformat()
            draft.conditions.append(Condition(named, "between", days))
    _read_undated(draft)


def _narrows(draft: Draft, named: Field, mention: Mention) -> bool:
    """Puts two times of the same date together, where they have days in common."""
    period, stretch = draft.period, mention.stretch
    if period is None or stretch is None or period.field != named:
        return False
    start, end = max(period.start, stretch.start), min(period.end, stretch.end)
    if start <= end:
        draft.period = replace(period, start=start, end=end, words="")
    return start <= end


def _held_elsewhere(draft: Draft, field: Field | None) -> bool:
    """Rows that have no time of their own but take place at times: then those are what is meant."""
    subject, ground = draft.subject or "", draft.ground
    if draft.measure is not None or draft.groups or (field is not None and is_own_date(field.column)):
        return False
    children = [link.from_table for link in ground.graph.relationships if link.to_table == subject]
    stem = name_words(subject)[:1]
    for child in children:
        dates = ground.dates(child)
        if draft.is_allowed(child) and name_words(child)[:1] == stem and dates and is_own_date(dates[0]):
            draft.shown = [*ground.label(subject), Field(child, dates[0])]
            draft.beside, draft.subject = [subject, *draft.beside], child
            return True
    return False


def period_of(draft: Draft, field: Field, mention: Mention, *, is_named: bool) -> Period | None:
    """The period of a time; of rows that last, with the column of their end unless a date was named."""
    stretch = mention.stretch
    if stretch is None:
        return None
    span = draft.ground.profiles[field.table].span
    is_closed = stretch.start != EARLIEST and stretch.end != LATEST and not stretch.words.startswith("since")
    lasts = span and draft.measure not in ("sum", "average") and span[0] == field.column and is_closed and not is_named
    until = Field(field.table, span[1]) if span and lasts else None
    return Period(field, stretch.start, stretch.end, stretch.words, until)


def main_date(draft: Draft) -> Field | None:
    """The main date of the subject, or of the nearest table that its rows point at."""
    ground = draft.ground
    for table in draft.anchors[:1]:
        found = ground.main_date(table)
        if found is not None and draft.is_allowed(found.table):
            return found
        for name in ground.dates(table):
            return Field(table, name)
        for other in ground.reached(table, draft.allowed, _NEAR):
            if not ground.is_many(table, other) and ground.dates(other):
                return Field(other, ground.dates(other)[0])
    return None


def _named_date(draft: Draft, item: str) -> Field | None:
    """The date that a word of the line names, the nearest to the time; that word is used up."""
    line = draft.line
    place = line.code.find(item)
    found: list[tuple[float, str, Meaning]] = []
    for other in line.items():
        mention = line.at(other)
        if "D" not in mention.kinds:
            continue
        one = _dated_column(draft, mention)
        if one is None or draft.ground.distance(draft.anchors[0], one.table) > _NEAR:
            continue
        if one.table != draft.subject and one.table not in _named_tables(draft) and not _is_deed(draft, mention, one):
            continue
        if draft.ground.is_many(draft.anchors[0], one.table) and not any(
            known.table == one.table for known in draft.absences
        ):
            draft.absences.append(Absence(one.table, is_negated(draft, other)))
        if _is_mere_noun(draft, mention, one):
            continue
        if one.table == draft.subject and is_negated(draft, other):
            continue  # the time is that of what did happen
        far = abs(line.code.find(other) - place) / 20 + draft.ground.distance(draft.anchors[0], one.table)
        found.append((far - 2 * one.weight, other, one))
    if not found:
        remembered = [mention for mention in draft.dated if draft.nearest(mention, "column", kinds=DATED)]
        one = draft.nearest(remembered[0], "column", kinds=DATED) if remembered else None
        return Field(one.table, one.column) if one else None
    _, other, one = min(found)
    _share_time(draft, item, other, [(word, date) for _, word, date in found if date != one])
    line.drop(other)
    draft.dated.append(line.at(other))
    return Field(one.table, one.column)


def _share_time(draft: Draft, time: str, chosen: str, others: Sequence[tuple[str, Meaning]]) -> None:
    """Gives the time to a second date too where "and" joins them: joined and left this year."""
    stretch = draft.line.at(time).stretch
    for word, one in others:
        pair = rf"(?:{re.escape(word)} and {re.escape(chosen)}|{re.escape(chosen)} and {re.escape(word)})"
        if stretch and one.table == draft.subject and draft.line.search(pair):
            days = stretch.start.isoformat(), stretch.end.isoformat()
            draft.conditions.append(Condition(Field(one.table, one.column), "between", days))
            draft.line.drop(word)


def _edge_date(draft: Draft) -> Field | None:
    """The first or last day of a row, by words that no column bears: running out, starting, due."""
    dates = draft.ground.dates(draft.subject or "")
    for pattern, names in _EDGES:
        found = re.search(pattern, draft.line.text.lower())
        name = next((name for name in dates if found and not names.isdisjoint(map(root, name_words(name)))), None)
        if found and name:
            take_word(draft, found[0].strip())
            return Field(draft.subject or "", name)
    return _decided(draft, dates)


def _decided(draft: Draft, dates: Sequence[str]) -> Field | None:
    """The day of a decision where the line tells how it fell: won, lost, resolved."""
    states = [known for known in draft.line.mentions if root(known.text.lower()) in _DECISIONS]
    own = [one for known in states for one in known.of("value") if one.table == draft.subject]
    name = next((name for name in dates if not _DECIDED.isdisjoint(map(root, name_words(name)))), None)
    return Field(draft.subject or "", name) if own and name else None


def _in_numbers(draft: Draft, mention: Mention) -> bool:
    """Makes filters of a time for rows that hold years and months as numbers and have no date of their own."""
    subject, stretch = draft.subject or "", mention.stretch
    dates = draft.ground.dates(subject)
    columns = {name: kind for name, kind in draft.profile.kinds.items() if kind in NUMERIC}
    if stretch is None or "year" not in columns or (dates and is_own_date(dates[0])):
        return False
    start, end = stretch.start, stretch.end
    if start.year == end.year and (start.month, end.month) != (1, 12) and "month" not in columns:
        return False
    if start.year != end.year:
        return False
    draft.conditions.append(Condition(Field(subject, "year"), "is", (start.year,)))
    if (start.month, end.month) != (1, 12) and "month" in columns:
        draft.conditions.append(Condition(Field(subject, "month"), "between", (start.month, end.month)))
    return True


def _dated_column(draft: Draft, mention: Mention) -> Meaning | None:
    """The date that the word names: of the subject, of a table that the line names, of any near."""
    dates = [one for one in mention.of("column") if draft.kind_of(one) in DATED]
    own = [one for one in dates if one.table == draft.subject]
    named = [one for one in dates if one.table in _named_tables(draft)]
    return draft.ground.nearest(own or named or dates, draft.anchors)


def _is_mere_noun(draft: Draft, mention: Mention, one: Meaning) -> bool:
    """Whether the word rather names a table or a value at hand than its date."""
    rivals = [other for other in mention.of("table") if other.weight > one.weight]
    value = draft.nearest(mention, "value")
    is_state = (
        value is not None and draft.ground.distance(draft.anchors[0], value.table) == 0 and value.weight >= one.weight
    )
    before = draft.line.code.split(draft.line.code_of(mention))[0]
    is_verb = mention.text.lower().endswith(("ed", "ing")) or bool(re.search(r"\b(?:did|does|do|we|they|to)\b", before))
    return bool(rivals or (is_state and one.weight < 1)) and not is_verb


def _is_deed(draft: Draft, mention: Mention, one: Meaning) -> bool:
    """Whether a verb names the date of something that is done to the rows of the subject."""
    subject = draft.subject or ""
    is_child = draft.ground.distance(subject, one.table) < 1.5 and draft.ground.is_many(subject, one.table)
    return is_child and mention.text.lower().endswith("ed") and one.weight >= 0.75


def _named_tables(draft: Draft) -> set[str]:
    named = {one.table for mention in draft.line.mentions for one in mention.of("table") if one.weight >= 0.8}
    named |= {draft.ground.many_end(draft.subject or table, table) for table in named}
    return named | {known.table for known in draft.absences}


def _belongs_to_absence(draft: Draft, named: Field | None, mention: Mention) -> bool:
    """Gives the time to what rows lack or have, where the line says nothing else of the subject's own time."""
    for at, known in enumerate(draft.absences):
        if known.period is not None or (named is not None and named.table != known.table):
            continue
        stretch = mention.stretch
        done = next((one for one in known.conditions if _is_done(draft, known, one)), None)
        field = named or (done.field if done else draft.ground.main_date(known.table))
        if field and stretch:
            rest = tuple(one for one in known.conditions if one is not done)
            period = Period(field, stretch.start, stretch.end, stretch.words)
            draft.absences[at] = replace(known, conditions=rest, period=period)
            return True
    return False


def _is_done(draft: Draft, known: Absence, one: Condition) -> bool:
    """Whether it says only that something has been done to the rows: then the time is that of the deed."""
    return one.field.table == known.table and one.test == "is_there" and draft.ground.kind(one.field) in DATED


def _read_undated(draft: Draft) -> None:
    """Dates that are said without a time: "completed work orders" where no status says so."""
    line = draft.line
    for item in line.items():
        mention = line.at(item)
        if "D" not in mention.kinds or not mention.text.lower().endswith(("ed", "en", "id", "ne", "due")):
            continue
        one = draft.nearest(mention, "column", kinds=DATED)
        negated = is_negated(draft, item)
        is_beside = draft.is_list and draft.period is not None and not negated
        if one is None or one.table != draft.subject or is_beside:
            continue
        line.drop(item)
        if draft.grain and not negated:
            draft.dated.append(mention)
        if (draft.grain or one.column == draft.profile.dates[0]) and not negated:
            continue
        draft.conditions.append(Condition(Field(one.table, one.column), "is_missing" if negated else "is_there"))
