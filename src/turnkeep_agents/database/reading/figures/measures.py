"""Which column is summed, averaged or counted, and of which table its rows are."""

import re
from collections.abc import Iterator
from dataclasses import replace

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Asked, Field, Measure
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.nouns import is_plural, is_said_as_verb, sure_tables
from turnkeep_agents.database.reading.profiles import NUMERIC, is_money, is_rate
from turnkeep_agents.database.reading.words.lexicon import EXACT, ROOT, Meaning
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind
from turnkeep_agents.database.reading.words.stems import singular
from turnkeep_agents.database.reading.words.vocabulary import GUESSED, RATES
from turnkeep.blocks.grammar import word_class

_TOTAL = frozenset(["total", "amount", "value", "net"])
_AVERAGE = r"\b(?:on average|average|mean|avg|averaged)\b"
_BESIDE, _NEXT = 0.6, 1.6
_SPENDING = word_class("expense spending budget cost")
_FIGURES = word_class("cost spending expense revenue income hour fee")


def read_named_measure(draft: Draft, mention: Mention, table: str) -> None:
    """A synonym of a table that holds the name of a figure of it asks for that figure: hours worked."""
    said = set(map(singular, mention.text.lower().split()))
    for name in draft.ground.profiles[table].measures:
        if len(said) > 1 and set(map(singular, name_words(name))) <= said and draft.measure in (None, "count"):
            draft.measure, draft.of = _summed(draft), Field(table, name)


def read_counted_figure(draft: Draft, table: str) -> None:
    """ "How many" of a figure that bears the name of its rows before it: absence days."""
    found = draft.line.search(rf"@ (?P<x>{kind('X')})(?! {ITEM})") if draft.measure == "count" else None
    mention = draft.line.at(found["x"]) if found else None
    if mention is None or not is_plural(mention) or mention.of("table"):
        return
    own = [one for one in mention.of("column") if one.table == table and draft.kind_of(one) in NUMERIC]
    best = max(own, key=lambda one: one.weight, default=None)
    draft.line.drop(draft.line.code_of(mention))
    if best is None:
        draft.lost.append(mention.text)
    else:
        draft.measure, draft.of = _summed(draft), Field(table, best.column)


def read_column_beside(draft: Draft, item: str) -> None:
    """A figure beside the noun, where groups or stretches of time are wanted: "cost of services by vehicle"."""
    if draft.measure is not None or not (draft.grain or draft.group_items) or draft.limit or draft.order_item:
        return
    code = draft.line.code
    found = re.search(
        rf"(?P<x>{kind('X')}) (?:(?:of|for|from|on|in|the|all|our) )*(?:{ITEM} |[a-z]+ )?@", code
    ) or re.search(rf"@ (?P<x>{kind('X')})", code)
    if found is None:
        _mass(draft, item)
        return
    one = draft.nearest(draft.line.at(found["x"]), "column", kinds=NUMERIC)
    if one is None or draft.ground.distance(draft.subject or "", one.table) > 1.5:
        return
    text = draft.line.at(found["x"]).text.lower()
    draft.measure = "average" if not RATES.isdisjoint(map(singular, text.split())) else "sum"
    draft.line.drop(found["x"])
    _measured(draft, one)


def _mass(draft: Draft, item: str) -> None:
    """A synonym that has no plural stands for the figure and not for the rows: stock by warehouse."""
    mention, subject = draft.line.at(item), draft.subject or ""
    is_own = set(map(singular, mention.text.lower().split())) >= set(map(singular, name_words(subject)))
    is_own = is_own and singular(mention.text.lower()) not in _SPENDING
    main = draft.ground.main_measure(subject)
    is_figure = not is_plural(mention) or singular(mention.text.lower().split()[-1]) in _FIGURES
    if main and not is_own and is_figure and not draft.is_list:
        draft.measure, draft.of = "sum", main


