"""Reads a question and what was said after it. The rules are general: what they know of a schema is its join graph."""

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import replace
from datetime import date

from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.reading.asides import without_purposes
from turnkeep_agents.database.reading.asked import Asked, Field
from turnkeep_agents.database.reading.conditions.absences import (
    add_counted,
    add_sum,
    read_absences,
    take_sums,
    wrap_many,
)
from turnkeep_agents.database.reading.conditions.comparisons import read_comparisons
from turnkeep_agents.database.reading.conditions.edges import read_edges
from turnkeep_agents.database.reading.conditions.filters import read_filters
from turnkeep_agents.database.reading.conditions.keepers import read_keeper
from turnkeep_agents.database.reading.conditions.roles import read_most, read_reports, read_role
from turnkeep_agents.database.reading.conditions.states import of_then
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.averages import take_average, with_average
from turnkeep_agents.database.reading.figures.debts import read_owed
from turnkeep_agents.database.reading.figures.durations import duration_of, question_of, with_duration
from turnkeep_agents.database.reading.figures.further import of_one_measure, take_further, with_further
from turnkeep_agents.database.reading.figures.groups import settle_groups, take_groups
from turnkeep_agents.database.reading.figures.orders import settle_order, simplify_superlatives, take_orders
from turnkeep_agents.database.reading.figures.parts import compared, share, share_texts, take_second_time, with_parts
from turnkeep_agents.database.reading.figures.rankings import (
    rank_by,
    rank_by_figure,
    rank_by_group,
    take_having,
    take_most,
    take_time_with_most,
)
from turnkeep_agents.database.reading.follow_ups.amending import amend
from turnkeep_agents.database.reading.follow_ups.chains import read_chain
from turnkeep_agents.database.reading.gaps import missing_words, still_missing, waives
from turnkeep_agents.database.reading.ground import Ground
from turnkeep_agents.database.reading.leftovers import (
    asks_for_unread,
    content_words,
    is_understood,
    read_belonging,
    read_deeds,
    read_names,
    read_shown,
    read_unread,
)
from turnkeep_agents.database.reading.openings import read_opening
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.restating import restate, tables_of
from turnkeep_agents.database.reading.subjects import find_subject
from turnkeep_agents.database.reading.times.dating import main_date, read_period
from turnkeep_agents.database.reading.times.lasts import keep_past, take_last_time
from turnkeep_agents.database.reading.words.idioms import without_idioms
from turnkeep_agents.database.reading.words.lexicon import EXACT
from turnkeep_agents.database.reading.words.lines import read_line
from turnkeep_agents.database.reading.words.plainness import plain, whole_names
from turnkeep.blocks.words import words

MOST_LINES = 20
_FEW = ("under", "at_most", "is")
"""Tests that rows to which none belong may pass too."""


