"""Several figures of the same rows in one question: how many there are and what they cost, the least and the most. The
first stays in the line, to be read as if it stood alone; the others are kept until the subject is known."""

import re
from dataclasses import dataclass, replace

from turnkeep_agents.database.reading.asked import Absence, Asked, Field, Figure, Measure
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.measures import own_column
from turnkeep_agents.database.reading.nouns import is_plural, sure_tables
from turnkeep_agents.database.reading.profiles import NUMERIC, is_rate
from turnkeep_agents.database.reading.words.lines import ITEM, Mention, kind
from turnkeep.blocks.grammar import word_class

_MEASURES: dict[str, Measure] = {
    **dict.fromkeys(("average", "mean", "avg"), "average"),
    **dict.fromkeys(("total", "sum", "overall", "combined"), "sum"),
    **dict.fromkeys(("highest", "maximum", "max", "largest", "biggest", "greatest"), "maximum"),
    **dict.fromkeys(("lowest", "minimum", "min", "smallest"), "minimum"),
    **dict.fromkeys(("number", "count"), "count"),
}
_FILLERS = word_class("the a an what is was are were their its also of how much our all together with")
_CONNECTORS = word_class("and , as well plus along together with &")
_OF_THEM = re.compile(
    r"(?:,| and|, and|;)+ (?:how much|what)(?: (?:did|do|does|was|were|is|are|have|has|had))?(?: all)?"
    r" (?:they|it|that|those|these)\b[^,.;?|]*"
)
_ITS_OWN = re.compile(
    rf"(?:,| and|, and|;)+ (?:what|how much) (?:is|was|are|were) (?:the |their |its |our )*"
    rf"(?:(?P<way>{'|'.join(_MEASURES)}) (?:of )?(?:the )?)?(?P<x>{kind('X')})"
)


@dataclass(frozen=True)
class Said:
    """A figure as the line says it, from token `start` up to `end`; `item` is what it is of."""

    measure: Measure
    item: str
    start: int
    end: int


def take_further(draft: Draft) -> None:
    """Takes all figures but the first out of the line."""
    behind = _OF_THEM.search(draft.line.code)
    if behind and re.search(r"\bhow many\b", draft.line.code[: behind.start()]):
        draft.line.code = f"{draft.line.code[: behind.start()]} | {draft.line.code[behind.end() :]}"
        draft.further.append(("sum", None))
        return
    if clause := _ITS_OWN.search(draft.line.code):
        draft.further.append((_MEASURES.get(clause["way"] or "total", "sum"), draft.line.at(clause["x"])))
        draft.line.code = f"{draft.line.code[: clause.start()]} | {draft.line.code[clause.end() :]}"
        return
    tokens = draft.line.code.split()
    said = next((found for start in range(len(tokens)) if len(found := _figures(draft, tokens, start)) > 1), [])
    if not any(one.item for one in said):
        return
    first, *others = said
    for one in others:
        item = one.item or first.item
        draft.further.append((one.measure, draft.line.at(item) if item else None))
    lent = next((one.item for one in said if one.item), "") if first.measure != "count" and not first.item else ""
    kept = [*tokens[: first.end], *([lent] if lent else []), *tokens[others[-1].end :]]
    draft.line.code = " ".join(kept)


def _figures(draft: Draft, tokens: list[str], start: int) -> list[Said]:
    """The figures that follow each other from the token on."""
    found: list[Said] = []
    at = start
    while one := _figure(draft, tokens, at, is_first=not found) or _next_noun(draft, tokens, at, found):
        found.append(one)
        at = one.end
        while at < len(tokens) and tokens[at] in _CONNECTORS:
            at += 1
        if at == one.end:
            break
    return found


def _next_noun(draft: Draft, tokens: list[str], at: int, before: list[Said]) -> Said | None:
    """Rows of another table that are counted together with those just said."""
    if not before or before[-1].measure != "count" or not before[-1].item or at >= len(tokens):
        return None
    if not re.fullmatch(ITEM, tokens[at]):
        return None
    mention, known = draft.line.at(tokens[at]), set(sure_tables(draft.line.at(before[-1].item)))
    own = set(sure_tables(mention))
    is_other = bool(own and known) and not own & known and not mention.of("value") and is_plural(mention)
    return Said("count", tokens[at], at, at + 1) if is_other else None


def _figure(draft: Draft, tokens: list[str], at: int, *, is_first: bool) -> Said | None:
    start = at
    while at < len(tokens) and tokens[at] in _FILLERS and not is_first:
        at += 1
    word = tokens[at] if at < len(tokens) else ""
    if word == "how" and tokens[at + 1 : at + 2] == ["many"]:
        return _counted(draft, tokens, start, at + 2)
    if word == "many" and at > start and tokens[at - 1] == "how":
        return _counted(draft, tokens, start, at + 1)
    if word in _MEASURES and _MEASURES[word] == "count":
        return _counted(draft, tokens, start, at + 1)
    if word in _MEASURES:
        return _measured(draft, tokens, start, at + 1, _MEASURES[word])
    if _is_figure(draft, word) and draft.line.at(word).text.lower().split()[0] in ("total", "sum", "overall"):
        return Said("sum", word, start, at + 1)
    return None


