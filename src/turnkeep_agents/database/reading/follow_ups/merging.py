"""A question with what a later line said of it put in its place."""

import re
from collections.abc import Sequence
from dataclasses import replace

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Asked, Condition, Field, Measure, Period
from turnkeep_agents.database.reading.conditions.states import without_contradicted
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.orders import REVERSED
from turnkeep_agents.database.reading.times.dating import main_date
from turnkeep_agents.database.reading.words.stems import root

_EXTREMES: dict[str, Measure] = {
    **dict.fromkeys(("highest", "maximum", "max", "largest", "biggest", "greatest"), "maximum"),
    **dict.fromkeys(("lowest", "minimum", "min", "smallest"), "minimum"),
}
_BARE = frozenset(["total", "sum", "overall", "average", "mean"])
_ALSO = re.compile(r"\b(?:also|too|as well|in addition|additionally|plus|further)\b")


def as_rows(before: Asked) -> Asked:
    """The rows behind a figure."""
    return replace(
        before,
        measure="rows",
        of=None,
        less=None,
        is_distinct=False,
        groups=(),
        grain=None,
        grain_of=None,
        order=None,
        order_by=None,
        keep=None,
        limit=None,
    )


def merge(draft: Draft, given: Asked) -> Asked:
    before = draft.before or given
    is_also = bool(_ALSO.search(draft.line.text.lower()))
    amended = replace(before, page=0, unread=tuple(draft.unread))
    kept = _kept(draft, before)
    if kept is not None:
        draft.conditions.remove(kept)
        amended = replace(amended, keep=kept)
    kept_on = before.conditions if is_also else without_contradicted(draft.ground, before.conditions, draft.conditions)
    amended = replace(amended, conditions=merged(kept_on, draft.conditions, is_also=is_also))
    if draft.absences:
        new = {one.table for one in draft.absences}
        amended = replace(
            amended, absences=(*(one for one in before.absences if one.table not in new), *draft.absences)
        )
    if draft.period:
        amended = replace(amended, period=_period(draft, before))
    amended = _measure(draft, amended)
    amended = _keys(draft, amended, is_also=is_also)
    amended = _shown(draft, amended)
    return _ordered(draft, amended)


def _kept(draft: Draft, before: Asked) -> Condition | None:
    """A figure without a column that is said after groups holds for their measure: "only those over 1000"."""
    if not before.groups or any("X" in mention.kinds for mention in draft.line.mentions):
        return None
    bounds = ("over", "at_least", "under", "at_most", "between")
    main = before.of or draft.ground.main_measure(before.subject)
    return next((one for one in draft.conditions if one.test in bounds and one.field == main), None)


def merged(old: Sequence[Condition], new: Sequence[Condition], *, is_also: bool = False) -> tuple[Condition, ...]:
    """New filters take the place of those of the same column; with "also", a value more will do."""
    kept = list(old)
    for condition in new:
        same = [one for one in kept if one.field == condition.field]
        if is_also and condition.test == "is" and any(one.test == "is" for one in same):
            at = kept.index(next(one for one in same if one.test == "is"))
            kept[at] = replace(kept[at], values=tuple(dict.fromkeys([*kept[at].values, *condition.values])))
            continue
        bounds = ("over", "at_least", "under", "at_most")
        is_bound = condition.test in bounds
        kept = [
            one
            for one in kept
            if one.field != condition.field or (is_bound and one.test in bounds and one.test != condition.test)
        ]
        kept.append(condition)
    return tuple(dict.fromkeys(kept))


def _period(draft: Draft, before: Asked) -> Period | None:
    period = draft.period
    if period is None or draft.dated:
        return period
    if before.period is not None:
        until = before.period.until if period.until or before.period.until else None
        return replace(period, field=before.period.field, until=until)
    state = _dated_state(draft, before)
    return replace(period, field=state, until=None) if state else period


def _dated_state(draft: Draft, before: Asked) -> Field | None:
    """The date that belongs to a state that was asked for: completed on, for what is completed."""
    for condition in before.conditions:
        if condition.test == "is_there" and condition.field.column in draft.profile.dates:
            return condition.field
        if condition.test != "is" or condition.field.table != before.subject:
            continue
        said = {root(word) for value in condition.values if isinstance(value, str) for word in name_words(value)}
        for name in draft.profile.dates:
            if said & set(map(root, name_words(name))) - {"on", "at"}:
                return Field(before.subject, name)
    return None