def read_measure_behind(draft: Draft, item: str) -> None:
    """`of`: the column that stands beside the subject, or the main one."""
    line, ground, subject = draft.line, draft.ground, draft.subject or ""
    if draft.measure in (None, "count") or draft.of is not None:
        return
    for other in line.items():
        mention = line.at(other)
        if "X" not in mention.kinds or "N" in mention.kinds:
            continue
        columns = [one for one in mention.of("column") if draft.kind_of(one) in NUMERIC]
        one = ground.nearest([one for one in columns if one.weight >= EXACT] or columns, [subject])
        one = own_column(draft, mention) or one
        if one and ground.distance(subject, one.table) < 3:
            line.drop(other)
            _measured(draft, one)
            return
    if (
        draft.measure == "sum"
        and not re.search(r"how much", draft.line.text, re.I)
        and not ground.profiles[subject].measures
    ):
        draft.measure = "count"
        return
    main = ground.main_measure(subject) if draft.measure != "sum" else ground.main_total(subject)
    draft.of = main
    if main is None:
        draft.measure = "count"


def own_column(draft: Draft, mention: Mention) -> Meaning | None:
    """The subject's own column where "total amount" is another's name and its own is "amount"."""
    if any(one.table == draft.subject for one in mention.of("column")):
        return None
    first, *rest = mention.text.lower().split()
    own = draft.ground.lexicon.meanings(rest, draft.allowed) if first in ("total", "overall", "full") and rest else ()
    fitting = [
        one for one in own if one.sort == "column" and one.table == draft.subject and draft.kind_of(one) in NUMERIC
    ]
    return max(fitting, key=lambda one: one.weight, default=None)


def _measured(draft: Draft, one: Meaning) -> None:
    subject = draft.subject or one.table
    draft.of = Field(one.table, one.column)
    if one.table != subject and draft.ground.is_many(subject, one.table):
        draft.beside.append(subject)
        draft.subject = one.table


def read_measured_column(draft: Draft, item: str, mention: Mention) -> None:
    """No table is named where rows are expected: a column is measured, shown, or counted."""
    line = draft.line
    finer = re.search(rf"{re.escape(item)} of (?P<x>{kind('X')})", line.code)
    if finer and "T" not in line.at(finer["x"]).kinds:
        line.drop(item)
        item, mention = finer["x"], line.at(finer["x"])
    others = [table for other in line.items() for table in sure_tables(line.at(other))]
    is_numeric = "X" in mention.kinds
    if draft.measure == "count" and is_numeric and not draft.is_distinct:
        draft.measure = _summed(draft)
    if draft.measure is None and is_numeric and not draft.is_distinct and _is_figure(draft):
        is_averaged = not RATES.isdisjoint(map(singular, mention.text.lower().split()))
        draft.measure = "average" if is_averaged else "sum"
    if draft.measure in ("sum", "average", "minimum", "maximum") and is_numeric:
        columns = [one for one in mention.of("column") if draft.kind_of(one) in NUMERIC and draft.is_allowed(one.table)]
        columns = [one for one in columns if one.weight >= EXACT] or columns
        if draft.measure == "sum":
            columns = [one for one in columns if not is_rate(one.column)] or columns
        draft.subject = others[0] if others else None
        one = (own_column(draft, mention) if others else None) or draft.ground.nearest(columns, others[:1])
        if one:
            draft.subject = draft.subject or one.table
            line.drop(item)
            _measured(draft, one)
        return
    draft.subject = others[0] if others else None


def _summed(draft: Draft) -> Measure:
    """What becomes of "number of" where a figure follows: its total, or the average where the line says so."""
    return "average" if draft.line.take(_AVERAGE) else "sum"


def averaged(asked: Asked, draft: Draft, way: Measure) -> Asked:
    """A sum of a column as its average: over rows, by groups, or over what the rows of each group come to."""
    if any(draft.ground.is_many(asked.subject, field.table) for field in asked.groups):
        draft.lost.append(way)
        return asked
    keys = set(draft.ground.profiles[asked.subject].label) | set(draft.ground.graph.tables[asked.subject].primary_key)
    is_each = all(field.table == asked.subject and field.column in keys for field in asked.groups)
    if asked.grain or not is_each:
        is_kept = re.search(r"\bby\b", draft.line.text.lower())
        return (
            replace(asked, measure=way) if is_kept else replace(asked, over=way, order=None, order_by=None, limit=None)
        )
    return replace(asked, measure=way, groups=(), order=None, order_by=None, limit=None)


