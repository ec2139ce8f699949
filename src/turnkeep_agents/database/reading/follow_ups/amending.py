"""What a follow-up changes in the question before it: a time, a filter, groups, the order, the measure, the subject."""

import re
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Asked, Field
from turnkeep_agents.database.reading.conditions.absences import read_absences, wrap_many
from turnkeep_agents.database.reading.conditions.comparisons import read_comparisons
from turnkeep_agents.database.reading.conditions.edges import read_edges
from turnkeep_agents.database.reading.conditions.filters import read_filters
from turnkeep_agents.database.reading.conditions.keepers import asks_in_vain, take_keeper
from turnkeep_agents.database.reading.conditions.roles import role_of_named
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.figures.groups import settle_groups, take_groups
from turnkeep_agents.database.reading.figures.orders import settle_order, take_orders
from turnkeep_agents.database.reading.figures.rankings import take_time_with_most
from turnkeep_agents.database.reading.follow_ups.corrections import back_to_today, take_correction
from turnkeep_agents.database.reading.follow_ups.merging import as_rows, merge
from turnkeep_agents.database.reading.follow_ups.removals import afresh
from turnkeep_agents.database.reading.follow_ups.those import asks_for_rows_of, hold_to, is_of_them, rows_of
from turnkeep_agents.database.reading.leftovers import read_names, read_shown, read_unread
from turnkeep_agents.database.reading.openings import read_opening
from turnkeep_agents.database.reading.times.dating import main_date, read_period
from turnkeep_agents.database.reading.times.days import name_of, shift
from turnkeep_agents.database.reading.times.lasts import keep_past
from turnkeep_agents.database.reading.words.idioms import KEEPS, SAID
from turnkeep_agents.database.reading.words.lexicon import EXACT
from turnkeep_agents.database.reading.words.lines import ITEM

_PAGE = re.compile(
    r"^(?:please )?(?:show |give |list |see )?(?:me |us )?(?:the )?(?:next|more|rest|remaining|continue|go on)"
    r"(?: page| ones| rows| results| entries| <\d+N>| of (?:them|it|those|the list))*(?: please)?$"
)

_COUNT = re.compile(
    r"^(?:and |so |but )?(?:how many(?: of (?:them|those|these))?(?: (?:is|are|was|were) (?:there"
    r"|that|those|they|it|these))?"
    r"|count (?:them|those|these|it)|(?:what is )?(?:the )?(?:total )?(?:number|count)(?: of (?:them|those|these))?)"
    r"(?: in total| altogether| all together| overall| in all)?$"
)

_LIST = re.compile(
    r"^(?:and |so |but |please |can you |could you )*(?:(?:list|show|name|display|give|see)(?: me"
    r"| us)? (?:them|those|these|it|all of them)(?: all)?"
    r"|(?:who|which|what) (?:are|is|were|was) (?:they|those|these|it|that)"
    r"|which ones?(?: are they| exactly)?|which|who exactly|who|which are they"
    r"|(?:what are )?(?:their|the) names?|names?)(?: please)?$"
)

_OPENERS = re.compile(
    r"^(?:(?:and|or|but|so|then|ok|okay|now|no(?= ?,| by| per)|nope|yes|well|please|also|actually"
    r"|sorry|rather|hmm|what if|i mean|i meant|i want|only)[ ,]+)+"
)

_ABOUT = re.compile(
    r"^(?:what about|how about|what of|(?:and |do |show |give me )?(?:the )?same(?: thing"
    r"| question| again| list)?(?: (?:for|with|in|by|but|only))?|instead)\b ?(?:only )?"
)

_PRONOUN = re.compile(r"\b(?:they|them|those|these|their|theirs|it|its|ones|one|he|she|his|her|that)\b")

_BEFORE = re.compile(
    r"^(?:in |on |for |during )?(?:the )?(?:(?P<unit>day|week|month|quarter"
    r"|year)s? (?P<way>before|earlier|prior|previously|after|later)(?: that)?"
    r"|(?:before|prior to) that|(?P<next>after that|following (?P<unit2>day|week|month|quarter|year)))$"
)