def _counted(draft: Draft, tokens: list[str], start: int, at: int) -> Said:
    """With the noun of what is counted, if it follows."""
    place = at
    while place < len(tokens) and tokens[place] in _FILLERS:
        place += 1
    end = place
    while end < len(tokens) and re.fullmatch(ITEM, tokens[end]) and _is_noun(draft, tokens[end]):
        end += 1
    return Said("count", tokens[end - 1], start, end) if end > place else Said("count", "", start, at)


def _measured(draft: Draft, tokens: list[str], start: int, at: int, measure: Measure) -> Said | None:
    """With the column that follows it, or that the next figure shares with it."""
    place = at
    while place < len(tokens) and tokens[place] in (*_FILLERS, "total"):
        place += 1
    if place < len(tokens) and _is_figure(draft, tokens[place]):
        return Said(measure, tokens[place], start, place + 1)
    return Said(measure, "", start, at) if tokens[at : at + 1] and tokens[at] in (*_CONNECTORS, "of") else None


def _is_noun(draft: Draft, token: str) -> bool:
    return bool(sure_tables(draft.line.at(token))) or not _is_figure(draft, token)


def _is_figure(draft: Draft, token: str) -> bool:
    return bool(re.fullmatch(ITEM, token)) and "X" in draft.line.at(token).kinds


def with_further(asked: Asked, draft: Draft) -> Asked:
    """The question with its further figures; what cannot be one is lost."""
    counted = [mention for measure, mention in draft.further if measure == "count" and mention is not None]
    tables = [_table(draft, asked, mention) for mention in counted]
    if tables and all(tables):
        return _by_owner(draft, asked, [table for table in tables if table])
    also: list[Figure] = []
    for measure, mention in draft.further:
        figure = _resolved(draft, asked, measure, mention)
        if figure is None:
            draft.lost.append(mention.text if mention else measure)
        elif figure not in [Figure(asked.measure, asked.of), *also]:
            also.append(figure)
    return replace(asked, also=tuple(also)) if asked.measure != "rows" else asked


def _resolved(draft: Draft, asked: Asked, measure: Measure, mention: Mention | None) -> Figure | None:
    if measure == "count":
        other = _table(draft, asked, mention) if mention else None
        return Figure("count", draft.ground.label(other)[0] if other else None)
    near = draft.nearest(mention, "column", near=[asked.subject], kinds=NUMERIC) if mention else None
    one = (own_column(draft, mention) if mention else None) or near
    of = Field(one.table, one.column) if one else draft.ground.main_measure(asked.subject) if mention is None else None
    return Figure(measure, of) if of and not (measure == "sum" and mention is None and is_rate(of.column)) else None


def _table(draft: Draft, asked: Asked, mention: Mention) -> str | None:
    """Another table than the subject, whose rows are counted beside its own."""
    one = draft.ground.nearest(mention.of("table"), [asked.subject])
    return one.table if one and one.table != asked.subject else None


def _by_owner(draft: Draft, asked: Asked, tables: list[str]) -> Asked:
    """Rows of several tables, counted for each row that both belong to."""
    owners = {field.table for field in asked.groups}
    owner = next(iter(owners)) if len(owners) == 1 else ""
    linked = bool(owner) and all(draft.ground.is_many(owner, table) for table in (asked.subject, *tables))
    if not linked or asked.grain or asked.measure != "count" or asked.conditions or asked.absences:
        return replace(asked, also=tuple(Figure("count", draft.ground.label(table)[0]) for table in tables))
    periods = [draft.ground.main_date(table) for table in tables] if asked.period else []
    others = [
        replace(asked.period, field=field, until=None) if asked.period and field else None
        for field in periods or [None] * len(tables)
    ]
    tallies = (
        Absence(asked.subject, False, period=asked.period),
        *(Absence(table, False, period=period) for table, period in zip(tables, others, strict=True)),
    )
    label = draft.ground.label(owner)
    return Asked(subject=owner, shown=label, tallies=tallies, unread=asked.unread)


def of_one_measure(amended: Asked, before: Asked) -> Asked:
    """Without the further figures, parts and counts of a measure that is no longer asked for."""
    if amended.measure == before.measure:
        return amended
    tallies = amended.tallies if amended.measure == "rows" else ()
    return replace(amended, also=(), parts=(), over=None, tallies=tallies)
