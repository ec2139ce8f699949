"""Reads a question and what was said after it. The rules are general: what they know of a schema is its join graph."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from turnkeep.agents.database.joins.paths import PathFinder
from turnkeep.agents.database.joins.records import JoinGraph
from turnkeep.agents.database.reading.absences import add_counted, read_absences, wrap_many
from turnkeep.agents.database.reading.amending import amend
from turnkeep.agents.database.reading.asked import Asked, Field
from turnkeep.agents.database.reading.comparisons import read_comparisons
from turnkeep.agents.database.reading.dating import main_date, read_period
from turnkeep.agents.database.reading.debts import read_owed
from turnkeep.agents.database.reading.draft import Draft
from turnkeep.agents.database.reading.filters import read_filters
from turnkeep.agents.database.reading.ground import Ground
from turnkeep.agents.database.reading.groups import settle_groups, take_groups
from turnkeep.agents.database.reading.idioms import without_idioms
from turnkeep.agents.database.reading.keepers import read_keeper
from turnkeep.agents.database.reading.leftovers import (
    asks_for_unread,
    content_words,
    is_understood,
    read_belonging,
    read_names,
    read_shown,
    read_unread,
)
from turnkeep.agents.database.reading.lines import plain, read_line, whole_names
from turnkeep.agents.database.reading.openings import read_opening
from turnkeep.agents.database.reading.orders import settle_order, simplify_superlatives, take_orders
from turnkeep.agents.database.reading.profiles import DATED
from turnkeep.agents.database.reading.rankings import (
    rank_by,
    rank_by_figure,
    rank_by_group,
    take_having,
    take_most,
)
from turnkeep.agents.database.reading.restating import restate, tables_of
from turnkeep.agents.database.reading.subjects import find_subject

MOST_LINES = 20


class Reader:
    """Reads questions about the database of one join graph. Any number of threads may use it."""

    def __init__(self, graph: JoinGraph, finder: PathFinder):
        self._ground = Ground(graph, finder)

    def read(self, chain: Sequence[str], *, today: date, allowed: Collection[str] | None = None) -> Asked | None:
        """What the lines ask for together, the oldest first; None where they say nothing about the schema. Tables
        outside `allowed` do not exist."""
        asked: Asked | None = None
        for text in chain[-MOST_LINES:]:
            read = self._line(text, asked, today, allowed)
            if read is None and asked is not None:
                read = replace(asked, unread=tuple(dict.fromkeys(content_words(plain(text)))))
            asked = read
        return asked

    def _line(self, text: str, before: Asked | None, today: date, allowed: Collection[str] | None) -> Asked | None:
        draft = self._draft(text, before, today, allowed)
        if before is not None:
            amended = amend(draft, before)
            if amended is not None:
                return with_bridges(amended, draft)
            draft = self._draft(text, None, today, allowed)
        asked = self.finish(draft)
        return None if asked and asks_for_unread(text, asked.unread) else asked

    def _draft(self, text: str, before: Asked | None, today: date, allowed: Collection[str] | None) -> Draft:
        said = whole_names(simplify_superlatives(without_idioms(plain(text))), self._ground.lexicon)
        line = read_line(said, self._ground.lexicon, self._ground.profiles, today, allowed)
        return Draft(self._ground, line, today, allowed, before)

    def finish(self, draft: Draft) -> Asked | None:
        """The question of a line that stands alone."""
        read_opening(draft)
        take_orders(draft)
        take_groups(draft)
        if read_keeper(draft) or read_owed(draft):
            return read_rest(draft)
        most, had = take_most(draft), take_having(draft)
        find_subject(draft)
        if draft.subject is None and not (most or had):
            return None
        if most is None and had is None and rank_by_group(draft):
            return read_rest(draft)
        if most and not rank_by(draft, *most) and draft.subject is None:
            return None
        if had:
            test, number, mention = had
            is_counted = draft.measure == "count" and add_counted(draft, test, number, mention)
            if (
                not is_counted
                and not rank_by(draft, "descending", mention, keep=(test, number))
                and draft.subject is None
            ):
                return None
        return read_rest(draft)


def read_rest(draft: Draft) -> Asked | None:
    """Everything but the subject."""
    if draft.subject is None:
        return None
    rank_by_figure(draft)
    read_comparisons(draft)
    read_absences(draft)
    read_belonging(draft)
    read_period_first = any("P" in mention.kinds for mention in draft.line.mentions)
    if read_period_first:
        read_period(draft)
    read_filters(draft)
    if not read_period_first:
        read_period(draft)
    settle_groups(draft)
    settle_order(draft)
    read_names(draft)
    read_shown(draft)
    read_unread(draft)
    wrap_many(draft)
    return with_bridges(asked_of(draft), draft) if is_understood(draft) else None


def with_bridges(asked: Asked, draft: Draft) -> Asked:
    """The question with the tables that its joins have to go through."""
    asked = _settled(asked, draft)
    return replace(asked, through=draft.ground.through(asked.subject, tables_of(replace(asked, through=()))))


def _settled(asked: Asked, draft: Draft) -> Asked:
    """With the link of each column that stands in another table, where two ways lead there."""

    def settled(field: Field) -> Field:
        return draft.ground.settled(asked.subject, field)

    conditions = tuple(replace(one, field=settled(one.field)) for one in asked.conditions)
    order_by = settled(asked.order_by) if asked.order_by else None
    groups, shown = tuple(map(settled, asked.groups)), tuple(map(settled, asked.shown))
    return replace(asked, conditions=conditions, groups=groups, shown=shown, order_by=order_by)


def asked_of(draft: Draft) -> Asked:
    """The draft as a question."""
    measure = draft.measure or "rows"
    groups = tuple(draft.groups)
    order, order_by, limit = draft.order, draft.order_by, draft.limit if draft.limit and draft.limit > 0 else None
    shown = tuple(draft.shown)
    if draft.quality in ("commonest", "rarest") and not shown and not groups:
        _count_kinds(draft)
        groups = tuple(draft.groups)
    if draft.quality in ("commonest", "rarest"):
        groups, shown, measure = groups or shown or draft.ground.label(draft.subject or ""), (), "count"
    if measure == "rows" and (groups or draft.grain) and not _wants_rows(draft):
        measure = "count"
    if measure == "rows" and groups:
        shown, groups = (*draft.ground.label(draft.subject or ""), *shown, *groups), ()
        order, order_by = order or "ascending", order_by or shown[-1]
    of = draft.of if measure not in ("rows",) else None
    if draft.is_distinct and measure == "count" and shown:
        of, shown = shown[0], ()
    if measure not in ("rows", "count") and of is None:
        of = draft.ground.main_measure(draft.subject or "")
        measure = measure if of else "count"
    is_distinct = draft.is_distinct and (of is not None or bool(shown))
    is_rows = measure == "rows"
    return Asked(
        subject=draft.subject or "",
        measure=measure,
        of=of,
        is_distinct=is_distinct,
        shown=shown if is_rows else (),
        conditions=tuple(dict.fromkeys(draft.conditions)),
        period=draft.period,
        absences=tuple(draft.absences),
        groups=groups,
        grain=draft.grain,
        grain_of=_grain_field(draft) if draft.grain else None,
        order=order if (order_by or groups or draft.grain) and order in ("ascending", "descending") else None,  # type: ignore[arg-type]
        order_by=order_by,
        limit=limit,
        keep=draft.keep,
        unread=tuple(draft.unread),
        less=draft.less if measure == "sum" else None,
    )


def _count_kinds(draft: Draft) -> None:
    """The most common of a list of kinds: rows are counted that are of them."""
    table = draft.subject or ""
    user = draft.ground.user_of(table, draft.allowed) if draft.profile.is_lookup else None
    draft.groups = list(draft.ground.label(table))
    draft.subject = user or table


def _wants_rows(draft: Draft) -> bool:
    words = draft.line.text.lower().split()
    return bool({"list", "who", "which"} & set(words[:3])) and not draft.grain


def _grain_field(draft: Draft) -> Field | None:
    for mention in draft.dated:
        one = draft.nearest(mention, "column", kinds=DATED)
        if one:
            return Field(one.table, one.column)
    if draft.period:
        return draft.period.field
    return main_date(draft)


__all__ = ["Reader", "restate", "tables_of"]
