"""Rows of another table that belong to those asked for before: who those customers are, what their invoices are. What
was asked of the old rows holds for the new ones as far as they are joined to them."""

import re

from turnkeep_agents.database.reading.asked import EARLIEST, LATEST, Absence, Asked, Condition, Period
from turnkeep_agents.database.reading.conditions.absences import wrap_many
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.times.dating import main_date
from turnkeep_agents.database.reading.words.lines import ITEM
from turnkeep_agents.database.writing.names import many_of

_OF_THEM = re.compile(
    r"\b(?:which|who|what|how many|any|some|all|none|list|show|one|\d+)(?: ones?)? of (?:them|those|these)\b", re.I
)
_THEIR_ROWS = (
    r"(?:(?:please|can you|could you|list|show|give|display|me|us|all|what are|and) )*"
    rf"(?:their|his|her|its) {ITEM}(?! (?:and|,) {ITEM})"
)
_WHO_ARE = (
    rf"(?:who|which|what) (?:are|were|is|was) (?:those|these|they|that|the) {ITEM}(?: then)?"
    rf"|(?:which|what) {ITEM} (?:are|were|is|was) (?:those|these|they|that|it)"
)


def is_of_them(text: str) -> bool:
    """Whether some of the rows before are asked for: then no other table is the subject, whichever is named."""
    return _OF_THEM.search(text) is not None


def asks_for_rows_of(draft: Draft, before: Asked, own: str) -> bool:
    """Whether the line asks for rows of another table that belong to those before: who those X are, list their X."""
    if not draft.ground.is_near(before.subject, own):
        return False
    code = draft.line.code.strip(" |?!.")
    if draft.ground.is_many(before.subject, own):
        is_child = draft.ground.many_end(before.subject, own) == own
        return is_child and re.match(_THEIR_ROWS, code) is not None
    return re.fullmatch(_WHO_ARE, code) is not None


def rows_of(draft: Draft, before: Asked, period: Period | None) -> Asked:
    """What the draft says of its subject, in the form in which the rows before were asked for."""
    subject = draft.subject or ""
    measure = draft.measure or ("rows" if draft.is_list or before.measure == "rows" else "count")
    of = draft.of or (draft.ground.main_measure(subject) if measure not in ("rows", "count") else None)
    limit = draft.limit if draft.limit and draft.limit > 0 else None
    return Asked(
        subject=subject,
        measure=measure if of or measure in ("rows", "count") else "count",
        of=of,
        shown=tuple(draft.shown),
        conditions=tuple(dict.fromkeys(draft.conditions)),
        period=period,
        absences=tuple(draft.absences),
        groups=tuple(draft.groups),
        grain=draft.grain,
        grain_of=main_date(draft) if draft.grain else None,
        order=draft.order if draft.order_by and draft.order in ("ascending", "descending") else None,  # type: ignore[arg-type]
        order_by=draft.order_by,
        limit=limit,
        unread=tuple(draft.unread),
    )


def hold_to(draft: Draft, before: Asked) -> Period | None:
    """Holds the draft to rows that belong to those before; the time that is left to be asked of."""
    subject = draft.subject or ""
    if re.search(r"\b(?:they|he|she)\b", draft.line.text.lower()) and (named := _named(draft, before)):
        draft.conditions = [*named, *draft.conditions]
        wrap_many(draft)
        return draft.period
    draft.unread.extend(_unkept(before))
    own = [one for one in before.conditions if one.field.table == subject]
    rest = tuple(one for one in before.conditions if one.field.table != subject)
    if draft.ground.is_many(subject, before.subject):
        draft.conditions = [*own, *draft.conditions]
        via = next((field.via for field in (*before.shown, *before.groups) if field.table == subject), "")
        draft.absences.append(Absence(before.subject, False, rest, before.period, via=via))
        return draft.period
    if any(one.field.table != before.subject for one in rest):
        draft.conditions = [*own, *draft.conditions]
        draft.absences.append(Absence(before.subject, False, rest, before.period))
        return draft.period
    draft.conditions = [*own, *rest, *draft.conditions]
    wrap_many(draft)
    if before.period is None or draft.period is None:
        return draft.period or before.period
    draft.conditions.extend(_within(before.period))
    return draft.period


def _named(draft: Draft, before: Asked) -> list[Condition]:
    """Whom the rows before belonged to, by name: they, and not the rows, have done something."""
    labels = {table: profile.label for table, profile in draft.ground.profiles.items()}
    others = [one for one in before.conditions if one.field.table != before.subject]
    return [one for one in others if one.field.column in labels[one.field.table]]


def _within(period: Period) -> list[Condition]:
    first = [] if period.start <= EARLIEST else [Condition(period.field, "at_least", (period.start.isoformat(),))]
    last = [] if period.end >= LATEST else [Condition(period.field, "at_most", (period.end.isoformat(),))]
    return [*first, *last]


def _unkept(before: Asked) -> list[str]:
    """What of the question before cannot be asked of rows that belong to its rows, in words."""
    words = [f"{'without' if one.is_absent else 'with'} {' '.join(many_of(one.table))}" for one in before.absences]
    return [*words, *([f"the first {before.limit}"] if before.limit else [])]