class Reader:
    """Reads questions about the database of one join graph. Any number of threads may use it."""

    def __init__(self, graph: JoinGraph, finder: PathFinder):
        self._ground = Ground(graph, finder)
        self._look = 0

    @property
    def again(self) -> "Reader":
        """One that looks for names where this one would look next, for what gave no rows."""
        other = copy(self)
        other._look = 1
        return other

    def read(self, chain: Sequence[str], *, today: date, allowed: Collection[str] | None = None) -> Asked | None:
        """What the lines ask for together, the oldest first; None where they say nothing about the schema. Tables
        outside `allowed` do not exist."""
        asked = read_chain(chain[-MOST_LINES:], lambda text, before: self._line(text, before, today, allowed))
        return of_then(asked, self._ground, today) if asked else None

    def named_tables(self, text: str, allowed: Collection[str]) -> list[str]:
        """The tables whose whole names or synonyms the line holds."""
        line = read_line(plain(text), self._ground.lexicon, self._ground.profiles, date.max, allowed)
        best = (one for mention in line.mentions for one in mention.of("table")[:1] if one.weight >= EXACT)
        return list(dict.fromkeys(one.table for one in best))

    def strange_words(self, text: str) -> tuple[str, ...]:
        """The words of a line that say something of their own, and nothing in the schema."""
        said = dict.fromkeys(content_words(plain(text)))
        return tuple(word for word in said if not self._ground.lexicon.is_word(word))

    def _line(self, text: str, before: Asked | None, today: date, allowed: Collection[str] | None) -> Asked | None:
        if before is not None and before.missing and waives(text):
            return replace(before, missing=(), unread=before.missing)
        texts = share_texts(plain(text))
        if texts is not None:
            return self._share(texts, today, allowed)
        duration = duration_of(plain(text))
        if duration is not None:
            read = self._line(question_of(duration, self._ground, allowed), None, today, allowed)
            return with_duration(read, duration, self._ground) if read else None
        draft = self._draft(text, before, today, allowed)
        if before is not None:
            amended = amend(draft, before)
            if amended is not None:
                amended = of_one_measure(amended, before)
                if _is_mostly_unread(draft, amended, text):
                    return None
                return with_bridges(replace(amended, missing=still_missing(draft, amended, before)), draft)
            draft = self._draft(text, None, today, allowed)
        asked = self.finish(draft)
        return None if asked and asks_for_unread(text, asked.unread) else asked

    def _share(self, texts: tuple[str, str], today: date, allowed: Collection[str] | None) -> Asked | None:
        part = self._line(texts[0], None, today, allowed)
        whole = self._line(texts[1], None, today, allowed) if texts[1] else None
        return share(part, whole) if part else None

    def _draft(self, text: str, before: Asked | None, today: date, allowed: Collection[str] | None) -> Draft:
        sides, is_compared = compared(without_idioms(without_purposes(plain(text), self._ground.lexicon.is_word)))
        said = whole_names(simplify_superlatives(sides), self._ground.lexicon)
        line = read_line(said, self._ground.lexicon, self._ground.profiles, today, allowed)
        return Draft(self._ground, line, today, allowed, before, self._look, is_compared=is_compared)

    def finish(self, draft: Draft) -> Asked | None:
        """The question of a line that stands alone."""
        take_average(draft)
        take_second_time(draft)
        take_further(draft)
        draft.sums = take_sums(draft)
        take_time_with_most(draft)
        take_last_time(draft)
        read_opening(draft)
        take_orders(draft)
        take_groups(draft)
        if read_role(draft) or read_keeper(draft) or read_owed(draft):
            return read_rest(draft)
        read_most(draft)
        read_reports(draft)
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
            is_few = draft.is_list or not draft.measure
            is_counted = (draft.measure == "count" or (is_few and test in _FEW)) and add_counted(
                draft, test, number, mention
            )
            if (
                not is_counted
                and not rank_by(draft, "descending", mention, keep=(test, number))
                and draft.subject is None
            ):
                return None
        return read_rest(draft)


def _is_mostly_unread(draft: Draft, asked: Asked, text: str) -> bool:
    """Whether the line is for the most part in words that nothing answers to: then nothing of it holds."""
    unread = [word for said in missing_words(draft, asked) for word in words(said)]
    return 2 * len(unread) > max(len(content_words(plain(text))), 2)


def read_rest(draft: Draft) -> Asked | None:
    """Everything but the subject."""
    if draft.subject is None:
        return None
    rank_by_figure(draft)
    if draft.sums:
        add_sum(draft, *draft.sums)
    read_edges(draft)
    read_comparisons(draft)
    read_absences(draft)
    read_belonging(draft)
    read_deeds(draft)
    read_period_first = any("P" in mention.kinds for mention in draft.line.mentions)
    if read_period_first:
        read_period(draft)
    read_filters(draft)
    if not read_period_first:
        read_period(draft)
    settle_groups(draft)
    settle_order(draft)
    keep_past(draft)
    read_names(draft)
    read_shown(draft)
    read_unread(draft)
    wrap_many(draft)
    asked = with_average(with_parts(with_further(asked_of(draft), draft), draft), draft)
    missing = tuple(missing_words(draft, asked))
    return with_bridges(replace(asked, missing=missing), draft) if missing or is_understood(draft) else None


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
        main = draft.ground.main_total if measure == "sum" else draft.ground.main_measure
        of = main(draft.subject or "")
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


__all__ = ["Reader", "restate", "tables_of", "waives"]