def amend(draft: Draft, before: Asked) -> Asked | None:
    """The question before as the line changes it; None where the line is a question of its own."""
    line = draft.line
    is_corrected = take_correction(draft, before)
    bare = re.sub(r"[?.!,;:]+", " ", line.code).strip()
    bare = re.sub(r"\s+", " ", bare)
    whole = _whole_line(bare, before) or afresh(line.text, before)
    if whole is not None:
        return whole
    if asks_in_vain(draft, before.subject):
        return replace(before, unread=(SAID[KEEPS],), page=0)
    has_link = bool(is_corrected or _OPENERS.match(bare + " "))
    line.code = _OPENERS.sub("", bare + " ").strip()
    about = _ABOUT.match(line.code)
    line.code = _ABOUT.sub("", line.code).strip()
    today = back_to_today(bare, before, draft.ground)
    if today is not None:
        return today
    shifted = _shifted(line.code, before)
    if shifted is not None:
        return shifted
    return _changed(draft, before, is_linked=has_link or about is not None)


def _whole_line(bare: str, before: Asked) -> Asked | None:
    """Lines that are nothing but a wish for the same in another form."""
    if _PAGE.match(bare):
        return replace(before, page=before.page + 1)
    before = replace(before, page=0, unread=())
    if _COUNT.match(bare):
        return replace(
            before,
            measure="count",
            of=None,
            less=None,
            is_distinct=False,
            shown=(),
            groups=(),
            grain=None,
            grain_of=None,
            order=None,
            order_by=None,
            limit=None,
            keep=None,
        )
    if _LIST.match(bare) and before.measure != "rows":
        return as_rows(before)
    return None


def _shifted(code: str, before: Asked) -> Asked | None:
    """The time before or after the one that was asked for."""
    found, period = _BEFORE.match(code), before.period
    if found is None or period is None:
        return None
    unit = found["unit"] or found["unit2"]
    step = 1 if found["next"] or found["way"] in ("after", "later") else -1
    if unit is None:
        days = (period.end - period.start).days + 1
        is_months = period.start.day == 1 and shift(period.end, "day", 1).day == 1
        months = (period.end.year - period.start.year) * 12 + period.end.month - period.start.month + 1
        unit, step = ("month", step * months) if is_months else ("day", step * days)
    start = shift(period.start, unit, step)
    end = shift(shift(shift(period.end, "day", 1), unit, step), "day", -1)
    return replace(before, period=replace(period, start=start, end=end, words=name_of(start, end)), page=0)


def _changed(draft: Draft, before: Asked, *, is_linked: bool) -> Asked | None:
    line = draft.line
    take_time_with_most(draft)
    read_opening(draft)
    has_pronoun = bool(_PRONOUN.search(line.code)) or bool(re.search(r"\bof (?:them|those|these)\b", line.text.lower()))
    take_orders(draft)
    take_groups(draft)
    role = role_of_named(draft, before)
    if role is not None:
        return role
    own = before.subject if is_of_them(line.text) else _own_subject(draft, before)
    if own is not None and own != before.subject and asks_for_rows_of(draft, before, own):
        return _of_those(draft, before, own)
    if own is not None and own != before.subject and not _is_context(draft, before, own, is_linked=is_linked):
        if not (is_linked or has_pronoun):
            return None
        return _of_those(draft, before, own) if has_pronoun else _with_subject(draft, before, own)
    if own == before.subject and draft.is_whole and not is_linked and not has_pronoun:
        return None
    draft.subject = before.subject
    draft.beside = list(
        dict.fromkeys(field.table for field in (*before.groups, *(one.field for one in before.conditions)))
    )
    _drop_subject(draft, before.subject)
    is_kept = take_keeper(draft)
    _read(draft)
    draft.measure = None if is_kept else draft.measure
    amended = merge(draft, before)
    return None if _is_idle(draft, amended, before) and draft.is_whole else amended


def _own_subject(draft: Draft, before: Asked) -> str | None:
    """The table that the line itself is about, by its name."""
    candidates = [
        (at, one)
        for at, item in enumerate(draft.line.items())
        for one in draft.line.at(item).of("table")
        if one.weight >= 0.75 and not _is_verb(draft.line.at(item).text)
    ]
    if not candidates:
        return None
    if any(one.table == before.subject for _, one in candidates):
        return before.subject
    first = candidates[0][0]
    best = max(
        (one for at, one in candidates if at == first),
        key=lambda one: (one.weight, draft.ground.profiles[one.table].weight),
    )
    is_column = any(
        one.sort == "column" and one.weight >= best.weight for one in draft.line.at(draft.line.items()[first]).meanings
    )
    return None if is_column and not draft.is_whole and _is_column_of(draft, before, first) else best.table