def _is_figure(draft: Draft) -> bool:
    """Whether a bare column asks for one figure: "monthly revenue", "revenue by customer", "our turnover in May"."""
    if draft.grain or draft.group_items or not (draft.is_list or draft.limit or draft.order_item):
        return not any(set(mention.kinds) & set("IQ") for mention in draft.line.mentions)
    has_row = any(set(mention.kinds) & set("IQ") for mention in draft.line.mentions)
    return not has_row and any("P" in mention.kinds for mention in draft.line.mentions)


def owner_of(draft: Draft, mention: Mention, near: tuple[str, ...]) -> str | None:
    columns = [one for one in mention.of("column") if draft.is_allowed(one.table)]
    is_person = any("Q" in other.kinds and len(other.text.split()) == 2 for other in draft.line.mentions)
    people = [one for one in columns if draft.ground.profiles[one.table].is_person]
    best = draft.ground.nearest((is_person and people) or columns, near)
    is_named = any("Q" in other.kinds for other in draft.line.mentions)
    draft.is_of_row = is_named
    others = [one for one in columns if one not in people] if draft.look and is_named and is_person and people else []
    if others:
        draft.look = 0  # the name is looked for in the next table whose rows have such a column
        best = max(others, key=lambda one: (one.weight, draft.ground.profiles[one.table].weight))
    return best.table if best else None


def money_columns(draft: Draft) -> Iterator[Meaning]:
    """The main money column of each table that has one and a date, if it is no guess and no price."""
    for table, profile in draft.ground.profiles.items():
        main = draft.ground.main_measure(table)
        is_price = main is not None and not RATES.isdisjoint(map(singular, name_words(main.column)))
        is_guess = main is not None and not GUESSED.isdisjoint(name_words(main.column))
        if main and is_money(main.column) and not (is_price or is_guess) and profile.dates and draft.is_allowed(table):
            is_total = bool(_TOTAL & set(name_words(main.column)))
            said = _BESIDE if _is_spoken_of(draft, table) else 0.0
            yield Meaning("column", table, main.column, weight=(EXACT if is_total else ROOT) + said)


def _is_spoken_of(draft: Draft, table: str) -> bool:
    """Whether the line names a day of the table, or a kind that its rows are sorted by."""
    links = {link.to_table for link in draft.ground.profiles[table].links.values()}
    return any(
        (one.sort == "column" and one.table == table and "D" in mention.kinds)
        or (one.sort == "value" and one.table in links and draft.ground.profiles[one.table].is_lookup)
        for mention in draft.line.mentions
        for one in mention.meanings
        if one.weight >= EXACT
    )


def spent_with(draft: Draft) -> str | None:
    """The table of the money that goes to, or comes from, a named row or each row of a group, where nothing but those
    is named."""
    if draft.measure != "sum" or not re.search(r"\bhow much\b", draft.line.text, re.I):
        return None
    if any(_is_other_noun(draft, draft.line.at(item)) for item in draft.line.items()):
        return None
    ground = draft.ground
    parties = [one.table for mention in draft.group_items for one in mention.of("table") if one.weight >= EXACT]
    mentions = [draft.line.at(item) for item in draft.line.items()]
    names = [one for one in mentions if one.meanings and set(one.kinds) <= set("VQ")]
    parties += [one.table for mention in names for one in mention.of("value") if one.weight >= EXACT]
    known = [one for one in money_columns(draft) if any(ground.is_many(party, one.table) for party in parties[:1])]
    near = [one for one in known if ground.distance(parties[0], one.table) < _NEXT]
    return max(near, key=lambda one: one.weight).table if near else None


def _is_other_noun(draft: Draft, mention: Mention) -> bool:
    is_verb = mention.text.lower().endswith("ed") or is_said_as_verb(draft, mention)
    return bool(set(mention.kinds) & set("TX")) and not is_verb and mention not in draft.group_items