def _measure(draft: Draft, amended: Asked) -> Asked:
    measure = draft.measure
    if measure == "count":
        return replace(
            amended, measure="count", of=None, less=None, shown=(), order=None, order_by=None, limit=None, keep=None
        )
    if measure is not None:
        named = [
            draft.nearest(mention, "column", kinds=["integer", "number"])
            for mention in draft.line.mentions
            if "X" in mention.kinds and mention.text.lower() not in _BARE
        ]
        own = next((Field(one.table, one.column) for one in named if one), None)
        main = draft.ground.main_total if measure == "sum" else draft.ground.main_measure
        of = own or amended.of or main(amended.subject)
        shown = tuple(field for field in amended.shown if field != of)
        if of is None:
            return replace(amended, measure="count", shown=(), order=None, order_by=None, limit=None, keep=None)
        draft.shown = [field for field in draft.shown if field != of]
        return replace(
            amended, measure=measure, of=of, less=None, shown=shown if shown else (), order_by=None, limit=None
        )
    is_rows = draft.is_list and not draft.groups and draft.grain is None and not draft.group_items
    asks = re.search(r"\b(?:which|who|list|show|what are)\b", draft.line.text.lower())
    return as_rows(amended) if is_rows and asks and amended.measure == "count" and not amended.groups else amended


def _keys(draft: Draft, amended: Asked, *, is_also: bool) -> Asked:
    """New groups and stretches of time take the place of the old ones; a list is only sorted by them."""
    if not draft.groups and draft.grain is None:
        return amended
    if amended.measure == "rows" and draft.grain is None:
        label = amended.shown or draft.ground.label(amended.subject)
        shown = tuple(dict.fromkeys([*label, *draft.groups]))
        return replace(amended, shown=shown, order="ascending", order_by=draft.groups[0])
    groups = (*amended.groups, *draft.groups) if is_also else tuple(draft.groups)
    grain = draft.grain or (amended.grain if is_also else None)
    field = None
    if grain:
        field = (amended.period.field if amended.period else None) or main_date(draft)
    measure = "count" if amended.measure == "rows" else amended.measure
    limit = amended.limit if amended.groups else None
    order = amended.order if limit else None
    return replace(
        amended,
        measure=measure,
        shown=(),
        groups=tuple(dict.fromkeys(groups)),
        grain=grain,
        grain_of=field,
        order=order,
        order_by=None,
        limit=limit,
    )


def _shown(draft: Draft, amended: Asked) -> Asked:
    if not draft.shown or draft.measure is not None:
        return amended
    if amended.measure != "rows":
        amended = as_rows(amended)
    label = amended.shown or draft.ground.named(amended.subject)
    return replace(amended, shown=tuple(dict.fromkeys([*label, *draft.shown])))


def _ordered(draft: Draft, amended: Asked) -> Asked:
    if draft.order is None and draft.limit is None:
        return amended
    if amended.measure not in ("rows", "count") and not (amended.groups or amended.grain):
        return _of_figure(draft, amended)
    if draft.order == REVERSED:
        return _reversed(amended, draft)
    is_bare = all(set(mention.kinds) <= {"N"} for mention in draft.line.mentions)
    if is_bare and draft.quality == "highest" and amended.order_by and draft.limit and draft.limit > 0:
        return replace(amended, limit=draft.limit)  # the first of what is sorted already
    order, order_by = draft.order or amended.order, draft.order_by or (None if draft.order_item else amended.order_by)
    if draft.quality in ("highest", "lowest") and (amended.groups or amended.grain):
        order, order_by = ("ascending" if draft.quality == "lowest" else "descending"), None
    if order_by is None and not amended.groups and not amended.grain:
        order = None
    limit = draft.limit if draft.limit and draft.limit > 0 else amended.limit
    if amended.measure == "count" and not amended.groups and not amended.grain:
        amended = as_rows(amended)
    return replace(amended, order=order, order_by=order_by, limit=limit)  # type: ignore[arg-type]


def _of_figure(draft: Draft, amended: Asked) -> Asked:
    """What is said of the largest after one figure: the largest figure, or the rows behind it that have the largest."""
    bare = draft.quality in _EXTREMES and not draft.is_list and not re.search(r"\bones?\b|\d", draft.line.text)
    if bare and amended.measure in ("sum", "average", "minimum", "maximum"):
        return replace(amended, measure=_EXTREMES[draft.quality], limit=None)
    order_by = draft.order_by if draft.order_item else amended.of
    rows = as_rows(amended)
    if order_by is None or draft.order == REVERSED:
        return rows
    limit = draft.limit if draft.limit and draft.limit > 0 else None
    return replace(rows, order=draft.order or "descending", order_by=order_by, limit=limit)  # type: ignore[arg-type]


def _reversed(amended: Asked, draft: Draft) -> Asked:
    """The other way round: groups stand with the largest first, rows in the order of their keys."""
    if amended.measure == "rows" and amended.order is None:
        key = draft.ground.graph.tables[amended.subject].primary_key
        return replace(amended, order="descending", order_by=Field(amended.subject, key[0])) if key else amended
    is_up = amended.order == "ascending" or (amended.order is None and amended.grain is not None)
    order_by = amended.order_by or (amended.grain_of if amended.order is None else None)
    return replace(amended, order="descending" if is_up else "ascending", order_by=order_by)