def _is_column_of(draft: Draft, before: Asked, place: int) -> bool:
    mention = draft.line.at(draft.line.items()[place])
    return any(one.table == before.subject for one in mention.of("column"))


def _is_verb(text: str) -> bool:
    return text.lower().endswith(("ed", "ing"))


def _is_context(draft: Draft, before: Asked, own: str, *, is_linked: bool) -> bool:
    """Whether another table is only named to say where a filter lies, or what is shown with the rows."""
    ground, subject = draft.ground, before.subject
    if not ground.is_near(subject, own):
        return False
    has_filter = any(set(draft.line.at(item).kinds) & set("VQIB") for item in draft.line.items())
    is_wish = bool(
        re.search(r"\b(?:without|with|have|has|had|no|never|only|their|its|show|include|add)\b", draft.line.code)
    )
    is_counted = draft.is_whole and draft.measure is not None
    if is_counted and (not is_wish or re.match(rf"^\W*(?:of )?(?:the )?{ITEM}", draft.line.code.strip("| "))):
        return False
    return (has_filter and not ground.is_many(subject, own)) or (is_wish and ground.distance(subject, own) < 3.5)


def _drop_subject(draft: Draft, subject: str) -> None:
    for item in draft.line.items():
        mention = draft.line.at(item)
        exact = [one for one in mention.of("table") if one.weight >= EXACT and one.table == subject]
        if exact and not any(one.table == subject for one in mention.of("value")):
            draft.line.code = draft.line.code.replace(item, "@", 1)
            return


def _read(draft: Draft) -> None:
    read_absences(draft)
    read_edges(draft)
    read_comparisons(draft)
    read_filters(draft)
    read_period(draft)
    settle_groups(draft)
    settle_order(draft)
    keep_past(draft)
    read_names(draft)
    _read_links(draft)
    read_shown(draft)
    read_unread(draft)
    wrap_many(draft)


def _read_links(draft: Draft) -> None:
    """A line that only names a link says which of several was meant: "the one who created it"."""
    items = draft.line.items()
    if len(items) != 1 or draft.before is None:
        return
    mention = draft.line.at(items[0])
    for one in mention.of("column"):
        link = draft.profile.links.get(one.column) if one.table == draft.subject else None
        fields = [*draft.before.groups, *(condition.field for condition in draft.before.conditions)]
        if link and any(field.table == link.to_table for field in fields):
            draft.line.drop(items[0])
            draft.before = _through(draft.before, link.to_table, one.column)
            return


def _through(asked: Asked, table: str, via: str) -> Asked:
    def through(field: Field) -> Field:
        return replace(field, via=via) if field.table == table else field

    conditions = tuple(
        replace(one, field=through(one.field), others=tuple(map(through, one.others))) for one in asked.conditions
    )
    return replace(
        asked, groups=tuple(map(through, asked.groups)), shown=tuple(map(through, asked.shown)), conditions=conditions
    )


def _of_those(draft: Draft, before: Asked, subject: str) -> Asked:
    """The rows of another table that belong to those before."""
    draft.subject, draft.beside = subject, [before.subject]
    _drop_subject(draft, subject)
    _read(draft)
    return rows_of(draft, before, hold_to(draft, before))


def _with_subject(draft: Draft, before: Asked, subject: str) -> Asked | None:
    """The same question about rows of another table: time and groups still hold where they are reached."""
    ground = draft.ground
    draft.subject = subject
    _drop_subject(draft, subject)
    _read(draft)
    period = draft.period
    if period is None and before.period is not None:
        field = main_date(draft)
        period = replace(before.period, field=field, until=None) if field else None
    groups = tuple(field for field in before.groups if ground.is_near(subject, field.table))
    asked = rows_of(draft, before, period)
    if asked.measure == "rows":
        return asked
    grain = draft.grain or before.grain
    field = main_date(draft) if grain else None
    return replace(asked, groups=asked.groups or groups, grain=grain if field else None, grain_of=field)


def _is_idle(draft: Draft, amended: Asked, before: Asked) -> bool:
    """Whether the line has changed nothing."""
    return replace(amended, unread=(), page=0) == replace(before, unread=(), page=0)
